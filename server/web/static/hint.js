// The recommendation: the hint before a move or a pass, and the coach after a costly card.

import { ApiError, ask } from "./api.js";
import { inkedAll, inkedSentence, picture, plainSigns } from "./cards.js";
import { h, problem, show } from "./dom.js";
import { bar } from "./plots.js";
import { number, t } from "./text.js";

const ADVISER = { level: "expert" }; // that of reviews too
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
      const { hint } = await ask(
        passing ? "/api/pass" : "/api/move",
        { game_state: state, ai_config: { ...ADVISER, hint: true } },
        { signal: asking.signal },
      );
      const act = h(
        "button",
        { type: "button", id: "follow", class: "small", onclick: () => follow(hint.cards) },
        t(passing ? "hint.choose" : "hint.follow"),
      );
      show(this.element, advice({ ...hint, act }));
      return hint.cards;
    } catch (error) {
      if (asking.signal.aborted || !(error instanceof ApiError)) return [];
      show(this.element, problem(error.message, retry, t("errors.retry")));
      return [];
    }
  }
}

// Cards with the reason for them, and all choices with their expected points, cheapest first.
export function advice({ cards, text, choices, act }) {
  return [
    h(
      "div",
      { class: cards.length > 1 ? "advised-card several" : "advised-card" },
      h("div", { class: "pictures" }, cards.map((card) => picture(card))),
      h("div", {}, h("p", {}, inkedSentence(text)), act),
    ),
    choices.length > 0 && choiceTable(choices, cards),
  ];
}

// An error that rounds to nothing is left out, as in the sentences of the service.
const withError = (points, error) =>
  error >= 0.05 ? `${number(points)} ± ${number(error)}` : number(points);

function choiceTable(choices, advised) {
  const most = Math.max(1, ...choices.map(({ points }) => points ?? 0));
  const row = ({ cards, points, points_error: error }) =>
    h(
      "tr",
      {
        "data-card": cards.join(" "),
        "data-points": points,
        class: cards.join() === advised.join() ? "chosen" : "",
      },
      h("th", { scope: "row" }, inkedAll(cards)),
      h(
        "td",
        {},
        points === null ? "–" : bar(points / most, withError(points, error), { class: "cost" }),
      ),
    );
  const head = ["cards", "points"].map((name) =>
    h("th", { scope: "col", title: t(`hint.${name}_title`) }, t(`hint.${name}`)),
  );
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": t("hint.figures") },
    h(
      "table",
      { class: "figures" },
      h("caption", {}, t("hint.about")),
      h("thead", {}, h("tr", {}, head)),
      h("tbody", {}, choices.map(row)),
    ),
  );
}

// The statistics of a bot's decision as choices, cheapest first.
export const choicesOf = (analysis) =>
  analysis
    .map(({ card, points, points_error }) => ({ cards: [card], points, points_error }))
    .sort((a, b) => (a.points ?? Infinity) - (b.points ?? Infinity));

// The coach's message about `card` played in `state`; null if the card was not costly.
export async function coach(state, card) {
  const {
    decisions: [one],
  } = await ask("/api/analysis", { states: [{ ...state, played: card }], ai_config: ADVISER });
  if (one.cost === null || one.cost < COSTLY || one.cost < SURE * (one.cost_error ?? 0)) return null;
  return plainSigns(one.verdict);
}
