"""Threads take whole clusters of agents that touch."""

from __future__ import annotations

import numpy as np
import pytest

from navcore.crowd.agents import CrowdRules, new_agents
from navcore.crowd.contacts import MOST_CONTACTS, Contacts, contacts_of
from navcore.crowd.rounds import shares_of

RULES = CrowdRules(0.3, 2.0, 1.5, 0.3, 1.5, 8.0, 1.5, 1 / 30, 8, 0, 0, 2)
COUNT = 300


def touching(pairs: int, seed: int) -> Contacts:
    """Agents of whom so many pairs touch, by chance. Some know of others that do not know of them."""
    rng = np.random.default_rng(seed)
    contacts = contacts_of(new_agents(COUNT, 1), RULES)
    contacts.counts[:] = 0
    for i, j in rng.integers(0, COUNT, (pairs, 2)).tolist():
        for one, other in ((i, j), (j, i))[: 1 + seed % 2]:
            if contacts.counts[one] < MOST_CONTACTS:
                contacts.agents[one, contacts.counts[one]] = other
                contacts.counts[one] += 1
    return contacts


@pytest.mark.parametrize("pairs", [0, 40, 130, 2000])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_who_touch_are_in_one_share_and_everybody_is_in_one(pairs: int, count: int) -> None:
    for seed in range(4):
        contacts = touching(pairs, seed)
        shares = shares_of(contacts, count)
        assert sorted(np.concatenate(shares).tolist()) == list(range(COUNT))
        share = np.empty(COUNT, np.int64)
        for number, rows in enumerate(shares):
            share[rows] = number
        for i in range(COUNT):
            assert (share[contacts.agents[i, : contacts.counts[i]]] == share[i]).all()


def test_shares_are_about_as_much_work() -> None:
    contacts = touching(100, 1)
    work = [int((1 + 4 * contacts.counts[rows]).sum()) for rows in shares_of(contacts, 2)]
    assert min(work) > 0.8 * max(work)


def test_one_cluster_is_one_share() -> None:
    contacts = touching(0, 0)
    contacts.agents[1:, 0], contacts.counts[1:] = np.arange(COUNT - 1), 1
    assert [len(rows) for rows in shares_of(contacts, 3)] == [COUNT]
