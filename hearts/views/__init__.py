"""What one seat knows of a hand, the checks that it is possible, and its JSON forms."""

from hearts.views.view import View

__all__ = ["View"]
