// Follow a live table by long polling, one view after the other.

import { ApiError, get, sleep } from "./api.js";

const PATIENCE = 20; // seconds that the service may wait for news
const PAUSE = 500; // milliseconds, where it would not wait because too many do

// Call take(view) for every new view until it returns false. Errors go to fault(error), a promise that
// resolves when to try again, or to false to give up.
export async function follow({ id, token }, { take, fault }) {
  let version = null;
  for (;;) {
    try {
      const known = version === null ? "" : `?after=${version}&wait=${PATIENCE}`,
        begun = performance.now();
      const view = await get(`/api/tables/${encodeURIComponent(id)}${known}`, { token });
      if (view.version === version && performance.now() - begun < PAUSE) await sleep(PAUSE);
      else if (view.version !== version && take(view) === false) return;
      ({ version } = view);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if ((await fault(error)) === false) return;
      version = null; // the next answer comes at once, and says that all is well again
    }
  }
}

// Whether the table does not exist, or not for this player.
export const isGone = (error) => error.status === 404 || error.status === 403;
