"""The base of the dataclasses that the schemas of requests load."""

from __future__ import annotations

from dataclasses import dataclass

from server.runtime.messages import unknown_fields


@dataclass(frozen=True, kw_only=True)
class RequestData:
    """An object or a query that a client sent; its types have been checked."""

    unknown: tuple[str, ...] = ()  # names of fields that the service does not know

    @property
    def warnings(self) -> list[str]:
        """A warning for every unknown field."""
        return unknown_fields(self.unknown)
