"""The kernel tests again, in processes that compile differently: not at all, and without BMI2."""

import json
import os
import subprocess
import sys

import pytest

from tests.hearts.kernels.decisions import decisions

MODES = {
    "without JIT": {"NUMBA_DISABLE_JIT": "1"},
    "without BMI2": {"NUMBA_CPU_NAME": "generic"},
}
# The default for another processor takes a minute to compile: see make test-thorough.
EVERY_MODE = [
    "without JIT",
    pytest.param("without BMI2", marks=pytest.mark.thorough),
]
TESTED = [
    "core/test_bits.py",
    "core/test_state.py",
    "playouts/test_playouts.py",
    "policies/test_choose.py",
    "policies/test_mixed.py",
]


@pytest.mark.parametrize("mode", EVERY_MODE)
def test_kernels_pass_their_tests(mode):
    here = os.path.dirname(__file__)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    paths = [os.path.join(here, name) for name in TESTED]
    environment = os.environ | MODES[mode]
    run = subprocess.run(command + paths, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-1000:]
    assert " passed" in run.stdout


def test_modes_are_what_they_say():
    probe = "from hearts.kernels.core import bits; print(bits.JIT, bits.HAS_BMI2)"
    for mode, expected in (("without JIT", "False "), ("without BMI2", "True False")):
        environment = os.environ | MODES[mode]
        command = [sys.executable, "-c", probe]
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert run.stdout.startswith(expected)


@pytest.mark.parametrize("mode", EVERY_MODE)
def test_whole_decisions_are_the_same(mode):
    """Worlds, trees, endings and passes: every kernel of the engine, figure by figure."""
    command = [sys.executable, "-m", "tests.hearts.kernels.decisions"]
    run = subprocess.run(command, env=os.environ | MODES[mode], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-3000:]
    assert json.loads(run.stdout) == json.loads(json.dumps(decisions()))
