// Show cards one after the other at a readable pace, however fast they arrive.

import { speed } from "./settings.js";

const BETWEEN_HANDS = 2; // tricks' worth of time before the next hand is shown by itself

export class Sequence {
  // draw(hand, shown, gathered), gather(hand, shown): a promise, played(hand, play), settled(hand)
  constructor(stage) {
    this.stage = stage;
    this.hands = [];
    this.index = -1; // the hand that is shown
    this.shown = 0; // how many of its plays are
    this.gathered = true; // whether the last finished trick has left the table
    this.paused = false;
    this.running = false;
    this.last = 0; // when the last card came
  }

  get hand() {
    return this.hands[this.index];
  }

  // All hands so far, [{key, plays}]: animate new plays, show those of the first call at once.
  feed(hands) {
    this.hands = hands;
    if (this.index < 0 || this.index >= hands.length) this.jump(hands.length - 1);
    this.run();
  }

  // Replace the hands; the first one starts at its card `shown`.
  begin(hands, shown = 0) {
    this.hands = hands;
    this.jump(0, shown);
    this.run();
  }

  jump(index, shown = this.hands[index].plays.length) {
    Object.assign(this, { index, shown, gathered: true });
    this.redraw();
  }

  redraw() {
    if (this.hand) this.stage.draw(this.hand, this.shown, this.gathered);
  }

  get settled() {
    return (
      Boolean(this.hand) &&
      this.gathered &&
      this.shown === this.hand.plays.length &&
      this.index === this.hands.length - 1
    );
  }

  pause(paused) {
    this.paused = paused;
    if (!paused) this.run();
  }

  // Skip the pause after this trick.
  hurry() {
    this.wake?.();
  }

  async run() {
    if (this.running) return;
    this.running = true;
    while (!this.paused && !this.settled) await this.step();
    this.running = false;
    if (this.settled) this.stage.settled(this.hand);
  }

  async step() {
    if (!this.gathered) {
      await this.wait(speed().trick);
      if (this.paused) return; // meanwhile: nothing moves any more
      await this.stage.gather(this.hand, this.shown);
      this.gathered = true;
      this.redraw();
    } else if (this.shown < this.hand.plays.length) {
      await this.wait(this.last + speed().card - performance.now());
      if (this.paused) return;
      this.last = performance.now();
      this.shown = Math.min(this.shown + 1, this.hand.plays.length); // the end may have been jumped to
      this.gathered = this.shown % 4 !== 0;
      this.redraw();
      this.stage.played?.(this.hand, this.hand.plays[this.shown - 1]);
    } else {
      await this.wait(speed().trick * BETWEEN_HANDS);
      if (this.paused) return;
      this.jump(this.index + 1, 0);
    }
  }

  wait(milliseconds) {
    if (milliseconds <= 0) return undefined;
    return new Promise((done) => {
      this.wake = done;
      setTimeout(done, milliseconds);
    });
  }
}
