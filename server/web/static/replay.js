// Step through a recorded hand: pure functions without DOM or network.

import { QUEEN, SUITS, height, sorted, suitOf } from "./cards.js";

export const SEATS = [0, 1, 2, 3];
const SHIFT = { hold: 0, left: 1, across: 2, right: 3 };
const FLAGS = [
  "queen_penalty",
  "jack_bonus",
  "no_trick_bonus",
  "end_score_bonus",
  "shooting_needs_jack",
  "lead_2_clubs",
  "lead_clubs",
  "no_hearts_first_trick",
  "no_queen_first_trick",
  "queen_breaks_hearts",
  "do_pass_cards",
  "must_break_hearts",
  "hearts_arent_points",
  "no_shooting",
];
const RECORD_MASK = 2465; // what records mean by flags that they do not name

// Rules by name, from a mask or an object.
export function rulesOf(value) {
  const mask = typeof value === "number" ? value : RECORD_MASK;
  const flags = Object.fromEntries(FLAGS.map((flag, bit) => [flag, Boolean(mask & (1 << bit))]));
  return typeof value === "number" ? flags : { ...flags, ...value };
}

export const receiver = (seat, direction) => (seat + SHIFT[direction]) % 4;

// The four hands after the pass.
export function handsToPlay(record) {
  const hands = record.dealt.map((cards) => new Set(cards));
  (record.passed ?? []).forEach((cards, seat) => {
    for (const card of cards) {
      hands[seat].delete(card);
      hands[receiver(seat, record.pass_direction)].add(card);
    }
  });
  return hands.map((cards) => sorted(cards));
}

export function pointsOf(card, rules) {
  if (suitOf(card) === "H") return rules.hearts_arent_points ? 0 : 1;
  if (card === QUEEN) return rules.queen_penalty ? 13 : 0;
  return card === "JD" && rules.jack_bonus ? -10 : 0;
}

export function winnerOf(cards) {
  const led = suitOf(cards[0].card);
  const following = cards.filter((play) => suitOf(play.card) === led);
  return following.reduce((best, play) => (height(play.card) > height(best.card) ? play : best)).player;
}

// Plays cut into finished tricks and the one on the table.
export function tricksOf(plays, rules) {
  const tricks = [];
  for (let first = 0; first + 4 <= plays.length; first += 4) {
    const cards = plays.slice(first, first + 4);
    const points = cards.reduce((sum, play) => sum + pointsOf(play.card, rules), 0);
    tricks.push({ lead_player: cards[0].player, cards, winner: winnerOf(cards), points });
  }
  return { tricks, trick: plays.slice(tricks.length * 4) };
}

// Everything after the first `n` plays of a record.
export function stateAt(record, n) {
  const rules = rulesOf(record.rules);
  const plays = record.plays.slice(0, n);
  const gone = new Set(plays.map((play) => play.card));
  const hands = handsToPlay(record).map((cards) => cards.filter((card) => !gone.has(card)));
  const { tricks, trick } = tricksOf(plays, rules);
  return {
    hands,
    tricks,
    trick,
    points: pointsSoFar(tricks),
    broken: brokenBy(plays, rules),
    turn: turnAfter(record, n),
  };
}

export function pointsSoFar(tricks) {
  const points = [0, 0, 0, 0];
  for (const { winner, points: worth } of tricks) points[winner] += worth;
  return points;
}

export const brokenBy = (plays, rules) =>
  plays.some(({ card }) => suitOf(card) === "H" || (card === QUEEN && rules.queen_breaks_hearts));

function turnAfter(record, n) {
  if (n >= 52) return null;
  const plays = record.plays.slice(0, n);
  if (n % 4) return (plays[n - 1].player + 1) % 4;
  if (n) return winnerOf(plays.slice(-4));
  return record.plays[0]?.player ?? handsToPlay(record).findIndex((cards) => cards.includes("2C"));
}

// The `game_state` of `seat` after `n` plays, as the API expects it.
export function gameStateAt(record, n, seat) {
  const state = stateAt(record, n);
  const passed = record.passed?.length === 4 ? record.passed : null;
  const from = SEATS.find((other) => receiver(other, record.pass_direction) === seat);
  return {
    player_hand: state.hands[seat],
    current_player: seat,
    trick_history: state.tricks.map(({ lead_player, cards, winner }) => ({ lead_player, cards, winner })),
    current_trick: { lead_player: state.trick[0]?.player ?? state.turn ?? 0, cards: state.trick },
    hearts_broken: state.broken,
    pass_direction: record.pass_direction,
    ...(passed && record.pass_direction !== "hold"
      ? { passed_cards: passed[seat], received_cards: passed[from] }
      : {}),
    rules: record.rules,
  };
}

// Why a record cannot be shown, or null; the service checks the plays.
export function shapeFault(record) {
  if (!record || typeof record !== "object" || Array.isArray(record)) return "object";
  if (
    !Array.isArray(record.dealt) ||
    record.dealt.length !== 4 ||
    record.dealt.some((hand) => !Array.isArray(hand))
  )
    return "dealt";
  if (
    !Array.isArray(record.plays) ||
    record.plays.some((play) => typeof play?.card !== "string" || !SEATS.includes(play.player))
  )
    return "plays";
  if (!(record.pass_direction in SHIFT)) return "pass_direction";
  return record.dealt.flat().every((card) => SUITS.includes(String(card).slice(-1))) ? null : "dealt";
}
