// The rules of a table in a few sentences, for new players.

import { picture } from "./cards.js";
import { h } from "./dom.js";
import { t } from "./text.js";

// Every step has a card to look at, and the texts that hold under these rules.
const stepsOf = (rules) => [
  ["9D", [rules.do_pass_cards ? "pass" : "no_pass"]],
  ["2C", [rules.lead_2_clubs ? "follow" : "follow_any"]],
  [
    "QS",
    [
      rules.queen_penalty && !rules.hearts_arent_points ? "points" : "points_other",
      rules.jack_bonus && "jack",
    ],
  ],
  [
    "AH",
    [
      rules.must_break_hearts && (rules.queen_breaks_hearts ? "breaking_queen" : "breaking"),
      rules.no_shooting ? "no_moon" : "moon",
    ],
  ],
];

export const howTo = (rules, target) =>
  h(
    "section",
    { class: "how" },
    h("h2", {}, t("how.title")),
    h(
      "ol",
      {},
      stepsOf(rules).map(([card, texts]) =>
        h(
          "li",
          {},
          picture(card, { "aria-hidden": "true" }),
          h(
            "p",
            {},
            texts
              .filter(Boolean)
              .map((text) => t(`how.${text}`, { target }))
              .join(" "),
          ),
        ),
      ),
    ),
  );
