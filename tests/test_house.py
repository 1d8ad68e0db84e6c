"""The check of names and sizes finds what it is there for."""

import ast

import pytest

from tests.house import RETIRED, identifiers, retired_words, too_full, too_long


@pytest.mark.parametrize(
    "source",
    [
        "figures = 1",
        "def odds(): ...",
        "class Findings: ...",
        "call(prior=1)",
        "from somewhere import hall",
        "thing.slopes",
        "def f(_room): ...",
    ],
)
def test_a_retired_word_is_found_wherever_it_is_an_identifier(source):
    names = [name.strip("_").lower() for _, name in identifiers(ast.parse(source))]
    assert any(name in RETIRED for name in names)


def test_words_in_strings_are_free():
    assert list(identifiers(ast.parse('"prior", "counsel"'))) == []


def test_the_project_keeps_its_limits():
    assert [*retired_words(), *too_long(), *too_full()] == []
