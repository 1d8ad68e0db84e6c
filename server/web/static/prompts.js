// Messages to the player: whose turn it is, why a card is illegal, the result of a hand.

import { brief, suitIcon, suitOf } from "./cards.js";
import { h } from "./dom.js";
import { verdict } from "./fair.js";
import { howTo } from "./howto.js";
import { levelName } from "./games.js";
import { SEATS, receiver } from "./replay.js";
import { mustPass, mustPlay } from "./scene.js";
import { arrow, scorePlot, scoreTable } from "./scores.js";
import { count, t } from "./text.js";

export const PASS_SIZE = 3;

// A button that keeps the focus when it is redrawn.
export const button = (id, label, onclick, attributes = {}) =>
  h("button", { type: "button", id, "data-key": id, onclick, ...attributes }, label);

const reviewOf = (view, hand) => `/review?game=${view.table_id}&hand=${hand.number}`;

// {settled: the animation is done, broken: hearts are, among the cards that are shown, busy: a move is
// being sent}
export function statusLine(view, names, { settled, broken, busy }) {
  const { hand } = view;
  const playing = view.phase === "playing";
  const facts = [t("table.hand", { number: hand.number + 1 })];
  if (playing) facts.push(t(broken ? "table.broken" : "table.unbroken"));
  return [
    busy
      ? h("span", { class: "sending" }, t("play.sending"))
      : h("span", {}, demand(view, names, settled)),
    h("span", { class: playing && broken ? "facts broken" : "facts" }, playing && broken && suitIcon("H"), facts.join(" · ")),
  ];
}

function demand(view, names, settled) {
  const { hand } = view;
  if (mustPass(view)) {
    const player = names[receiver(view.seat, hand.pass_direction)];
    return t(`play.choose_${hand.pass_direction}`, { player });
  }
  if (view.phase === "passing") return t("play.others_pass");
  if (!settled || view.phase !== "playing") return "";
  if (mustPlay(view)) return h("b", { class: "your-turn" }, t("play.your_turn"));
  return t("play.their_turn", { player: names[hand.turn] });
}

export function passButton(direction, chosen, busy, pass) {
  const left = PASS_SIZE - chosen;
  const label =
    left > 0 ? t("play.choose_more", { n: left }) : t(`play.pass_${direction}`, { arrow: arrow(direction) });
  return button("pass", label, pass, { class: "main", disabled: left !== 0 || busy });
}

// Why a card is illegal now. The service decides; the wording is the page's.
export function whyNot({ hand }, card) {
  const led = hand.trick.cards[0] && suitOf(hand.trick.cards[0].card);
  const values = { card: brief(card), suit: led && t(`cards.suits.${led}`) };
  if (led && hand.cards.some((held) => suitOf(held) === led)) return t("why.follow", values);
  if (!led && hand.tricks.length === 0) return t("why.opening", values);
  if (!led && suitOf(card) === "H") return t("why.unbroken", values);
  return t("why.first", values);
}

// The result of a hand, on the felt, with the buttons to go on.
export function summary(view, names, seen, onward) {
  const done = view.hands.at(-1);
  return h(
    "div",
    { class: "summary" },
    h("h2", {}, headline(view, names, done)),
    sums(view, names, done),
    view.result && scorePlot({ hands: view.hands, names, target: view.target_score }),
    h(
      "p",
      { class: "row" },
      onward,
      h("a", { class: "button", href: reviewOf(view, done) }, t("play.review")),
    ),
    h("p", { class: "fair" }, verdict(done, seen)),
  );
}

function sums(view, names, done) {
  const row = (seat) =>
    h(
      "tr",
      { class: view.result?.winners.includes(seat) ? "best" : "" },
      h(
        "th",
        { scope: "row" },
        h("span", { class: `dot seat-${seat}`, "aria-hidden": "true" }),
        names[seat],
      ),
      h("td", {}, signedCount(done.points[seat])),
      h("td", {}, count(view.totals[seat])),
    );
  const head = ["player", "this_hand", "total"].map((name) => h("th", { scope: "col" }, t(`scores.${name}`)));
  return h("table", { class: "final" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, SEATS.map(row)));
}

const signedCount = (points) => (points > 0 ? `+${count(points)}` : count(points));

function headline(view, names, done) {
  if (view.result) {
    const { winners } = view.result;
    if (winners.length === 1 && winners[0] === view.seat) return t("play.won");
    return t("play.winner", { n: winners.length, player: winners.map((seat) => names[seat]).join(", ") });
  }
  if (done.shooter !== null) return t("play.moon", { player: names[done.shooter] });
  return t("play.over", { n: done.points[view.seat], points: count(done.points[view.seat]) });
}

export function scorePanel(view, names) {
  const about = h("p", { class: "about" }, t("scores.about", { bots: botsOf(view), target: view.target_score }));
  if (!view.hands.length) return [about, howTo()];
  return [
    about,
    scoreTable({ hands: view.hands, names, link: (hand) => reviewOf(view, hand) }),
    scorePlot({ hands: view.hands, names, target: view.target_score }),
  ];
}

// The levels at this table, as the player chose them.
function botsOf({ players, seat }) {
  const levels = players.filter((_, other) => other !== seat).map(({ name, level }) => level ?? name);
  return [...new Set(levels)].map((level) => levelName(level)).join(", ");
}
