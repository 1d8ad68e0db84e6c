// Follow a live table by long polling, one view after the other.

import { ApiError, get, sleep } from "./api.js";

const PATIENCE = 20; // seconds that the service may wait for news
const PAUSE = 500; // milliseconds, where it would not wait because too many do

// A view with all finished hands: the service sends those that the client has not yet seen.
export const complete = (view, known) =>
  view.hands_before ? { ...view, hands: [...known.hands.slice(0, view.hands_before), ...view.hands] } : view;

const joined = (view) => view.players.filter((player) => player.joined).length; // has no version

// Call take(view) for every new view until it returns false. Errors go to fault(error), a promise that
// resolves when to try again, or to false to give up.
export async function follow({ id, token }, { take, fault }) {
  let last = null;
  for (;;) {
    try {
      const known = last ? `?after=${last.version}&wait=${PATIENCE}&since=${last.version}` : "",
        begun = performance.now();
      const view = complete(await get(`/api/tables/${encodeURIComponent(id)}${known}`, { token }), last);
      const same = view.version === last?.version && joined(view) === joined(last);
      if (same && performance.now() - begun < PAUSE) await sleep(PAUSE);
      else if (!same && take(view) === false) return;
      last = view;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if ((await fault(error)) === false) return;
      last = null; // the next answer comes at once, and says that all is well again
    }
  }
}

// Whether the table does not exist, or not for this player.
export const isGone = (error) => error.status === 404 || error.status === 403;
