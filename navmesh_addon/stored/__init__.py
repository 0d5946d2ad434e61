"""What the .blend file stores: settings, setups, area types, what objects are for, preferences and presets."""
