// The report of a finished match: final scores, hand by hand, with links to reviews.

import { h } from "./dom.js";
import { headline, reviewOf } from "./prompts.js";
import { SEATS } from "./replay.js";
import { scorePlot, scoreTable } from "./scores.js";
import { count, t } from "./text.js";

// A dialog over the table; `again` begins the next match.
export function report(view, names, again) {
  const title = h("h2", { id: "report-title" }, headline(view, names));
  const box = h(
    "dialog",
    { class: "report", "aria-labelledby": "report-title" },
    h(
      "div",
      { class: "report-head" },
      h("div", {}, h("p", { class: "about" }, t("report.title")), title),
      h(
        "button",
        { type: "button", class: "close quiet", "aria-label": t("report.close"), onclick: () => box.close() },
        "✕",
      ),
    ),
    h("h3", {}, t("report.standing")),
    standing(view, names),
    h("h3", {}, t("report.hands")),
    h("p", { class: "about" }, t("report.about")),
    scoreTable({ hands: view.hands, names, link: (hand) => reviewOf(view, hand) }),
    scorePlot({ hands: view.hands, names, target: view.target_score }),
    h(
      "p",
      { class: "row" },
      h("button", { type: "button", class: "main", id: "report-again", autofocus: true, onclick: again }, t("play.again")),
      h("a", { class: "button", href: reviewOf(view, view.hands[0]) }, t("report.review")),
    ),
  );
  box.addEventListener("close", () => box.remove());
  return box;
}

// The fewest points first; equal scores share a place.
function standing({ totals }, names) {
  const place = (seat) => 1 + totals.filter((total) => total < totals[seat]).length;
  const order = [...SEATS].sort((a, b) => totals[a] - totals[b]);
  const head = ["report.place", "scores.player", "scores.total"].map((key) => h("th", { scope: "col" }, t(key)));
  return h(
    "table",
    { class: "standing" },
    h("thead", {}, h("tr", {}, head)),
    h(
      "tbody",
      {},
      order.map((seat) =>
        h(
          "tr",
          { class: place(seat) === 1 ? "best" : "", "data-seat": seat },
          h("td", {}, place(seat)),
          h(
            "th",
            { scope: "row" },
            h("span", { class: `dot seat-${seat}`, "aria-hidden": "true" }),
            names[seat],
          ),
          h("td", {}, count(totals[seat])),
        ),
      ),
    ),
  );
}
