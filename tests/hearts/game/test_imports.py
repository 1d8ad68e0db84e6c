"""The game and the views load quickly, and without numpy and numba."""

import subprocess
import sys

import pytest

LIMIT = 0.1  # seconds of CPU, which do not depend on what else the machine does
TRIALS = 5

IMPORT = "import time; start = time.process_time(); import hearts.game"
MODULES = """
import pkgutil, sys, {package} as package
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    __import__(module.name)
print(sorted({{"numpy", "numba", "llvmlite", "scipy", "hearts.kernels"}} & sys.modules.keys()))
"""


def run(program):
    """What a program prints in a new process."""
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("package", ["hearts.game", "hearts.views"])
def test_a_package_of_plain_python_loads_no_compiler(package):
    assert run(MODULES.format(package=package)) == "[]"


def test_the_game_loads_quickly():
    trials = (float(run(f"{IMPORT}; print(time.process_time() - start)")) for _ in range(TRIALS))
    assert any(seconds < LIMIT for seconds in trials)
