"""No cache keeps an answer of the API for somebody else."""

from __future__ import annotations

from tests.server.http.routes.posting import new_game

NO_STORE, ASK_AGAIN = "no-store", "private, no-cache"


def test_answers_are_not_stored_and_those_with_an_etag_are_asked_for_again(api):
    game_id = new_game(api)
    expected = {
        "/api/models": NO_STORE,
        "/api/tables": NO_STORE,
        "/api/games/nothere": NO_STORE,
        f"/api/games/{game_id}/export": NO_STORE,
        "/api/stats?plot=1": NO_STORE,
        "/api/games": ASK_AGAIN,
        f"/api/games/{game_id}": ASK_AGAIN,
        "/": "no-cache",
    }
    found = {path: api.client.get(path) for path in expected}
    assert {path: each.headers["Cache-Control"] for path, each in found.items()} == expected
    for path in ("/api/games", f"/api/games/{game_id}"):
        known = {"If-None-Match": found[path].headers["ETag"]}
        again = api.client.get(path, headers=known)
        assert (again.status_code, again.headers["Cache-Control"]) == (304, ASK_AGAIN)
    assert api.send("/api/games", {}).headers["Cache-Control"] == NO_STORE
