// Cards as the service writes them ("10D", "QS"), their names, and their pictures.

import { h, svg } from "./dom.js";
import { t } from "./text.js";

export const SUITS = ["C", "D", "S", "H"];
export const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];
export const DECK = SUITS.flatMap((suit) => RANKS.map((rank) => rank + suit));
export const QUEEN = "QS";
// The last character (variation selector 15) keeps phones from drawing an emoji.
const SIGNS = { C: "♣\uFE0E", D: "♦\uFE0E", S: "♠\uFE0E", H: "♥\uFE0E" };
const SUIT_OF = Object.fromEntries(Object.entries(SIGNS).map(([suit, sign]) => [sign[0], suit]));

export const suitOf = (card) => card.slice(-1);
export const rankOf = (card) => card.slice(0, -1);
const place = (card) => SUITS.indexOf(suitOf(card)) * RANKS.length + RANKS.indexOf(rankOf(card));
export const height = (card) => RANKS.indexOf(rankOf(card));
export const sorted = (cards) => [...cards].sort((a, b) => place(a) - place(b));

// "♠Q" on screen, "queen of spades" for screen readers.
export const brief = (card) => SIGNS[suitOf(card)] + rankOf(card);
export const sign = (suit) => SIGNS[suit];
export const spoken = (card) =>
  t("cards.name", { rank: t(`cards.ranks.${rankOf(card)}`), suit: t(`cards.suits.${suitOf(card)}`) });

// Texts of the service name cards with ♠ ♥ ♦ ♣: make each a plain character.
export const plainSigns = (sentence) => sentence.replace(/[♣♦♠♥](?!\uFE0E)/g, "$&\uFE0E");

// A card in a text, in its colour.
export const inked = (card) =>
  h("span", { class: "inked", "data-suit": suitOf(card), "aria-label": spoken(card), role: "img" }, brief(card));
export const inkedAll = (cards) => cards.flatMap((card, i) => (i ? [" ", inked(card)] : [inked(card)]));

// A sentence that names cards as ♠Q, each card in its colour.
const NAMED = /([♣♦♠♥])\uFE0E?(10|[2-9JQKA])/;
export function inkedSentence(sentence) {
  const pieces = sentence.split(NAMED); // text, sign, rank, text, sign, rank, text
  const cards = pieces.filter((_, i) => i % 3 === 1).map((one, i) => pieces[3 * i + 2] + SUIT_OF[one]);
  return pieces.filter((_, i) => i % 3 === 0).flatMap((text, i) => (i ? [inked(cards[i - 1]), text] : [text]));
}

export const suitIcon = (suit) =>
  svg(
    "svg",
    { class: "suit", "data-suit": suit, "aria-hidden": "true" },
    svg("use", { href: `#suit-${suit}` }),
  );

// Pip positions by rank: heights (0 top, 1 bottom) in the outer columns and in the middle column.
const PIPS = {
  2: [[], [0, 1]],
  3: [[], [0, 1 / 2, 1]],
  4: [[0, 1], []],
  5: [[0, 1], [1 / 2]],
  6: [[0, 1 / 2, 1], []],
  7: [[0, 1 / 2, 1], [1 / 4]],
  8: [[0, 1 / 2, 1], [1 / 4, 3 / 4]],
  9: [[0, 1 / 3, 2 / 3, 1], [1 / 2]],
  10: [[0, 1 / 3, 2 / 3, 1], [1 / 6, 5 / 6]],
};
const COURT = "JQK";

const use = (suit, x, y, size, attributes) =>
  svg("use", { href: `#suit-${suit}`, x: x - size / 2, y: y - size / 2, width: size, height: size, ...attributes });
const art = (card, box) =>
  svg("image", { ...box, href: new URL(`${card}.svg`, import.meta.url).href, preserveAspectRatio: "none" });

// The picture, 100 by 140, drawn twice: in full, and reduced to a large index. The style sheet shows the
// one that is readable at the card's size.
export const face = (card) =>
  svg(
    "svg",
    { class: "face", viewBox: "0 0 100 140", "aria-hidden": "true", focusable: "false" },
    svg("g", { class: "full" }, full(card)),
    svg("g", { class: "terse" }, terse(card)),
  );

function full(card) {
  const suit = suitOf(card),
    rank = rankOf(card);
  const corner = () => [index(rank, 15, 25), use(suit, 15, 37, 15)];
  return [
    middle(card, suit, rank),
    svg("g", {}, corner()),
    svg("g", { transform: "rotate(180 50 70)" }, corner()),
  ];
}

function middle(card, suit, rank) {
  if (rank === "A") return use(suit, 50, 70, 46);
  if (COURT.includes(rank)) {
    const box = { x: 27, y: 24, width: 46, height: 92 };
    return [
      art(card, box),
      svg("rect", { ...box, rx: 2, class: "frame" }),
      use(suit, 35, 33, 13),
      use(suit, 65, 107, 13, { transform: "rotate(180 65 107)" }),
    ];
  }
  const pip = (x) => (height) =>
    use(suit, x, 24 + 92 * height, 18, height > 1 / 2 && { transform: `rotate(180 ${x} ${24 + 92 * height})` });
  const [outer, inner] = PIPS[rank];
  return [...outer.map(pip(36)), ...outer.map(pip(64)), ...inner.map(pip(50))];
}

function terse(card) {
  const suit = suitOf(card),
    rank = rankOf(card);
  const bust = () =>
    svg(
      "svg",
      { x: 37, y: 42, width: 60, height: 95, viewBox: "0 0 60 95", preserveAspectRatio: "xMidYMin slice" },
      art(card, { x: 0, y: 0, width: 74, height: 148 }),
    );
  return [
    index(rank, 24, 37),
    use(suit, 24, 59, 26),
    COURT.includes(rank) ? bust() : use(suit, 64, 100, 54),
  ];
}

const index = (rank, x, y) =>
  svg("text", { x, y, "text-anchor": "middle", class: rank === "10" ? "rank ten" : "rank" }, rank);

// A card that cannot be chosen.
export const picture = (card, attributes = {}) =>
  h(
    "span",
    {
      ...attributes,
      class: `card ${attributes.class ?? ""}`,
      "data-card": card,
      "data-suit": suitOf(card),
      role: "img",
      "aria-label": spoken(card),
    },
    face(card),
  );

// A card that can be chosen. Its name is its text content: an aria-label would hide the index from voice
// control.
export const cardButton = (card, attributes = {}) =>
  h(
    "button",
    {
      type: "button",
      ...attributes,
      class: `card ${attributes.class ?? ""}`,
      "data-card": card,
      "data-key": card,
      "data-suit": suitOf(card),
    },
    face(card),
    h("span", { class: "unseen" }, spoken(card)),
  );
export const rename = (button, name) => (button.lastElementChild.textContent = name);
