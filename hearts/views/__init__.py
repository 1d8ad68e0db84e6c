"""What one seat knows, and the proof that it can be so."""

from hearts.views.view import View

__all__ = ["View"]
