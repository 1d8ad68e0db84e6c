"""The command line."""

import json
import subprocess
import sys

import pytest

from server import version
from server.cli import COMMANDS
from tests.server.service import hearts, hearts_process


def test_help_names_every_command(tmp_path):
    result = hearts("--help", cwd=tmp_path)
    assert result.returncode == 0
    for name, (_, about) in COMMANDS.items():
        assert f"  {name}" in result.stdout
        assert about in result.stdout
    assert "HEARTS_*" in result.stdout


def test_help_loads_nothing_heavy():
    script = """
import sys
from server.cli import main
main(["--help"], standalone_mode=False)
print({"numba", "numpy", "flask", "sqlalchemy"} & set(sys.modules))
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert result.stdout.splitlines()[-1] == "set()", result.stderr


def test_version(tmp_path):
    """The console script, as a process."""
    assert hearts_process("--version", cwd=tmp_path).stdout == f"hearts, version {version()}\n"


def test_config_for_people_says_what_is_set(tmp_path):
    lines = hearts("config", cwd=tmp_path, HEARTS_PORT="9000").stdout.splitlines()
    assert any(line.split() == ["HEARTS_PORT", "9000", "(set)"] for line in lines)
    assert any(line.split() == ["HEARTS_HOST", "127.0.0.1"] for line in lines)
    (tmp_path / "hearts.toml").write_text("queue = 3\n")
    lines = hearts("config", cwd=tmp_path).stdout.splitlines()
    assert any(line.split() == ["HEARTS_QUEUE", "3", "(hearts.toml)"] for line in lines)


def test_config_for_programs_says_where_values_come_from(tmp_path):
    found = json.loads(hearts("config", "--json", cwd=tmp_path, HEARTS_PORT="9000").stdout)
    assert (found["port"]["value"], found["port"]["source"]) == (9000, "HEARTS_PORT")
    assert (found["host"]["value"], found["host"]["source"]) == ("127.0.0.1", "default")


@pytest.mark.parametrize("command", [["config"], ["serve"], ["database", "status"]])
def test_a_bad_setting_is_one_line_and_exit_1(tmp_path, command):
    result = hearts(*command, cwd=tmp_path, HEARTS_PORT="many")
    assert result.returncode == 1
    assert result.stderr == (
        "Error: HEARTS_PORT must be a whole number from 1 to 65535, not 'many'\n"
    )


def test_the_database_is_created_and_inspected(tmp_path):
    before = hearts("database", "status", cwd=tmp_path)
    assert (before.returncode, "there is no database" in before.stderr) == (1, True)
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "hearts.db").touch()
    before = hearts("database", "status", cwd=tmp_path)
    assert (before.returncode, "this version needs" in before.stderr) == (1, True)
    made = hearts("database", "upgrade", cwd=tmp_path)
    assert made.stdout.startswith("sqlite:///var/hearts.db is at revision 0")
    assert hearts("database", "status", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    "words",
    [
        ("stats",), ("export", "-"), ("review", "abc"), ("decisions", "list"),
        ("decisions", "show", "1"), ("decisions", "replay", "1"), ("decisions", "audit"),
        ("keys", "list"), ("keys", "revoke", "me"), ("keys", "adopt", "me"),
        ("database", "status"), ("database", "prune"), ("database", "downgrade", "base", "--yes"),
    ],
)  # fmt: skip
def test_a_missing_database_is_said_and_not_created(tmp_path, words):
    result = hearts(*words, cwd=tmp_path)
    missing = "there is no database var/hearts.db: `hearts database upgrade` creates it"
    assert (result.returncode, result.stderr) == (1, f"Error: {missing}\n")
    assert list(tmp_path.iterdir()) == []


def test_help_needs_no_database(tmp_path):
    for words in (("keys", "revoke"), ("decisions", "list"), ("database", "prune"), ("stats",)):
        assert hearts(*words, "--help", cwd=tmp_path).returncode == 0
    assert list(tmp_path.iterdir()) == []


def test_commands_that_write_create_the_database(tmp_path):
    (tmp_path / "none.jsonl").write_text("")
    assert hearts("import", "none.jsonl", cwd=tmp_path).returncode == 0
    assert hearts("stats", cwd=tmp_path).returncode == 0


def test_the_name_of_a_revoked_key_is_used_again(tmp_path):
    first = hearts("keys", "create", "me", cwd=tmp_path).stdout
    taken = hearts("keys", "create", "me", cwd=tmp_path)
    assert (taken.returncode, taken.stderr) == (1, "Error: there is a key named 'me' already\n")
    for _ in range(2):
        assert hearts("keys", "revoke", "me", cwd=tmp_path).returncode == 0
        assert hearts("keys", "create", "me", cwd=tmp_path).stdout not in ("", first)
    listed = hearts("keys", "list", cwd=tmp_path).stdout.splitlines()
    assert [" revoked " in line for line in listed] == [True, True, False]
    assert {line.split()[0] for line in listed} == {"me"}
    told = hearts("keys", "adopt", "me", "--dry-run", cwd=tmp_path).stdout
    assert told == "0 games would be given to me\n"


def test_an_unknown_command_is_refused(tmp_path):
    result = hearts("dance", cwd=tmp_path)
    assert result.returncode == 2
    assert "No such command 'dance'" in result.stderr
