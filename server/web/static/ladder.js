// The levels as tournaments measured them: ratings with intervals, and how each does against the one below.

import { h } from "./dom.js";
import { levelName } from "./games.js";
import { intervalPlot } from "./plots.js";
import { count, number, percent, t } from "./text.js";

const nameOf = (player) => (player === "cautious" ? t("ladder.cautious") : levelName(player));
const COLUMNS = ["player", "rating", "against", "won"];

// The answer of /api/ladder.
export function ladder({ players, rungs, stale }) {
  return [
    h("p", { class: "about" }, t("ladder.about", { deals: dealsOf(rungs) })),
    stale.length > 0 && h("p", { class: "about" }, t("ladder.stale", { levels: stale.map(levelName).join(", ") })),
    intervalPlot({
      title: t("ladder.plot"),
      rows: players.map(({ player, rating, rating_low: low, rating_high: high }) => ({
        name: nameOf(player),
        mean: rating,
        low,
        high,
      })),
      format: (rating) => count(Math.round(rating)),
    }),
    h("p", { class: "about" }, t("ladder.interval")),
    table(players, rungs),
  ];
}

function dealsOf(rungs) {
  const deals = rungs.map((rung) => rung.deals),
    low = Math.min(...deals),
    high = Math.max(...deals);
  return low === high ? t("ladder.deals", { n: low }) : t("ladder.some_deals", { low, high });
}

function table(players, rungs) {
  const row = ({ player, rating, rating_low: low, rating_high: high }) => {
    const rung = rungs.find((one) => one.player === player);
    return h(
      "tr",
      { "data-player": player },
      h("th", { scope: "row" }, nameOf(player)),
      h("td", {}, `${whole(rating)} (${whole(low)} … ${whole(high)})`),
      h("td", {}, rung ? against(rung) : t("ladder.none")),
      h("td", {}, rung ? percent(rung.won) : t("ladder.none")),
    );
  };
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": t("ladder.table") },
    h(
      "table",
      { class: "stats" },
      h("caption", { class: "unseen" }, t("ladder.table")),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          COLUMNS.map((name) => h("th", { scope: "col" }, t(`ladder.${name}`))),
        ),
      ),
      h("tbody", {}, players.map(row)),
    ),
  );
}

const whole = (rating) => count(Math.round(rating));

const against = ({ against: player, difference, difference_low: low, difference_high: high }) =>
  t("ladder.difference", {
    player: nameOf(player),
    points: `${number(difference)} (${number(low)} … ${number(high)})`,
  });
