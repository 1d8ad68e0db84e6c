// All texts of the pages, from server/web/text/<language>.json, embedded in the shell.

const TEXT = JSON.parse(document.getElementById("text").textContent);

// t("play.pass_left", {n: 3}); a text may have forms {"one": …, "other": …}, chosen by `n`, and a form "you"
// for when `player` is the one who reads it.
export function t(key, values = {}) {
  let found = key.split(".").reduce((place, step) => place?.[step], TEXT);
  if (found && typeof found === "object")
    found = (isYou(values.player) && found.you) || (found[plural.select(values.n)] ?? found.other);
  if (typeof found !== "string") return key;
  return found.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

const isYou = (name) => name === TEXT.table.you;
const language = document.documentElement.lang;
const plural = new Intl.PluralRules(language);
const percents = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 });
const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 1, minimumFractionDigits: 1 });
const whole = new Intl.NumberFormat(language);
const lists = new Intl.ListFormat(language, { type: "conjunction" });
const dates = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });

// With a real minus sign, which some locales lack.
const signed = (text) => text.replace("-", "−");

export const percent = (share) => percents.format(share);
export const number = (value) => signed(numbers.format(value));
export const count = (value) => signed(whole.format(value));
export const list = (names) => lists.format(names); // "West, North and East"
export const date = (value) => dates.format(new Date(value));
