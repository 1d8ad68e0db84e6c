"""`hearts compile`: compile all kernels."""

from __future__ import annotations

import click
from tqdm import tqdm


@click.command("compile")
@click.option("--jobs", type=click.IntRange(1), help="Processes at once.  [default: one per core]")
def compile_command(jobs: int | None) -> None:
    """Compile all kernels, so that neither the service nor its first move waits for that.

    Takes half a minute on two cores the first time, and two seconds when everything is compiled.
    """
    from server.runtime.warmup import compile_ahead, steps

    with tqdm(total=len(steps()), desc="compiling kernels", unit="step") as bar:
        for name, _ in compile_ahead(jobs):
            bar.set_postfix_str(name, refresh=False)
            bar.update()
