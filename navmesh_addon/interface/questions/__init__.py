"""Operators that ask something of finished navmeshes and change none."""
