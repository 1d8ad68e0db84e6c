// Scores hand by hand, and as a plot.

import { h } from "./dom.js";
import { linePlot } from "./plots.js";
import { count, t } from "./text.js";
import { SEATS } from "./replay.js";
import { inked, picture } from "./cards.js";

const ARROWS = { left: "←", right: "→", across: "↑", hold: "·" };
export const arrow = (direction) => ARROWS[direction];

// Running totals after each hand, from 0.
export const totals = (hands) =>
  SEATS.map((seat) => hands.reduce((sums, hand) => [...sums, sums.at(-1) + hand.points[seat]], [0]));

const seatHead = (seat, names) =>
  h("th", { scope: "col" }, h("span", { class: `dot seat-${seat}`, "aria-hidden": "true" }), names[seat]);

export function scoreTable({ hands, names, link }) {
  const sums = totals(hands);
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": t("scores.title") },
    h(
      "table",
      { class: "scores" },
      h("caption", { class: "unseen" }, t("scores.title")),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, t("scores.hand")),
          SEATS.map((seat) => seatHead(seat, names)),
        ),
      ),
      h(
        "tbody",
        {},
        hands.map((hand) =>
          h(
            "tr",
            {},
            h(
              "th",
              { scope: "row" },
              link
                ? h("a", { href: link(hand), title: t("scores.review") }, hand.number + 1)
                : hand.number + 1,
              h(
                "span",
                { class: "way", title: t(`directions.${hand.pass_direction}`) },
                ` ${arrow(hand.pass_direction)}`,
              ),
            ),
            SEATS.map((seat) =>
              h("td", { class: hand.shooter === seat ? "moon" : "" }, count(hand.points[seat])),
            ),
          ),
        ),
      ),
      h(
        "tfoot",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "row" }, t("scores.total")),
          SEATS.map((seat) => h("td", {}, count(sums[seat].at(-1)))),
        ),
      ),
    ),
  );
}

export function scorePlot({ hands, names, target }) {
  const sums = totals(hands);
  return linePlot({
    title: t("scores.plot"),
    series: SEATS.map((seat) => ({ seat, name: names[seat], values: sums[seat] })),
    labels: ["", ...hands.map((hand) => String(hand.number + 1))],
    format: count,
    limit: target,
  });
}

// The tricks of a hand so far: the last trick, and a table of all.
export const trickPanel = (tricks, names) =>
  tricks.length
    ? [h("h2", {}, t("tricks.last")), lastTrick(tricks.at(-1), names), trickTable(tricks, names)]
    : h("p", { class: "empty" }, t("tricks.none"));

const lastTrick = (trick, names) =>
  h(
    "div",
    { class: "trick-row" },
    trick.cards.map((play) =>
      h(
        "figure",
        { class: play.player === trick.winner ? "took" : "" },
        picture(play.card),
        h("figcaption", {}, names[play.player]),
      ),
    ),
    h("p", {}, t("tricks.took", { player: names[trick.winner], n: trick.points })),
  );

// A column per seat; the leader and the winner of each trick are marked.
function trickTable(tricks, names) {
  const cell = (trick, seat) => {
    const { card } = trick.cards.find((play) => play.player === seat);
    const led = seat === trick.cards[0].player;
    return h(
      "td",
      { class: seat === trick.winner ? "took" : "" },
      led && h("span", { class: "led", title: t("tricks.led"), "aria-label": t("tricks.led"), role: "img" }, "›"),
      inked(card),
    );
  };
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": t("tricks.all") },
    h(
      "table",
      { class: "scores tricks" },
      h("caption", {}, t("tricks.about")),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, t("tricks.number")),
          SEATS.map((seat) => seatHead(seat, names)),
          h("th", { scope: "col" }, t("tricks.points")),
        ),
      ),
      h(
        "tbody",
        {},
        tricks
          .map((trick, n) =>
            h(
              "tr",
              {},
              h("th", { scope: "row" }, n + 1),
              SEATS.map((seat) => cell(trick, seat)),
              h("td", {}, count(trick.points)),
            ),
          )
          .reverse(),
      ),
    ),
  );
}
