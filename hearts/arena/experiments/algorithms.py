"""Compare search algorithms, which treat hidden cards differently."""

from typing import Any

from hearts.arena.experiments.experiment import (
    Cell,
    Experiment,
    engine,
    plain_options,
    plot_differences,
    verdicts,
)
from hearts.players.spec import Spec

# best-reply: opponents see all cards. policy: no seat in the tree sees hidden cards.
VARIANTS = {
    "pimc": ("pimc", "best-reply"),
    "ismcts": ("ismcts", "best-reply"),
    "open-loop": ("open-loop", "best-reply"),
    "pimc, others by policy": ("pimc", "policy"),
    "ismcts, others by policy": ("ismcts", "policy"),
}
REFERENCE = "pimc"


def algorithms(*, quick: bool, simulations: int | None = None, **options: Any) -> Experiment:
    """Compare pimc, ismcts and open loop, with opponents by policy or by best reply."""
    budget = simulations or (1000 if quick else 10_000)
    given = {"simulations": budget, **options}
    specs = {
        name: engine(name, **plain_options(algorithm=algorithm, opponents=opponents, **given))
        for name, (algorithm, opponents) in VARIANTS.items()
    }
    cells = [
        Cell(f"{focus}, against {others}", x, focus, others)
        for others in (Spec("cautious"), Spec("duck"), specs[REFERENCE])
        for x, focus in enumerate(specs.values())
        if focus != others  # against itself the difference is exactly 0
    ]
    return Experiment(
        name=f"algorithms-{budget}",
        title=f"algorithms, {budget:,} simulations",
        cells=cells,
        deals=20 if quick else 250,
        plot=plot_differences,
        notes=lambda _, results: verdicts(results),
    )
