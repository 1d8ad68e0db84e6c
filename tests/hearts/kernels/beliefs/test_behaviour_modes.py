"""The kernels of OM-2 in a process that compiles nothing: the same features, the same walk."""

import json
import os
import subprocess
import sys
from pathlib import Path

PLAIN = os.environ | {"NUMBA_DISABLE_JIT": "1"}
WALK = [sys.executable, "-m", "tests.hearts.kernels.beliefs.walks"]


def output(command: list[str], environment: dict[str, str]) -> str:
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-1000:]
    return run.stdout


def test_features_without_jit():
    tests = str(Path(__file__).with_name("test_features.py"))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    assert " passed" in output([*command, tests, "-k", "oracle and 3 or passed or search"], PLAIN)


def test_a_walk_without_jit():
    assert json.loads(output(WALK, PLAIN)) == json.loads(output(WALK, dict(os.environ)))
