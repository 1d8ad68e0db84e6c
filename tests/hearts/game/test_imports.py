"""The game and the views load quickly, and without numpy and numba."""

import subprocess
import sys

import pytest

LIMIT = 0.1  # seconds
TRIALS = 7

PROBE = """
import pkgutil, sys, time
start = time.perf_counter()
import {package} as package
print(time.perf_counter() - start)
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    __import__(module.name)
heavy = {{"numpy", "numba", "llvmlite", "scipy", "hearts.engine", "hearts.kernels"}}
print(sorted(heavy & sys.modules.keys()))
"""


def probe(package):
    """The seconds that an import takes in a new process, and the heavy modules then loaded."""
    command = [sys.executable, "-c", PROBE.format(package=package)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, heavy = done.stdout.splitlines()
    return float(seconds), heavy


@pytest.mark.parametrize("package", ["hearts.game", "hearts.views"])
def test_a_package_of_plain_python_loads_quickly(package):
    trials = [probe(package) for _ in range(TRIALS)]
    assert {heavy for _, heavy in trials} == {"[]"}
    assert min(seconds for seconds, _ in trials) < LIMIT
