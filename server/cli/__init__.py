"""The command line: one program, `hearts`, whose commands are loaded when they are called."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from server import version
from server.runtime.errors import ServerError

# name: (module:attribute below server.cli, what --help says in one line). Naming a command here and
# importing it keeps `hearts --help` free of numba, Flask and SQLAlchemy.
COMMANDS = {
    "serve": ("operate.serve:serve", "Serve the HTTP API."),
    "compile": ("operate.compile:compile_command", "Compile all kernels ahead of the first start."),
    "config": ("operate.config:config", "List all settings, their values and their sources."),
    "database": ("operate.database:database", "Create, upgrade and inspect the database."),
    "keys": ("operate.keys:keys", "Make, list and revoke API keys."),
    "verify": ("games.verify:verify", "Check that a table's deals were as promised."),
    "replay": ("games.replay:replay", "Check game records against the rules."),
    "review": ("games.review:review_command", "Say what the decisions of a game cost."),
    "stats": ("games.stats:stats", "Show how players, levels and configs did."),
    "import": ("games.games:import_command", "Import game records into the database."),
    "export": ("games.games:export_command", "Export games: records, text, CSV, Parquet."),
    "decisions": ("games.decisions:decisions_command", "Search logged decisions again."),
    "arena": ("research.arena:arena", "Measure players against each other."),
    "experiment": ("research.experiment:experiment", "Run a published experiment, or our own."),
    "ladder": ("research.ladder:ladder", "Write the ladder that the leaderboard shows."),
    "beliefs": ("research.beliefs:beliefs", "Judge opponent models, and fit their weights."),
    "network": ("research.network:network", "Train the policy network of rollouts."),
    "playouts": ("research.playouts:playouts", "Learn the tables of softmax playouts."),
    "bench": ("research.bench:bench", "Measure the speed of kernels and decisions."),
}


class LazyGroup(click.Group):
    """A group that imports a command's module only when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command `cmd_name`; None when there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(f"server.cli.{module}"), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from the table, importing none."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run; a fault of the installation is told in one line, without a traceback."""
        try:
            return super().invoke(ctx)
        except ServerError as error:
            raise click.ClickException(str(error)) from error


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Settings come from hearts.toml and HEARTS_* variables; `hearts config` lists them. "
    "`hearts COMMAND --help` says more about a command.",
)
@click.version_option(version(), prog_name="hearts")
def main() -> None:
    """A Hearts engine and its service: serve the API, keep the database, check games, measure."""
