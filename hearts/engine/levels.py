"""The default search, the levels of the engine, and a plain search to compare with."""

from hearts.engine.config import SearchConfig

# UCT as in the literature: inside the tree all seats play their best reply with open cards.
PLAIN = SearchConfig(
    opponents="best-reply", c=0.5, reward="difference", aggregation="value", endgame=0
)

# What a client gets that names nothing: a tree on each of thirty worlds, with the opponent model,
# the playouts and the reward that were measured to help (docs/experiments/041-default-search.md).
# The defaults of SearchConfig's fields are another, plain search. Stored configs, journals and
# experiments are based on them, so they do not change.
DEFAULT = SearchConfig(belief="OM-2", playout="softmax", reward="difference", endgame=3)

# Each level adds what was measured to help (docs/experiments/022-levels.md); more simulations alone
# do not. The default is between `medium` and `hard`. Budgets are counted, not timed, so that a seed
# gives the same card on every machine; they took about 1, 3, 16 and 28 ms of one core on average
# where they were measured.
LEVELS = {
    # Every fourth card is a random legal one.
    "easy": SearchConfig(worlds=10, simulations=300, passing="rule", blunder=0.25),
    # The default without its opponent model, which takes most of the time, and fewer simulations.
    # Trees on single worlds suffer from strategy fusion: they assume that they will see all cards
    # from the next move on.
    "medium": SearchConfig(playout="softmax", simulations=3_500, reward="difference", endgame=3),
    # One tree over information sets, which avoids strategy fusion, and an opponent model that
    # infers hands from passes and plays.
    "hard": SearchConfig(
        algorithm="ismcts", belief="OM-2", playout="softmax", c=0.5, worlds=100, simulations=5_000,
        reward="difference", endgame=3,
    ),
    # Rollouts by the network, with an auxiliary tree like that of `hard`. The opponent model also
    # infers how each opponent plays (docs/experiments/051-network-evidence.md).
    "expert": SearchConfig(
        algorithm="rollouts", belief="OM-3", playout="softmax", c=0.5, worlds=200,
        simulations=2_000, auxiliary_simulations=5_000, reward="difference", endgame=3,
    ),
}  # fmt: skip
