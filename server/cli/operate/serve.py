"""`hearts serve`: run the service."""

from __future__ import annotations

from dataclasses import replace

import click

from server.runtime.settings import Settings
from server.runtime.shared_metrics import share_metrics


@click.command()
@click.option("--host", help="Address to listen on.  [default: HEARTS_HOST, or 127.0.0.1]")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help="Port to listen on.  [default: HEARTS_PORT, or 8080]",
)
@click.option("--open", "allow_open", is_flag=True, help="Serve other machines without API keys.")
def serve(host: str | None, port: int | None, allow_open: bool) -> None:
    """Serve the HTTP API until interrupted.

    Creates or upgrades the database first. SIGTERM and Ctrl-C let running requests finish.
    """
    settings = Settings.from_environment()
    share_metrics(settings.workers)  # before the imports below

    from server.http.access.counters import shared_storage
    from server.http.access.guard import check_exposure, exposure_warning
    from server.serving import service as serving
    from server.storage.database import opened_database

    settings = replace(
        settings,
        host=host or settings.host,
        port=port or settings.port,
        allow_open=allow_open or settings.allow_open,
    )
    check_exposure(settings)
    if warning := exposure_warning(settings):
        click.echo(f"hearts: {warning}", err=True)
    serving.check_ports(settings)
    shared_storage(settings.limits_url)  # reports a missing package before gunicorn starts
    with opened_database(settings.database_url):
        pass  # only upgraded: gunicorn's workers open their own connections
    address = f"http://{serving.bracketed(settings.host)}:{settings.port}"
    message = f"hearts: serving on {address} (stop with Ctrl-C)"
    serving.serve(settings, lambda: click.echo(message, err=True))
