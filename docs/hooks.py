"""mkdocs hooks: documents outside docs/ become pages, and links between all of them keep working.

A link in a document is relative to that file in the repository, so it works on any code host. On
the site the same link is rewritten to the page of its target.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
DOCS = "docs/"
# Documents outside docs/, and the pages that they become.
PAGES = {
    "README.md": "index.md",
    "API_SPEC.md": "API_SPEC.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "LICENSE": "LICENSE.txt",
    "examples/README.md": "examples.md",
}
SOURCES = {page: source for source, page in PAGES.items()}
LINK = re.compile(r"(?<=\]\()([^)\s#]+)(?=[)#])")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the documents outside docs/."""
    for source, page in PAGES.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Rewrite links between documents."""
    return LINK.sub(lambda link: page_link(link[0], page.file.src_uri), markdown)


def page_link(target: str, page: str) -> str:
    """`target` of a link in `page`, from the repository's layout to that of the site."""
    source = SOURCES.get(page, DOCS + page)
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
    if "://" in target or not (ROOT / path).is_file():
        return target
    place = PAGES.get(path, path.removeprefix(DOCS))
    return posixpath.relpath(place, posixpath.dirname(page) or ".")
