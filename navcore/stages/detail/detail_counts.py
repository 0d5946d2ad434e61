"""What is counted while the detail mesh is built: everything that went less than well, one slot of a tally each.

Behind the counts, a tally has another slot for each: the number of the first polygon that was counted there, plus one.
"""

WALKS_FAILED, NOTHING_NEAR, HEIGHTS_UNKNOWN, DANGLING, TABLE_FULL, CLAMPED = 0, 1, 2, 3, 4, 5
KINDS = 6
TALLY_SLOTS = 2 * KINDS
