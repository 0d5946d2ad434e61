"""What is counted while the detail mesh is built: everything that went less than well, one slot of a tally each."""

WALKS_FAILED, NOTHING_NEAR, HEIGHTS_UNKNOWN, DANGLING, TABLE_FULL, CLAMPED = 0, 1, 2, 3, 4, 5
TALLY_SLOTS = 6
