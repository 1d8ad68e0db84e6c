// Plots as inline SVG in the page's colours, each with a table for screen readers.

import { h, svg } from "./dom.js";
import { count, number, t } from "./text.js";

const BOX = { width: 360, height: 190, left: 34, right: 12, top: 12, bottom: 26 };

const LONGEST = 26; // letters of a row's name beside a plot
const WIDEST = 640; // units of a plot of intervals: as many as it has pixels, so that its words keep their size
const MARGIN = 34; // of a page beside it

const scale = (from, to, low, high) => (value) => low + ((value - from) / (to - from || 1)) * (high - low);

function ticks(low, high, wanted = 5) {
  const rough = (high - low) / wanted || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough);
  const first = Math.ceil(low / step) * step;
  return Array.from({ length: Math.floor((high - first) / step + 1e-9) + 1 }, (_, i) => first + i * step);
}

// One line per series: {title, series: [{name, values}], labels, low, high, format, limit}
export function linePlot({ title, series, labels, low, high, format = String, limit, now }) {
  const all = series.flatMap(({ values }) => values).concat(limit ?? []);
  const bottom = low ?? Math.min(0, ...all),
    top = high ?? Math.max(1, ...all) * 1.05;
  const x = scale(0, Math.max(1, labels.length - 1), BOX.left, BOX.width - BOX.right);
  const y = scale(bottom, top, BOX.height - BOX.bottom, BOX.top);
  const every = Math.ceil(labels.length / 14);
  return h(
    "figure",
    { class: "plot" },
    h("figcaption", {}, title),
    svg(
      "svg",
      {
        viewBox: `0 0 ${BOX.width} ${BOX.height}`,
        role: "img",
        "aria-label": spokenPlot(title, series, format),
      },
      ticks(bottom, top).map((value) => [
        svg("line", { class: "grid", x1: BOX.left, x2: BOX.width - BOX.right, y1: y(value), y2: y(value) }),
        svg(
          "text",
          { class: "scale", x: BOX.left - 5, y: y(value) + 3.5, "text-anchor": "end" },
          format(value),
        ),
      ]),
      labels.map(
        (label, i) =>
          i % every === 0 &&
          svg("text", { class: "scale", x: x(i), y: BOX.height - 9, "text-anchor": "middle" }, label),
      ),
      limit !== undefined &&
        svg("line", { class: "limit", x1: BOX.left, x2: BOX.width - BOX.right, y1: y(limit), y2: y(limit) }),
      now !== undefined &&
        svg("line", { class: "now", x1: x(now), x2: x(now), y1: BOX.top, y2: BOX.height - BOX.bottom }),
      series.map(({ seat, values }) => [
        svg("polyline", {
          class: `line seat-${seat}`,
          points: values.map((value, i) => `${x(i)},${y(value)}`).join(" "),
        }),
        values.length &&
          svg("circle", {
            class: `end seat-${seat}`,
            r: 3.2,
            cx: x(values.length - 1),
            cy: y(values.at(-1)),
          }),
      ]),
    ),
    legend(series),
  );
}

const spokenPlot = (title, series, format) =>
  `${title}: ${series.map(({ name, values }) => `${name} ${values.length ? format(values.at(-1)) : ""}`).join(", ")}`;

export const legend = (series) =>
  h(
    "ul",
    { class: "legend" },
    series.map(({ name, seat }) =>
      h("li", {}, h("span", { class: `dot seat-${seat}`, "aria-hidden": "true" }), name),
    ),
  );

const short = (name) => (name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name);

// A mean with its interval per row: {title, rows: [{name, mean, low, high}]}
export function intervalPlot({ title, rows, format = number, tick = count }) {
  const low = Math.min(...rows.map((row) => row.low)),
    high = Math.max(...rows.map((row) => row.high));
  const margin = (high - low) * 0.08 || 1;
  const longest = Math.max(...rows.map((row) => row.name.length));
  const width = Math.min(WIDEST, innerWidth - MARGIN),
    left = Math.min(width * 0.4, 24 + 7 * Math.min(longest, LONGEST)),
    line = 30,
    height = rows.length * line + 34;
  const x = scale(low - margin, high + margin, left, width - 14);
  return h(
    "figure",
    { class: "plot wide", style: { "max-width": `${width}px` } },
    h("figcaption", {}, title),
    svg(
      "svg",
      {
        viewBox: `0 0 ${width} ${height}`,
        role: "img",
        "aria-label": `${title}: ${rows.map((row) => `${row.name} ${format(row.mean)}`).join(", ")}`,
      },
      ticks(low - margin, high + margin, width / 70).map((value) => [
        svg("line", { class: "grid", x1: x(value), x2: x(value), y1: 4, y2: height - 24 }),
        svg("text", { class: "scale", x: x(value), y: height - 8, "text-anchor": "middle" }, tick(value)),
      ]),
      rows.map((row, i) => {
        const middle = 4 + line * (i + 0.5);
        return [
          svg("text", { class: "label", x: left - 12, y: middle + 4.5, "text-anchor": "end" }, short(row.name)),
          svg("line", { class: "interval", x1: x(row.low), x2: x(row.high), y1: middle, y2: middle }),
          svg("circle", { class: "mean", cx: x(row.mean), cy: middle, r: 6 }),
        ];
      }),
    ),
  );
}

// A share between 0 and 1 as a bar with its number.
export const bar = (share, label, attributes = {}) =>
  h(
    "div",
    {
      ...attributes,
      class: `bar ${attributes.class ?? ""}`,
      style: { "--share": Math.max(0, Math.min(1, share)) },
    },
    h("span", {}, label),
  );

export const noData = () => h("p", { class: "empty" }, t("stats.none"));
