// Was the deal fixed before the first card? Hash the opening and compare it with the commitment.

import { t } from "./text.js";
import { h } from "./dom.js";

const FORM = "hearts-deal-1";

// The text that a commitment is the SHA-256 of; see API_SPEC.md.
const sealed = ({ table_id, hand, dealt, nonce }) =>
  [FORM, table_id, String(hand), ...dealt.map((cards) => cards.join(" ")), nonce].join("\n");

async function hashOf(text) {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

// "fair", "unfair", or "unknown" if the browser cannot hash (it can on https and on localhost).
// `seen` holds the commitments that this browser was shown first, by number of the hand. The opening
// must match that commitment, and its deal must be the deal that was played.
async function judge({ number, commitment, opening, record }, seen) {
  if (commitment !== (seen[number] ?? commitment)) return "unfair";
  if (opening.hand !== number || String(opening.dealt) !== String(record.dealt)) return "unfair";
  if (!globalThis.crypto?.subtle) return "unknown";
  return (await hashOf(sealed(opening))) === commitment ? "fair" : "unfair";
}

// Describe the verdict on a finished hand, once it is known.
export function verdict(hand, seen) {
  const element = h("b", {}, "…");
  judge(hand, seen).then((key) => {
    element.textContent = t(`fair.${key}`);
    element.className = key;
  });
  return element;
}

// One line per hand: its commitment and, once opened, whether it holds.
export function fairness(view, seen) {
  const lines = view.hands.map((hand) => line(hand, verdict(hand, seen)));
  const over = view.hands.some((hand) => hand.number === view.hand.number);
  if (!over) lines.push(line(view.hand, h("b", {}, t("fair.sealed"))));
  return h(
    "div",
    { class: "fair" },
    h("p", { class: "lead" }, t("fair.about")),
    h("ol", {}, lines.reverse()),
  );
}

const line = (hand, judged) =>
  h(
    "li",
    { "data-hand": hand.number },
    h("span", {}, t("table.hand", { number: hand.number + 1 })),
    judged,
    h("code", {}, hand.commitment),
  );
