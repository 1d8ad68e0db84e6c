// Cards as the service writes them ("10D", "QS"), their names, and their pictures.

import { h, svg } from "./dom.js";
import { t } from "./text.js";

export const SUITS = ["C", "D", "S", "H"];
export const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];
export const DECK = SUITS.flatMap((suit) => RANKS.map((rank) => rank + suit));
export const QUEEN = "QS";
// The last character asks for a plain sign where a phone would draw an emoji.
const SIGNS = { C: "♣\uFE0E", D: "♦\uFE0E", S: "♠\uFE0E", H: "♥\uFE0E" };

export const suitOf = (card) => card.slice(-1);
export const rankOf = (card) => card.slice(0, -1);
const place = (card) => SUITS.indexOf(suitOf(card)) * RANKS.length + RANKS.indexOf(rankOf(card));
export const height = (card) => RANKS.indexOf(rankOf(card));
export const sorted = (cards) => [...cards].sort((a, b) => place(a) - place(b));

// "♠Q" for the eye, "queen of spades" for the ear.
export const brief = (card) => SIGNS[suitOf(card)] + rankOf(card);
export const sign = (suit) => SIGNS[suit];
export const spoken = (card) =>
  t("cards.name", { rank: t(`cards.ranks.${rankOf(card)}`), suit: t(`cards.suits.${suitOf(card)}`) });

// Whatever the service says about cards comes with ♠ ♥ ♦ ♣: all of them plain signs.
export const plainSigns = (sentence) => sentence.replace(/[♣♦♠♥](?!\uFE0E)/g, "$&\uFE0E");

export const suitIcon = (suit) =>
  svg(
    "svg",
    { class: "suit", "data-suit": suit, "aria-hidden": "true" },
    svg("use", { href: `#suit-${suit}` }),
  );

// The picture: an index that can be read in a fan, and one large sign or a court's emblem.
export function face(card) {
  const suit = suitOf(card),
    rank = rankOf(card),
    court = "JQK".includes(rank);
  const use = (href, x, y, size) => svg("use", { href, x, y, width: size, height: size });
  return svg(
    "svg",
    { class: "face", viewBox: "0 0 100 140", "aria-hidden": "true", focusable: "false" },
    svg("text", { x: 24, y: 37, "text-anchor": "middle", class: rank === "10" ? "rank ten" : "rank" }, rank),
    use(`#suit-${suit}`, 11, 46, 26),
    court
      ? [
          svg("rect", { x: 42, y: 54, width: 48, height: 76, rx: 7, class: "frame" }),
          use(`#court-${rank}`, 47, 60, 38),
          use(`#suit-${suit}`, 54, 101, 24),
        ]
      : use(`#suit-${suit}`, rank === "A" ? 36 : 40, rank === "A" ? 70 : 76, rank === "A" ? 58 : 50),
  );
}

// A card that only lies there.
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

// A card that can be chosen.
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
  );
