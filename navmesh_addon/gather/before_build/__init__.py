"""What can be said of a level before it is built: the forecast, hints, and what their buttons do."""
