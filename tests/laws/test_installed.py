"""A belief of another package: once installed, engine and service know it by name."""

import sys

import pytest

from hearts.engine.beliefs import belief_names, load_belief
from hearts.engine.config import SearchConfig
from hearts.engine.decide import decide
from tests.laws.test_beliefs import check_probabilities, check_worlds, positions
from tests.server.api import SHORT, Api
from tests.server.application import application

NAME = "near-sighted"
MODULE = '''
from models.voids import VoidBelief


class NearSighted(VoidBelief):
    """OM-1 under another name, with an argument."""

    def __init__(self, metres="3"):
        self.metres = float(metres)
'''
METADATA = "Metadata-Version: 2.1\nName: near-sighted\nVersion: 1.0\n"
POINTS = f"[hearts.beliefs]\n{NAME} = near_sighted_hearts:NearSighted\n"


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """An installed package with an entry point, on the path of this process."""
    (tmp_path / "near_sighted_hearts.py").write_text(MODULE)
    about = tmp_path / "near_sighted-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(METADATA)
    (about / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    load_belief.cache_clear()
    sys.modules.pop("near_sighted_hearts", None)


def test_it_is_found_by_name_and_passes_the_laws(installed):
    assert NAME in belief_names()
    belief = load_belief(f"{NAME}:1.5")
    assert (type(belief).__name__, belief.metres) == ("NearSighted", 1.5)
    for _, view in positions()[::100]:
        check_worlds(belief, view)
        check_probabilities(NAME, belief, view)


def test_engine_and_service_use_it(installed, tmp_path):
    view = next(view for _, view in positions() if view.to_move and len(view.tricks) == 3)
    decision = decide(view, SearchConfig(belief=NAME, simulations=30, worlds=3))
    assert decision.card in [each.card for each in decision.cards]
    asked = {"game_state": {"player_hand": SHORT}, "model": NAME}
    with application(tmp_path) as app:
        api = Api(app)
        models = api.client.get("/api/models").json["models"]
        assert NAME in [model["name"] for model in models]
        assert api.move({"player_hand": SHORT}, belief=NAME)["model"] == NAME
        status, answer = api.post("/api/beliefs", asked)
    assert (status, answer["model"]) == (200, NAME)


def test_it_is_unknown_when_not_installed():
    assert NAME not in belief_names()
