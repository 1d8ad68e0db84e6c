"""How people get their seats: the creator by a token, everybody else by an invitation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from server.runtime.tokens import new_token, token_hash
from server.tables.setup import Setup


@dataclass(frozen=True)
class Places:
    """The secrets of a new table, which only its creator is told."""

    tokens: Sequence[str | None]  # by seat: that of the creator; None: another's
    invitations: Sequence[str | None]  # by seat: of the other people; None: no invitation

    @property
    def token_hashes(self) -> list[str | None]:
        """The hashes of the tokens."""
        return [token and token_hash(token) for token in self.tokens]

    @property
    def invitation_hashes(self) -> list[str | None]:
        """The hashes of the invitations."""
        return [invitation and token_hash(invitation) for invitation in self.invitations]


def new_places(setup: Setup, creator: int | None) -> Places:
    """The secrets of a table whose creator takes a seat; None: the creator takes none."""
    people = [seat for seat, each in enumerate(setup.seats) if each.player.is_human]
    seats = range(len(setup.seats))
    return Places(
        [new_token() if seat == creator else None for seat in seats],
        [new_token() if seat in people and seat != creator else None for seat in seats],
    )
