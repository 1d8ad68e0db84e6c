// The rules in four sentences, for new players.

import { picture } from "./cards.js";
import { h } from "./dom.js";
import { t } from "./text.js";

const STEPS = { pass: "9D", follow: "2C", points: "QS", moon: "AH" }; // each with a card to look at

export const howTo = () =>
  h(
    "section",
    { class: "how" },
    h("h2", {}, t("how.title")),
    h(
      "ol",
      {},
      Object.entries(STEPS).map(([step, card]) =>
        h("li", {}, picture(card, { "aria-hidden": "true" }), h("p", {}, t(`how.${step}`))),
      ),
    ),
  );
