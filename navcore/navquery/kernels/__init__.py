"""One question each, for a range of rows: Detour's arithmetic in float32, step by step."""
