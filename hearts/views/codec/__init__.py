"""The codec of `game_state`: how clients of the service write what one seat knows.

`encode_state` writes a view as a state, and `decode_state` reads a state as a view.
"""

from hearts.views.codec.decode import (
    GivenState,
    decode_state,
    decode_to_pass,
    decode_to_play,
    is_before_pass,
)
from hearts.views.codec.encode import encode_state, encode_trick

__all__ = [
    "GivenState",
    "decode_state",
    "decode_to_pass",
    "decode_to_play",
    "encode_state",
    "encode_trick",
    "is_before_pass",
]
