"""What the twins of the detail mesh count, by position in `log`."""

WALKS_FAILED, NOTHING_FOUND, DANGLING, TABLE_FULL, CLAMPED, HEIGHTS_UNKNOWN, LOG_SIZE = 0, 1, 2, 3, 4, 5, 6
