// The engine's recommendation: the hint before a move, and the coach after a costly card.

import { ApiError, ask } from "./api.js";
import { inked, inkedAll, inkedSentence, picture, plainSigns } from "./cards.js";
import { h, problem, show } from "./dom.js";
import { bar } from "./plots.js";
import { count, number, t } from "./text.js";

const ADVISER = { level: "expert" }; // the strongest level: it votes over worlds, which can be shown
const COSTLY = 1; // points from which on the coach speaks up
const SURE = 2; // standard errors that a cost must be away from nothing

export class Hint {
  constructor() {
    this.element = h("div", { class: "hint" });
    this.clear();
  }

  clear() {
    this.asking?.abort();
    show(this.element, h("p", { class: "empty" }, t("hint.none")));
  }

  // Ask what to do in `state`. Resolves to the recommended cards, or to none if the request failed and
  // the player may `retry`. follow(cards) plays or selects them.
  async about(state, { passing, retry, follow }) {
    this.asking?.abort();
    const asking = (this.asking = new AbortController());
    show(this.element, h("p", { class: "empty" }, t("hint.thinking")));
    try {
      const answer = await ask(
        passing ? "/api/pass" : "/api/move",
        { game_state: state, ai_config: ADVISER },
        { signal: asking.signal },
      );
      const cards = passing ? answer.pass : [answer.move.card];
      const act = h(
        "button",
        { type: "button", id: "follow", class: "small", onclick: () => follow(cards) },
        t(passing ? "hint.choose" : "hint.follow"),
      );
      show(this.element, passing ? passes(answer, act) : moves(answer, act));
      return cards;
    } catch (error) {
      if (asking.signal.aborted || !(error instanceof ApiError)) return [];
      show(this.element, problem(error.message, retry, t("errors.retry")));
      return [];
    }
  }
}

// The statistics of every legal card as bars, best first, and the explanation.
export function moves({ move, analysis = [], explanation, worlds, exact }, act) {
  // A single-tree search has no votes per world: show its visits instead.
  const measure = analysis.some((row) => row.votes > 1) ? "votes" : "visits";
  const most = Math.max(1, ...analysis.map((row) => row[measure]));
  return [
    h(
      "div",
      { class: "advised-card" },
      picture(move.card),
      h(
        "div",
        {},
        h("p", {}, inkedSentence(explanation || t("hint.only"))),
        act,
      ),
    ),
    analysis.length > 0 &&
      h(
        "div",
        { class: "scroll", tabindex: 0, role: "region", "aria-label": t("hint.figures") },
        h(
          "table",
          { class: "figures" },
          h("caption", {}, exact ? t("hint.exact") : worlds && t("hint.worlds", { n: worlds })),
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              ["card", measure, "points"].map((name) =>
                h("th", { scope: "col", title: t(`hint.${name}_title`) }, t(`hint.${name}`)),
              ),
            ),
          ),
          h(
            "tbody",
            {},
            analysis.map((row) =>
              h(
                "tr",
                { "data-card": row.card },
                h("th", { scope: "row" }, inked(row.card)),
                h("td", {}, bar(row[measure] / most, count(row[measure]))),
                h(
                  "td",
                  {},
                  row.points === null
                    ? "–"
                    : bar(row.points / 26, `${number(row.points)} ± ${number(row.points_error)}`, {
                        class: "cost",
                      }),
                ),
              ),
            ),
          ),
        ),
      ),
  ];
}

function passes({ pass, candidates = [] }, act) {
  return [
    h("div", { class: "advised-card" }, pass.map((card) => picture(card)), h("div", {}, act)),
    candidates.length > 0 &&
      h(
        "table",
        { class: "figures" },
        h("caption", {}, t("hint.candidates")),
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", { scope: "col" }, t("hint.cards")),
            h("th", { scope: "col" }, t("hint.points")),
          ),
        ),
        h(
          "tbody",
          {},
          candidates.slice(0, 6).map((row) =>
            h(
              "tr",
              {},
              h("th", { scope: "row" }, inkedAll(row.cards)),
              h(
                "td",
                {},
                bar(row.points / 26, `${number(row.points)} ± ${number(row.points_error)}`, {
                  class: "cost",
                }),
              ),
            ),
          ),
        ),
      ),
  ];
}

// The coach's message about `card` played in `state`; null if the card was not costly.
export async function coach(state, card) {
  const {
    decisions: [one],
  } = await ask("/api/analysis", { states: [{ ...state, played: card }], ai_config: ADVISER });
  if (one.cost === null || one.cost < COSTLY || one.cost < SURE * (one.cost_error ?? 0)) return null;
  return plainSigns(one.verdict);
}
