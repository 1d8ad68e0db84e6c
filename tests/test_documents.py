"""What the documents point at exists, and nothing in them was left to be filled in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md")])
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
TO_FILL_IN = re.compile(r"@[A-Z]+@|\bTODO\b|\bFIXME\b")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere_and_nothing_is_left_to_fill_in(document):
    text = document.read_text("utf-8")
    local = [link for link in LINK.findall(text) if "://" not in link]
    assert [link for link in local if not (document.parent / link).exists()] == []
    assert TO_FILL_IN.findall(text) == []


def test_there_are_documents_with_links():
    assert len(DOCUMENTS) > 5
    assert any(LINK.search(document.read_text("utf-8")) for document in DOCUMENTS)
