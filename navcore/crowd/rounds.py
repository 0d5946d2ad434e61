"""Rounds of touching: aims are moved apart, agents go there, and it is noted what has become of each.

Agents that may touch, each other or by way of others between them, are a cluster, and what happens in one is nothing to
the others. So threads take whole clusters, and none waits for another between two rounds.
"""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from ..navquery.query_mesh import QueryMesh
from ..types import I64, AnyInt
from .agents import Agents, CrowdRules
from .contacts import Contacts, go_rows, hold_rows, part_rows
from .movement import settle_rows

APART, THERE = 5, 3  # rounds of moving aims apart, and of going there
_A_CONTACT = 4  # how much work one is, beside an agent that touches nobody


def shares_of(contacts: Contacts, count: int) -> list[I64]:
    """All agents, in so many shares: who may touch somebody is in the same one, and each is about as much work."""
    order, ends = np.empty(len(contacts.counts), np.int64), np.empty(count, np.int64)
    _share_out(contacts, order, ends)
    firsts = [0, *ends[:-1].tolist()]
    return [order[first:end] for first, end in zip(firsts, ends.tolist(), strict=True) if end > first]


@kernel
def _share_out(contacts: Contacts, order: I64, ends: I64) -> None:
    """Write agents share by share, and where each share ends."""
    counts, count, shares = contacts.counts, len(order), len(ends)
    if shares == 1:
        for i in range(count):
            order[i] = i
        ends[0] = count
        return
    leader, work = np.empty(count, np.int64), np.zeros(count, np.int64)
    for i in range(count):
        leader[i] = i
    for i in range(count):
        for k in range(counts[i]):
            one, other = _leader(leader, i), _leader(leader, contacts.agents[i, k])
            leader[max(one, other)] = min(one, other)
    for i in range(count):
        leader[i] = _leader(leader, i)
        work[leader[i]] += 1 + _A_CONTACT * counts[i]
    share, load, first = np.empty(count, np.int64), np.zeros(shares, np.int64), np.zeros(shares + 1, np.int64)
    for i in range(count):
        if leader[i] == i:  # the first one of its cluster: the others have larger numbers
            share[i] = np.argmin(load)
            load[share[i]] += work[i]
        else:
            share[i] = share[leader[i]]
        first[share[i] + 1] += 1
    for k in range(shares):
        first[k + 1] += first[k]
        ends[k] = first[k + 1]
    for i in range(count):
        order[first[share[i]]] = i
        first[share[i]] += 1


@kernel
def _leader(leader: I64, i: AnyInt) -> int:
    """The smallest number in an agent's cluster, as far as it is known."""
    while leader[i] != i:
        leader[i] = leader[leader[i]]
        i = leader[i]
    return int(i)


@kernel
def touch_rows(
    mesh: QueryMesh, seen: Agents, agents: Agents, rules: CrowdRules, contacts: Contacts, rows: I64
) -> None:  # fmt: skip
    """All rounds of a share, and what has become of it. `seen`: the same agents, as others see them."""
    for k in range(APART):
        part_rows(mesh, seen, rules, contacts, k % 2, rows)
    hold_rows(seen, rules, contacts, APART % 2, rows)
    for k in range(THERE):
        go_rows(mesh, seen, rules, contacts, k % 2, APART % 2, rows)
    settle_rows(mesh, agents, rules, contacts, THERE % 2, rows)
