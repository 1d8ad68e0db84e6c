"""The kernels of OM-2 without numba: the same features, the same chain."""

import json
import os
import subprocess
import sys
from pathlib import Path

PLAIN = os.environ | {"NUMBA_DISABLE_JIT": "1"}
CHAIN = [sys.executable, "-m", "tests.hearts.kernels.beliefs.chain_samples"]


def output(command: list[str], environment: dict[str, str]) -> str:
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-1000:]
    return run.stdout


def test_features_without_jit():
    tests = str(Path(__file__).with_name("test_features.py"))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    assert " passed" in output([*command, tests, "-k", "oracle and 3 or passed or search"], PLAIN)


def test_chain_samples_without_jit():
    assert json.loads(output(CHAIN, PLAIN)) == json.loads(output(CHAIN, dict(os.environ)))
