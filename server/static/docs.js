// Shows openapi.json, and sends real requests to the service that serves this page.
"use strict";

const BASE = new URL(".", document.baseURI).href.replace(/\/$/, "");
const METHODS = ["get", "post", "put", "delete"];

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function resolve(document_, schema) {
  if (!schema || !schema.$ref) return schema || {};
  return schema.$ref.slice(2).split("/").reduce((place, step) => place[step], document_);
}

function typeOf(document_, schema) {
  if (schema.$ref) return schema.$ref.split("/").pop();
  for (const any of ["anyOf", "oneOf", "allOf"]) {
    if (schema[any]) return schema[any].map((one) => typeOf(document_, one)).join(" or ");
  }
  if (schema.type === "array" || (schema.type || []).includes?.("array")) {
    return `list of ${typeOf(document_, schema.items || {})}`;
  }
  return [].concat(schema.type || "any").join(" or ");
}

function references(schema) {
  if (!schema || typeof schema !== "object") return [];
  if (schema.$ref) return [schema];
  return Object.values(schema).flatMap(references);
}

// One table for a schema, and one for each schema that it mentions.
function tables(document_, schema, seen = new Set()) {
  const found = [];
  const name = schema.$ref ? schema.$ref.split("/").pop() : "";
  if (seen.has(name)) return found;
  seen.add(name);
  const full = resolve(document_, schema);
  const required = new Set(full.required || []);
  const rows = Object.entries(full.properties || {}).map(([field, about]) => make("tr", {},
    make("td", {}, field + (required.has(field) ? " *" : "")),
    make("td", {}, typeOf(document_, about)),
    make("td", {}, about.description || "")));
  if (rows.length) found.push(make("h4", {}, name), make("table", {}, ...rows));
  for (const other of references(full.properties)) found.push(...tables(document_, other, seen));
  return found;
}

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function curl(method, url, headers, body) {
  const parts = ["curl", "-X", method.toUpperCase(), quoted(url)];
  for (const [name, value] of Object.entries(headers)) parts.push("-H", quoted(`${name}: ${value}`));
  if (body) parts.push("-d", quoted(body));
  return parts.join(" ");
}

async function show(answer, output) {
  if ((answer.headers.get("Content-Type") || "").startsWith("text/event-stream")) {
    const reader = answer.body.getReader();
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      output.textContent += decoder.decode(value, { stream: true });
      output.scrollTop = output.scrollHeight;
    }
  }
  const text = await answer.text();
  try {
    output.textContent = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    output.textContent = text;
  }
}

function form(document_, method, path, operation) {
  const content = operation.requestBody?.content?.["application/json"];
  const shared = document_.paths[path].parameters || []; // those in the path, of all its methods
  const parameters = [...shared, ...(operation.parameters || [])].map((one) => resolve(document_, one));
  const asked = parameters.filter((one) => ["path", "query", "header"].includes(one.in));
  const inputs = asked.map((one) => make("input", { name: one.name, placeholder: one.description || "" }));
  const given = (place) => inputs.filter((one, i) => one.value && asked[i].in === place);
  const body = content ? make("textarea", { spellcheck: false, ariaLabel: `Body of ${method} ${path}` }) : null;
  if (body) body.value = JSON.stringify(content.example ?? {}, null, 1);
  const send = make("button", {}, "Send");
  const status = make("span", { className: "status" });
  const box = { hidden: true, tabIndex: 0 }; // what is long scrolls, so keys must reach it
  const command = make("pre", box);
  const output = make("pre", box);

  send.addEventListener("click", async () => {
    const query = given("query").map((one) => `${one.name}=${encodeURIComponent(one.value)}`).join("&");
    const place = given("path")
      .reduce((text, one) => text.replace(`{${one.name}}`, encodeURIComponent(one.value)), path);
    const url = BASE + place + (query ? `?${query}` : "");
    const headers = body ? { "Content-Type": "application/json" } : {};
    for (const one of given("header")) headers[one.name] = one.value;
    const key = document.getElementById("key").value;
    if (key) headers["X-API-Key"] = key;
    command.hidden = output.hidden = false;
    output.textContent = "";
    status.textContent = "…";
    command.textContent = curl(method, url, headers, body?.value);
    const begun = performance.now();
    try {
      const answer = await fetch(url, { method: method.toUpperCase(), headers, body: body?.value });
      status.textContent = `${answer.status}, ${(performance.now() - begun).toFixed(1)} ms`;
      await show(answer, output);
    } catch (error) {
      status.textContent = String(error);
    }
  });
  const labelled = inputs.map((one) => make("label", {}, `${one.name} `, one));
  return make("div", {}, ...labelled, ...(body ? [body] : []), send, status, command, output);
}

function operation_(document_, path, method, operation) {
  const content = operation.requestBody?.content?.["application/json"];
  const reply = operation.responses?.["200"]?.content?.["application/json"];
  return make("details", { className: "operation", id: `${method} ${path}` },
    make("summary", {},
      make("span", { className: "method" }, method.toUpperCase()),
      make("span", { className: "path" }, path), ` ${operation.summary || ""}`),
    form(document_, method, path, operation),
    ...(content ? [make("h3", {}, "Request"), ...tables(document_, content.schema)] : []),
    ...(reply ? [make("h3", {}, "Answer"), ...tables(document_, reply.schema)] : []));
}

async function main() {
  const document_ = await (await fetch(`${BASE}/openapi.json`)).json();
  document.getElementById("about").prepend(`Version ${document_.info.version}. `);
  const place = document.getElementById("operations");
  const byTag = new Map((document_.tags || []).map((tag) => [tag.name, [tag.description, []]]));
  for (const [path, item] of Object.entries(document_.paths)) {
    for (const method of METHODS.filter((one) => item[one])) {
      const tag = (item[method].tags || ["other"])[0];
      if (!byTag.has(tag)) byTag.set(tag, ["", []]);
      byTag.get(tag)[1].push(operation_(document_, path, method, item[method]));
    }
  }
  for (const [tag, [description, operations]] of byTag) {
    if (operations.length) place.append(make("h2", {}, tag), description || "", ...operations);
  }
  document.body.dataset.ready = "yes";
}

main();
