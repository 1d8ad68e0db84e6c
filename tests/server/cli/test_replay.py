"""`hearts replay`, as a process."""

import gzip
import json
from pathlib import Path

import pytest

from tests.server.service import hearts

TESTS = Path(__file__).parents[2]
DATA = TESTS / "data" / "xinxin-10k-dev.jsonl.gz"
GOLDEN = TESTS / "golden" / "hands.jsonl"


def lines() -> list[str]:
    with gzip.open(DATA, "rt", encoding="utf-8") as stream:
        return stream.readlines()


def test_records_of_independent_engines_replay(tmp_path):
    result = hearts("replay", str(DATA), str(GOLDEN), "--json", cwd=tmp_path)
    found = json.loads(result.stdout)
    assert (result.returncode, result.stderr) == (0, "")
    assert found["faults"] == []
    assert (found["files"], found["hands"], found["finished"]) == (2, 142, 142)
    assert found["plays"] == 142 * 52
    assert found["moons"] > 14


def test_people_get_one_line(tmp_path):
    result = hearts("replay", str(GOLDEN), cwd=tmp_path)
    assert result.stdout.startswith("40 hands (40 finished), 2080 plays, ")
    assert result.stdout.endswith(" moons, 0 wrong\n")


def test_wrong_records_are_named_and_the_rest_is_replayed(tmp_path):
    records = [json.loads(line) for line in lines()[:4]]
    records[1]["plays"][0]["card"] = "3C"
    records[3]["points"] = [1, 2, 3, 20]
    path = tmp_path / "wrong.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    result = hearts("replay", str(path), cwd=tmp_path)
    first, second = result.stderr.splitlines()
    assert result.returncode == 1
    assert first.startswith(f"{path}: line 2: plays[0]: seat ")
    assert "cannot play 3C: " in first
    assert second.startswith(f"{path}: line 4: points: [1, 2, 3, 20] are given, ")
    assert result.stdout.startswith("2 hands (2 finished), 104 plays, ")
    found = json.loads(hearts("replay", str(path), "--json", cwd=tmp_path).stdout)
    assert [(fault["line"], fault["place"]) for fault in found["faults"]] == [
        (2, "plays[0]"),
        (4, "points"),
    ]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("missing.jsonl", None, "No such file or directory"),
        ("text.jsonl.gz", b"no gzip here", "line 1: unreadable: Not a gzipped file"),
        ("half.jsonl.gz", DATA.read_bytes()[:9000], "unreadable: Compressed file ended"),
        ("binary.jsonl", b"\x93\xff\x00", "line 1: unreadable: 'utf-8' codec can't decode"),
        ("prose.jsonl", b"hello\n", "line 1: record: not JSON: Expecting value"),
        ("list.jsonl", b"[]\n", "line 1: record: must be an object"),
    ],
)
def test_files_that_are_no_records_are_named(tmp_path, name, data, message):
    path = tmp_path / name
    if data is not None:
        path.write_bytes(data)
    result = hearts("replay", str(path), cwd=tmp_path)
    assert result.returncode == 1
    assert result.stderr.startswith(f"{path}: ")
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_a_directory_is_no_file(tmp_path):
    result = hearts("replay", str(tmp_path), cwd=tmp_path)
    assert (result.returncode, result.stderr) == (1, f"{tmp_path}: Is a directory\n")


def test_without_files_it_is_a_mistake_of_usage(tmp_path):
    result = hearts("replay", cwd=tmp_path)
    assert result.returncode == 2
    assert "Missing argument 'FILES...'" in result.stderr


def test_an_empty_file_has_no_hands_and_no_fault(tmp_path):
    (tmp_path / "empty.jsonl").touch()
    result = hearts("replay", "empty.jsonl", cwd=tmp_path)
    assert (result.returncode, result.stdout[:8]) == (0, "0 hands ")
