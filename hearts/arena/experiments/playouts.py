"""How simulations should go on below the tree."""

from typing import Any

from hearts.arena.experiments.experiment import (
    Cell,
    Experiment,
    draw_differences,
    engine,
    plain_options,
)
from hearts.players.registry import Spec

EPSILONS = (0.0, 0.1, 0.3, 0.5)


def playouts(*, quick: bool, **options: Any) -> Experiment:
    """Which playouts: uniform, ε-greedy with several ε, shoot-aware."""
    common = plain_options(simulations=500 if quick else 2000, **options)
    greedy = [
        engine(f"ε = {epsilon}", playout="epsilon-greedy", epsilon=epsilon, **common)
        for epsilon in EPSILONS
    ]
    uniform = engine("uniform", playout="uniform", **common)
    shoot_aware = engine("shoot-aware", playout="shoot-aware", **common)
    reference = greedy[EPSILONS.index(0.1)]
    cells = [
        Cell(f"{focus}, against {others}", at, focus, others)
        for others in (Spec("cautious"), reference)
        for at, focus in enumerate((uniform, *greedy, shoot_aware))
    ]
    title = f"playouts, {common['simulations']:,} simulations"
    return Experiment("playouts", title, cells, 20 if quick else 400, draw_differences)
