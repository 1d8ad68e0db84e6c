"""gunicorn's master process, which also keeps the service's worker of jobs."""

from __future__ import annotations

from typing import Any

from gunicorn.arbiter import Arbiter

from server.serving.job_workers import JobWorkers


class Master(Arbiter):  # type: ignore[misc]  # gunicorn has no types
    """Starts the workers, and stops them."""

    def __init__(self, app: Any, jobs: JobWorkers) -> None:
        self.jobs = jobs
        super().__init__(app)

    def manage_workers(self) -> None:
        """Keep all processes running; called about once a second."""
        super().manage_workers()
        self.jobs.keep()

    def handle_int(self) -> None:
        """Let running requests finish, as after SIGTERM; a second SIGINT stops at once."""
        self.handle_term()

    def stop(self, graceful: bool = True) -> None:
        """Stop all processes."""
        self.jobs.terminate()
        super().stop(graceful)
        self.jobs.wait()
