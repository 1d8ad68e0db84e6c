// A full page of beliefs about the table that this browser plays at, for a second window.

import "./chrome.js";
import { sleep } from "./api.js";
import { Beliefs } from "./beliefs.js";
import { byId, h, problem, show } from "./dom.js";
import { follow, isGone } from "./follow.js";
import { namesOf } from "./scene.js";
import { myTable } from "./settings.js";
import { t } from "./text.js";

const beliefs = new Beliefs();
const trouble = h("div", {});

function fault(error) {
  if (isGone(error)) return nothing();
  show(trouble, problem(`${error.message} ${t("errors.trying")}`));
  return sleep(1500);
}

function nothing() {
  const way = h("a", { class: "button main", href: "/" }, t("beliefs.play"));
  show(beliefs.element, h("div", { class: "notice" }, h("p", {}, t("beliefs.no_table")), way));
  return false;
}

function take(view) {
  show(trouble);
  beliefs.aboutTable(view, namesOf(view));
}

show(
  byId("main"),
  h(
    "div",
    { class: "page wide" },
    h("h1", {}, t("pages.beliefs")),
    h("p", { class: "lead" }, t("beliefs.about")),
    trouble,
    beliefs.element,
  ),
);
if (myTable()) follow(myTable(), { take, fault });
else nothing();
