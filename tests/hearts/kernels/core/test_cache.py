"""Where compiled kernels are kept if nothing usual is writable."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from numba import config

import hearts.kernels
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


# Compiles one small kernel, and prints where the code and the compiled kernel are.
TINY = """
import hearts
from hearts.kernels.core.random import mix
from numba import config, uint64
mix(uint64(1))
print(hearts.__file__)
print(config.CACHE_DIR)
"""


def installed_read_only(folder: Path) -> Path:
    """A copy of the lowest kernels, without compiled code, in directories that refuse writing."""
    copied = folder / "hearts"
    shutil.copytree(
        Path(hearts.__file__).parent / "kernels" / "core",
        copied / "kernels" / "core",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    for package in (hearts, hearts.kernels):
        source = Path(package.__file__)
        shutil.copy(source, copied / source.relative_to(Path(hearts.__file__).parent))
    for path, _, _ in os.walk(folder):
        Path(path).chmod(0o555)
    return folder


def test_a_read_only_installation_without_a_home_works(tmp_path):
    """In a process that permission bits bind: root loses the capability to ignore them."""
    installed, temporary = installed_read_only(tmp_path / "installed"), tmp_path / "temporary"
    temporary.mkdir()
    bound = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    command = [*(bound if os.getuid() == 0 else []), sys.executable, "-c", TINY]
    unset = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")
    kept = {name: value for name, value in os.environ.items() if name not in unset}
    given = {"PYTHONPATH": str(installed), "TMPDIR": str(temporary), "HOME": str(installed)}
    try:
        done = subprocess.run(
            command, cwd=tmp_path, env=kept | given, capture_output=True, text=True, timeout=120
        )
    finally:
        for path, _, _ in os.walk(installed):
            Path(path).chmod(0o755)  # so that pytest can delete it
    assert done.returncode == 0, done.stderr
    code, cache_directory = done.stdout.splitlines()
    assert code == str(installed / "hearts" / "__init__.py")
    assert Path(cache_directory).parent == temporary
    assert list(temporary.rglob("*.nbc"))
    assert "set NUMBA_CACHE_DIR" in done.stderr
    assert "Traceback" not in done.stderr
