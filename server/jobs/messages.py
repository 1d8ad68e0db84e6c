"""Messages of a computing process to its worker: a word, and a content."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

PROGRESS, DONE, FAILED = "progress", "done", "failed"  # the first words of messages
Progress = Callable[[Mapping[str, Any]], None]  # tells the worker how far a computation is
