"""What a search replaces in its config because the rules or the view do not support it."""

from collections.abc import Iterator

from hearts.engine.bridge.policies import network_passes_under
from hearts.engine.config import SearchConfig
from hearts.engine.playouts import Playout
from hearts.views.view import View


def fallbacks(view: View, config: SearchConfig) -> Iterator[tuple[str, str]]:
    """The options that are replaced for a view, each with the reason."""
    if config.algorithm == "rollouts":
        if view.passing and not network_passes_under(view.rules):
            needed = "rollouts of passes need the usual penalties and moons"
            yield "algorithm", f"{needed}: playouts decided"
        elif not view.passing and not view.rules.usual_penalties:
            needed = "rollouts by the network need the usual penalties"
            yield "algorithm", f"{needed}: the policy of cautious played them"
    playout = Playout(config.playout)
    if playout.under(view.rules) is not playout:
        used = playout.under(view.rules).value
        yield "playout", f"{playout.value} playouts need the usual scoring: {used} was used"
