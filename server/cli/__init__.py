"""The program `hearts`; the module of a command is imported when the command is called."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from server import version
from server.runtime.errors import ServerError

# Name: module and attribute below server.cli, and the line in `hearts --help`, which is here so
# that the help need not import numba, Flask and SQLAlchemy.
COMMANDS = {
    "serve": ("operate.serve:serve", "Serve the HTTP API."),
    "worker": ("operate.worker:worker", "Do queued jobs: reviews, scores of beliefs, retention."),
    "compile": ("operate.compile:compile_command", "Compile all kernels before the first start."),
    "config": ("operate.config:config", "List all settings, their values and their sources."),
    "database": ("operate.database:database", "Create, upgrade, inspect and prune the database."),
    "keys": ("operate.keys:keys", "Create, list and revoke API keys, and give games to them."),
    "verify": ("games.verify:verify", "Check the deals of a table against their commitments."),
    "replay": ("games.replay:replay", "Check game records against the rules."),
    "review": ("games.review:review_command", "Estimate the cost of every decision of a game."),
    "stats": ("games.stats:stats", "Show results by player, level or config."),
    "import": ("games.games:import_command", "Import game records into the database."),
    "export": ("games.games:export_command", "Export games as records, text, CSV or Parquet."),
    "decisions": ("games.decisions:decisions_command", "Show and repeat logged decisions."),
    "arena": ("research.arena:arena", "Run tournaments between players."),
    "experiment": ("research.experiment:experiment", "Run an experiment of docs/experiments."),
    "ladder": ("research.ladder:ladder", "Write the ratings that the leaderboard shows."),
    "beliefs": ("research.beliefs:beliefs", "Score opponent models, and fit styles of play."),
    "network": ("research.network:network", "Train the policy network of rollouts."),
    "playouts": ("research.playouts:playouts", "Fit the tables of softmax playouts."),
    "bench": ("research.bench:bench", "Measure the speed of kernels and decisions."),
}


class LazyGroup(click.Group):
    """A group that imports a command's module only when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command `cmd_name`; None if there is no such command."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(f"server.cli.{module}"), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; report a ServerError in one line, without a traceback."""
        try:
            return super().invoke(ctx)
        except ServerError as error:
            raise click.ClickException(str(error)) from error


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Settings come from hearts.toml and HEARTS_* variables; `hearts config` lists them. "
    "`hearts COMMAND --help` describes a command.",
)
@click.version_option(version(), prog_name="hearts")
def main() -> None:
    """A Hearts engine and its HTTP service."""
