"""Errors travel between processes: what a worker refuses must arrive as it was said."""

import pickle

import pytest

from hearts.game.errors import HeartsError, ImpossibleView, InvalidConfig, InvalidRecord

AT_A_PLACE = (InvalidConfig, ImpossibleView, InvalidRecord)


@pytest.mark.parametrize("kind", HeartsError.__subclasses__())
def test_an_error_comes_back_from_another_process(kind):
    words = ["place", "reason"] if kind in AT_A_PLACE else ["reason"]
    error = kind(*words)
    found = pickle.loads(pickle.dumps(error))
    assert type(found) is kind
    assert str(found) == str(error) == ": ".join(words)
    assert vars(found) == vars(error)
