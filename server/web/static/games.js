// Games in the service's log: their names, and lists of them.

import { get } from "./api.js";
import { h } from "./dom.js";
import { count, date, t } from "./text.js";

// The translated name of a level, or the player's own name.
export function levelName(name) {
  const key = `play.level.${name}`,
    known = t(key);
  return known === key ? name : known;
}

const isNameless = ({ kind, name } = {}) => kind === "human" && name === "human";
export const nameOf = (player) => (isNameless(player) ? t("games.human") : levelName(player?.name ?? ""));

// Display names of the players; bots of the same level are told apart by their seat.
export function displayNames(players, you = null) {
  const seated = (player, seat) => (isNameless(player) ? t(`table.compass.${seat}`) : nameOf(player));
  const names = players.map((player, seat) => (seat === you ? t("table.you") : seated(player, seat)));
  const others = names.filter((_, seat) => seat !== you),
    kinds = new Set(others);
  if (kinds.size === others.length && others.every(Boolean)) return names;
  const placed = (name, seat) =>
    [t(`table.compass.${seat}`), kinds.size > 1 && name].filter(Boolean).join(" · ");
  return names.map((name, seat) => (seat === you ? name : placed(name, seat)));
}

// Whether a hand is finished; the first hand of a live table is hidden until then.
const isReviewable = ({ kind, status, hand_count, totals }) =>
  kind !== "table" || status === "finished" || hand_count > 1 || totals.some(Boolean);

// Players and their points; the fewest points are highlighted.
function cast({ players, totals, hand_count: hands }) {
  const best = hands ? Math.min(...totals) : null;
  return players.map((player, seat) =>
    h(
      "span",
      { class: totals[seat] === best ? "best" : "" },
      h("span", { class: "name" }, nameOf(player)),
      h("b", {}, count(totals[seat])),
    ),
  );
}

export const gameList = (games) =>
  h(
    "ul",
    { class: "games" },
    games.map((game) =>
      h(
        "li",
        {},
        h(
          "a",
          { href: `/review?game=${encodeURIComponent(game.game_id)}` },
          h("span", { class: "cast" }, cast(game)),
          h(
            "span",
            { class: "about" },
            [
              date(game.created_at),
              t("games.hands", { n: game.hand_count }),
              game.status === "open" && t("games.open"),
              game.source !== "table" && game.source,
            ]
              .filter(Boolean)
              .join(" · "),
          ),
        ),
      ),
    ),
  );

const ASKED = 100; // games in one answer of the service

// Games that can be reviewed, the newest first, in portions: however many other tables there are.
export class GameFeed {
  constructor() {
    this.ready = []; // asked for, and not yet taken
    this.cursor = ""; // null: there are no more
  }

  get more() {
    return this.ready.length > 0 || this.cursor !== null;
  }

  // The next `n` games, fewer at the end.
  async take(n) {
    while (this.ready.length < n + 1 && this.cursor !== null) {
      const from = this.cursor ? `&cursor=${encodeURIComponent(this.cursor)}` : "";
      const { games, next } = await get(`/api/games?limit=${ASKED}${from}`);
      this.cursor = next;
      this.ready.push(...games.filter(isReviewable));
    }
    return this.ready.splice(0, n);
  }
}
