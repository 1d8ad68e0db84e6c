"""Imitation: candidates told apart, gradients against differences, tables that are sound."""

import subprocess
import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from hearts.engine.bridge.state import pack_state, rules_word
from hearts.engine.config import SearchConfig
from hearts.engine.decide import decide
from hearts.engine.passing.choose import choose_pass
from hearts.engine.playouts import Playout
from hearts.game.cards import members, parse_card, parse_cards
from hearts.game.deal import Deal, moments
from hearts.game.errors import InvalidRecord
from hearts.game.records import read_records
from hearts.game.rules import PASSING, STANDARD, PassDirection
from hearts.game.trick import Trick
from hearts.kernels.playouts.imitation import FOLLOW, LEAD, UNUSUAL, VOID, WIDTH, list_decisions
from hearts.kernels.playouts.softmax import FOLLOW_CDF, LEAD_WEIGHTS, VOID_CDF, read_tables
from hearts.training.imitation import (
    CERTAIN,
    FOLLOWS,
    LEADS,
    VOIDS,
    decisions_of,
    fit_tables,
    follow_candidates,
    held_loss,
    lead_loss,
    void_candidates,
)
from hearts.views.view import View
from server.cli import main
from tests.hearts.kernels import oracle
from tests.hearts.kernels.playouts import softmax_oracle
from tests.hearts.play import positions, random_deal
from tests.hearts.speed import fastest_in_turns, playouts

RECORDS = Path(__file__).parents[2] / "data" / "engine-dev.jsonl.gz"


def softmax_hand(seed: int) -> Deal:
    """A hand that the softmax policy plays against itself."""
    deal = random_deal(STANDARD, 0, seed)
    for card in oracle.play_out(deal, "softmax", 0, oracle.Stream(seed, 0)):
        deal = deal.play(card)
    return deal


@pytest.fixture(scope="module")
def own_decisions():
    return decisions_of(softmax_hand(seed) for seed in range(60))


@pytest.fixture(scope="module")
def recorded_hands():
    return [record.deal for record in islice(read_records(RECORDS), 40)]


@pytest.fixture(scope="module")
def decisions(recorded_hands):
    return decisions_of(recorded_hands)


def test_every_card_that_was_a_choice_is_a_decision(recorded_hands, decisions):
    several = sum(
        now.legal.bit_count() > 1
        for deal in recorded_hands
        for now, _, _ in moments(deal)
        if not now.passing
    )
    assert decisions.shape == (several, WIDTH)
    assert set(decisions[:, 0]) == {LEAD, FOLLOW, VOID}


def test_a_softmax_player_chooses_candidates_only(own_decisions):
    assert (own_decisions[:, 1] != UNUSUAL).all()


def described(table: oracle.Table) -> list[int]:
    """Phase and classes of a moment, as a row has them."""
    if not table.trick:
        return [LEAD, *(softmax_oracle.lead_class(table, suit) for suit in range(4))]
    if table.following:
        return [FOLLOW, *softmax_oracle.follow_class(table)]
    return [VOID, *softmax_oracle.void_class(table)]


@pytest.mark.parametrize("rules", [PASSING, replace(PASSING, lead_2_clubs=False)])
def test_classes_are_those_that_playouts_look_up(rules):
    """Any card is led first by the second rules, but for what is barred from the first trick."""
    for seed in range(20):
        hand = list(positions(rules, seed, skew=0.3))
        plays = [(deal, card) for deal, (_, card) in zip(hand, hand[-1].plays, strict=False)]
        expected = [
            described(oracle.Table(deal, list(members(deal.legal)), None, None))
            for deal, _ in plays
            if deal.legal.bit_count() > 1
        ]
        found = decisions_of([hand[-1]])
        assert [[row[0], *row[2 : 1 + len(e)]] for row, e in zip(found, expected, strict=True)] == (
            expected
        )


def chosen_by(hands: list[str], led: str, card: str) -> tuple[int, int]:
    """Phase and candidate of a card that seat 1 plays after seat 0 has led; "" for a lead."""
    sets = [parse_cards(hand) for hand in hands]
    cards = (parse_card(led),) if led else ()
    trick = Trick(0 if led else 1, cards)
    state = pack_state(sets, trick, (0, 0, 0, 0), first_trick=False, broken=True)
    decisions = np.zeros((1, WIDTH), dtype=np.int64)
    played = np.array([1 << parse_card(card)], dtype=np.uint64)
    assert list_decisions(state[None], played, rules_word(STANDARD), decisions) == 1
    return int(decisions[0, 0]), int(decisions[0, 1])


OTHERS = ["KC 3C 6C 7C", "2D 3D 4D 5S JC", "8C 4H AH 5H QD"]
EXAMPLES = [
    # ♣J is led: ♣10 and its equal ♣9 duck highest, ♣2 lowest; ♣Q wins lowest, ♣A highest.
    (FOLLOW, "AC QC 10C 9C 2C", {"10C": 0, "9C": 0, "2C": 1, "QC": 2, "AC": 3}),
    # Between ♣4 and ♣5 nobody has a card, between these and ♣10 somebody has.
    (FOLLOW, "10C 5C 4C 2C", {"10C": 0, "5C": UNUSUAL, "4C": UNUSUAL, "2C": 1}),
    # Void: the queen, the ace of spades, the highest heart, of the rest the highest and the lowest.
    # The queen is equal to no other spade.
    (LEAD, "QS JS 9S 2S AD", {"2S": 4, "JS": 5, "QS": UNUSUAL, "AD": 2}),
    (VOID, "KS QS JS 2H", {"QS": 0, "KS": 1, "JS": 3, "2H": 2}),
    (VOID, "QS AS KH 2H KD 7D 6D", {"QS": 0, "AS": 1, "KH": 2, "KD": 3, "6D": 4, "2H": UNUSUAL}),
    # A lead: two candidates of each suit, from the lowest.
    (LEAD, "10C 2C 9D 10S 8S KH", {"2C": 0, "10C": 1, "9D": 2, "8S": 4, "10S": 4, "KH": 6}),
]


@pytest.mark.parametrize(("phase", "hand", "expected"), EXAMPLES)
def test_candidates_are_told_apart(phase, hand, expected):
    led = "" if phase == LEAD else "JC"
    hands = [OTHERS[0], hand, *OTHERS[1:]]
    found = {card: chosen_by(hands, led, card) for card in expected}
    assert found == {card: (phase, candidate) for card, candidate in expected.items()}


@pytest.mark.parametrize("phase", [LEAD, FOLLOW, VOID])
def test_gradients_are_those_of_the_loss(decisions, phase):
    usual = decisions[(decisions[:, 1] != UNUSUAL) & (decisions[:, 0] == phase)]
    model = (LEADS, FOLLOWS, VOIDS)[phase]
    held = (None, follow_candidates(), void_candidates())[phase]
    loss = lead_loss(usual) if held is None else held_loss(usual, model, held)
    rng = np.random.default_rng(phase)
    weights = rng.normal(size=len(model.start)) / 3
    gradient = model.gradient(loss(model.logits(weights))[1])
    for place in np.argsort(-np.abs(gradient))[:20]:
        step = np.zeros_like(weights)
        step[place] = 1e-5
        up, down = (loss(model.logits(weights + sign * step))[0] for sign in (1, -1))
        assert gradient[place] == pytest.approx((up - down) / 2e-5, rel=1e-4)


@pytest.mark.parametrize(
    ("table", "held"), [(FOLLOW_CDF, follow_candidates()), (VOID_CDF, void_candidates())]
)
def test_what_is_not_held_is_never_chosen(table, held):
    words = table.reshape(-1, len(held), 1) >> np.arange(0, 64, 16, dtype=np.uint64)
    ends = (words & np.uint64(0xFFFF)).astype(np.int64)
    last = np.full((*ends.shape[:2], held.shape[1] - 4), CERTAIN)
    chances = np.diff(np.concatenate([ends, last], axis=2), axis=2, prepend=0)
    for number, available in enumerate(held):
        if available.any():
            assert not chances[:, number, ~available].any()
            assert (chances[:, number] >= 0).all()
            assert (chances[:, number].sum(axis=1) == CERTAIN).all()


def test_every_suit_has_a_weight_to_be_led():
    assert (LEAD_WEIGHTS & np.uint64(0xFFFFFFFF) > 0).all()
    assert (LEAD_WEIGHTS >> np.uint64(32) > 0).all()


def test_what_is_learned_is_like_the_teacher(decisions):
    """On other hands, too, the likeliest candidate is right more often than by chance."""
    learned, again = fit_tables(decisions), fit_tables(decisions)
    assert (learned.follow == again.follow).all()
    assert 0 < learned.unusual < 0.2
    others = decisions_of(record.deal for record in islice(read_records(RECORDS), 40, 80))
    follows = others[(others[:, 0] == FOLLOW) & (others[:, 1] != UNUSUAL)]
    words = learned.follow.reshape(-1, len(follow_candidates()))[follows[:, 2], follows[:, 3]]
    ends = np.stack([(words >> np.uint64(16 * i) & np.uint64(0xFFFF)) for i in range(4)], axis=1)
    favourite = np.diff(ends.astype(np.int64), axis=1, prepend=0).argmax(axis=1)
    choices = follow_candidates()[follows[:, 3]].sum(axis=1)
    several = choices > 1
    right = (favourite == follows[:, 1])[several].mean()
    assert right > (1 / choices[several]).mean() + 0.15


@pytest.mark.parametrize(
    "deals", [[], [random_deal(STANDARD, 0, 1)], [random_deal(STANDARD, 1, 1)]]
)
def test_nothing_is_learned_from_nothing(deals):
    """No hand, or one whose first choice was never made."""
    with pytest.raises(InvalidRecord, match="no card was chosen among several"):
        fit_tables(decisions_of(deals))


def test_a_phase_without_decisions_prefers_nothing(decisions):
    learned = fit_tables(decisions[decisions[:, 0] == FOLLOW])
    assert len(set(learned.lead.tolist())) == 1
    assert learned.log_loss["lead"] == 0


def test_hands_of_another_scoring_are_refused():
    deal = random_deal(replace(STANDARD, jack_bonus=True), 8, 1)
    with pytest.raises(InvalidRecord, match="hand 1: rules: the scoring is not the usual one"):
        decisions_of([random_deal(STANDARD, 8, 1), deal])


def test_tables_are_learned_without_tables():
    """Playouts cannot be compiled until there are tables for their classes."""
    code = (
        "import sys, server.cli.research.playouts; "
        "print('hearts.kernels.playouts.softmax' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout == "False\n"


def test_tables_that_do_not_fit_are_refused(tmp_path):
    place = tmp_path / "tables.npz"
    with pytest.raises(ImportError, match=r"tables.npz: no tables; create them with `hearts"):
        read_tables(place)
    place.write_bytes(b"PK no archive")
    with pytest.raises(ImportError, match="no tables"):
        read_tables(place)
    np.savez(place, lead=LEAD_WEIGHTS, follow=FOLLOW_CDF[1:], void=VOID_CDF)
    with pytest.raises(ImportError, match="tables of other classes"):
        read_tables(place)
    np.savez(place, lead=LEAD_WEIGHTS, follow=FOLLOW_CDF, void=VOID_CDF)
    assert (read_tables(place)[1] == FOLLOW_CDF).all()


def test_softmax_playouts_are_better_than_chance():
    """A seat that follows the shipped tables takes fewer points than the others."""
    points = np.zeros(2)
    for seed in range(40):
        deal = random_deal(STANDARD, 0, seed)
        stream = oracle.Stream(seed, 0)
        while not deal.finished:
            policy = "softmax" if deal.turn == seed % 4 else "uniform"
            card = oracle.choose(deal, policy, 0, stream, stream.word() & 0xFFFF, (None, None))
            deal = deal.play(card)
        own = deal.final_points()[seed % 4]
        points += own, (sum(deal.final_points()) - own) / 3
    assert points[0] < points[1] / 2


@pytest.mark.thorough  # compares CPU times
def test_softmax_playouts_are_cheap():
    """2.3 times an ε-greedy one was measured; 2.5 was wanted, and 3 leaves room for neighbours."""
    softmax, greedy = (playouts(5_000, each) for each in (Playout.SOFTMAX, Playout.EPSILON_GREEDY))
    assert fastest_in_turns(softmax, greedy) < 3


def test_seats_are_drawn_from_the_players(tmp_path):
    path = tmp_path / "hands.jsonl"
    arguments = ["playouts", "teach", "--hands", "6", "--jobs", "1", "--out", str(path)]
    found = CliRunner().invoke(main, [*arguments, "--player", "duck", "--player", "random"])
    assert found.exit_code == 0, found.output
    records = list(read_records(path))
    assert {name for record in records for name in record.extra["players"]} == {"duck", "random"}
    assert [bool(record.deal.direction) for record in records] == [False, True] * 3
    refused = CliRunner().invoke(main, [*arguments, "--player", "nobody"])
    assert refused.exit_code == 1
    assert "'nobody' is unknown" in refused.output


def test_a_teacher_plays_and_is_learned_from(tmp_path):
    hands, tables = tmp_path / "hands.jsonl.gz", tmp_path / "tables.npz"
    runner = CliRunner()
    told = runner.invoke(
        main, ["playouts", "teach", "--hands", "2", "--jobs", "1", "--out", str(hands)]
    )
    assert told.exit_code == 0, told.output
    assert [record.deal.finished for record in read_records(hands)] == [True, True]
    told = runner.invoke(main, ["playouts", "learn", str(hands), "--out", str(tables)])
    assert told.exit_code == 0, told.output
    assert "decisions" in told.output
    with np.load(tables) as found:
        assert found["lead"].shape == LEAD_WEIGHTS.shape
        assert found["follow"].shape == FOLLOW_CDF.shape
        assert found["void"].shape == VOID_CDF.shape


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["learn", "missing.jsonl", "--out", "odds.npz"], "missing.jsonl: No such file"),
        (["learn", str(RECORDS), "--out", "nowhere/odds"], "nowhere/odds: there is no such"),
        (["teach", "--jobs", "0", "--out", "hands"], "jobs: 0 is out of range"),
        (["teach", "--hands", "1", "--out", "nowhere/hands"], "nowhere/hands: there is no such"),
        (["teach", "--hands", "1", "--out", ""], "a file must have a name"),
        (["learn", str(RECORDS), "--out", ""], "a file must have a name"),
    ],
)
def test_files_that_cannot_be_used_are_named(arguments, message):
    told = CliRunner().invoke(main, ["playouts", *arguments])
    assert told.exit_code
    assert message in " ".join(told.output.split())


@pytest.mark.parametrize("jack", [False, True])
def test_where_scoring_is_unusual_the_heuristic_plays_instead(jack):
    """A jack that is worth ten points was in no hand that softmax playouts have learned from."""
    rules = replace(PASSING, jack_bonus=jack)
    view = next(
        View.of(deal, deal.turn)
        for deal in (random_deal(rules, cards, 1) for cards in range(8, 40))
        if deal.turn is not None and deal.legal.bit_count() > 1
    )
    softmax = SearchConfig(algorithm="ismcts", playout="softmax", simulations=200, seed=3)
    greedy = replace(softmax, playout="epsilon-greedy")
    played, expected = decide(view, softmax), decide(view, greedy)
    assert played.config.playout == ("epsilon-greedy" if jack else "softmax")
    assert (played.cards == expected.cards) is jack
    only = next(
        View.of(deal, deal.turn)
        for deal in (random_deal(rules, cards, 1) for cards in range(4, 52))
        if deal.turn is not None and deal.legal.bit_count() == 1
    )
    assert decide(only, softmax).config.playout == played.config.playout
    dealt = Deal.of(rules, random_deal(rules, 0, 1).dealt, PassDirection.LEFT)
    passes = [choose_pass(View.of(dealt, 0), config).candidates for config in (softmax, greedy)]
    assert (passes[0] == passes[1]) is jack
