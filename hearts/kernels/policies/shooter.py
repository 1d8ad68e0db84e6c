"""The policy `shooter`: it plays for the moon with a promising hand; see hearts.players.shooter."""

from hearts.kernels.core.bits import LANE, ONE, ZERO, U, highest_bit, lowest_bit_index, popcount
from hearts.kernels.core.jit import inlined, kernel
from hearts.kernels.core.state import DECK, HEARTS, THREE, lane_of, moon_lane
from hearts.kernels.policies.passing import pass_by_rule
from hearts.kernels.policies.reading import seats_with_points

_PATIENCE = U(4)  # losers allowed in a full hand; in proportion later
_CARDS, _PASSED = U(13), U(3)
_RANK = U(15)


@inlined
def _sure_winners(own, out):
    """The cards of one suit that are above all of that suit that are out."""
    return own & ~((highest_bit(out) << ONE) - ONE) if out else own


@inlined
def _losers(own, out):
    """The number of losers in a suit, played from the top while the others follow."""
    winners = popcount(_sure_winners(own, out))
    return ZERO if winners * THREE >= popcount(out) else popcount(own) - winners


@inlined
def strength(hand, out):
    """The sure winners, the cards of suits without losers, and the number of losers."""
    sure, safe, total = ZERO, ZERO, ZERO
    for suit in range(4):
        lane = LANE << (U(suit) << U(4))
        sure |= _sure_winners(hand & lane, out & lane)
        losers = _losers(hand & lane, out & lane)
        safe |= ZERO if losers else hand & lane
        total += losers
    return sure, safe, total


@inlined
def can_shoot(turn, hand, taken, losers, rules):
    """Whether a moon is possible, and there are few losers."""
    if moon_lane(rules) == ZERO or seats_with_points(taken, rules) & ~(ONE << turn):
        return False
    return losers * _CARDS <= _PATIENCE * popcount(hand)


@inlined
def _best_lead(hand, legal, out, sure):
    """The highest card of the suit with the fewest losers, sure winners first."""
    cards = legal & sure if legal & sure else legal
    best, chosen = ZERO, ZERO
    for suit in range(4):
        lane = LANE << (U(suit) << U(4))
        if cards & lane:
            card = highest_bit(cards & lane)
            losers = _losers(hand & lane, out & lane)
            worth = (_CARDS - losers) * U(16) + (lowest_bit_index(card) & _RANK) + ONE
            if worth > best:
                best, chosen = worth, card
    return chosen


@inlined
def _best_reply(legal, best, out, behind):
    """The lowest card that surely wins the trick, else the highest that may, else the lowest."""
    over = legal & ~(best | (best - ONE))
    if over == ZERO:
        return legal & (ZERO - legal)
    sure = _sure_winners(over, out & lane_of(best)) if behind else over
    return sure & (ZERO - sure) if sure else highest_bit(over)


@inlined
def _least_useful(cards, sure, safe):
    """The card that helps least to take every trick: low losers first, the highest if equal."""
    poor = cards & ~(sure | safe)
    cards = poor if poor else cards
    least, chosen = U(64), ZERO
    while cards:
        card = cards & (ZERO - cards)
        cards ^= card
        rank = lowest_bit_index(card) & _RANK
        use = rank + U(2) - (U(2) if card & HEARTS & ~sure else ZERO)
        if use <= least:
            least, chosen = use, card
    return chosen


@inlined
def shooting_card(hand, legal, out, best, behind, sure, safe):
    """The card of a seat that plays for the moon."""
    if best == ZERO:
        return _best_lead(hand, legal, out, sure)
    if legal & lane_of(best):
        return _best_reply(legal, best, out, behind)
    return _least_useful(legal, sure, safe)


@kernel
def shooter_pass(hand, direction, rules):
    """The least useful cards if the rest could shoot, else the heuristic pass."""
    sure, safe, losers = strength(hand, DECK & ~hand)
    if losers > _PATIENCE + _PASSED:
        return pass_by_rule(hand, direction, rules, 0.0, ZERO)
    left = hand
    for _ in range(3):
        left ^= _least_useful(left, sure, safe)
    return hand ^ left
