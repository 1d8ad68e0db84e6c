// Build elements in one expression; announce to screen readers; show notes and dialogs.

const SVG = "http://www.w3.org/2000/svg";

// h("button", {class: "big", onclick: f, "aria-label": "…", style: {"--p": 1}}, "text", child)
export const h = (tag, properties, ...children) => fill(document.createElement(tag), properties, children);

export const svg = (tag, properties, ...children) =>
  fill(document.createElementNS(SVG, tag), properties, children);

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) set(element, name, value);
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

function set(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "style") {
    // Set properties one by one: the content security policy forbids style attributes.
    for (const [property, setting] of Object.entries(value)) element.style.setProperty(property, setting);
  } else if (name === "value" || name === "checked") element[name] = value;
  else element.setAttribute(name, value === true ? "" : value);
}

export const byId = (id) => document.getElementById(id);

// Replace the children of `place`; an element with the same key keeps the focus.
export function show(place, ...children) {
  const key = place.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  place.replaceChildren(...children.flat(Infinity).filter(Boolean));
  if (key) place.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

// Announce to screen readers without moving the focus.
export function say(sentence) {
  const line = h("p", {}, sentence);
  byId("said").append(line);
  setTimeout(() => line.remove(), 4000);
}

// A note that disappears by itself and replaces the previous one of its kind: news, refused or coach.
export function toast(sentence, { kind = "news", seconds = 5 } = {}) {
  const place = document.querySelector(".felt .toasts") ?? byId("toasts");
  const note = h("div", { class: `toast ${kind}` }, sentence);
  place.querySelector(`.${kind}`)?.remove();
  place.append(note);
  say(sentence);
  setTimeout(() => note.remove(), seconds * 1000);
}

// Remove the notes of a kind, whose reason is gone.
export const hush = (kind) => document.querySelectorAll(`.toast.${kind}`).forEach((note) => note.remove());

// A yes/no dialog; resolves to true for yes.
export function confirmed(question, yes, no) {
  const box = h(
    "dialog",
    { "aria-label": question },
    h(
      "form",
      { method: "dialog" },
      h("p", {}, question),
      h(
        "p",
        { class: "row" },
        h("button", { class: "main", value: "yes" }, yes),
        h("button", { value: "no", autofocus: true }, no),
      ),
    ),
  );
  document.body.append(box);
  box.showModal();
  return new Promise((done) => {
    box.addEventListener("close", () => {
      box.remove();
      done(box.returnValue === "yes");
    });
  });
}

// An error message with a button that tries again.
export const problem = (message, retry, label) =>
  h(
    "div",
    { class: "problem", role: "alert" },
    h("p", {}, message),
    retry && h("button", { type: "button", class: "small", onclick: retry }, label),
  );
