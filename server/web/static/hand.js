// The player's own cards: chosen by click, or with arrows or digits and Enter.

import { cardButton, rename, sorted, spoken } from "./cards.js";
import { h } from "./dom.js";
import { t } from "./text.js";

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

export class Hand {
  // choose(card) is called for legal and illegal cards alike
  constructor({ choose }) {
    this.choose = choose;
    this.buttons = new Map();
    this.element = h("div", {
      class: "hand",
      role: "group",
      "aria-label": t("table.your_cards"),
    });
  }

  // {cards, open (cards that may be chosen now), chosen, fresh, advised: sets; passing: flag}
  draw(state) {
    const focused = [...this.buttons.values()].indexOf(document.activeElement);
    const cards = sorted(state.cards);
    for (const [card, button] of this.buttons) {
      if (!state.cards.includes(card)) {
        button.remove();
        this.buttons.delete(card);
      }
    }
    const buttons = cards.map(
      (card) => this.buttons.get(card) ?? cardButton(card, { onclick: () => this.choose(card) }),
    );
    this.buttons = new Map(cards.map((card, i) => [card, buttons[i]]));
    buttons.forEach((button, i) => {
      if (this.element.children[i] !== button)
        this.element.insertBefore(button, this.element.children[i] ?? null);
      mark(button, cards[i], state);
    });
    this.element.style.setProperty("--cards", Math.max(cards.length, 1));
    this.element.classList.toggle("waiting", !state.open.size);
    this.rove(focused < 0 ? undefined : buttons[Math.min(focused, buttons.length - 1)]);
  }

  // Exactly one card is in the tab order (roving tabindex); `target` also gets the focus.
  rove(target) {
    const all = [...this.buttons.values()];
    const current =
      target ??
      all.find((button) => button.tabIndex === 0) ??
      all.find((button) => button.classList.contains("open")) ??
      all[0];
    for (const button of all) button.tabIndex = button === current ? 0 : -1;
    if (target) target.focus({ preventScroll: true });
  }

  focusFirst() {
    this.rove([...this.buttons.values()].find((button) => button.classList.contains("open")));
  }

  // Move the focus by key; returns whether the key was used. Digits count from the left, 0 is the tenth
  // card. Arrow keys work in the hand, and if nothing has the focus.
  key(key) {
    const all = [...this.buttons.values()],
      { activeElement } = document,
      at = all.indexOf(activeElement);
    if (/^\d$/.test(key)) return this.reach(all[(Number(key) + 9) % 10]);
    if (at < 0 && activeElement !== document.body) return false;
    if (key in STEPS && at < 0) return this.reach(all.find((button) => button.tabIndex === 0));
    if (key in STEPS) return this.reach(all[(at + STEPS[key] + all.length) % all.length]);
    if (key === "Home" || key === "End") return this.reach(all.at(key === "Home" ? 0 : -1));
    return false;
  }

  reach(button) {
    if (button) this.rove(button);
    return Boolean(button);
  }
}

function mark(button, card, { open, chosen, fresh, advised, passing }) {
  const may = open.has(card),
    states = [];
  if (passing) button.setAttribute("aria-pressed", String(chosen.has(card)));
  else button.removeAttribute("aria-pressed");
  button.setAttribute("aria-disabled", String(!may));
  for (const [name, on] of Object.entries({
    open: may,
    chosen: chosen.has(card),
    fresh: fresh.has(card),
    advised: advised.has(card),
  })) {
    button.classList.toggle(name, on);
  }
  if (fresh.has(card)) states.push(t("table.fresh"));
  if (advised.has(card)) states.push(t("table.advised"));
  rename(button, [spoken(card), ...states].join(", "));
}
