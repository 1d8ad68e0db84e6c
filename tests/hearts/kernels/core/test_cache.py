"""Where compiled kernels are kept if nothing usual is writable."""

from pathlib import Path

import pytest
from numba import config

from hearts.kernels.core import cache


def test_numba_keeps_its_own_place_if_it_has_one(monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", "")
    cache.ensure_cache()
    assert config.CACHE_DIR == ""


def test_a_private_directory_is_used_where_nothing_else_is_writable(monkeypatch, tmp_path, caplog):
    monkeypatch.setattr(config, "CACHE_DIR", "")
    monkeypatch.setattr(cache, "njit", lambda **_: _refuse)
    monkeypatch.setattr(cache.tempfile, "gettempdir", lambda: str(tmp_path))
    cache.ensure_cache()
    assert Path(config.CACHE_DIR).parent == tmp_path
    assert Path(config.CACHE_DIR).stat().st_mode & 0o077 == 0
    assert "NUMBA_CACHE_DIR" in caplog.text


def _refuse(_function):
    raise RuntimeError("no locator available")


def test_a_directory_that_others_can_write_to_is_not_trusted(tmp_path):
    made = cache.private_directory(tmp_path)
    made.chmod(0o777)
    with pytest.raises(ImportError, match="set NUMBA_CACHE_DIR"):
        cache.private_directory(tmp_path)
    with pytest.raises(ImportError, match="set NUMBA_CACHE_DIR"):
        cache.private_directory(Path("/proc/self/nowhere"))
