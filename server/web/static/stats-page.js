// The ladder and the statistics of all logged games, as plots and tables.

import "./chrome.js";
import { ApiError, get } from "./api.js";
import { choice } from "./chrome.js";
import { byId, h, problem, show } from "./dom.js";
import { GameFeed, gameList, nameOf } from "./games.js";
import { ladder } from "./ladder.js";
import { intervalPlot, noData } from "./plots.js";
import { count, number, percent, t } from "./text.js";

const ENOUGH = 10; // hands from which on an interval says something
const LISTED = 12; // recent games
const GROUPS = ["level", "player", "config"];
const some = (format) => (value) => (value === null || value === undefined ? "–" : format(value));
const COLUMNS = [
  ["hands", some(count)],
  ["points", some(number)],
  ["win_rate", some(percent)],
  ["moons_made", some(count)],
  ["moons_tried", some(count)],
  ["moons_stopped", some(count)],
  ["queens", some(count)],
  ["passes", some(count)],
  ["ms_per_move", some(number)],
  ["belief_log_loss", some((value) => value.toFixed(3))],
];

const rungs = h("section", { id: "ladder" });
const figures = h("div", { id: "figures" });
const recent = h("div", {});

let wanted; // the group that was chosen last: slower answers to earlier questions are not shown

async function load(group) {
  wanted = group;
  try {
    const { rows } = await get(`/api/stats?group=${group}`);
    if (group === wanted) show(figures, rows.length ? drawn(rows) : noData());
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    show(
      figures,
      problem(error.message, () => load(group), t("errors.retry")),
    );
  }
}

const labelOf = ({ kind, label }) => nameOf({ kind, name: label });
const hasInterval = (row) => row.points_low !== null && row.hands >= ENOUGH;

function drawn(rows) {
  const ranked = rows.filter((row) => row.points !== null).sort((a, b) => a.points - b.points);
  return [
    intervalPlot({
      title: t("stats.plot"),
      rows: ranked.slice(0, 20).map((row) => ({
        name: labelOf(row),
        mean: row.points,
        low: hasInterval(row) ? row.points_low : row.points,
        high: hasInterval(row) ? row.points_high : row.points,
      })),
    }),
    h("p", { class: "about" }, t("stats.interval")),
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": t("stats.table") },
      h(
        "table",
        { class: "stats" },
        h("caption", { class: "unseen" }, t("stats.table")),
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", { scope: "col" }, t("stats.who")),
            COLUMNS.map(([name]) => h("th", { scope: "col" }, t(`stats.${name}`))),
          ),
        ),
        h(
          "tbody",
          {},
          ranked.map((row) =>
            h(
              "tr",
              {},
              h("th", { scope: "row" }, labelOf(row)),
              COLUMNS.map(([name, format]) =>
                h(
                  "td",
                  {},
                  name === "points" && hasInterval(row)
                    ? `${format(row.points)} (${format(row.points_low)} – ${format(row.points_high)})`
                    : format(row[name]),
                ),
              ),
            ),
          ),
        ),
      ),
    ),
  ];
}

// The ladder from tournaments; hidden if the service has none.
async function loadLadder() {
  try {
    const told = await get("/api/ladder");
    if (told.players.length) show(rungs, h("h2", {}, t("ladder.title")), ladder(told));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    show(rungs, problem(error.message, loadLadder, t("errors.retry")));
  }
}

async function loadRecent() {
  try {
    const found = await new GameFeed().take(LISTED);
    show(recent, found.length ? gameList(found) : h("p", { class: "empty" }, t("games.none")));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    show(recent, problem(error.message, loadRecent, t("errors.retry")));
  }
}

show(
  byId("main"),
  h(
    "div",
    { class: "page" },
    h("h1", {}, t("pages.stats")),
    h("p", { class: "lead" }, t("stats.about")),
    rungs,
    h(
      "section",
      {},
      h("h2", {}, t("stats.here")),
      h("p", { class: "about" }, t("stats.here_about")),
      choice("stats.group", GROUPS, "level", load),
      figures,
    ),
    h("section", {}, h("h2", {}, t("games.recent")), recent),
  ),
);
loadLadder();
load("level");
loadRecent();
