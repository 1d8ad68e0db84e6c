"""Log lines."""

import json
import logging

import pytest
import structlog

from server.runtime import logs


@pytest.fixture
def said(monkeypatch, capsys):
    """What is logged after a configuration of its own, which is undone afterwards."""
    root, handlers, level = logging.getLogger(), logging.getLogger().handlers[:], logging.root.level
    monkeypatch.setattr(logs, "_handlers", [])
    yield lambda: capsys.readouterr().err
    root.handlers[:], logs._handlers[:] = handlers, []
    root.setLevel(level)
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()


def test_a_quick_line_has_what_any_other_line_has(said):
    logs.configure("info")
    structlog.contextvars.bind_contextvars(request_id="abc")
    fields = {"path": '/"\n\u2665', "status": 200}
    logs.write_info("hearts.requests", "request", **fields)
    structlog.stdlib.get_logger("hearts.requests").info("request", **fields)
    quick, usual = map(json.loads, said().splitlines())
    for line in (quick, usual):
        assert len(line.pop("timestamp")) == len("2026-01-01T00:00:00.000000Z")
    assert quick == usual
    assert quick["request_id"] == "abc"


def test_a_quick_line_obeys_the_level(said):
    logs.configure("warning")
    logs.write_info("hearts.requests", "request")
    assert said() == ""


def test_libraries_that_tell_of_every_step_are_quiet(said):
    logs.configure("debug")
    for library in ("alembic", "numba.core.ssa"):
        assert not logging.getLogger(library).isEnabledFor(logging.INFO)
    assert logging.getLogger("hearts").isEnabledFor(logging.DEBUG)
