"""Every document is in the README's list, and the files and pages that documents name are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md")])


def test_the_readme_names_every_document() -> None:
    listed = set(re.findall(r"\]\((docs/[\w-]+\.md|CHANGELOG\.md)\)", README))
    assert listed == {page.relative_to(ROOT).as_posix() for page in PAGES} - {"README.md"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


def test_the_files_beside_the_equations_are_there() -> None:
    """Paths in how-it-works.md are those of the backend unless they name the other half; it has no second page."""
    text = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    paths = set(re.findall(r"`([\w/]+\.py)`", text))
    assert len(paths) > 30
    rooms = {path: ROOT if path.startswith("neurok_blender/") else ROOT / "backend" for path in paths}
    assert {path for path, room in rooms.items() if not (room / path).is_file()} == set()
    assert text.count("\n") < 160
