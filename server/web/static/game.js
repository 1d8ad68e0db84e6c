// A live table from one seat: follow it, show it, play at it.

import { Hint, coach } from "./hint.js";
import { ApiError, post, sleep } from "./api.js";
import { Beliefs } from "./beliefs.js";
import { brief, spoken } from "./cards.js";
import { confirmed, h, hush, problem, say, show, toast } from "./dom.js";
import { fairness } from "./fair.js";
import { complete, follow, isGone } from "./follow.js";
import { Hand } from "./hand.js";
import { Panel } from "./panel.js";
import {
  PASS_SIZE,
  button,
  passButton,
  passDemand,
  passPrompt,
  scorePanel,
  statusLine,
  summary,
  whyNot,
} from "./prompts.js";
import { SEATS, receiver, rulesOf } from "./replay.js";
import { report } from "./report.js";
import { isOver, momentOf, mustPass, mustPlay, namesOf, playsOf, sceneOf } from "./scene.js";
import { trickPanel } from "./scores.js";
import { Sequence } from "./sequence.js";
import { commitmentsOf, keepCommitment, settings } from "./settings.js";
import { Board } from "./table.js";
import { t } from "./text.js";

const TYPING = "input, select, textarea, dialog"; // where keys have their own meaning

export class Game {
  // table: {id, token}; leave(reason) is called when the table no longer exists, again(view) begins another
  // match like that of the view
  constructor(place, table, { leave, again }) {
    Object.assign(this, {
      place,
      table,
      leave,
      again,
      view: null,
      chosen: new Set(),
      advised: new Set(),
      sending: null, // the card that is on its way
      ended: new AbortController(), // of what listens beyond this table's elements
    });
    this.board = new Board({ onfelt: () => this.sequence.hurry() });
    this.hand = new Hand({ choose: (card) => this.choose(card) });
    this.keys = {
      h: () => this.hint(),
      t: () => this.panel.open("tricks"),
      b: () => this.panel.open("beliefs"),
      s: () => this.panel.open("scores"),
      Escape: () => this.panel.shut(),
    };
    addEventListener("keydown", (event) => this.key(event), { signal: this.ended.signal });
    this.sequence = new Sequence({
      draw: (_, shown, gathered) => this.draw(shown, gathered),
      gather: (_, shown) => this.gather(shown),
      played: (_, play) => this.announce(play),
      settled: () => this.settled(),
    });
    this.status = h("p", { class: "status" });
    this.actions = h("div", { class: "actions" });
    this.trouble = h("div", { class: "trouble" });
    this.hints = new Hint();
    this.beliefs = new Beliefs();
    this.scores = h("div", {});
    this.tricks = h("div", {});
    this.deal = h("div", {});
    this.panel = new Panel([
      { id: "scores", label: t("tabs.scores"), element: this.scores },
      { id: "tricks", label: t("tabs.tricks"), element: this.tricks },
      {
        id: "hint",
        label: t("tabs.hint"),
        element: this.hints.element,
        open: () => this.advisable && !this.advised.size && this.hint(),
      },
      { id: "beliefs", label: t("tabs.beliefs"), element: this.beliefs.element, open: () => this.believe() },
      { id: "deal", label: t("tabs.deal"), element: this.deal },
    ]);
    show(
      place,
      h(
        "div",
        { class: "game" },
        h(
          "section",
          { class: "seat-view", "aria-label": t("table.title") },
          h("h1", { class: "unseen" }, t("table.title")),
          this.trouble,
          this.board.element,
          h("div", { class: "tray" }, this.status, this.hand.element, this.actions),
        ),
        this.panel.element,
      ),
    );
  }

  // --- following

  follow() {
    return follow(this.table, {
      take: (view) => {
        this.calm();
        if (!this.left) this.take(view);
        return !this.left;
      },
      fault: (error) => (isGone(error) ? this.gone(t("play.gone")) : this.worry(error)),
    });
  }

  gone(reason) {
    this.end();
    this.leave(reason);
    return false;
  }

  // Listen no more.
  end() {
    this.left = true;
    this.ended.abort();
    this.report?.close();
  }

  // Tell that the service does not answer; retry after a pause or when the player asks for it.
  worry(error) {
    return new Promise((done) => {
      show(this.trouble, problem(`${error.message} ${t("errors.trying")}`, done, t("errors.retry")));
      sleep(1500).then(done);
    });
  }

  calm() {
    if (this.trouble.firstChild) show(this.trouble);
  }

  // Take a view, unless a newer one has arrived first.
  take(view) {
    if (this.view && view.version < this.view.version) return;
    const before = this.view;
    this.view = view;
    this.rules = rulesOf(view.rules);
    this.names = namesOf(view);
    keepCommitment(view.table_id, view.hand);
    const dealt = before && before.hand.number !== view.hand.number;
    const claimed = before && !dealt && before.hand.claimed_by !== view.hand.claimed_by;
    if (dealt) this.chosen.clear();
    if (before?.phase === "passing" && view.phase === "playing" && view.hand.received) this.tellOfPass();
    const hands = [{ key: view.hand.number, plays: playsOf(view.hand) }];
    // Skip the animation of cards after a claim: they cannot change the points.
    if (dealt || claimed) this.sequence.begin(hands, claimed ? hands[0].plays.length : 0);
    else this.sequence.feed(hands);
    this.sequence.redraw();
    this.drawPanels();
  }

  tellOfPass() {
    const { received, pass_direction: direction } = this.view.hand;
    this.board.bottom = this.view.seat;
    this.board.pass(direction);
    const giver = SEATS.find((seat) => receiver(seat, direction) === this.view.seat);
    toast(t("play.received", { cards: received.map(brief).join(" "), player: this.names[giver] }));
  }

  // --- drawing

  draw(shown, gathered) {
    const { view, names } = this;
    const { hand } = view;
    const { settled } = this.sequence;
    const plays = playsOf(hand);
    const scene = sceneOf({ plays, rules: this.rules, shown, gathered });
    const over = settled && isOver(view);
    this.tricksShown = scene.tricks;
    this.board.draw({
      ...scene,
      bottom: view.seat,
      you: view.seat,
      names,
      turn: settled && view.phase === "playing" ? hand.turn : null,
      points: over ? view.hands.at(-1).points : scene.points,
      scores: over ? view.totals : view.scores,
      hands: null,
    });
    const unseen = plays
      .slice(shown)
      .filter((play) => play.player === view.seat)
      .map((play) => play.card);
    this.drawHand([...hand.cards, ...unseen], settled);
    const { broken } = scene;
    show(this.status, statusLine(momentOf(view, settled), names, { settled, broken, busy: this.busy }));
    show(this.actions, this.buttons());
    show(this.board.centre, over ? this.summary() : settled && mustPass(view) ? passPrompt(view, names) : "");
    this.board.element.classList.toggle("over", over);
    const finished = `${hand.number} ${scene.tricks.length}`;
    if (finished !== this.tricks.dataset.drawn) show(this.tricks, trickPanel(scene.tricks, names));
    this.tricks.dataset.drawn = finished;
  }

  get advisable() {
    return this.view && this.sequence.settled && (mustPass(this.view) || mustPlay(this.view));
  }

  drawHand(cards, settled) {
    const { view } = this;
    const { hand } = view;
    const mayChoose = !settled ? [] : mustPass(view) ? hand.cards : mustPlay(view) ? hand.legal : [];
    this.hand.draw({
      cards,
      open: new Set(mayChoose),
      chosen: this.sending ? new Set([this.sending]) : this.chosen,
      fresh: new Set(hand.tricks.length === 0 ? hand.received : []),
      advised: this.advised,
      passing: mustPass(view),
    });
  }

  // The hint stays where it is, and waits for the player's turn.
  buttons() {
    const { view } = this;
    if (isOver(momentOf(view, this.sequence.settled))) return [];
    const hint = button("hint", t("play.hint"), () => this.hint(), { disabled: !this.advisable || this.busy });
    if (mustPass(view))
      return [passButton(view.hand.pass_direction, this.chosen.size, this.busy, () => this.pass()), hint];
    const claimable = this.sequence.settled && view.phase === "playing" && view.hand.claimable;
    const claim = () =>
      button("claim", t("play.claim"), () => this.act("claim"), { title: t("play.claim_title") });
    return [claimable && claim(), hint];
  }

  // The result of the hand, and the buttons after it.
  summary() {
    const { view, names, busy } = this;
    const seen = commitmentsOf(view.table_id);
    const go = (id, act) => button(id, t(`play.${id}`), act, { class: "main", disabled: busy });
    if (view.phase !== "finished") return summary(view, names, seen, go("next", () => this.act("next")));
    const more = button("report", t("play.report"), () => this.openReport());
    return summary(view, names, seen, go("again", () => this.playAgain()), more);
  }

  openReport() {
    this.report?.close();
    this.report = report(this.view, this.names, () => this.playAgain());
    document.body.append(this.report);
    this.report.showModal();
  }

  async playAgain() {
    if (this.busy) return;
    this.report?.close();
    this.busy = true;
    this.sequence.redraw();
    try {
      await this.again(this.view, this);
    } catch (error) {
      this.rest();
      this.sequence.redraw();
      if (!(error instanceof ApiError)) throw error;
      show(this.trouble, problem(error.message, () => this.playAgain(), t("errors.retry")));
    }
  }

  drawPanels() {
    const { names } = this;
    const view = momentOf(this.view, this.sequence.settled);
    const leave = button("leave", t("play.leave"), () => this.abandon(), { class: "small" });
    show(this.scores, scorePanel(view, names), h("p", { class: "row" }, leave));
    show(this.deal, fairness(view, commitmentsOf(view.table_id)));
  }

  async abandon() {
    const finished = this.view.phase === "finished";
    if (finished || (await confirmed(t("play.leave_sure"), t("play.leave"), t("play.stay")))) this.gone("");
  }

  async gather(shown) {
    const trick = this.tricksShown[shown / 4 - 1];
    say(t("table.takes", { player: this.names[trick.winner], n: trick.points }));
    await this.board.gather(trick.winner);
  }

  announce(play) {
    if (play.player !== this.view.seat)
      say(t("table.plays", { player: this.names[play.player], card: spoken(play.card) }));
  }

  // The animation has caught up with the newest view.
  settled() {
    const { view } = this;
    this.sequence.redraw();
    this.drawPanels();
    hush("refused"); // what was not possible may be possible now
    if (isOver(view)) this.board.quiet(); // what was said about the hand is of yesterday
    if (this.panel.seen("beliefs")) this.believe();
    if (mustPass(view)) say(passDemand(view, this.names));
    if (mustPlay(view)) say(t("play.your_turn"));
    if (view.phase === "finished" && !this.report) return this.openReport();
    if (document.activeElement !== document.body) return undefined; // the player is busy elsewhere
    if (mustPlay(view)) this.hand.focusFirst();
    else if (isOver(view)) this.board.centre.querySelector("button").focus({ preventScroll: true });
    return undefined;
  }

  // --- playing

  // Shortcuts work unless a text field has the focus; the browser keeps its own.
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.(TYPING)) return;
    if (event.key in this.keys) this.keys[event.key]();
    else if (!this.hand.key(event.key)) return;
    event.preventDefault();
  }

  choose(card) {
    if (!this.sequence.settled || this.busy) return this.sequence.hurry();
    if (mustPass(this.view)) return this.mark(card);
    if (!mustPlay(this.view)) return toast(t("why.turn"), { kind: "refused" });
    if (!this.view.hand.legal.includes(card)) return toast(whyNot(this.view, card), { kind: "refused" });
    return this.play(card);
  }

  mark(card) {
    hush("refused");
    if (this.chosen.has(card)) this.chosen.delete(card);
    else if (this.chosen.size < PASS_SIZE) this.chosen.add(card);
    else toast(t("why.three"), { kind: "refused" });
    this.sequence.redraw();
  }

  async play(card) {
    const state = this.view.game_state;
    const choice = this.view.hand.legal.length > 1;
    this.forgetAdvice();
    this.board.quiet();
    this.sending = card;
    const done = await this.act("play", { card }, () => this.play(card));
    if (done && choice && settings().coach) {
      const sentence = await coach(state, card).catch(() => null); // a coach who cannot say anything is silent
      if (sentence) toast(sentence, { kind: "coach", seconds: 9 });
    }
  }

  async pass() {
    this.forgetAdvice();
    const cards = [...this.chosen];
    if (await this.act("pass", { cards }, () => this.pass())) this.chosen.clear();
    this.sequence.redraw();
  }

  async act(what, body = {}, retry = () => this.act(what, body)) {
    if (this.busy) return false;
    this.busy = true;
    this.calm();
    this.sequence.redraw();
    try {
      const known = this.view;
      const view = await post(
        `/api/tables/${this.table.id}/${what}?since=${known.version}`,
        { ...body, version: known.version },
        { token: this.table.token },
      );
      this.rest();
      this.take(complete(view, known));
      return true;
    } catch (error) {
      this.rest();
      if (!(error instanceof ApiError)) throw error;
      this.sequence.redraw();
      if (error.passing) show(this.trouble, problem(error.message, retry, t("errors.retry")));
      // A conflict means that the table has moved on: the next view shows it.
      else toast(error.status === 409 ? t("errors.conflict") : error.message, { kind: "refused" });
      return false;
    }
  }

  // No request is pending any more.
  rest() {
    Object.assign(this, { busy: false, sending: null });
  }

  async hint() {
    if (!this.advisable) return;
    this.panel.show("hint");
    const { hand } = this.view;
    const cards = await this.hints.about(this.view.game_state, {
      passing: mustPass(this.view),
      retry: () => this.hint(),
      follow: (advised) => this.obey(advised),
    });
    // Other seats may pass meanwhile. A hint is stale only once our own hand has changed.
    if (this.view.hand.cards.join() !== hand.cards.join()) return;
    this.advised = new Set(cards);
    this.sequence.redraw();
  }

  // Play the hinted card. For a pass, only select the three cards, so that the player can change them.
  obey(cards) {
    if (!this.advisable || this.busy) return;
    this.panel.shut();
    if (mustPlay(this.view)) this.play(cards[0]);
    else {
      this.chosen = new Set(cards);
      this.sequence.redraw();
    }
  }

  forgetAdvice() {
    this.advised.clear();
    this.hints.clear();
  }

  believe() {
    if (!this.sequence.settled) this.beliefs.wait();
    else if (this.view) this.beliefs.aboutTable(this.view, this.names);
  }
}
