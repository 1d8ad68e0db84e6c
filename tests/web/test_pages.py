"""The pages themselves: words, weight, and access for everybody."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from urllib.request import Request, urlopen

from server.http.routes.pages import FILES, FOLDER, PAGES, TEXTS
from tests.web.browser import (
    DESKTOP,
    PHONE,
    begin,
    play_card,
    play_out,
    wait_for_turn,
    wait_until_still,
)

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text("utf-8")
MAX_BYTES = 600_000
GOLDEN = Path(__file__).parents[1] / "golden" / "hands.jsonl"


def keys_of(texts, prefix=""):
    """The full names of all texts; forms of a plural are one."""
    for key, value in texts.items():
        if isinstance(value, str) or "other" in value:
            yield prefix + key
        else:
            yield from keys_of(value, f"{prefix}{key}.")


def test_every_text_is_used_and_every_text_that_is_used_is_there():
    sources = [body.decode() for name, body in FILES.items() if name.endswith(".js")]
    sources += [path.read_text("utf-8") for path in (FOLDER / "templates").iterdir()]
    code = "\n".join(sources)
    for language, texts in TEXTS.items():
        there = set(keys_of(texts))
        literal = set(re.findall(r'\bt\("([\w.-]+)"', code))
        literal |= set(re.findall(r"\btext\.([\w.]+)", code)) & there
        # t(`play.pass_${…}`), choice("play.level", …), t(wide ? "a.b" : "a.c")
        literal |= {key for key in there if f'"{key}"' in code}
        stems = set(re.findall(r"`([\w.]+[._])\$\{", code)) | {
            f"{stem}." for stem in re.findall(r'choice\("([\w.]+)"', code)
        }
        assert literal - there == set(), language
        unused = {key for key in there - literal if not key.startswith((*stems, "pages."))}
        assert unused == set(), language


def test_languages_have_the_same_texts():
    assert len({frozenset(keys_of(texts)) for texts in TEXTS.values()}) == 1


def test_the_first_page_is_light_and_comes_at_once(visit, record_property):
    here = visit()
    sizes = []
    here.page.on("requestfinished", lambda request: sizes.append(request.sizes()))
    page = here.open("/")
    page.wait_for_selector("#play")
    usable = page.evaluate("performance.now()")
    page.wait_for_load_state("networkidle")
    total = sum(one["responseBodySize"] + one["responseHeadersSize"] for one in sizes)
    assert 10_000 < total < MAX_BYTES
    record_property("first_page_bytes", total)
    record_property("first_page_usable_ms", round(usable))


def test_files_are_kept_by_the_browser_and_found_nowhere_else(service):
    _, html, headers = service.get("/", as_json=False)
    assert "script-src 'self'" in headers["Content-Security-Policy"]
    address = re.search(r'src="(/static/\w+/)play-page.js"', html)[1]
    status, plain, headers = service.get(f"{address}cards.js", as_json=False)
    assert (status, "immutable" in headers["Cache-Control"]) == (200, True)
    assert "Content-Encoding" not in headers
    asked = Request(service.base + f"{address}cards.js", headers={"Accept-Encoding": "gzip"})
    with urlopen(asked) as packed:
        assert packed.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(packed.read()).decode() == plain
    for wrong in (f"{address}..%2fapp.py", f"{address}none.js", "/static/0/cards.js"):
        assert service.get(wrong)[0] == 404


def test_nobody_is_shut_out(visit, service):
    """axe-core finds no serious fault on any page, at a table, with every panel open."""
    here = visit(size=PHONE)
    page = here.page
    faults = []

    def look(place):
        if not page.evaluate("'axe' in window"):
            page.evaluate(AXE)
        for colours in ("light", "dark"):
            page.emulate_media(color_scheme=colours)
            page.wait_for_selector(f"html[data-theme={colours}]", state="attached")
            wait_until_still(page)
            found = page.evaluate(
                "axe.run({resultTypes: ['violations']}).then((all) => all.violations)"
            )
            faults.extend(
                (place, colours, one["id"], node["target"], node["failureSummary"])
                for one in found
                if one["impact"] in ("serious", "critical")
                for node in one["nodes"]
            )

    for path in PAGES:
        here.open(path)
        page.wait_for_selector("main > *:not(noscript, .loading)")
        look(path)
    here.open("/")
    page.click("#settings")
    look("settings")
    page.keyboard.press("Escape")
    begin(page)
    while wait_for_turn(page) and page.locator(".hand .card").count() > 11:
        play_card(page)
    look("table")
    page.click("#tab-hint")
    page.wait_for_selector(".advised-card")
    look("hint")
    for tab, there in (("beliefs", ".heat"), ("tricks", ".tricks"), ("deal", ".fair")):
        page.click(f"#tab-{tab}")
        page.wait_for_selector(there)
        look(tab)
    page.set_viewport_size(DESKTOP)
    look("table on a desk")
    play_out(service, here)
    page.wait_for_selector("#next")
    look("a hand that is over")
    page.set_viewport_size(PHONE)
    here.open("/review")
    page.fill("#record", next(iter(GOLDEN.read_text("utf-8").splitlines())))
    page.click("#read")
    page.wait_for_selector(".timeline i")
    look("review")
    page.set_viewport_size(DESKTOP)
    look("review on a desk")
    assert faults == []
