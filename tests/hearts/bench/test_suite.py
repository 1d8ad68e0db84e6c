"""The suite: its steps, how results are merged, and the machine."""

from hearts.bench import suite
from hearts.bench.suite import machine, measure, steps


def test_other_processors_are_measured_in_the_full_suite_only():
    quick, full = ([name for name, _ in steps(full=full)] for full in (False, True))
    assert len(full) == 19
    assert [name for name in full if name not in quick] == ["playouts without BMI2"]


def test_steps_add_to_one_result(monkeypatch):
    made = [("a", lambda: {"x": {"1": 2}, "y": 3}), ("b", lambda: {"x": {"4": 5}})]
    monkeypatch.setattr(suite, "steps", lambda *, full: made)
    seen = []
    found = measure(lambda given: (seen.append(step[0]) or step for step in given))
    assert (found["x"], found["y"], found["full"]) == ({"1": 2, "4": 5}, 3, False)
    assert seen == ["a", "b"]


def test_the_machine_is_named():
    assert {"cpu", "bmi2", "python", "numba", "numpy"} <= machine().keys()
