// Was the deal fixed before the first card? Hash the opening and compare it with the commitment.

import { t } from "./text.js";
import { h } from "./dom.js";

const FORM = "hearts-deal-1";

// The text that a commitment is the SHA-256 of; see API_SPEC.md.
const sealed = ({ table_id, hand, dealt, nonce }) =>
  [FORM, table_id, String(hand), ...dealt.map((cards) => cards.join(" ")), nonce].join("\n");

// true, false, or null where the browser cannot hash (it can on https and on this machine).
export async function isFair(commitment, opening) {
  if (!globalThis.crypto?.subtle) return null;
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(sealed(opening)));
  const hex = [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex === commitment;
}

// One line per hand: its commitment, and once it is open whether it holds. `seen` are the
// commitments that this page was shown before the first card, by number of the hand.
export function fairness(view, seen) {
  const lines = view.hands.map((hand) => {
    const verdict = h("b", {}, "…");
    isFair(hand.commitment, hand.opening).then((fair) => {
      const kept = seen.get(hand.number) === undefined || seen.get(hand.number) === hand.commitment;
      const key = fair === null ? "unknown" : fair && kept ? "fair" : "unfair";
      verdict.textContent = t(`fair.${key}`);
      verdict.className = key;
    });
    return line(hand, verdict);
  });
  const over = view.hands.some((hand) => hand.number === view.hand.number);
  if (!over) lines.push(line(view.hand, h("b", {}, t("fair.sealed"))));
  return h(
    "div",
    { class: "fair" },
    h("p", { class: "lead" }, t("fair.about")),
    h("ol", {}, lines.reverse()),
  );
}

const line = (hand, verdict) =>
  h(
    "li",
    { "data-hand": hand.number },
    h("span", {}, t("table.hand", { number: hand.number + 1 })),
    verdict,
    h("code", {}, hand.commitment),
  );
