"""Numbers of OBJ files are what Python's `float` and a cast to float32 make of them, whoever reads them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from navcore.formats.obj.obj_reader import read_obj


def as_python_reads(words: list[str]) -> np.ndarray:
    with np.errstate(over="ignore"):
        return np.array([float(word) for word in words], np.float64).astype(np.float32)


def assert_read(path: Path, words: list[str]) -> None:
    """Both ways to read a file give the bits of these numbers."""
    words += ["0"] * (-len(words) % 3)
    path.write_text("".join(f"v {a} {b} {c}\n" for a, b, c in zip(*[iter(words)] * 3, strict=True)))
    wanted = as_python_reads(words).reshape(-1, 3).view(np.uint32)
    for by_kernel in (False, True):
        found = read_obj(path, by_kernel=by_kernel).vertices.view(np.uint32)
        wrong = np.flatnonzero((found != wanted).any(1))
        assert len(wrong) == 0, (by_kernel, words[3 * wrong[0] : 3 * wrong[0] + 3])


def float32_bits(rng: np.random.Generator, count: int) -> np.ndarray:
    bits = rng.integers(0, 1 << 32, count, dtype=np.uint64).astype(np.uint32).view(np.float32)
    return bits[np.isfinite(bits)]


def decimals(rng: np.random.Generator) -> Iterator[str]:
    """As programs write them: fixed places, nine digits, as many as float64 needs, NumPy's 19, and far too many."""
    values = rng.uniform(-1000, 1000, 4000)
    for form in ("%.6f", "%.9g", "%r", "%.18e", "%.2e", "%.30f", "%+.12E"):
        yield from (form % value for value in values.tolist())


def halves(rng: np.random.Generator) -> Iterator[str]:
    """Numbers half-way between two of float32, and the nearest to them of float64 on either side."""
    for value in float32_bits(rng, 3000).astype(np.float64).tolist():
        middle = (value + float(np.nextafter(np.float32(value), np.float32(np.inf)))) / 2
        if abs(middle) < 3.4e38:
            yield from (repr(float(x)) for x in (middle, np.nextafter(middle, -np.inf), np.nextafter(middle, np.inf)))
            yield f"{middle:.25e}"


def of_any_size(rng: np.random.Generator) -> Iterator[str]:
    for value in float32_bits(rng, 5000).tolist():
        yield from (f"{value!r}", f"{value:.9g}", f"{value:.0f}", f"{value:.60f}")


def odd(_: np.random.Generator) -> list[str]:
    return [
        "-0", "+0.0", "0e5", "-0e-999", "00012.500", ".5", "5.", "-.5e1", "1e+03", "16777217", "16777219", "33554435",
        "9007199254740993", "9007199254740992", "1e22", "1e-22", "1e23", "8388608.5", "8388609.5", "1e-45", "7e-46",
        "7.1e-46", "1e-46", "1e-60", "1e-400", "3.4028235e38", "3.4028235677973362e38", "123456789012345678",
        "1234567890123456789", "12345678901234567890.5", "0.000000000000000000000000000001", "1" + "0" * 30,
        "0." + "0" * 50 + "1", "1" + "0" * 30 + "e-30", "0" * 40 + "7", "1.000000059604644775390625000000000000000001",
    ]  # fmt: skip


@pytest.mark.parametrize("make", [decimals, halves, of_any_size, odd])
def test_numbers_are_read_to_the_last_bit(tmp_path: Path, make: Callable[[np.random.Generator], Iterator[str]]) -> None:
    assert_read(tmp_path / "m.obj", list(make(np.random.default_rng(3))))


def test_random_digits_are_read_to_the_last_bit(tmp_path: Path) -> None:
    chance = random.Random(5)

    def digits(most: int) -> str:
        return "".join(chance.choices("0123456789", k=chance.randint(0, most)))

    words = []
    while len(words) < 9000:
        exponent = f"e{chance.choice(['', '+', '-'])}{chance.randint(0, 30)}" if chance.random() < 0.4 else ""
        word = f"{chance.choice(['', '-', '+'])}{digits(25)}.{digits(25)}{exponent}"
        if any(c.isdigit() for c in word.partition("e")[0]) and abs(float(word)) < 3.4e38:
            words.append(word)
    assert_read(tmp_path / "m.obj", words)
