"""The questions that `NavQuery` answers, by what they are about."""
