"""Style books: files, powers and kinds of table."""

import numpy as np
import pytest

from hearts.game.errors import InvalidConfig
from models.styles import FEATURES, Style, StyleBook, neutral, read_styles


def test_a_book_is_read_back(tmp_path):
    rng = np.random.default_rng(0)
    weights = tuple(np.round(rng.normal(size=len(names)), 4) for names in FEATURES.values())
    styles = tuple(
        Style(name, 0.5, weights, np.array([s, s, s, 3.0]))
        for name, s in (("one", 0.3), ("two", 0.7))
    )
    tables = {"here": np.array([0.9, 0.1]), "there": np.array([0.0, 1.0])}
    book = StyleBook(styles, tables, np.array([1.0, 0.5, 0.7, 4.0]), 100, "make")
    path = tmp_path / "styles.json"
    book.write(path)
    back = read_styles(path)
    assert (back.command, back.hands) == ("make", 100)
    for one, other in zip(book.styles, back.styles, strict=True):
        assert (one.name, one.share) == (other.name, other.share)
        assert all(map(np.array_equal, one.weights, other.weights))
    assert np.array_equal(back.table_weights, book.table_weights)
    assert np.array_equal(back.log_corrections, book.log_corrections)


def test_power_grows_with_the_number_of_players_in_the_fit():
    weights = neutral()
    styles = (
        Style("common, rules", 0.7, weights, np.full(4, 0.2)),
        Style("common", 0.25, weights, np.full(4, 0.8)),
        Style("rare", 0.05, weights, np.full(4, 0.8)),
    )
    book = StyleBook(styles, {"any": np.array([0.7, 0.25, 0.05])}, np.ones(4), 250)
    assert book.powers == pytest.approx([1.5 * 700 / 750, 250 / 300, 50 / 100, 0.75, 1.0])
    assert book.table_weights.sum() == pytest.approx(1)
    assert (book.table_weights > 0).all()  # every style is possible at every table
    # The correction cancels the power for a typical action: exp(-s)^p · exp((p - 1) s) = exp(-s).
    typical = book.powers * -0.8 + book.log_corrections[:, 1]
    assert typical[1:3] == pytest.approx([-0.8, -0.8])


@pytest.mark.parametrize("text", ["", "[]", '{"format": 1}', '{"format": 2, "features": {}}'])
def test_a_file_that_is_not_a_book_is_refused(tmp_path, text):
    path = tmp_path / "styles.json"
    path.write_text(text)
    with pytest.raises(InvalidConfig, match=r"styles\.json is not a style book"):
        read_styles(path)
