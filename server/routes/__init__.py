"""The endpoints, one module per group; adding one is a module and an entry here."""

from server.routes import analysis, beliefs, health, metrics, models, moves, passing

BLUEPRINTS = (
    health.blueprint,
    moves.blueprint,
    passing.blueprint,
    beliefs.blueprint,
    analysis.blueprint,
    models.blueprint,
    metrics.blueprint,
)
