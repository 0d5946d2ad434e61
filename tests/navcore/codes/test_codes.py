"""The table of codes, held to what the sources give."""

from __future__ import annotations

from pathlib import Path

import pytest

from navcore.__main__ import main
from navcore.build_warning import WARNING_CODES
from navcore.codes import codes, page_of, read_table
from tools.docs_site.codes_in_sources import ERROR, HINT, RULE, WARNING, codes_in_sources


def test_every_code_in_the_sources_has_a_row() -> None:
    given = {found.code: f"{found.file}:{found.line}" for found in codes_in_sources()}
    missing = {code: place for code, place in given.items() if code not in codes()}
    assert not missing, "write their rows in navcore/codes/texts_of_….txt"


def test_every_row_is_of_a_code_that_somebody_gives() -> None:
    assert not set(codes()) - {found.code for found in codes_in_sources()}


def test_every_warning_has_a_row() -> None:
    assert set(codes()) >= WARNING_CODES


def test_rows_are_sentences() -> None:
    for row in codes().values():
        assert not row.title.endswith(".") and row.title[0] == row.title[0].upper(), row.code
        assert row.meaning.endswith((".", ")")) and row.way_out.endswith((".", "`", ")")), row.code


def test_codes_are_found_however_they_are_given(tmp_path: Path) -> None:
    """By class, by position, by name, as a choice, through a helper, in a note, and as a field."""
    (tmp_path / "navcore").mkdir()
    (tmp_path / "navcore/some.py").write_text(
        '''
class NavmeshError(Exception):
    """The first."""
    code = "OF_CLASS"
class Below(NavmeshError): ...
class Invariant(NamedTuple):
    number: str
    code: str
def helper(what, code):
    raise Below(what, code)
class Hint(NamedTuple):
    code: str
def hinted(code, what):
    return Hint(code)
def _note(self, code, what, name): ...
def build(self, odd):
    raise Below(f"A {odd} one.", "BY_POSITION")
    raise Below("Named.", code="BY_NAME")
    raise Below("Either.", "ONE" if odd else "OTHER")
    helper("Helped.", "BY_HELPER")
    hinted("AS_HINT", "Hinted.")
    self._note("IN_NOTE", "is odd", odd.name)
    Invariant("I1", "OF_RULE")
    report("NOT_THIS")
'''
    )
    found = {given.code: given for given in codes_in_sources(tmp_path)}
    assert set(found) == {
        *("OF_CLASS", "BY_POSITION", "BY_NAME", "ONE", "OTHER", "BY_HELPER", "AS_HINT", "IN_NOTE", "OF_RULE"),
    }
    assert found["BY_POSITION"].sentence == "A … one." and found["BY_HELPER"].kind == ERROR
    assert (found["IN_NOTE"].kind, found["OF_RULE"].kind, found["AS_HINT"].kind) == (WARNING, RULE, HINT)


def test_a_row_that_is_not_complete_is_refused() -> None:
    assert [row.code for row in read_table("-> h.\n\nA: b\n    c.\n    -> d.\n\nE: f\n    g.")] == ["A", "E"]
    with pytest.raises(ValueError, match="The row of A"):
        list(read_table("A: b\n    c."))


def test_a_code_has_an_address_and_nothing_else_has() -> None:
    assert str(page_of("NOT_FINITE")).endswith("/codes/NOT_FINITE.html")
    assert page_of("NEVER_HEARD_OF") is None


def test_explain_tells_what_a_code_means(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "not_finite"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("NOT_FINITE: A coordinate is not a number.\n") and "What to do: " in said
    assert said.endswith("/codes/NOT_FINITE.html\n") and max(map(len, said.splitlines())) <= 100


def test_explain_suggests_the_code_that_was_meant(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "NOT_FINIT"]) == 1
    assert capsys.readouterr().err == (
        "navcore: UNKNOWN_CODE: There is no code 'NOT_FINIT'. Did you mean NOT_FINITE?\n"
    )
