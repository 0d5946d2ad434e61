"""A navmesh that follows its level while people work: built again where it changed, shown at once, written at rest."""
