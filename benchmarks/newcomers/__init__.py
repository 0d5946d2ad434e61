"""What somebody waits for who is new here: the first commands of an empty environment, the first picture of a page."""
