"""The pages of the manual, which `:help TOPIC` and `exprgrad help TOPIC` show.

They are Markdown files in `manual/`, each with a title on its first line; `manual/README.md` lists them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from exprgrad.annotations import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from exprgrad.views.blocks import Block

FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "manual")

CONTENTS = "manual"
"""The topic that lists the others."""

_CONTENTS = "README"
"""The name of its file, which repositories show with the folder."""

_MOST_MENTIONED = 3


class Page(NamedTuple):
    """A page of the manual, as Markdown."""

    topic: str
    text: str

    def blocks(self) -> list[Block]:
        """Return what it looks like on standard output."""
        from exprgrad.views.pages import page_blocks

        return list(page_blocks(self.text))

    def markdown(self) -> list[str]:
        """The page as it was written."""
        return self.text.splitlines()


def topics() -> list[str]:
    """The topics that have a page, in alphabetical order."""
    return sorted(name[:-3] for name in os.listdir(FOLDER) if name.endswith(".md") and name != f"{_CONTENTS}.md")  # fmt: skip


def page(topic: str) -> Page | None:
    """The page on a topic."""
    wanted = topic.lower()
    if wanted in (CONTENTS, _CONTENTS.lower()):
        return _read(CONTENTS, _CONTENTS)
    return _read(wanted, wanted) if wanted in topics() else None


def entitled(words: str) -> Page | None:
    """The only page with these words in its title: `class sets`, `how-it-works`."""
    wanted = re.escape(" ".join(words.lower().replace("-", " ").split()))
    titles = [(p, p.text.partition("\n")[0].lower()) for p in every()]
    found = [p for p, title in titles if re.search(rf"\b{wanted}\b", title)]
    # words that several titles have, such as `and`, name no page
    return found[0] if words and len(found) == 1 else None


def every() -> Iterable[Page]:
    """All pages but the contents."""
    return (_read(topic, topic) for topic in topics())


def mentioning(word: str) -> list[str]:
    """The topics whose pages mention a word most, at most three."""
    # the end is open, for plurals and other forms: derivative finds derivatives
    pattern = re.compile(rf"\b{re.escape(word)}", re.IGNORECASE)
    found = [(len(pattern.findall(p.text)), p.topic) for p in every()] if word else []
    counted = sorted((-count, topic) for count, topic in found if count)
    return [topic for _, topic in counted[:_MOST_MENTIONED]]


def beside(name: str) -> str:
    """A file of the manual's folder."""
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


def _read(topic: str, name: str) -> Page:
    return Page(topic, beside(f"{name}.md"))
