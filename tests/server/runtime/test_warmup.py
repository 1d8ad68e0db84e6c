"""After the warm-up no request waits for a compiler."""

from __future__ import annotations

import gzip
import importlib
import json
import pkgutil
import subprocess
import sys
from pathlib import Path

from hearts.engine.beliefs import belief_names
from hearts.game.records import parse_record
from hearts.views.codec import encode_state
from hearts.views.view import View
from server.http.app import create_app
from server.http.services import services
from server.runtime.settings import Settings
from server.runtime.warmup import compile_ahead, steps
from tests.server.api import OPENING, SHORT, Api
from tests.server.service import clean_environment
from tests.server.states import DATA, decisions


def compiled() -> dict[str, int]:
    """How many signatures every kernel has been compiled for in this process."""
    found: dict[str, int] = {}
    for package in ("hearts", "models"):
        path = importlib.import_module(package).__path__
        for module in pkgutil.walk_packages(path, f"{package}."):
            if module.name.startswith("hearts.training.neural."):
                continue  # no kernels, and PyTorch may be missing
            for name, value in vars(importlib.import_module(module.name)).items():
                if hasattr(value, "nopython_signatures"):
                    found[f"{value.__module__}.{name}"] = len(value.signatures)
    return found


# Takes every step of the warm-up, and prints what it had to compile.
LOADED_ONLY = """
from numba.core import event
from server.runtime.warmup import WarmUp
with event.install_recorder("numba:compile") as recorder:
    WarmUp().run()
compiled = [e.data["dispatcher"] for _, e in recorder.buffer]
print([d.py_func.__qualname__ for d in compiled if d.py_func.__module__.startswith("hearts.")])
"""


def ask_for_everything(api: Api) -> None:
    """Requests of every kind that is computed here: hands, each model, passes, a whole record."""
    with gzip.open(DATA / "xinxin-10k-dev.jsonl.gz", "rt") as lines:
        record = json.loads(lines.readline())
    parsed = parse_record(record)
    full = [state for state, legal in decisions(parsed) if len(legal) > 1]
    over = encode_state(View.of(parsed.deal, 0), 0)["trick_history"]
    late = full[len(full) // 2] | {"earlier_hands": [{"trick_history": over}]}
    few = {"simulations": 20, "worlds": 3, "seed": 1}
    passing = {"player_hand": OPENING, "pass_direction": 1, "rules": 4001}
    bodies = [
        ("analysis", {"record": record, "ai_config": few}),
        ("analysis", {"record": record, "ai_config": few | {"level": "hard"}}),
        ("analysis", {"record": record, "ai_config": few | {"level": "expert"}}),
        ("pass", {"game_state": passing, "ai_config": {"simulations": 0}}),
        ("pass", {"game_state": passing, "ai_config": {"time_ms": 5}}),
        ("move", {"game_state": {"player_hand": OPENING[:3]}, "ai_config": {"endgame": 3}}),
    ]
    for state in ({"player_hand": SHORT}, {"player_hand": OPENING}, full[0], late):
        for model in belief_names():
            bodies += [
                ("beliefs", {"game_state": state, "model": model, "worlds": 3}),
                ("move", {"game_state": state, "ai_config": few | {"belief": model}}),
            ]
    for path, body in bodies:
        status, answer = api.post(f"/api/{path}", body)
        assert status == 200, answer


def test_no_request_compiles_anything_after_the_warm_up(tmp_path):
    """In a process of its own, since other tests have compiled what they needed in this one."""
    module = "tests.server.runtime.test_warmup"
    command = [sys.executable, "-m", module, str(tmp_path / "hearts.db")]
    done = subprocess.run(
        command, cwd=Path(__file__).parents[3], env=clean_environment(), capture_output=True,
        text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == []  # after the lines of the log


def test_what_is_compiled_ahead_is_loaded_and_not_compiled_again(tmp_path):
    """Steps of several processes leave one cache on disk that lacks nothing."""
    listed = list(compile_ahead(2))
    assert [left for _, left in listed] == [*reversed(range(len(steps())))]
    assert {name for name, _ in listed} == set(steps())
    command = [sys.executable, "-c", LOADED_ONLY]
    done = subprocess.run(
        command, cwd=Path(__file__).parents[3], env=clean_environment(), capture_output=True,
        text=True, timeout=300,
    )  # fmt: skip
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "[]"), done.stderr


if __name__ == "__main__":
    application = create_app(Settings(database_url=f"sqlite:///{sys.argv[1]}"))
    services(application).warm_up.run()
    before = compiled()
    ask_for_everything(Api(application))
    after = compiled()
    late = sorted(kernel for kernel in after if after[kernel] > before[kernel])
    sys.stdout.write(f"{json.dumps(late)}\n")
