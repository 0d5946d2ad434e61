"""How much memory and time a build takes, and its refusal or end where that is too much."""
