// The first page: a new table, or the one that this browser sits at.

import "./chrome.js";
import { ApiError, ask, post } from "./api.js";
import { choice, tick } from "./chrome.js";
import { picture } from "./cards.js";
import { byId, h, problem, show } from "./dom.js";
import { Game } from "./game.js";
import { howTo } from "./howto.js";
import { rulesOf } from "./replay.js";
import { change, myTable, settings, sitAt, tokenFrom } from "./settings.js";
import { t } from "./text.js";

const LEVELS = ["easy", "medium", "hard", "expert"];
const RULES = ["do_pass_cards", "queen_breaks_hearts", "jack_bonus", "no_shooting"];
const FAN = ["QS", "AH", "KH", "10H", "2C"];
const ELSEWHERE = ["watch", "review", "stats"]; // pages worth a look, with what they say of themselves
const main = byId("main");

const USUAL = 4001; // the rules that the options change

// Make a table, and sit down at it.
async function deal(wanted) {
  const { table_id, tokens } = await post("/api/tables", wanted);
  sitAt({ id: table_id, token: tokens.find(Boolean) });
  sit();
}

function start(reason = "") {
  document.body.classList.remove("at-table");
  const trouble = h("div", {});
  const begin = async () => {
    button.disabled = true;
    const { level, target, rules } = settings();
    show(trouble, h("p", { class: "dealing" }, t("play.dealing")));
    try {
      await deal({ seats: ["human", level, level, level], target_score: target, rules });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      button.disabled = false;
      show(trouble, problem(error.message, begin, t("errors.retry")));
    }
  };
  const button = h(
    "button",
    { type: "button", class: "main large", id: "play", onclick: begin },
    t("play.start"),
  );
  const how = h("div", {});
  const tell = () => {
    const { rules, target } = settings();
    show(how, howTo({ ...rulesOf(USUAL), ...rules }, target));
  };
  tell();
  show(
    main,
    h(
      "section",
      { class: "hero" },
      h(
        "div",
        { class: "fan", "aria-hidden": "true" },
        FAN.map((card) => picture(card)),
      ),
      h("h1", {}, t("play.title")),
      h("p", { class: "lead" }, reason || t("play.about")),
      button,
      trouble,
      levels(),
      options(tell),
    ),
    h("div", { class: "page" }, how, elsewhere()),
  );
}

// The choice of the bots' level, with a description of the selected one.
function levels() {
  const { level } = settings();
  const about = h("p", { class: "about" }, t(`play.level_about.${level}`));
  const chosen = (one) => {
    change({ level: one });
    about.textContent = t(`play.level_about.${one}`);
  };
  return h("div", { class: "levels" }, choice("play.level", LEVELS, level, chosen), about);
}

// changed() is called after every change of a rule.
function options(changed) {
  const now = settings();
  const set = (changes) => {
    change(changes);
    changed();
  };
  const keep = (rule) => (on) => set({ rules: { ...settings().rules, [rule]: on } });
  return h(
    "details",
    {},
    h("summary", {}, t("play.options")),
    choice("play.target", [50, 100], now.target, (target) => set({ target })),
    RULES.map((rule) => tick(`play.rules.${rule}`, now.rules[rule], keep(rule))),
    tick("settings.coach", now.coach, (coach) => change({ coach })),
  );
}

const elsewhere = () =>
  h(
    "nav",
    { class: "elsewhere", "aria-label": t("play.elsewhere") },
    ELSEWHERE.map((page) =>
      h("a", { href: `/${page}` }, h("b", {}, t(`pages.${page}`)), h("span", {}, t(`${page}.about`))),
    ),
  );

function sit() {
  document.body.classList.add("at-table");
  const table = myTable();
  const leave = (reason) => {
    if (myTable()?.id === table.id) sitAt(null); // in another window the player may sit elsewhere by now
    start(reason);
  };
  new Game(main, table, { leave, again }).follow();
}

// The same match once more. Other people are not asked again: the player goes back to the first page.
async function again({ players, seat, rules, target_score }, game) {
  const others = players.filter((_, other) => other !== seat);
  if (others.some(({ kind }) => kind === "human")) return game.gone("");
  const levels = players.map(({ level }, each) => (each === seat ? "human" : (level ?? settings().level)));
  await deal({ seats: levels, target_score, rules });
  return game.end();
}

// A link with an invitation: /#table=…&invitation=…; servers and logs never see the part after #.
function invited() {
  const link = new URLSearchParams(location.hash.slice(1));
  const [id, invitation] = [link.get("table"), link.get("invitation")];
  return id && invitation && myTable()?.id !== id ? { id, invitation } : null;
}

function welcome({ id, invitation }) {
  document.body.classList.remove("at-table");
  const trouble = h("div", {});
  const name = h("input", { id: "name", maxlength: 60, autocomplete: "nickname" });
  const join = async (event) => {
    event.preventDefault();
    try {
      const body = { invitation, name: name.value, token: tokenFrom(invitation) };
      const { token } = await ask(`/api/tables/${encodeURIComponent(id)}/join`, body);
      history.replaceState(null, "", location.pathname);
      sitAt({ id, token });
      sit();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const gone = error.status === 403;
      show(trouble, problem(gone ? t("play.invitation_used") : error.message));
    }
  };
  show(
    main,
    h(
      "section",
      { class: "hero" },
      h("h1", {}, t("play.invited")),
      h(
        "form",
        { class: "page", onsubmit: join },
        h("label", { class: "field" }, t("play.your_name"), name),
        h("button", { type: "submit", class: "main large", id: "join" }, t("play.join")),
      ),
      trouble,
    ),
  );
}

const invitation = invited();
if (invitation) welcome(invitation);
else if (myTable()) sit();
else start();
