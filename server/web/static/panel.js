// Tabs beside the table; on a phone they lie at the bottom and their content slides over the felt.

import { h } from "./dom.js";
import { t } from "./text.js";

export class Panel {
  // tabs: [{id, label, element, open}]; open() is called whenever a tab becomes visible
  constructor(tabs) {
    this.tabs = tabs.map((tab) => ({
      ...tab,
      button: h(
        "button",
        {
          type: "button",
          role: "tab",
          id: `tab-${tab.id}`,
          "data-tab": tab.id,
          "aria-controls": `panel-${tab.id}`,
          onclick: () => this.toggle(tab.id),
        },
        tab.label,
      ),
      body: h(
        "div",
        {
          role: "tabpanel",
          id: `panel-${tab.id}`,
          "aria-labelledby": `tab-${tab.id}`,
          tabindex: 0,
          class: "panel-body",
        },
        tab.element,
      ),
    }));
    this.title = h("b", {});
    this.head = h(
      "div",
      { class: "sheet-head" },
      this.title,
      h(
        "button",
        { type: "button", class: "close quiet", "aria-label": t("panel.close"), onclick: () => this.shut() },
        "✕",
      ),
    );
    this.element = h(
      "aside",
      {
        class: "panel shut",
        "aria-label": t("panel.title"),
        onkeydown: (event) => event.key === "Escape" && this.shut(),
      },
      h(
        "div",
        {
          class: "tabs",
          role: "tablist",
          "aria-label": t("panel.title"),
          onkeydown: (event) => this.key(event),
        },
        this.tabs.map((tab) => tab.button),
      ),
      this.head,
      h(
        "div",
        { class: "bodies" },
        this.tabs.map((tab) => tab.body),
      ),
    );
    this.current = tabs[0].id;
    this.draw();
  }

  // Whether the tab's content is visible now.
  seen(id) {
    return this.current === id && (!this.element.classList.contains("shut") || !narrow());
  }

  show(id) {
    this.current = id;
    this.element.classList.remove("shut");
    this.draw();
    if (narrow()) this.element.scrollIntoView(); // below a replayed board it may be out of sight
  }

  open(id) {
    this.show(id);
    this.tabs.find((tab) => tab.id === id).open?.();
  }

  toggle(id) {
    if (narrow() && this.seen(id)) this.shut();
    else this.open(id);
  }

  shut() {
    const inside = this.element.contains(document.activeElement);
    this.element.classList.add("shut");
    this.draw();
    if (inside) this.tabs.find((tab) => tab.id === this.current).button.focus();
  }

  draw() {
    for (const { id, label, button, body } of this.tabs) {
      const chosen = id === this.current;
      if (chosen) this.title.textContent = label;
      button.setAttribute("aria-selected", String(chosen));
      button.tabIndex = chosen ? 0 : -1;
      body.hidden = !chosen;
    }
  }

  key(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = this.tabs.findIndex((tab) => tab.id === this.current);
    const next = this.tabs[(at + step + this.tabs.length) % this.tabs.length];
    this.open(next.id);
    next.button.focus();
  }
}

// Whether the panel is below the table instead of beside it.
export const narrow = () => matchMedia("(max-width: 899px)").matches;
