"""Marks of endpoints: who may use one although most endpoints would refuse.

An endpoint is marked where it is defined, directly below its route. Without a mark an endpoint
needs a key, where keys are required, and refuses web pages of other origins.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from flask import current_app, request

View = TypeVar("View", bound=Callable[..., Any])

_MARKS = "hearts_marks"
_STATELESS, _BY_TOKEN, _BY_INVITATION = "stateless", "by token", "by invitation"
TOKENS = ("X-Share-Token", "X-Seat-Token")


def stateless(view: View) -> View:
    """Mark an endpoint that neither shows nor stores anything of a user.

    At most it logs a decision with a game whose id the request knows.
    """
    return _marked(view, _STATELESS)


def opened_by_token(view: View) -> View:
    """Mark an endpoint of one game or table, which a token opens to visitors without a key."""
    return _marked(view, _BY_TOKEN)


def opened_by_invitation(view: View) -> View:
    """Mark an endpoint that needs an invitation instead of a key."""
    return _marked(view, _BY_INVITATION)


def is_stateless() -> bool:
    """Whether the current request is for a stateless endpoint."""
    return _STATELESS in _marks()


def is_opened() -> bool:
    """Whether the current request carries a token or an invitation; the endpoint checks it."""
    marks = _marks()
    if _BY_INVITATION in marks:
        return True
    return _BY_TOKEN in marks and any(name in request.headers for name in TOKENS)


def _marked(view: View, mark: str) -> View:
    setattr(view, _MARKS, (*getattr(view, _MARKS, ()), mark))
    return view


def _marks() -> tuple[str, ...]:
    view = current_app.view_functions.get(request.endpoint or "")
    found: tuple[str, ...] = getattr(view, _MARKS, ())
    return found
