"""Reading and writing files safely, without a word about navmeshes: whole or not at all, bounded, never unpickled."""
