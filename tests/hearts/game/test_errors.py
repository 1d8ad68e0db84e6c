"""Errors carry their field as data, and travel between processes."""

import pickle

import pytest

from hearts.game.errors import FieldError, HeartsError, IllegalMove, ImpossibleView, written

PATH = ("tricks", 3, "cards", 2)
OTHER = ("tricks", 0, "cards", 1)


def subclasses(kind):
    """A class and all classes below it."""
    return [kind, *(each for below in kind.__subclasses__() for each in subclasses(below))]


@pytest.mark.parametrize("kind", subclasses(FieldError))
@pytest.mark.parametrize("path", ["hand", PATH, ()])
def test_an_error_of_a_field_comes_back_from_another_process(kind, path):
    error = kind(path, "QS was played before, at ", OTHER)
    found = pickle.loads(pickle.dumps(error))
    assert type(found) is kind
    assert (str(found), vars(found)) == (str(error), vars(error))
    assert (found.path, found.reason) == (error.path, error.reason)


@pytest.mark.parametrize("kind", [HeartsError, IllegalMove])
def test_an_error_without_a_field_comes_back_from_another_process(kind):
    found = pickle.loads(pickle.dumps(kind("too late")))
    assert type(found) is kind
    assert str(found) == found.reason == "too late"


@pytest.mark.parametrize(
    ("path", "text"),
    [(PATH, "tricks[3].cards[2]"), (("won", 1), "won[1]"), (("hand",), "hand"), ((), "")],
)
def test_paths_are_written_as_in_python(path, text):
    assert written(path) == text


def test_a_message_is_the_field_and_the_reason():
    error = ImpossibleView(PATH, "QS was played before, at ", OTHER)
    assert (error.field, error.path) == ("tricks[3].cards[2]", PATH)
    assert str(error) == "tricks[3].cards[2]: QS was played before, at tricks[0].cards[1]"
    assert str(ImpossibleView("hand", "too large")) == "hand: too large"
    assert str(ImpossibleView((), "too large")) == "too large"


def test_a_caller_adds_the_field_that_holds_the_object():
    error = ImpossibleView(PATH, "too late").within("earlier", 1)
    assert error.path == ("earlier", 1, *PATH)
    assert str(error) == "earlier[1].tricks[3].cards[2]: too late"


def test_every_field_is_renamed_and_no_other_word():
    error = ImpossibleView(PATH, "the cards of tricks[9] are not in ", OTHER)
    found = error.renamed({"tricks": "trick_history", "cards": "plays"})
    assert found.path == ("trick_history", 3, "plays", 2)
    assert found.reason == "the cards of tricks[9] are not in trick_history[0].plays[1]"
