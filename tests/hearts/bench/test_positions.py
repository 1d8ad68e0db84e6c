"""The positions of the benchmarks."""

from hearts.bench.positions import choices, endings, first_tricks, trick_leaders
from hearts.game.cards import count


def test_moves_are_measured_on_first_tricks_with_a_choice():
    views = first_tricks()
    assert len(views) == 8
    assert all(view.first_trick and view.legal.bit_count() > 1 for view in views)


def test_choices_are_passes_and_cards_with_a_choice():
    passes, cards = choices(1)
    assert len(passes) == 4
    assert all(view.passing for view in passes)
    assert all(view.to_move and count(view.legal) > 1 for view in cards)
    assert len(cards) > 20


def test_every_trick_but_the_last_has_a_leader():
    views = list(trick_leaders())
    assert [len(view.tricks) for view in views] == list(range(12))
    assert not any(view.trick.cards for view in views)


def test_endings_have_their_number_of_cards():
    deal = next(endings(4))
    assert [count(hand) for hand in deal.hands] == [4] * 4
