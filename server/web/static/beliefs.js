// The beliefs panel: the three opponent models side by side about one game state.

import { ApiError, ask } from "./api.js";
import { QUEEN } from "./cards.js";
import { h, problem, show } from "./dom.js";
import { asBelief, heatMap, queenBars, trust } from "./heatmap.js";
import { percent, t } from "./text.js";

export const MODELS = ["OM-0", "OM-1", "OM-2"];

export class Beliefs {
  constructor() {
    this.element = h("div", { class: "beliefs" });
  }

  // Ask all models about `state`; an answer that comes after the next question is not shown.
  // `truth`, the four real hands at that moment, is only ever known once a hand is over.
  async about({ state, names, truth = null }) {
    this.asking?.abort();
    const asking = (this.asking = new AbortController());
    this.element.setAttribute("aria-busy", "true");
    if (!this.element.querySelector(".heat"))
      show(this.element, h("p", { class: "empty" }, t("beliefs.thinking")));
    try {
      const question = (model) =>
        ask("/api/beliefs", { game_state: state, model, seed: 1 }, { signal: asking.signal });
      const answers = await Promise.all(MODELS.map(question));
      if (!asking.signal.aborted) show(this.element, this.maps(answers, state, names, truth));
    } catch (error) {
      if (asking.signal.aborted || !(error instanceof ApiError)) return;
      show(
        this.element,
        problem(error.message, () => this.about({ state, names, truth }), t("errors.retry")),
      );
    } finally {
      if (!asking.signal.aborted) this.element.removeAttribute("aria-busy");
    }
  }

  say(sentence) {
    this.asking?.abort();
    show(this.element, h("p", { class: "empty" }, sentence));
    return false;
  }

  maps(answers, state, names, truth) {
    const seat = state.current_player,
      mine = new Set(state.player_hand);
    const gone = new Set([...played(state), ...mine]);
    return [
      h("p", { class: "lead" }, t(truth ? "beliefs.after" : "beliefs.now")),
      queens(answers, { seat, names, gone, mine }),
      h(
        "div",
        { class: truth ? "maps four" : "maps" },
        answers.map((beliefs, i) =>
          h(
            "section",
            {},
            heatMap({ title: MODELS[i], beliefs, seat, names, gone, truth }),
            h("p", { class: "about" }, t(`beliefs.models.${MODELS[i]}`)),
            truth && trusted(trust(beliefs, seat, truth, gone)),
          ),
        ),
        truth &&
          h(
            "section",
            {},
            heatMap({ title: t("beliefs.truth"), beliefs: asBelief(truth), seat, names, gone }),
            h("p", { class: "about" }, t("beliefs.truth_about")),
          ),
      ),
      h(
        "ul",
        { class: "legend" },
        [0, 1, 2, 3]
          .filter((other) => other !== seat)
          .map((other) =>
            h("li", {}, h("span", { class: `dot seat-${other}`, "aria-hidden": "true" }), names[other]),
          ),
        ["void", "known", ...(truth ? ["held"] : []), "gone"].map((kind) =>
          h("li", {}, h("span", { class: `key ${kind}`, "aria-hidden": "true" }), t(`beliefs.${kind}_key`)),
        ),
      ),
    ];
  }
}

// "Where is the queen?" at a glance, before all the rest.
function queens(answers, { seat, names, gone, mine }) {
  if (mine.has(QUEEN)) return h("p", { class: "queen" }, t("beliefs.queen_mine"));
  if (gone.has(QUEEN)) return h("p", { class: "queen" }, t("beliefs.queen_gone"));
  return h(
    "section",
    {},
    h("h2", {}, t("beliefs.queen")),
    h(
      "div",
      { class: "queens" },
      answers.map((beliefs, i) => h("div", {}, h("h3", {}, MODELS[i]), queenBars({ beliefs, seat, names }))),
    ),
  );
}

const trusted = (share) =>
  share !== null && h("p", { class: "about" }, t("beliefs.trust", { share: percent(share) }));

const played = (state) =>
  [...(state.trick_history ?? []), state.current_trick ?? {}].flatMap((trick) =>
    (trick.cards ?? []).map((play) => play.card),
  );
