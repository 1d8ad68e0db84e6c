"""One service and one browser for all tests of the pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.server.service import Service, serving
from tests.web.browser import Visit, chromium


@pytest.fixture(scope="package")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(
        tmp_path_factory.mktemp("web"), HEARTS_TABLE_PACE_MS="0", HEARTS_JOB_WORKERS="1"
    ) as running:
        yield running


# Not for the session: the driver keeps an event loop running, which tests of others may not like.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture
def visit(browser: Browser, service: Service) -> Iterator[Callable[..., Visit]]:
    """Makes visits; after the test none of them may have seen an error or asked anybody else."""
    made: list[Visit] = []

    def make(*, base: str = service.base, **how: Any) -> Visit:
        made.append(Visit(browser, base, **how))
        return made[-1]

    yield make
    for each in made:
        each.context.unroute_all(behavior="ignoreErrors")
        each.context.close()
    for each in made:
        each.check()
