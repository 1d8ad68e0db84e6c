"""schemathesis over the OpenAPI document, all checks, for a while; `make fuzz` takes longer."""

import pytest

from tests.fuzz import schemathesis
from tests.server.service import serving


@pytest.mark.slow
def test_nothing_that_schemathesis_tries_breaks_the_contract(tmp_path):
    with serving(tmp_path, HEARTS_LOG_LEVEL="warning") as service:
        found = schemathesis(
            service.base, "--max-examples", "4", "--generation-deterministic", "--no-shrink"
        )
    assert found.returncode == 0, found.stdout
    assert " failed" not in found.stdout
