"""Places on the ground: a table of those that are of interest, and where one stands in it."""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from ..types import I64, AnyInt
from .arrays import power_of_two

_FREE = np.int64(-(1 << 62))  # no place


@kernel
def no_places(room: AnyInt) -> I64:
    """An empty table for up to `room` places."""
    places = np.empty(power_of_two(2 * room), np.int64)
    places[:] = _FREE
    return places


@kernel
def enter_place(places: I64, x: np.int32, z: np.int32) -> None:
    """A place that is there already stays there once."""
    key, slot = _key(x, z), _slot(x, z, places.shape[0])
    while places[slot] != _FREE and places[slot] != key:
        slot = (slot + 1) & (places.shape[0] - 1)
    places[slot] = key


@kernel
def slot_of_place(places: I64, x: np.int32, z: np.int32) -> AnyInt:
    """Where a place stands in the table, -1 for none."""
    key, slot = _key(x, z), _slot(x, z, places.shape[0])
    while places[slot] != _FREE:
        if places[slot] == key:
            return slot
        slot = (slot + 1) & (places.shape[0] - 1)
    return np.int64(-1)


@kernel
def _key(x: np.int32, z: np.int32) -> np.int64:
    return np.int64(x) << 32 | (np.int64(z) & 0xFFFFFFFF)


@kernel
def _slot(x: np.int32, z: np.int32, slots: int) -> np.int64:
    return (np.int64(x) * 0x9E3779B1 + np.int64(z) * 0x85EBCA6B >> 7) & (slots - 1)
