"""Cards, sets and their names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearts.game.cards import (
    ALL_CARDS,
    DECK,
    SUIT_MASK,
    bit,
    card_of,
    count,
    highest,
    index_of,
    is_card,
    lowest,
    members,
    name,
    names,
    parse_card,
    parse_cards,
    rank_of,
    set_of,
    suit_of,
    symbol,
)
from hearts.game.errors import InvalidCard

CARDS = st.sampled_from(ALL_CARDS)
SETS = st.sets(CARDS)


def test_the_deck_has_52_cards_in_four_suits():
    assert len(set(ALL_CARDS)) == 52
    assert count(DECK) == 52
    assert [count(DECK & suit) for suit in SUIT_MASK] == [13] * 4
    assert [index_of(card) for card in ALL_CARDS] == list(range(52))


def test_only_the_deck_is_cards():
    assert [number for number in range(-70, 200) if is_card(number)] == list(ALL_CARDS)


@given(CARDS)
def test_a_card_is_its_suit_and_rank(card):
    assert card_of(suit_of(card), rank_of(card)) == card
    assert bit(card) & SUIT_MASK[suit_of(card)]


@given(CARDS)
def test_names_are_read_back_in_every_form(card):
    rank, suit = name(card)[:-1], suit_of(card)
    forms = [name(card), name(card).lower(), rank + "♣♦♠♥"[suit], rank + "♧♢♤♡"[suit]]
    forms += ["T" + forms[0][-1], "t" + forms[1][-1]] if rank == "10" else []
    assert {parse_card(form) for form in forms} == {card}
    assert symbol(card) == "♣♦♠♥"[suit] + rank


def test_names_are_those_of_the_answers():
    assert names(parse_cards("td QS ah 2♣")) == ["2C", "10D", "QS", "AH"]


@given(SETS)
def test_sets_keep_their_cards(cards):
    assert list(members(set_of(cards))) == sorted(cards)
    assert count(set_of(cards)) == len(cards)
    assert parse_cards(names(set_of(cards))) == set_of(cards)


@given(st.sets(CARDS, min_size=1))
def test_highest_and_lowest_are_the_ends(cards):
    assert (lowest(set_of(cards)), highest(set_of(cards))) == (min(cards), max(cards))


@pytest.mark.parametrize(
    "text", ["", "C", "1C", "11C", "2X", "C2", "2CC", " 2C", "0D", "QŚ", "QSS"]
)
def test_texts_that_name_no_card_are_quoted(text):
    with pytest.raises(InvalidCard) as caught:
        parse_card(text)
    assert str(caught.value).startswith(f"{text!r} is not a card")


@pytest.mark.parametrize("value", [None, 5, 2.0, b"2C", ["2C"], {"card": "2C"}, True])
def test_what_is_no_text_is_no_card(value):
    with pytest.raises(InvalidCard, match="is not a card"):
        parse_card(value)


def test_a_card_named_twice_is_refused():
    with pytest.raises(InvalidCard, match="TD is named twice"):
        parse_cards("10D 2C TD")
