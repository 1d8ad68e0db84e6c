// The felt: four seats and the trick between them. Draws what it is given; knows no rules.

import { h, show } from "./dom.js";
import { SUITS, height, picture, rankOf, spoken, suitIcon, suitOf } from "./cards.js";
import { count, t } from "./text.js";
import { SEATS, receiver } from "./replay.js";
import { speed, still } from "./settings.js";

const PASSING = 900; // milliseconds at most for the cards that are passed
const MOTION = 260; // milliseconds at most for one movement; quick games move quicker

// Where a card comes from and where a trick goes, by position: 0 bottom, 1 left, 2 top, 3 right.
const AWAY = [
  [0, 1],
  [-1, 0],
  [0, -1],
  [1, 0],
];

export class Board {
  constructor({ onfelt } = {}) {
    this.plates = SEATS.map((place) => h("div", { class: `plate at-${place}` }));
    this.trick = h("div", { class: "trick", role: "group", "aria-label": t("table.trick") });
    this.centre = h("div", { class: "centre" });
    this.toasts = h("div", { class: "toasts" });
    this.element = h(
      "div",
      { class: "felt", onclick: onfelt },
      this.plates,
      this.trick,
      this.centre,
      this.toasts,
    );
  }

  // {bottom, you, names, turn, counts, hands (or null), trick, winner, points, scores, marks}
  draw(scene) {
    this.bottom = scene.bottom;
    for (const seat of SEATS) show(this.plates[this.place(seat)], plate(seat, scene));
    for (const seat of SEATS) {
      const classes = this.plates[this.place(seat)].classList;
      classes.toggle("to-move", scene.turn === seat);
      classes.toggle("open", Boolean(scene.hands));
    }
    this.element.classList.toggle("all-open", Boolean(scene.hands));
    this.drawTrick(scene);
  }

  place(seat) {
    return (seat - this.bottom + 4) % 4;
  }

  drawTrick({ trick, winner, names }) {
    const wanted = new Map(trick.map((play) => [play.card, play]));
    for (const lying of [...this.trick.children]) if (!wanted.has(lying.dataset.card)) lying.remove();
    for (const { card, player } of trick) {
      let lying = this.trick.querySelector(`[data-card="${card}"]`);
      if (!lying) {
        lying = picture(card, { class: `at-${this.place(player)}`, "data-player": player });
        lying.setAttribute("aria-label", t("table.lies", { card: spoken(card), player: names[player] }));
        this.trick.append(lying);
        this.move(lying, this.place(player), { arriving: true });
      }
      lying.classList.toggle("wins", winner === player);
    }
  }

  // Remove all notes.
  quiet() {
    this.toasts.replaceChildren();
  }

  // Move the trick to its winner.
  async gather(winner) {
    const place = this.place(winner);
    await Promise.all([...this.trick.children].map((card) => this.move(card, place, { arriving: false })));
  }

  // Move three closed cards from every seat to its receiver.
  async pass(direction) {
    const duration = Math.min(PASSING, speed().trick);
    if (still() || !duration) return;
    const stacks = SEATS.map((seat) => {
      const stack = h("div", { class: "passing", "aria-hidden": "true" }, Array.from({ length: 3 }, () => h("i")));
      this.element.append(stack);
      const [from, to] = [seat, receiver(seat, direction)].map((one) => AWAY[this.place(one)]);
      const at = ([x, y]) => `calc(${x} * var(--reach-x)) calc(${y} * var(--reach-y))`;
      const frames = [{ translate: at(from) }, { translate: at(to) }];
      return [stack, stack.animate(frames, { duration, easing: "ease-in-out", fill: "forwards" })];
    });
    await Promise.all(stacks.map(([, moving]) => moving.finished.catch(() => {})));
    for (const [stack] of stacks) stack.remove();
  }

  move(element, place, { arriving }) {
    const duration = Math.min(MOTION, speed().card + speed().trick / 8);
    if (still() || !duration) return undefined;
    const [x, y] = AWAY[place];
    const away = { translate: `${x * 9}rem ${y * 7}rem`, opacity: 0, scale: arriving ? 1.1 : 0.6 };
    const here = { translate: "0 0", opacity: 1, scale: 1 };
    const frames = arriving ? [away, here] : [here, away];
    return element
      .animate(frames, { duration, easing: "ease-out", fill: arriving ? "none" : "forwards" })
      .finished.catch(() => {});
  }
}

function plate(seat, scene) {
  const { names, counts, points, scores, you, hands, turn } = scene;
  const label = h(
    "div",
    { class: "who" },
    h("span", { class: `dot seat-${seat}`, "aria-hidden": "true" }),
    h("span", { class: "name" }, seat === you ? t("table.you") : names[seat]),
    turn === seat && h("span", { class: "unseen" }, t("table.to_move")),
  );
  const sums = h(
    "div",
    { class: "sums" },
    sum("points", points[seat], points[seat] > 0),
    sum("score", scores[seat]),
  );
  if (hands) return [label, sums, diagram(hands[seat], scene.marks)];
  return [label, sums, seat !== you && backs(counts[seat])];
}

const sum = (name, value, costly) =>
  h(
    "span",
    { class: costly ? `${name} costly` : name, title: t(`table.${name}_title`) },
    h("small", {}, t(`table.${name}`)),
    h("b", {}, count(value)),
  );

// The number of cards in a hand, as a small fan.
const backs = (n) =>
  h(
    "div",
    { class: "backs", role: "img", "aria-label": t("table.cards", { n }) },
    Array.from({ length: n }, () => h("i")),
    h("b", {}, n),
  );

// A whole hand in four lines, one per suit, as in bridge diagrams.
export function diagram(cards, marks = {}) {
  return h(
    "div",
    { class: "diagram" },
    SUITS.map((suit) => {
      const held = cards.filter((card) => suitOf(card) === suit).sort((a, b) => height(b) - height(a));
      return h(
        "div",
        { class: "line", "data-suit": suit },
        suitIcon(suit),
        held.length
          ? held.map((card) =>
              h("span", { "data-card": card, class: marks[card], title: spoken(card) }, rankOf(card)),
            )
          : h("span", { class: "none" }, "–"),
      );
    }),
  );
}
