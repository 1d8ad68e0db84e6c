"""Who sends a request."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Caller:
    """The API key of a request, if keys are required, and the address of the client."""

    key_id: int | None
    name: str | None  # of the key
    address: str

    @property
    def identity(self) -> str:
        """The key, or the address without one: limits count per identity."""
        return self.address if self.key_id is None else f"key {self.key_id}"
