// Replay a recorded hand with all cards open: step forwards and backwards, jump to any card.

import { brief, inkedSentence } from "./cards.js";
import { h, show, svg } from "./dom.js";
import { legend, linePlot } from "./plots.js";
import { SEATS, stateAt } from "./replay.js";
import { Board } from "./table.js";
import { count, number, percent, t } from "./text.js";

const AUTOPLAY = 900; // milliseconds per card
const USING_ARROWS = "input, select, textarea, dialog, [role=tablist], .scroll";
const MISTAKE = 0.5; // points from which on a decision is called one

// Drawn as SVG, because few fonts have these symbols.
const ICONS = {
  first: "M5 5h2v14H5zM19 5v14l-11-7z",
  back: "M16 5v14L6 12z",
  auto: "M7 4v16l13-8z",
  pause: "M6 5h4v14H6zM14 5h4v14h-4z",
  forward: "M8 5v14l10-7z",
  last: "M17 5h2v14h-2zM5 5v14l11-7z",
};
const icon = (name) =>
  svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));

export class Replayer {
  // stepped(n) is called after every move to another moment
  constructor({ stepped = () => {} } = {}) {
    this.stepped = stepped;
    this.board = new Board();
    this.timeline = h("div", { class: "timeline", "aria-hidden": "true" });
    this.colours = h("div", { class: "colours" });
    this.slider = h("input", {
      type: "range",
      min: 0,
      step: 1,
      "aria-label": t("review.moment"),
      oninput: () => this.go(Number(this.slider.value)),
    });
    this.where = h("p", { class: "where", "aria-live": "polite" });
    this.decision = h("div", { class: "decision" });
    const control = (name, act) =>
      h(
        "button",
        {
          type: "button",
          id: `step-${name}`,
          "aria-label": t(`review.${name}`),
          title: t(`review.${name}`),
          onclick: act,
        },
        icon(name),
      );
    this.auto = control("auto", () => this.toggle());
    this.element = h(
      "section",
      { class: "replayer", "aria-label": t("review.board") },
      this.board.element,
      h("div", { class: "track" }, this.timeline, this.slider),
      h(
        "div",
        { class: "controls" },
        control("first", () => this.go(0)),
        control("back", () => this.go(this.step - 1)),
        this.auto,
        control("forward", () => this.go(this.step + 1)),
        control("last", () => this.go(this.total)),
        this.where,
      ),
      this.colours,
      this.decision,
    );
    // Keys step wherever the focus is, as long as nothing there has a use for them.
    this.keys = (event) => this.key(event);
    addEventListener("keydown", this.keys);
  }

  load({ record, names, bottom = 0, scores = [0, 0, 0, 0] }, step = 0) {
    Object.assign(this, { record, names, bottom, scores, review: null });
    this.stop();
    this.total = record.plays.length;
    this.slider.max = this.total;
    show(this.colours, this.legend());
    this.go(step);
  }

  // Whose colour is which.
  legend() {
    return legend(SEATS.map((seat) => ({ seat, name: this.names[seat] })));
  }

  // Costs of the decisions, when they are known.
  judge(review) {
    this.review = review;
    this.costs = new Map(review.decisions.filter((one) => one.kind === "play").map((one, i) => [i, one]));
    const worst = Math.max(1, ...review.decisions.map((one) => one.cost ?? 0));
    show(
      this.timeline,
      Array.from({ length: this.total }, (_, n) => {
        const one = this.costs.get(n),
          cost = one?.cost ?? 0;
        return h("i", {
          class: `seat-${one?.player} ${cost >= MISTAKE ? "mistake" : ""}`,
          style: { "--cost": Math.max(0, cost) / worst },
          title: one ? t("review.cost", { card: brief(one.played), cost: number(cost) }) : "",
        });
      }),
    );
    show(this.colours, this.legend(), h("p", { class: "about" }, t("review.legend")));
    this.go(this.step);
  }

  go(step) {
    this.step = Math.min(Math.max(step, 0), this.total);
    this.slider.value = this.step;
    this.draw();
    this.stepped(this.step);
  }

  // The trick that was just finished stays until the next card is played.
  draw() {
    const { record, step, names } = this,
      state = stateAt(record, step);
    const finished = step > 0 && step % 4 === 0 ? state.tricks.at(-1) : null;
    const next = record.plays[step],
      judged = this.costs && this.review && this.costs.get(step);
    const marks = next ? { [next.card]: "next" } : {};
    if (judged && judged.best !== next?.card) marks[judged.best] = "best";
    this.board.draw({
      bottom: this.bottom,
      you: null,
      names,
      turn: step < this.total ? state.turn : null,
      counts: state.hands.map((cards) => cards.length),
      hands: state.hands,
      trick: finished ? finished.cards : state.trick,
      winner: finished?.winner ?? null,
      points: step === 52 && record.points ? record.points : state.points,
      scores: this.scores,
      marks,
    });
    const last = record.plays[step - 1];
    this.where.textContent = last
      ? t("review.at", { trick: Math.ceil(step / 4), card: brief(last.card), player: names[last.player] })
      : t("review.begin");
    this.where.dataset.step = step;
    [...this.timeline.children].forEach((mark, n) => mark.classList.toggle("past", n < step));
    show(this.decision, step === 0 && passesOf(record, names), judged && verdict(judged, names));
  }

  toggle() {
    if (this.timer) return this.stop();
    if (this.step >= this.total) this.go(0);
    this.auto.replaceChildren(icon("pause"));
    this.timer = setInterval(() => (this.step < this.total ? this.go(this.step + 1) : this.stop()), AUTOPLAY);
    return undefined;
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.auto.replaceChildren(icon("auto"));
  }

  key(event) {
    if (!this.element.isConnected) return removeEventListener("keydown", this.keys);
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.(USING_ARROWS)) return undefined;
    const step = { ArrowRight: this.step + 1, ArrowLeft: this.step - 1, Home: 0, End: this.total }[event.key];
    if (step === undefined) return undefined;
    event.preventDefault();
    return this.go(step);
  }
}

function passesOf(record, names) {
  if (!record.passed?.some((cards) => cards.length)) return h("p", { class: "about" }, t("review.no_pass"));
  return h(
    "ul",
    { class: "passes" },
    SEATS.map((seat) =>
      h(
        "li",
        {},
        inkedSentence(
          t(`review.pass_${record.pass_direction}`, {
            player: names[seat],
            cards: record.passed[seat].map(brief).join(" "),
          }),
        ),
      ),
    ),
  );
}

// Describe one decision: the card played, the best card, the cost of the difference.
function verdict(one, names) {
  const played = [].concat(one.played),
    best = [].concat(one.best);
  const cards = (list) => list.map(brief).join(" ");
  const values = {
    player: names[one.player],
    card: cards(played),
    best: cards(best),
  };
  const key = one.forced
    ? "forced"
    : cards(played) === cards(best) || (one.cost !== null && one.cost <= 0)
      ? "right"
      : one.cost === null
        ? "unknown"
        : (one.cost ?? 0) >= MISTAKE
          ? "wrong"
          : "near";
  return h(
    "div",
    { class: `verdict ${key}` },
    h("b", {}, inkedSentence(t(`review.verdict.${key}`, values))),
    one.explanation && key !== "forced" && h("p", {}, inkedSentence(one.explanation)),
  );
}

// Links to the worst decisions of each seat.
export function mistakes(review, names, go) {
  const passes = review.decisions.filter((one) => one.kind === "pass").length;
  const worst = Object.values(review.mistakes)
    .flat()
    .filter(({ cost }) => cost >= MISTAKE)
    .sort((a, b) => b.cost - a.cost)
    .map(({ number: n }) => ({
      one: review.decisions.find((one) => one.number === n),
      step: Math.max(0, n - passes),
    }));
  if (!worst.length) return h("p", { class: "empty" }, t("review.no_mistakes"));
  return h(
    "ol",
    { class: "mistakes" },
    worst.map(({ one, step }) =>
      h(
        "li",
        {},
        h(
          "button",
          { type: "button", onclick: () => go(step) },
          h("span", { class: `dot seat-${one.player}`, "aria-hidden": "true" }),
          h(
            "span",
            {},
            inkedSentence(
              t(one.kind === "pass" ? "review.mistake_pass" : "review.mistake", {
                player: names[one.player],
                trick: Math.floor(step / 4) + 1,
                card: [].concat(one.played).map(brief).join(" "),
                best: [].concat(one.best).map(brief).join(" "),
              }),
            ),
          ),
          h("b", {}, `+${number(one.cost)}`),
        ),
      ),
    ),
  );
}

export const costTable = (review, names) => [
  h(
    "table",
    { class: "figures" },
    h("caption", {}, t("review.costs")),
    h(
      "tbody",
      {},
      SEATS.map((seat) =>
        h(
          "tr",
          {},
          h(
            "th",
            { scope: "row" },
            h("span", { class: `dot seat-${seat}`, "aria-hidden": "true" }),
            names[seat],
          ),
          h("td", {}, number(review.cost_by_player[seat] ?? 0)),
        ),
      ),
    ),
  ),
  review.cost_by_player.some((cost) => number(cost).startsWith("−")) &&
    h("p", { class: "about negative" }, t("review.negative")),
];

export const chancePlots = (chances, names, trick) =>
  ["queen", "moon"]
    .filter((kind) => chances?.[kind]?.length)
    .map((kind) =>
      linePlot({
        title: t(`review.chance_${kind}`),
        series: SEATS.map((seat) => ({
          seat,
          name: names[seat],
          values: chances[kind].map((row) => row[seat]),
        })),
        labels: chances[kind].map((_, i) => (i < 13 ? count(i + 1) : t("review.end"))),
        low: 0,
        high: 1,
        format: percent,
        now: Math.min(trick, chances[kind].length - 1),
      }),
    );
