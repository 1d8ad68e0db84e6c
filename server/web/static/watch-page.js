// Four bots play each other at an open table: all hands and each bot's search statistics are shown.

import "./chrome.js";
import { advice, choicesOf } from "./hint.js";
import { ApiError, get, post, sleep } from "./api.js";
import { byId, h, problem, show } from "./dom.js";
import { follow, isGone } from "./follow.js";
import { summary } from "./prompts.js";
import { namesOf, playsOf, sceneOf } from "./scene.js";
import { Panel } from "./panel.js";
import { SEATS, handsToPlay, rulesOf } from "./replay.js";
import { scorePlot, scoreTable, trickPanel } from "./scores.js";
import { Sequence } from "./sequence.js";
import { Board } from "./table.js";
import { speed } from "./settings.js";
import { t } from "./text.js";

const main = byId("main");
const LEVELS = ["easy", "medium", "hard", "expert"];
const PACE = 3; // bots that are watched take so many times as long as a card to show

async function choose(fault = "") {
  document.body.classList.remove("at-table");
  const levels = ["hard", "medium", "hard", "easy"];
  const trouble = h("div", {}, fault && problem(fault));
  const begin = async () => {
    try {
      const { table_id } = await post("/api/tables", {
        seats: levels,
        open: true,
        pace_ms: PACE * speed().card + 100,
      });
      location.search = `?table=${table_id}`;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      show(trouble, problem(error.message, begin, t("errors.retry")));
    }
  };
  const list = h("div", {});
  show(
    main,
    h(
      "div",
      { class: "page" },
      h("h1", {}, t("pages.watch")),
      h("p", { class: "lead" }, t("watch.about")),
      h(
        "div",
        { class: "seats" },
        SEATS.map((seat) =>
          h(
            "label",
            { class: "field" },
            t(`table.compass.${seat}`),
            h(
              "select",
              { onchange: (event) => (levels[seat] = event.target.value) },
              LEVELS.map((level) =>
                h("option", { value: level, selected: level === levels[seat] }, t(`play.level.${level}`)),
              ),
            ),
          ),
        ),
      ),
      h(
        "p",
        {},
        h("button", { type: "button", class: "main", id: "watch", onclick: begin }, t("watch.start")),
      ),
      trouble,
      h("h2", {}, t("watch.tables")),
      list,
    ),
  );
  const { tables } = await get("/api/tables?status=open").catch(() => ({ tables: [] }));
  const open = tables.filter((table) => table.open);
  show(
    list,
    open.length
      ? h(
          "ul",
          { class: "games" },
          open.map((table) =>
            h(
              "li",
              {},
              h(
                "a",
                { href: `?table=${table.table_id}` },
                h("span", { class: "who" }, table.players.map((player) => player.name).join(", ")),
              ),
            ),
          ),
        )
      : h("p", { class: "empty" }, t("watch.none")),
  );
}

// The requested table cannot be watched: list the tables that can.
function leave(reason) {
  choose(reason);
  return false;
}

class Watching {
  constructor(id) {
    this.id = id;
    this.thoughts = new Map(); // by hand and card
    document.body.classList.add("at-table");
    this.board = new Board({ onfelt: () => this.sequence.hurry() });
    this.trouble = h("div", { class: "trouble" });
    this.status = h("p", { class: "status" });
    this.mind = h("div", { class: "hint" });
    this.scores = h("div", {});
    this.tricks = h("div", {});
    this.panel = new Panel([
      { id: "thoughts", label: t("tabs.thoughts"), element: this.mind },
      { id: "tricks", label: t("tabs.tricks"), element: this.tricks },
      { id: "scores", label: t("tabs.scores"), element: this.scores },
    ]);
    this.sequence = new Sequence({
      draw: (hand, shown, gathered) => this.draw(hand, shown, gathered),
      gather: (hand, shown) =>
        this.board.gather(
          sceneOf({ plays: hand.plays, rules: this.rules, shown, gathered: true }).tricks.at(-1).winner,
        ),
      played: (hand, play) => this.think(hand, play),
      settled: () => this.sequence.redraw(),
    });
    this.pause = h(
      "button",
      { type: "button", class: "small", id: "pause", onclick: () => this.toggle() },
      t("watch.pause"),
    );
    show(
      main,
      h(
        "div",
        { class: "game reviewing" },
        h(
          "div",
          { class: "left" },
          h("h1", { class: "unseen" }, t("pages.watch")),
          this.trouble,
          this.board.element,
          h(
            "div",
            { class: "bar-row" },
            h("a", { href: "/watch" }, t("watch.others")),
            this.status,
            this.pause,
            h(
              "button",
              {
                type: "button",
                class: "small",
                onclick: () => this.sequence.jump(this.sequence.hands.length - 1),
              },
              t("watch.now"),
            ),
          ),
        ),
        this.panel.element,
      ),
    );
  }

  toggle() {
    this.sequence.pause(!this.sequence.paused);
    this.pause.textContent = t(this.sequence.paused ? "watch.go" : "watch.pause");
  }

  follow() {
    return follow(
      { id: this.id },
      {
        take: (view) => {
          if (!view.open) return leave(t("watch.closed"));
          show(this.trouble);
          this.take(view);
          return view.phase !== "finished";
        },
        fault: (error) => {
          if (isGone(error)) return leave(t("watch.gone"));
          show(this.trouble, problem(`${error.message} ${t("errors.trying")}`));
          return sleep(1500);
        },
      },
    );
  }

  take(view) {
    this.view = view;
    this.names = namesOf(view);
    this.rules = rulesOf(view.rules);
    for (const thought of view.hand.thoughts ?? [])
      this.thoughts.set(`${view.hand.number} ${thought.card}`, thought);
    const done = view.hands.map((hand) => ({
      key: hand.number,
      plays: hand.record.plays,
      dealt: handsToPlay(hand.record),
      points: hand.points,
    }));
    const running = !view.hands.some((hand) => hand.number === view.hand.number) && view.phase === "playing";
    if (running) done.push({ key: view.hand.number, plays: playsOf(view.hand), dealt: dealtOf(view.hand) });
    if (!done.length) return;
    this.sequence.feed(done);
  }

  draw(hand, shown, gathered) {
    const scene = sceneOf({ plays: hand.plays, rules: this.rules, shown, gathered });
    const gone = new Set(hand.plays.slice(0, shown).map((play) => play.card));
    const hands = hand.dealt.map((cards) => cards.filter((card) => !gone.has(card)));
    const past = this.view.hands.filter((one) => one.number < hand.key);
    const scores = SEATS.map((seat) => past.reduce((sum, one) => sum + one.points[seat], 0));
    this.board.draw({
      ...scene,
      bottom: 0,
      you: null,
      names: this.names,
      turn: gathered ? (hand.plays[shown]?.player ?? null) : null,
      hands,
      scores,
    });
    const over = this.view.phase === "finished" && this.sequence.settled;
    this.board.element.classList.toggle("over", over);
    show(this.board.centre, over && summary(this.view, this.names, {}, again()));
    show(this.status, t("table.hand", { number: hand.key + 1 }));
    show(this.tricks, trickPanel(scene.tricks, this.names));
    if (past.length !== this.pastShown) {
      this.pastShown = past.length;
      show(
        this.scores,
        past.length
          ? [
              scoreTable({
                hands: past,
                names: this.names,
                link: (one) => `/review?game=${this.id}&hand=${one.number}`,
              }),
              scorePlot({ hands: past, names: this.names, target: this.view.target_score }),
            ]
          : h("p", { class: "empty" }, t("scores.none", { target: this.view.target_score })),
      );
    }
    if (!this.mind.firstChild) show(this.mind, h("p", { class: "empty" }, t("watch.no_thought")));
  }

  think(hand, play) {
    const thought = this.thoughts.get(`${hand.key} ${play.card}`);
    if (!thought) return;
    show(
      this.mind,
      h(
        "h2",
        {},
        h("span", { class: `dot seat-${play.player}`, "aria-hidden": "true" }),
        this.names[play.player],
      ),
      advice({
        cards: [thought.card],
        text: thought.explanation || t("hint.only"),
        choices: choicesOf(thought.analysis ?? []),
      }),
    );
  }
}

const again = () => h("a", { class: "button main", href: "/watch" }, t("watch.again"));

// At an open table all cards are visible, held or played.
const dealtOf = (hand) =>
  SEATS.map((seat) => [
    ...hand.hands[seat],
    ...playsOf(hand)
      .filter((play) => play.player === seat)
      .map((play) => play.card),
  ]);

const id = new URLSearchParams(location.search).get("table");
if (id) new Watching(id).follow();
else choose();
