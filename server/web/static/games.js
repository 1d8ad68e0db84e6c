// Games in the service's log: their names, and lists of them.

import { h } from "./dom.js";
import { date, t } from "./text.js";

// What players are called on a page; bots of one level have one name, so their places tell them apart.
export function displayNames(players, you = null) {
  const names = players.map((player, seat) => (seat === you ? t("table.you") : (player?.name ?? "")));
  const others = names.filter((_, seat) => seat !== you),
    kinds = new Set(others);
  if (kinds.size === others.length && others.every(Boolean)) return names;
  const placed = (name, seat) =>
    [t(`table.compass.${seat}`), kinds.size > 1 && name].filter(Boolean).join(" · ");
  return names.map((name, seat) => (seat === you ? name : placed(name, seat)));
}

// The same in a list, where only who played counts.
const cast = (players) => players.map((player) => player.name ?? "?").join(", ");

// Whether a hand of it is over; the first of a live table stays hidden until then.
export const isReviewable = ({ kind, status, hand_count, totals }) =>
  kind !== "table" || status === "finished" || hand_count > 1 || totals.some(Boolean);

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
          h("span", { class: "who" }, cast(game.players)),
          h(
            "span",
            { class: "about" },
            [
              game.source,
              game.status === "open" ? t("games.open") : null,
              t("games.hands", { n: game.hand_count, totals: game.totals.join(" : ") }),
              date(game.created_at),
            ]
              .filter(Boolean)
              .join(" · "),
          ),
        ),
      ),
    ),
  );
