// The beliefs about the table this browser plays at, large, for a second window.

import "./chrome.js";
import { sleep } from "./api.js";
import { Beliefs } from "./beliefs.js";
import { byId, h, problem, show } from "./dom.js";
import { follow, isGone } from "./follow.js";
import { namesOf } from "./scene.js";
import { gameStateAt, stateAt } from "./replay.js";
import { myTable } from "./settings.js";
import { t } from "./text.js";

const LOOK_BACK = 24; // plays after which a finished hand is looked at: six tricks
const beliefs = new Beliefs();
const trouble = h("div", {});

function look(view) {
  const names = namesOf(view);
  const done = view.hands.find((hand) => hand.number === view.hand.number);
  if (!done) return beliefs.about({ state: view.game_state, names });
  const truth = stateAt(done.record, LOOK_BACK).hands;
  return beliefs.about({ state: gameStateAt(done.record, LOOK_BACK, view.seat), names, truth });
}

function fault(error) {
  if (isGone(error)) return beliefs.say(t("beliefs.no_table"));
  show(trouble, problem(`${error.message} ${t("errors.trying")}`));
  return sleep(1500);
}

function take(view) {
  show(trouble);
  look(view);
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
else beliefs.say(t("beliefs.no_table"));
