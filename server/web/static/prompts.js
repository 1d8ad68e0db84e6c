// Messages to the player: whose turn it is, why a card is illegal, the result of a hand.

import { brief, suitIcon, suitOf } from "./cards.js";
import { h } from "./dom.js";
import { verdict } from "./fair.js";
import { howTo } from "./howto.js";
import { levelName, nameOf } from "./games.js";
import { SEATS, receiver, rulesOf } from "./replay.js";
import { isOver, mustPass, mustPlay } from "./scene.js";
import { arrow, scorePlot, scoreTable } from "./scores.js";
import { count, list, t } from "./text.js";

export const PASS_SIZE = 3;

// A button that keeps the focus when it is redrawn.
export const button = (id, label, onclick, attributes = {}) =>
  h("button", { type: "button", id, "data-key": id, onclick, ...attributes }, label);

export const reviewOf = (view, hand) => `/review?game=${view.table_id}&hand=${hand.number}`;

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
  const { hand, players } = view;
  const yours = (text) => h("b", { class: "your-turn" }, text);
  if (mustPass(view)) return yours(t("play.your_pass"));
  if (!settled || isOver(view)) return "";
  if (mustPlay(view)) return yours(t("play.your_turn"));
  const awaited = view.phase === "passing" ? hand.waiting_for : [hand.turn];
  const absent = awaited.filter((seat) => players[seat].joined === false);
  const named = (seats) => list(seats.map((seat) => names[seat]));
  if (absent.length) return t("play.others_join", { players: named(absent) });
  if (view.phase === "passing") return t("play.others_pass", { players: named(awaited) });
  const human = players[hand.turn].kind === "human";
  return t(human ? "play.others_play" : "play.their_turn", { player: names[hand.turn] });
}

export function passDemand({ seat, hand }, names) {
  const player = names[receiver(seat, hand.pass_direction)];
  return t(`play.choose_${hand.pass_direction}`, { player });
}

// What is to be passed, and where: in the middle of the felt, which is empty then.
export const passPrompt = (view, names) =>
  h(
    "div",
    { class: "pass-prompt" },
    h("span", { class: "way", "aria-hidden": "true" }, arrow(view.hand.pass_direction)),
    h("p", {}, passDemand(view, names)),
  );

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
export function summary(view, names, seen, onward, more) {
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
      more ?? h("a", { class: "button", href: reviewOf(view, done) }, t("play.review")),
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

export function headline(view, names, done) {
  if (view.result) {
    const { winners } = view.result;
    if (winners.length === 1 && winners[0] === view.seat) return t("play.won");
    return t("play.winner", { n: winners.length, player: list(winners.map((seat) => names[seat])) });
  }
  if (done.shooter !== null) return t("play.moon", { player: names[done.shooter] });
  return t("play.over", { n: done.points[view.seat], points: count(done.points[view.seat]) });
}

export function scorePanel(view, names) {
  const about = h("p", { class: "about" }, t("scores.about", { players: opponentsOf(view), target: view.target_score }));
  if (!view.hands.length) return [about, howTo(rulesOf(view.rules), view.target_score)];
  return [
    about,
    scoreTable({ hands: view.hands, names, link: (hand) => reviewOf(view, hand) }),
    scorePlot({ hands: view.hands, names, target: view.target_score }),
  ];
}

// The others at this table: people by name, bots by level.
function opponentsOf({ players, seat }) {
  const others = players.filter((_, other) => other !== seat);
  const people = others.filter(({ kind }) => kind === "human").map(nameOf);
  const levels = others.filter(({ kind }) => kind !== "human").map(({ name, level }) => levelName(level ?? name));
  const bots = [...new Set(levels)].map((level) => {
    const n = levels.filter((other) => other === level).length;
    return t(n > 1 ? "scores.bots" : "scores.bot", { level, n });
  });
  return list([...people, ...bots]);
}
