// Replay and review a logged game by its link, or a pasted or dropped record.

import "./chrome.js";
import { ApiError, ask, get, post } from "./api.js";
import { Beliefs } from "./beliefs.js";
import { byId, h, problem, say, show, toast } from "./dom.js";
import { GameFeed, displayNames, gameList } from "./games.js";
import { Panel, narrow } from "./panel.js";
import { SEATS, gameStateAt, shapeFault, stateAt } from "./replay.js";
import { Replayer, chancePlots, costTable, mistakes } from "./replayer.js";
import { scorePlot, scoreTable } from "./scores.js";
import { myTable, settings } from "./settings.js";
import { t } from "./text.js";

const main = byId("main");
const NO_POINTS = [0, 0, 0, 0]; // of a hand that stops early
const UNSAVED = "record"; // the state in the browser's history of a record that has no link
const LISTED = 20;

// --- choosing a game

async function choose(fault = "") {
  document.body.classList.remove("at-table");
  const list = h("div", {}, h("p", { class: "empty" }, t("games.loading")));
  const input = h("textarea", {
    id: "record",
    rows: 5,
    spellcheck: false,
    placeholder: t("review.placeholder"),
    "aria-label": t("review.paste"),
    oninput: () => show(refusal), // it was about another text
  });
  const refusal = h("div", { id: "refusal" }, fault && problem(fault));
  const read = async (text) => {
    button.disabled = true;
    show(refusal, h("p", { class: "empty" }, t("review.checking")));
    try {
      await openRecords(recordsIn(text));
    } catch (error) {
      show(refusal, problem(error.message));
    }
    button.disabled = false;
  };
  const button = h(
    "button",
    { type: "button", class: "main", id: "read", onclick: () => read(input.value) },
    t("review.read"),
  );
  const drop = h(
    "div",
    { class: "drop" },
    h("h2", {}, t("review.own")),
    h("p", { class: "about" }, t("review.drop")),
    input,
    h(
      "p",
      { class: "row" },
      button,
      h(
        "label",
        { class: "button" },
        t("review.file"),
        h("input", {
          type: "file",
          class: "unseen",
          accept: ".json,.jsonl,.txt",
          onchange: async (event) => read(await event.target.files[0].text()),
        }),
      ),
    ),
    refusal,
  );
  drop.addEventListener("dragover", (event) => event.preventDefault());
  drop.addEventListener("drop", async (event) => {
    event.preventDefault();
    const file = event.dataTransfer.files[0];
    read(file ? await file.text() : event.dataTransfer.getData("text"));
  });
  show(
    main,
    h(
      "div",
      { class: "page" },
      h("h1", {}, t("pages.review")),
      h("p", { class: "lead" }, t("review.about")),
      h("div", { class: "columns" }, h("section", {}, h("h2", {}, t("games.recent")), list), drop),
    ),
  );
  const feed = new GameFeed();
  const shown = h("div", {}),
    below = h("div", {});
  const load = async () => {
    try {
      const found = await feed.take(LISTED);
      if (found.length) shown.append(gameList(found));
      const older = h("button", { type: "button", id: "older", "data-key": "older", onclick: load }, t("games.older"));
      show(below, feed.more && older);
      show(list, shown.firstChild ? [shown, below] : h("p", { class: "empty" }, t("games.none")));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      show(list, shown, problem(error.message, load, t("errors.retry")));
    }
  };
  await load();
}

// One record, a list of them, or one per line; throws an Error with a readable message.
function recordsIn(text) {
  const parse = (line, place) => {
    try {
      return JSON.parse(line);
    } catch (error) {
      throw new Error(t("review.no_json", { place, reason: error.message }));
    }
  };
  if (!text.trim()) throw new Error(t("review.nothing"));
  const lines = text
    .trim()
    .split(/\r?\n/)
    .filter((line) => line.trim());
  const whole =
    text.trim().startsWith("[") ||
    !lines.every((line) => line.trim().startsWith("{") && line.trim().endsWith("}"));
  const found = whole
    ? [parse(text, t("review.text"))].flat()
    : lines.map((line, i) => parse(line, t("review.line", { n: i + 1 })));
  found.forEach((record, i) => {
    const fault = shapeFault(record);
    if (fault)
      throw new Error(
        t(`review.fault.${fault}`, {
          place: found.length > 1 ? t("review.hand_place", { n: i + 1 }) : t("review.record"),
        }),
      );
  });
  return found;
}

// --- showing one

// Records that are not logged: the service checks and reviews the first before it is shown.
async function openRecords(records) {
  say(t("review.checking"));
  const review = await ask("/api/review", { record: records[0] });
  const hands = records.map((record, number) => ({
    number,
    record,
    pass_direction: record.pass_direction,
    points: record.points ?? NO_POINTS,
    shooter: null,
  }));
  hands[0].review = review.hands[0];
  history.pushState(UNSAVED, "", "/review"); // so that the way back leads to the choice
  present({ hands, names: displayNames([{}, {}, {}, {}]) });
}

// The tokens that show a game: that of a link, and that of the seat at the own table.
function tokens(id, share) {
  return { share, token: id === myTable()?.id ? myTable().token : undefined };
}

async function openGame(id, link, share) {
  show(main, h("p", { class: "empty" }, t("games.loading")));
  try {
    const { game } = await get(`/api/games/${encodeURIComponent(id)}`, tokens(id, share));
    // A hand in progress at a live table has no record yet: its cards are hidden.
    const hands = game.hands
      .filter((hand) => hand.record?.plays.length)
      .map((hand) => ({ ...hand, points: hand.points ?? NO_POINTS }));
    if (!hands.length) return choose(t("review.unfinished"));
    const you = id === myTable()?.id ? game.players.findIndex((player) => player.kind === "human") : null;
    const place = { hand: Number(link.get("hand")), step: Number(link.get("step")) || 0 };
    return present({ hands, names: displayNames(game.players, you), id, place, shared: share });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.passing
      ? show(
          main,
          problem(error.message, () => openGame(id, link, share), t("errors.retry")),
        )
      : choose(error.message);
  }
}

// `id` is that of the logged game, if it is one; `place` is the moment in its link: {hand, step};
// `shared` is the token of a link, without which others cannot see the game.
function present({ hands, names, id = null, place = {}, shared }) {
  document.body.classList.add("at-table");
  const summary = h("div", { class: "review" }),
    plots = h("div", { class: "plots" }),
    beliefs = new Beliefs(),
    scores = h("div", {});
  let current = hands[0];
  const believe = () => {
    if (!panel.seen("beliefs")) return;
    const step = replayer.step,
      state = stateAt(current.record, step);
    const seat = state.turn ?? 0;
    if (!state.hands[seat].length) return beliefs.say(t("beliefs.over"));
    return beliefs.about({ state: gameStateAt(current.record, step, seat), names, truth: state.hands });
  };
  const replayer = new Replayer({
    stepped: (step) => {
      if (current.review) show(plots, chancePlots(current.review.chances, names, Math.floor(step / 4)));
      keepPlace();
      believe();
    },
  });
  const panel = new Panel([
    { id: "review", label: t("tabs.review"), element: h("div", {}, summary, plots) },
    { id: "beliefs", label: t("tabs.beliefs"), element: beliefs.element, open: believe },
    { id: "scores", label: t("tabs.scores"), element: scores },
  ]);
  const picker = h(
    "select",
    { "aria-label": t("review.which"), onchange: () => open(hands[picker.selectedIndex]) },
    hands.map((hand) => h("option", {}, t("table.hand", { number: hand.number + 1 }))),
  );
  const shareLabel = () => t(id ? "review.share" : "review.save");
  const share = h("button", { type: "button", class: "small", id: "share", onclick: shareLink }, shareLabel());
  const drawScores = () =>
    show(scores, scoreTable({ hands, names }), scorePlot({ hands, names, target: undefined }));

  // The address bar links to the current moment. Browsers send the fragment to no server.
  function keepPlace() {
    const moment = `hand=${current.number}&step=${replayer.step}`;
    const link = shared ? `#game=${id}&share=${shared}&${moment}` : `?game=${id}&${moment}`;
    if (id) history.replaceState(null, "", `/review${link}`);
  }

  // Where games are not for everybody, a link needs a token.
  async function makeLink() {
    const { token } = tokens(id);
    if (shared || !(settings().key || token)) return;
    try {
      ({ share_token: shared } = await post(`/api/games/${encodeURIComponent(id)}/shares`, {}, { token }));
    } catch (error) {
      if (error.status !== 403) throw error; // a public table of somebody else needs no token
    }
  }

  // A logged game has a link; any other game is logged first, once.
  async function shareLink() {
    share.disabled = true;
    try {
      if (!id) {
        const records = hands.map((hand) => hand.record);
        ({ game_id: id } = await post("/api/games", { records, source: "page" }));
      }
      await makeLink();
      keepPlace();
      await navigator.clipboard.writeText(location.href); // browsers only have it on https and on this machine
      toast(t("review.copied"));
    } catch (error) {
      const refused = error instanceof ApiError;
      toast(refused ? error.message : t("review.not_copied", { link: location.href }), {
        kind: refused ? "refused" : "",
        seconds: 12,
      });
    }
    share.disabled = false;
    share.textContent = shareLabel();
  }

  function open(hand, step = 0) {
    current = hand;
    const before = hands.slice(0, hands.indexOf(hand));
    replayer.load(
      {
        record: hand.record,
        names,
        scores: SEATS.map((seat) => before.reduce((sum, one) => sum + one.points[seat], 0)),
      },
      step,
    );
    if (hand.review) judged(hand);
    else review(hand);
  }

  function judged(hand) {
    if (current !== hand) return;
    replayer.judge(hand.review);
    show(
      summary,
      h("h2", {}, t("review.worst")),
      mistakes(hand.review, names, (step) => {
        replayer.go(step);
        if (narrow()) replayer.element.scrollIntoView();
      }),
      costTable(hand.review, names),
    );
  }

  async function review(hand) {
    show(plots);
    show(summary, h("p", { class: "empty" }, t("review.thinking")));
    try {
      const answer = id
        ? await get(`/api/games/${encodeURIComponent(id)}/review?hand=${hand.number}`, tokens(id, shared))
        : await ask("/api/review", { record: hand.record });
      hand.review = answer.hands[0];
      judged(hand);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (current === hand)
        show(
          summary,
          problem(error.message, () => review(hand), t("errors.retry")),
        );
    }
  }

  show(
    main,
    h(
      "div",
      { class: "game reviewing" },
      h(
        "div",
        { class: "left" },
        h("h1", { class: "unseen" }, t("review.board")),
        h(
          "div",
          { class: "bar-row" },
          h("a", { href: "/review" }, t("review.others")),
          hands.length > 1 && picker,
          share,
        ),
        replayer.element,
      ),
      panel.element,
    ),
  );
  const first = hands.find((hand) => hand.number === place.hand) ?? hands[0];
  picker.selectedIndex = hands.indexOf(first);
  drawScores();
  open(first, place.step);
}

function route() {
  const hidden = new URLSearchParams(location.hash.slice(1));
  const link = hidden.get("share") ? hidden : new URLSearchParams(location.search);
  if (link.get("game")) openGame(link.get("game"), link, link.get("share") ?? undefined);
  else choose();
}

// Ignore the skip link, and records that exist only on this page.
const isSkip = () => location.hash && !location.hash.includes("share=");
addEventListener("popstate", ({ state }) => state === UNSAVED || isSkip() || route());
route();
