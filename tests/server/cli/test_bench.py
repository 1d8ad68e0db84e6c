"""The table of `hearts bench`."""

from server.cli.research.bench import table_of


def test_a_result_for_several_sizes_has_a_line_for_each():
    results = {
        "sims_per_s": 7,
        "time_over_ms": {"5": 0.1, "100": 0.2},
        "endgame_ms": {"4": {"median": 0.5, "max": 2.0}},
    }
    assert table_of(results).splitlines() == [
        "sims_per_s        7",
        "time_over_ms 5    0.1",
        "time_over_ms 100  0.2",
        "endgame_ms 4      median 0.5, max 2.0",
    ]
