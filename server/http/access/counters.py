"""Counters of requests: in memory, or in a Redis that several processes share."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import structlog
from limits import RateLimitItem, parse_many
from limits.errors import ConfigurationError, StorageError
from limits.storage import Storage, storage_from_string
from limits.strategies import FixedWindowRateLimiter

from server.runtime.errors import SettingsError
from server.runtime.setting_readers import MEMORY

REDIS_SECONDS = 0.25  # until Redis counts as down; a move waits no longer
RETRY_SECONDS = 2.0  # until Redis is asked again
SWEEP_SECONDS = 60.0  # how often expired counters are deleted

log = structlog.stdlib.get_logger("hearts.limits")


class MonotonicStorage(Storage):
    """Counters in memory that a change of the clock does not affect.

    The memory storage of `limits` uses the time of day. When the clock is set back by an hour, it
    keeps rejecting requests for an hour.
    """

    STORAGE_SCHEME = None
    base_exceptions = ValueError

    def __init__(self) -> None:
        super().__init__()
        self._counts: dict[str, tuple[int, float]] = {}  # key: (count, end of the window)
        self._lock = threading.Lock()
        self._sweep_at = 0.0

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Count; the first one begins a window of `expiry` seconds."""
        now = time.monotonic()
        with self._lock:
            self._sweep(now)
            count, end = self._counts.get(key, (0, 0.0))
            count, end = (count + amount, end) if now < end else (amount, now + expiry)
            self._counts[key] = (count, end)
        return count

    def get(self, key: str) -> int:
        """The count of the current window."""
        count, end = self._counts.get(key, (0, 0.0))
        return count if time.monotonic() < end else 0

    def get_expiry(self, key: str) -> float:
        """The time of day at which the window ends."""
        left = self._counts.get(key, (0, 0.0))[1] - time.monotonic()
        return time.time() + max(0.0, left)

    def check(self) -> bool:
        """Memory always works."""
        return True

    def reset(self) -> int:
        """Delete all counters."""
        with self._lock:
            size = len(self._counts)
            self._counts.clear()
        return size

    def clear(self, key: str) -> None:
        """Delete a counter."""
        with self._lock:
            self._counts.pop(key, None)

    def _sweep(self, now: float) -> None:
        """Delete expired counters now and then; the caller holds the lock."""
        if now >= self._sweep_at:
            self._sweep_at = now + SWEEP_SECONDS
            self._counts = {key: each for key, each in self._counts.items() if now < each[1]}


class RateLimit:
    """A rate limit for each identity.

    `storage` is shared with other processes, None without one. Then, and while it does not answer,
    each of `workers` processes enforces its share.
    """

    def __init__(self, rate_text: str, storage: Storage | None, workers: int) -> None:
        self.items = parse_many(rate_text)
        self._shares = [_share(item, workers) for item in self.items]
        self._shared = FixedWindowRateLimiter(storage) if storage else None
        self._own = FixedWindowRateLimiter(MonotonicStorage())
        self._retry_at = 0.0

    def hit(self, *identity: str, is_counted: bool = True) -> tuple[str, float] | None:
        """Count a request; returns the limit that it exceeds, and the seconds until it may pass.

        A request that is not counted yet is only compared with the limit.
        """
        if self._shared and time.monotonic() >= self._retry_at:
            try:
                return _hit(self._shared, self.items, identity, is_counted)
            except StorageError as error:
                self._retry_at = time.monotonic() + RETRY_SECONDS
                log.warning("limits: Redis does not answer, counting here", error=str(error))
        return _hit(self._own, self._shares, identity, is_counted)


def shared_storage(url: str) -> Storage | None:
    """The storage of HEARTS_LIMITS_URL, without connecting to it; None: memory."""
    if url == MEMORY:
        return None
    try:
        from redis.backoff import NoBackoff  # of the extra `redis`
        from redis.retry import Retry

        return storage_from_string(  # type: ignore[return-value]  # it may be an asynchronous one
            url,
            wrap_exceptions=True,
            key_prefix="hearts",
            socket_timeout=REDIS_SECONDS,
            socket_connect_timeout=REDIS_SECONDS,
            retry=Retry(NoBackoff(), 1),  # type: ignore[arg-type]  # one: the connection was stale
        )
    except ModuleNotFoundError:
        reason = "redis is missing: pip install 'hearts-ai[redis]'"
        raise SettingsError(f"HEARTS_LIMITS_URL: {reason}") from None
    except (ConfigurationError, ValueError) as error:
        raise SettingsError(f"HEARTS_LIMITS_URL: {error}") from None


def _share(item: RateLimitItem, workers: int) -> RateLimitItem:
    """The share of one of `workers` processes in a limit."""
    return type(item)(max(1, item.amount // workers), item.multiples)


def _hit(
    limiter: FixedWindowRateLimiter,
    items: Sequence[RateLimitItem],
    identity: Sequence[str],
    is_counted: bool,
) -> tuple[str, float] | None:
    may_pass = limiter.hit if is_counted else limiter.test
    for item in items:
        if not may_pass(item, *identity):
            return str(item), _seconds_left(limiter, item, identity)
    return None


def _seconds_left(
    limiter: FixedWindowRateLimiter, item: RateLimitItem, identity: Sequence[str]
) -> float:
    """The rest of the window, which is never longer than the window itself."""
    left = limiter.get_window_stats(item, *identity).reset_time - time.time()
    if left > item.get_expiry() + 1:  # the clock of Redis was set back
        limiter.clear(item, *identity)
    return min(left, item.get_expiry())
