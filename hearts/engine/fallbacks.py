"""What a search replaces in its config because the rules or the view do not support it."""

from collections.abc import Iterator

from hearts.engine.bridge.network import supports
from hearts.engine.config import SearchConfig
from hearts.engine.playouts import Playout
from hearts.views.view import View


def fallbacks(view: View, config: SearchConfig) -> Iterator[tuple[str, str]]:
    """The options that are replaced for a view, each with the reason."""
    if config.algorithm == "rollouts" and not supports(view):
        missing = "a full history" if view.partial else "the usual scoring"
        used = "playouts" if view.passing else "a tree (ismcts)"
        yield "algorithm", f"rollouts need {missing}: {used} decided"
    playout = Playout(config.playout)
    if playout.under(view.rules) is not playout:
        used = playout.under(view.rules).value
        yield "playout", f"{playout.value} playouts need the usual scoring: {used} was used"
