// A heat map of who holds what: 52 cards × 3 opponents, one map per opponent model.

import { h } from "./dom.js";
import { QUEEN, RANKS, SUITS, brief, spoken, suitIcon } from "./cards.js";
import { percent, t } from "./text.js";
import { SEATS } from "./replay.js";

const others = (seat) =>
  SEATS.filter((other) => other !== seat).sort((a, b) => ((a - seat + 4) % 4) - ((b - seat + 4) % 4));

const STRONG = 0.6; // from this share on a figure is written light on dark

// The answer of /api/beliefs as a table. `truth`, four lists of cards, rings the real holders.
export function heatMap({ model, title, beliefs, seat, names, gone, truth }) {
  const holds = truth?.map((cards) => new Set(cards));
  const rows = SUITS.flatMap((suit) =>
    others(seat).map((other, place) =>
      h(
        "tr",
        { class: place === 0 ? "first" : "" },
        place === 0 &&
          h(
            "th",
            { rowspan: 3, scope: "rowgroup", class: "suit-cell" },
            suitIcon(suit),
            h("span", { class: "unseen" }, t(`cards.suits.${suit}`)),
          ),
        h(
          "th",
          { scope: "row", class: "seat-cell" },
          h("span", { class: `dot seat-${other}`, title: names[other] }),
          h("span", { class: "unseen" }, names[other]),
        ),
        RANKS.map((rank) => cell(rank + suit, other)),
      ),
    ),
  );

  function cell(card, other) {
    const share = beliefs.probabilities[card]?.[other] ?? 0;
    if (gone.has(card))
      return h(
        "td",
        {
          class: "gone",
          "data-card": card,
          "data-seat": other,
          title: t("beliefs.gone", { card: brief(card) }),
        },
        h("span", { class: "unseen" }, t("beliefs.gone_short")),
      );
    const state = [
      `seat-${other}`,
      share > STRONG && "strong",
      beliefs.voids?.[other]?.includes(card.slice(-1)) && "void",
      beliefs.known?.[other]?.includes(card) && "known",
      holds?.[other].has(card) && "held",
    ];
    return h(
      "td",
      {
        class: state.filter(Boolean).join(" "),
        "data-card": card,
        "data-seat": other,
        "data-share": share.toFixed(4),
        "data-percent": share % 1 ? Math.round(100 * share) : null, // what is certain needs no figure
        style: { "--share": share },
        title: t("beliefs.cell", { card: brief(card), player: names[other], share: percent(share) }),
      },
      h("span", { class: "unseen" }, percent(share)),
    );
  }

  return h(
    "figure",
    { class: "heat", "data-model": model },
    h("figcaption", {}, title),
    h(
      "table",
      {},
      h("caption", { class: "unseen" }, t("beliefs.caption", { model: title })),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("td", { colspan: 2 }),
          RANKS.map((rank) => h("th", { scope: "col" }, rank)),
        ),
      ),
      h("tbody", {}, rows),
    ),
  );
}

// The true deal in the shape of a belief: every probability is 0 or 1.
export const asBelief = (hands) => ({
  probabilities: Object.fromEntries(
    hands.flatMap((cards, seat) => cards.map((card) => [card, SEATS.map((other) => Number(other === seat))])),
  ),
});

// The probabilities of the queen of spades: a bar per opponent, and the true holder once known.
export function queenBars({ beliefs, seat, names, truth }) {
  return h(
    "ul",
    { class: "queen", "aria-label": spoken(QUEEN) },
    others(seat).map((other) => {
      const share = beliefs.probabilities[QUEEN][other];
      return h(
        "li",
        { class: `seat-${other}`, style: { "--share": share } },
        h("span", { class: "dot", "aria-hidden": "true" }),
        h("span", { class: "name" }, names[other]),
        truth?.[other].includes(QUEEN) && h("span", { class: "held" }, t("beliefs.held_her")),
        h("b", {}, percent(share)),
      );
    }),
  );
}

// The mean probability that a model gave to the true holders.
export function trust(beliefs, seat, truth, gone) {
  const shares = truth.flatMap((cards, holder) =>
    holder === seat
      ? []
      : cards.filter((card) => !gone.has(card)).map((card) => beliefs.probabilities[card]?.[holder] ?? 0),
  );
  return shares.length ? shares.reduce((sum, share) => sum + share, 0) / shares.length : null;
}
