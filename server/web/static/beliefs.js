// The beliefs panel: who may hold what by the best opponent model, and by others on demand.

import { ApiError, ask, sleep } from "./api.js";
import { QUEEN } from "./cards.js";
import { h, problem, show } from "./dom.js";
import { asBelief, heatMap, queenBars, trust } from "./heatmap.js";
import { SEATS, gameStateAt, stateAt } from "./replay.js";
import { percent, t } from "./text.js";

const BEST = "OM-3"; // that of the level `expert`, which gives the hints
const OTHERS = ["OM-2", "OM-1", "OM-0"];
const PAUSE = 120; // milliseconds at a moment before it is asked about: who only passes by asks nothing
const HALF_WAY = 6; // tricks: where one first looks at a hand that is over

export class Beliefs {
  constructor() {
    this.body = h("div", { class: "beliefs" });
    this.comparing = false; // whether the other models are shown too
    this.at = h("output", {});
    this.slider = h("input", { type: "range", min: 0, max: 12, "aria-label": t("beliefs.trick") });
    this.slider.addEventListener("input", () => this.name());
    this.slider.addEventListener("change", () => this.lookBack());
    this.when = h("label", { class: "slider", hidden: true }, this.at, this.slider);
    this.element = h("div", {}, this.when, this.body);
  }

  // Beliefs at the current moment; after the hand, at any moment of it, next to the true deal.
  aboutTable(view, names) {
    const done = view.hands.find((hand) => hand.number === view.hand.number);
    const over = Boolean(done);
    if (over && this.when.hidden) this.slider.value = HALF_WAY;
    this.when.hidden = !over;
    if (!over) return this.about({ state: view.game_state, names });
    this.past = { record: done.record, seat: view.seat, names };
    return this.lookBack();
  }

  name() {
    this.at.textContent = t("beliefs.before", { trick: Number(this.slider.value) + 1 });
  }

  lookBack() {
    this.name();
    const { record, seat, names } = this.past,
      plays = Number(this.slider.value) * 4;
    return this.about({ state: gameStateAt(record, plays, seat), names, truth: stateAt(record, plays).hands });
  }

  // Ask the models that are shown about `state`; drop answers to an outdated question.
  // `truth` is the four real hands at that moment; it is known only after the hand.
  async about({ state, names, truth = null }) {
    this.asking?.abort();
    const asking = (this.asking = new AbortController());
    this.body.setAttribute("aria-busy", "true");
    if (!this.body.querySelector(".heat"))
      show(this.body, h("p", { class: "empty" }, t("beliefs.thinking")));
    await sleep(PAUSE);
    if (asking.signal.aborted) return;
    try {
      const question = (model) =>
        ask("/api/beliefs", { game_state: state, model, seed: 1 }, { signal: asking.signal });
      const models = this.comparing ? [BEST, ...OTHERS] : [BEST];
      const answers = await Promise.all(models.map(question));
      this.asked = { state, names, truth };
      if (!asking.signal.aborted) show(this.body, this.maps(answers, state, names, truth));
    } catch (error) {
      if (asking.signal.aborted || !(error instanceof ApiError)) return;
      show(
        this.body,
        problem(error.message, () => this.about({ state, names, truth }), t("errors.retry")),
      );
    } finally {
      if (!asking.signal.aborted) this.body.removeAttribute("aria-busy");
    }
  }

  // What is asked about is still to be shown.
  wait() {
    if (!this.body.querySelector(".heat")) this.say(t("beliefs.thinking"));
  }

  say(sentence) {
    this.asking?.abort();
    show(this.body, h("p", { class: "empty" }, sentence));
    return false;
  }

  // The other models are asked once somebody wants to see them.
  compare(wanted) {
    if (wanted === this.comparing) return;
    this.comparing = wanted;
    if (wanted) this.about(this.asked);
  }

  maps([best, ...others], state, names, truth) {
    const seat = state.current_player,
      mine = new Set(state.player_hand);
    const gone = new Set([...played(state), ...mine]);
    const known = { seat, names, gone, mine, truth };
    const more = h(
      "details",
      { class: "compare", open: this.comparing, ontoggle: () => this.compare(more.open) },
      h("summary", { "data-key": "compare" }, t("beliefs.more")),
      h(
        "div",
        { class: "maps" },
        others.map((beliefs, i) => section(OTHERS[i], beliefs, known)),
      ),
    );
    return [
      h("p", { class: "lead" }, t(truth ? "beliefs.after" : "beliefs.now")),
      h("div", { class: "maps best" }, section(BEST, best, known), truth && trueSection(known)),
      h(
        "ul",
        { class: "legend" },
        SEATS.filter((other) => other !== seat).map((other) =>
          h("li", {}, h("span", { class: `dot seat-${other}`, "aria-hidden": "true" }), names[other]),
        ),
        ["void", "known", ...(truth ? ["held"] : []), "gone"].map((kind) =>
          h("li", {}, h("span", { class: `key ${kind}`, "aria-hidden": "true" }), t(`beliefs.${kind}_key`)),
        ),
      ),
      more,
    ];
  }
}

// One model: the queen of spades first, then every card.
const section = (model, beliefs, known) =>
  h(
    "section",
    {},
    queen(beliefs, known),
    heatMap({ model, title: t(`beliefs.names.${model}`), beliefs, ...known }),
    h("p", { class: "about" }, t(`beliefs.models.${model}`)),
    known.truth && trusted(trust(beliefs, known.seat, known.truth, known.gone)),
  );

const trueSection = ({ seat, names, gone, truth }) =>
  h(
    "section",
    {},
    heatMap({ model: "truth", title: t("beliefs.truth"), beliefs: asBelief(truth), seat, names, gone }),
    h("p", { class: "about" }, t("beliefs.truth_about")),
  );

// The probabilities of the queen of spades.
function queen(beliefs, { seat, names, gone, mine, truth }) {
  if (mine.has(QUEEN)) return h("p", { class: "queen" }, t("beliefs.queen_mine"));
  if (gone.has(QUEEN)) return h("p", { class: "queen" }, t("beliefs.queen_gone"));
  return [h("h2", {}, t("beliefs.queen")), queenBars({ beliefs, seat, names, truth })];
}

const trusted = (share) =>
  share !== null && h("p", { class: "about" }, t("beliefs.trust", { share: percent(share) }));

const played = (state) =>
  [...(state.trick_history ?? []), state.current_trick ?? {}].flatMap((trick) =>
    (trick.cards ?? []).map((play) => play.card),
  );
