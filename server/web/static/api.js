// The service's HTTP interface. Every failure is an ApiError with a sentence that a player can read.

import { t } from "./text.js";
import { settings, tokenFor } from "./settings.js";

const PATIENCE = 30_000; // milliseconds; the service itself answers or gives up within 20 s
const PAUSES = [300, 1000, 2500]; // before an answer is asked for again
const QUEUED = 202; // the work is queued: the same request gets its result later

export class ApiError extends Error {
  constructor(message, { status = 0, code = "UNREACHABLE", retryAfter = 0, details = {} } = {}) {
    super(message);
    Object.assign(this, { status, code, retryAfter, details });
  }

  // Whether the same request may succeed later.
  get passing() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

export const get = (path, options) => again(() => send("GET", path, undefined, options));
export const post = (path, body = {}, options) => send("POST", path, body, options);
// For requests that are safe to repeat.
export const ask = (path, body, options) => again(() => send("POST", path, body, options), options?.signal);

async function send(method, path, body, { token, share, signal, patience = PATIENCE } = {}) {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const seat = token ?? tokenFor(path);
  if (seat) headers["X-Seat-Token"] = seat;
  if (share) headers["X-Share-Token"] = share;
  if (settings().key) headers["X-API-Key"] = settings().key;
  const limit = AbortSignal.timeout(patience);
  let answer, content;
  try {
    answer = await fetch(path, {
      method,
      headers,
      cache: "no-store",
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: signal ? either(signal, limit) : limit,
    });
    content = await answer.json();
  } catch (error) {
    if (signal?.aborted) throw error; // nobody waits for it any more
    if (limit.aborted) throw new ApiError(t("errors.slow"), { code: "TIMEOUT" });
    throw new ApiError(t(answer ? "errors.unreadable" : "errors.unreachable"), {
      status: answer?.ok ? 0 : answer?.status,
    });
  }
  if (answer.status === QUEUED) {
    await sleep(1000 * Number(answer.headers.get("Retry-After") ?? 1));
    return send(method, path, body, { token, share, signal, patience });
  }
  if (answer.ok) return content;
  throw new ApiError(sentence(answer.status, content), {
    status: answer.status,
    code: content.error_code,
    retryAfter: Number(answer.headers.get("Retry-After") ?? 0),
    details: content,
  });
}

function sentence(status, content) {
  if (content.error_code === "BUSY") return t("errors.busy");
  if (content.error_code === "API_KEY_ERROR") return t("errors.key");
  if (content.error_code === "NOT_READY") return t("errors.not_ready");
  return content.message ?? t("errors.status", { status });
}

async function again(request, signal) {
  for (const pause of PAUSES) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof ApiError) || !error.passing || signal?.aborted) throw error;
      await sleep(Math.max(pause, 1000 * error.retryAfter));
    }
  }
  return request();
}

// AbortSignal.any for browsers that lack it.
function either(...signals) {
  const both = new AbortController();
  for (const one of signals) {
    if (one.aborted) both.abort(one.reason);
    one.addEventListener("abort", () => both.abort(one.reason), { once: true });
  }
  return both.signal;
}

export const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
