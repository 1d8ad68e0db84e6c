// Turn a table's view into what the board shows: pure functions.

import { displayNames } from "./games.js";
import { SEATS, brokenBy, pointsSoFar, tricksOf } from "./replay.js";

export const namesOf = (view) => displayNames(view.players, view.seat);

// The plays of a hand as a table shows it.
export const playsOf = (hand) => [
  ...hand.tricks.flatMap((trick) => trick.cards),
  ...(hand.trick?.cards ?? []),
];

// Whether the seat of this view is to pass, or to play.
export const mustPass = (view) => view.phase === "passing" && view.hand.waiting_for.includes(view.seat);
export const mustPlay = (view) => view.phase === "playing" && view.hand.turn === view.seat;
export const isOver = (view) => view.phase === "hand_over" || view.phase === "finished";

// The view as it was while the cards of its hand are still being shown: nothing of the hand's end.
export function momentOf(view, settled) {
  if (settled || !isOver(view)) return view;
  const hands = view.hands.filter(({ number }) => number !== view.hand.number);
  return { ...view, hands, phase: "playing", totals: view.scores, result: null };
}

// The table after `shown` plays of a hand; a finished trick stays until it is gathered.
export function sceneOf({ plays, rules, shown, gathered }) {
  const seen = plays.slice(0, shown);
  const { tricks, trick } = tricksOf(seen, rules);
  const lying = !gathered && trick.length === 0 ? tricks.at(-1) : undefined;
  return {
    tricks,
    broken: brokenBy(seen, rules),
    trick: lying?.cards ?? trick,
    winner: lying?.winner ?? null,
    points: pointsSoFar(lying ? tricks.slice(0, -1) : tricks),
    counts: SEATS.map((seat) => 13 - seen.filter((play) => play.player === seat).length),
  };
}
