"""Codes of building: what is too large or takes too long, what was mended, clusters, gates, and Blender's side."""

WAY_OUT = ""

TABLE = """
NAVMESH_ERROR: Something was refused or failed
    The class that all errors of navcore are derived from; by itself it is given to none of them.
    -> Catch `NavmeshError`, and look at `code` and the sentence.

NOTHING_WALKABLE: No agent of this size can stand anywhere
    The level is sound, and nothing of it is left as walkable ground. The sentence names the step that lost the last of
    it: slopes, room above the floor, ledges, the agent's radius, or islands that are too small.
    -> Follow the sentence: a smaller agent, a steeper slope, smaller cells, a smaller Region Min Size, or floors whose
    normals look up.

TOO_LARGE: A size is beyond what a navmesh can hold
    The grid has more cells, the level is higher, or a mesh has more vertices or regions than its numbers can count.
    -> Raise Cell Size or Cell Height to the value in the sentence, set a Tile Size, or select less.

TOO_MANY_SPANS: The level has too many surfaces
    Every surface above a cell is a span, and there are more than can be numbered.
    -> Raise Cell Size, use tiles, or select less.

NOT_ENOUGH_MEMORY: The build would take more memory than is free
    The need was computed before any of it was taken.
    -> Raise Cell Size to the value in the sentence, set a Tile Size, close other programs, or select less.

OUT_OF_MEMORY: The memory ran out
    The system had no more to give. Nothing was changed.
    -> Raise Cell Size, use (smaller) tiles, use fewer threads, or select less.

TAKES_LONG: The build will take long
    More than ten minutes of one core, by a forecast.
    -> Raise Cell Size to the value in the sentence, or be patient: Esc stops the build at any time.

TAKES_TOO_LONG: The build would take more than a day
    It is refused before it begins, because no one waits for that by intent.
    -> Raise Cell Size to the value in the sentence, select less, or build on a cluster.

STAGE_HANGS: A step of the build did not come to an end
    A guard stopped it. That is a fault of Navmesh.
    -> Please report it, with the files that `--failures FOLDER` keeps. Another Cell Size usually passes.

BROKEN_MESH: A part of the mesh could not be mended
    Every build is validated. Something breaks a rule, and building it again with finer outlines did not help. That is a
    fault of Navmesh: nothing broken is handed out.
    -> Change Cell Size or Edge Max Error a little, and please report it, with the files that `--failures FOLDER` keeps.

REPAIRED: A part of the mesh was mended
    Recast's way would have left polygons that overlap, face down or lose their connections. They were outlined again.
    The sentence names the place and the rules that had been broken.
    -> Nothing. Turn *Repair* off to get Recast's result, broken parts included.

BROKEN: A part of the mesh is broken and was kept
    *Repair* is off, so what Recast leaves broken stays.
    -> Turn *Repair* on.

GROUND_LEFT_OUT: A little ground was left out
    Where no sound outline could be found, small pieces of ground were given up.
    -> Look at the place in the sentence. Smaller cells keep more.

OUTLINES: Something is odd about outlines
    Outlines of regions could not be joined or simplified as they should.
    -> Look at the place in the sentence. Lower Edge Max Error or Cell Size where ground is missing.

POLYGONS: Something is odd about polygons
    A polygon could not be triangulated or merged as it should.
    -> Look at the place in the sentence. Lower Edge Max Error or Cell Size where ground is missing.

DETAIL: Something is odd about the detail mesh
    The heights of a polygon could not be sampled as finely as they were asked for.
    -> Raise Detail Sample Distance, or use smaller polygons (Edge Max Length) or tiles.

REGIONS_OVERLAP: Regions lie above themselves
    A region of the watershed partition winds around and covers itself, as on spiral stairs; its polygons may overlap.
    -> Use the monotone or layers partition.

TILE_FAILED: A tile could not be built
    An error that is no refusal: a fault of Navmesh.
    -> Please report it, with the level if you can.

NOT_BUILT: Only what was built can be used for it
    A navmesh that was read from a file does not hold the build: neither how it was cut into tiles nor its stages.
    -> Build the level again.

NO_STAGES: The build kept no stages
    What single stages made is thrown away as soon as it is no longer needed.
    -> Build with `keep_stages=True`, or with *Keep Stages* in Blender.

NOT_TILED: Only tiles can be built again in part
    `rebuild_tiles` was given a navmesh that was built in one piece.
    -> Set `tile_size` and build the whole once.

NOTHING_TO_ASK: There is no navmesh that could be asked
    In Blender a path was asked for and the active setup has no navmesh yet, or one that was built in another session.
    -> Build it, or build it again.

NO_WAY_TO_WALK: There is no way that agents could walk
    In Blender a walk was asked for before a start and an end were set, or no way leads from one to the other.
    -> Set them with the tool *Navmesh Test* (click, Ctrl-click), so that it draws a whole way.

NO_PART: The level has no such part
    `Level.remove_part` was given a name that no part has, or no longer has.
    -> Look at `level.parts`; parts come with `set_part`.

CANCELLED: The build was cancelled
    By Esc, Ctrl+C, a signal or the caller. Nothing was changed or written.
    -> Build again when you like.

TOO_MANY_CELLS: Navmeshes are compared in too many cells
    What changed is looked for in the middles of cells, and there would be more of them than memory holds.
    -> Give a larger cell: `--cell 0.5`.

PATH_LOST: A path that was there before is gone
    A path test of the scene was passed by the build before, and this one fails it: a wall moved, a link came off, or a
    setting changed. The build goes through; the panel *Ask* shows which tests fail and why.
    -> Look at what changed since (the panel *Compare* shows it). The sentence says how much is missing, and what would
    join both ends where that is known. If the path is no longer meant, remove the test.

PLACE_LOST: A place that was walkable before is not any more
    An object of the scene's collection of places, or a seed, stood on the navmesh of the build before and could be
    reached; in this build it does not, or cannot.
    -> The sentence has the first rule that removed the place. Change what it names, or move the object.

GATE_FAILED: The navmesh is not what its gates ask for
    The build went through; islands, seeds, the change of area or a warning stopped it. No output was written, and the
    exit status is 3.
    -> The report names the gate and what was found. Repair the level, or accept the change by a new report.

DASK_MISSING: The package for clusters is not installed
    Building on a Dask cluster needs `distributed`.
    -> `pip install distributed`

DASK_UNREACHABLE: There is no scheduler at this address
    Nothing answered, or something else than a Dask scheduler.
    -> Start one with `dask scheduler` and give the address that it prints, such as `tcp://127.0.0.1:8786`.

DASK_NO_WORKERS: The cluster has no workers
    The scheduler is there, and nobody works for it.
    -> Start workers with `dask worker` and the scheduler's address, and look at what they say if they end at once.

EXECUTOR_FAILED: The executor did not build its tiles
    What was given as `executor` raised an error of its own.
    -> Look at what its workers say, or build without it.

WORKER_LOST: Workers died while they built
    Often because memory ran out.
    -> Lower Tile Size or use fewer workers, and look at what they said last.

WORKER_VERSION: A worker has another version of navcore
    Tiles of different versions do not fit together, so they are refused.
    -> Install the same version on all machines and start the workers again.

WORKER_WITHOUT_NAVCORE: A worker cannot load navcore
    It is not installed there, or NumPy or Numba are missing.
    -> Install the same version of navcore on every machine, or start the workers with PYTHONPATH set to its folder.

NO_BUILDER: Numba cannot be loaded in this Blender
    The extension brings it along; another extension, or a zip for another platform, is in the way.
    -> Install the zip for this platform from Preferences > Get Extensions > Install from Disk, and start Blender again.
    The sentence has the reason.

BUSY: A navmesh is being built already
    One build runs at a time.
    -> Wait for it, or press Esc.

SCENE_GONE: The scene was deleted while its navmesh was built
    Another file was opened, or the scene was removed. The result was thrown away.
    -> Build again.

IN_EDIT_MODE: The navmesh is being edited
    Its mesh cannot be replaced while it is in edit mode.
    -> Leave edit mode (Tab) and build again.

NO_FOUND_LINKS: There are no found links
    Something was to be done with a found link, and the navmesh has none, or not that one.
    -> Switch on *Find Links* and build; look at the list *Found Links*.

LINKS_DAMAGED: The mesh of found links can no longer be read
    It lost an attribute or its ledger, or has faces without four corners: nobody knows any more which links were
    rejected or moved.
    -> Undo what was done to it.
    -> Or delete the object: the next build finds all links anew.

NO_NAVMESH: There is no navmesh yet
    What was asked for needs a navmesh that was built or imported.
    -> Press *Build Navmesh* first.

NO_ISLAND: There is no such island
    Islands are counted from 0, the one with the most ground first, and anew with every build. The only island of a
    navmesh cannot be left out.
    -> Look at the list under *Islands*.

NO_VIEWPORT: There is no 3D viewport
    An island can only be shown in a window that has one.
    -> Open a 3D viewport.

IMPORTED_NAVMESH: The navmesh was imported
    It is what its file says, and no setup builds it: nothing can be left out of it here.
    -> Build the navmesh in this scene, and leave the island out of that.

TOO_MANY_ISLANDS: More islands than seeds should be put on
    To leave one island out, all others need a seed, and hundreds of empties would only be in the way.
    -> Put seeds where agents set out and switch on *Only What Seeds Reach*, or raise *Region Min Size*.

FORGOTTEN: A navmesh no longer knows what it was built from
    Its record was removed, or comes from a version that kept another one.
    -> Build it anew from the panel.

IMPORTED: An imported navmesh cannot be built again
    A file knows nothing of the level that it was made from.
    -> Select the level and press *Build Navmesh*.

STORE_DAMAGED: A file of a tile store cannot be used
    It is cut off, altered, or not what its name says. What was missing was built again.
    -> Nothing. If this is told again, delete the file, and look whether the disk is sound.

KERNELS_NOT_KEPT: Compiled kernels cannot be kept
    The folder for them cannot be made or written to, others can write to it, or it lies on a full disk. Builds work all
    the same: every run compiles again, which takes up to a minute. `navcore prepare`, which does nothing else, fails.
    -> Make the folder that is named one that you alone can write to, or name another in XDG_CACHE_HOME.

STORE_NOT_WRITTEN: The tile store cannot be written to
    The navmesh is built; its tiles are not kept for the next time.
    -> Change the folder's permissions, free some space, or choose another folder.

STORE_NEWER: The tile store is of a newer version
    Another navcore made it, and this one does not know its form.
    -> Choose another folder, or build with the navcore that made it.

NOT_A_STORE: The folder is no tile store
    It holds something else, which is left alone.
    -> Choose a folder that is empty or not there yet.

STORE_WITHOUT_TILES: A store keeps tiles, and the level has none
    `tile_size` is 0, so that the level is built in one piece.
    -> Set `tile_size`, to 64 say, or build without a store.
"""
