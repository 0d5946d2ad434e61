"""Navmeshes that somebody has modelled."""
