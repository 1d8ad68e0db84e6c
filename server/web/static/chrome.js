// Shared by all pages: the settings dialog and the navigation.

import { byId, h } from "./dom.js";
import { SPEEDS, change, settings } from "./settings.js";
import { t } from "./text.js";

export const choice = (name, options, value, onchange) =>
  h(
    "fieldset",
    { class: "choice" },
    h("legend", {}, t(`${name}.legend`)),
    h(
      "div",
      {},
      options.map((option) =>
        h(
          "label",
          {},
          h("input", {
            type: "radio",
            name,
            value: option,
            checked: String(option) === String(value),
            onchange: () => onchange(option),
          }),
          h("span", {}, t(`${name}.${option}`)),
        ),
      ),
    ),
  );

export const tick = (key, checked, onchange) =>
  h(
    "label",
    { class: "tick" },
    h("input", { type: "checkbox", checked, onchange: (event) => onchange(event.target.checked) }),
    h("span", {}, t(key)),
  );

function dialog() {
  const now = settings();
  const box = h(
    "dialog",
    { class: "settings", "aria-labelledby": "settings-title" },
    h("h2", { id: "settings-title" }, t("settings.title")),
    choice("settings.speed", Object.keys(SPEEDS), now.speed, (speed) => change({ speed })),
    choice("settings.theme", ["auto", "light", "dark"], now.theme, (theme) => change({ theme })),
    choice("settings.deck", ["two", "four"], now.deck, (deck) => change({ deck })),
    tick("settings.coach", now.coach, (coach) => change({ coach })),
    h(
      "label",
      { class: "field" },
      t("settings.key"),
      h("input", {
        type: "text",
        autocomplete: "off",
        value: now.key,
        onchange: (event) => change({ key: event.target.value.trim() }),
      }),
    ),
    h("p", { class: "about" }, t("settings.keys")),
    h("form", { method: "dialog" }, h("button", { class: "main" }, t("settings.done"))),
  );
  box.addEventListener("close", () => box.remove());
  return box;
}

// On a phone, a table hides the navigation behind a button.
byId("menu").addEventListener("click", ({ currentTarget: menu }) => {
  menu.setAttribute("aria-expanded", String(menu.getAttribute("aria-expanded") === "false"));
});

byId("settings").addEventListener("click", () => {
  const box = dialog();
  document.body.append(box);
  box.showModal();
});
