"""Services that tests share: one process per set of settings, for the whole session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.server.service import Service, serving


@pytest.fixture(scope="session")
def shared_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Service]]:
    """Start a service with some settings, or return the one that has them.

    For tests that neither stop it nor count what others have left in its database.
    """
    running: dict[frozenset[tuple[str, str]], Service] = {}
    with ExitStack() as stack:

        def find(**settings: str) -> Service:
            profile = frozenset(settings.items())
            if profile not in running:
                folder = tmp_path_factory.mktemp("service")
                given = {"HEARTS_JOB_WORKERS": "1"} | settings
                running[profile] = stack.enter_context(serving(folder, **given))
            return running[profile]

        yield find
