"""The examples of README.md give what stands there."""

import doctest
import re
from pathlib import Path

from conftest import ROOT

README = Path(__file__).parent.parent / "README.md"


def test_the_examples_give_what_stands_there(monkeypatch):
    monkeypatch.chdir(ROOT)
    # The fences would count as output.
    text = re.sub(r"^```.*$", "", README.read_text(encoding="utf-8"), flags=re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest(text, {}, "README.md", str(README), 0)
    assert len(examples.examples) > 20
    told = []
    doctest.DocTestRunner().run(examples, out=told.append)
    assert not told, "".join(told)
