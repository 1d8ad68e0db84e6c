"""Every example of the guide, and the request of the README, is executed."""

from __future__ import annotations

import pytest

from tests.docs.examples import ADDRESS, Shell, check_shown, examples
from tests.docs.markdown import ROOT, all_blocks, blocks, read

PAGES = sorted((ROOT / "docs" / "guide").glob("*.md"))
PYTHON = [(page, block) for page in PAGES for block in blocks(read(page), "python")]


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.stem)
def test_curl(api, page):
    shell = Shell(api.client)
    for example in examples(read(page)):
        answer = shell.run(example)
        assert answer.status_code == example.status, answer.text
        if example.shown:
            check_shown(example.shown, answer)


@pytest.mark.parametrize(("page", "code"), PYTHON, ids=lambda value: getattr(value, "stem", ""))
def test_python(address, monkeypatch, page, code):
    monkeypatch.chdir(ROOT)
    compiled = compile(code.replace(ADDRESS, address), str(page), "exec")
    exec(compiled, {"__name__": "guide"})


def test_every_block_is_of_a_known_kind():
    kinds = {block.language for page in PAGES for block in all_blocks(read(page))}
    assert kinds == {"sh", "json", "python"}
