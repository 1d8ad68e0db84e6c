"""The endpoints, one module per group. A new group is a module and an entry in BLUEPRINTS."""

from server.http.routes import (
    analysis,
    beliefs,
    games,
    health,
    ladder,
    metrics,
    models,
    moves,
    passing,
    review,
    stats,
    tables,
)

BLUEPRINTS = (
    health.blueprint,
    moves.blueprint,
    passing.blueprint,
    beliefs.blueprint,
    analysis.blueprint,
    review.blueprint,
    models.blueprint,
    tables.blueprint,
    games.blueprint,
    stats.blueprint,
    ladder.blueprint,
    metrics.blueprint,
)
