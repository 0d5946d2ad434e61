"""Codes of what a build is made from: settings, scenes, mesh files, and what Blender gathers."""

WAY_OUT = ""

TABLE = """
BAD_SETTINGS: A setting is out of its range
    A value is not what the setting takes, or voxels of this size cannot represent it. The sentence names the setting,
    the value and the range.
    -> Give a value within the range. `python -m navcore settings` lists all of them. Where an agent is too tall in
    voxels, raise Cell Height to the size that the sentence names.

UNKNOWN_SETTING: There is no setting of this name
    A settings file or a call names something that is no setting, often by a spelling mistake.
    -> Take the name that the sentence suggests, or one of those that `python -m navcore settings` lists.

BAD_FILTER: A filter of a query is not possible
    Flags are whole numbers from 0 to 65535, areas go from 0 to 63, and a metre costs 0 or more.
    -> Correct the number that the sentence names. To keep agents out of an area, give its flags to `exclude`.

WRONG_QUESTION: A query was asked something that it does not take
    Arrays of another shape, a different number of rows on both sides, extents that are not above 0, or an option that
    does not exist. A single row that cannot be answered is no error: its status says so.
    -> The sentence names what was given, and what is taken. Points are (N, 3) numbers, references are those that
    queries return.

UNEQUAL_COSTS: The shortest path was asked for where areas cost differently
    Where a metre costs more in one area than in another, the cheapest path is not the shortest, and may bend anywhere
    at the border of areas. The exact search answers for equal costs alone; links may cost more than the ground, never
    less.
    -> Ask without `exact` (`navcore path` without `--exact`): Detour's search weighs areas. Or give areas equal costs,
    and keep agents out of what they must not enter with `exclude`.

NOTHING_TO_COMPARE: There is nothing to compare with
    The build before the last one is asked for, and there was one build since the file was opened; or no file was
    chosen; or what was chosen is gone. Navmeshes of earlier builds are kept in memory alone, the last six of them.
    -> Change the level and build again, or compare with another setup or with a navmesh file.

SAME_NAVMESH: A navmesh would be compared with itself
    Both sides name the same build or the same file.
    -> Choose another setup, the build before the last one, or a file for one of them.

UNKNOWN_CODE: There is no such code
    `navcore explain` was asked for a code that no error, warning or hint has.
    -> Take one of those that the sentence suggests, or copy the code from the message.

BAD_INPUT: What was handed in is not what it should be
    Arrays of another shape or kind, or a file with something else in it than its ending says.
    -> The sentence says what was expected and what was found. Vertices are (N, 3) numbers, triangles (M, 3) whole
    numbers.

WRONG_KIND: An argument is of another kind
    A function of navcore was given something else than it takes, such as text in the place of a mapping.
    -> The sentence says what it must be; types stand in the Python reference.

BAD_SCENE: A scene file holds something that is not possible
    Volumes, links, seeds, bounds or mapped names are checked one by one; the sentence names the entry, counted from 1,
    the field and the value.
    -> Correct that field. `docs/scene.schema.json` describes every field, and editors that know JSON schemas show
    mistakes while you type.

BAD_AREA_TABLE: A row of the area table is not possible
    The table maps area ids from 0 to 62 to flags from 0 to 65535, or to an object with `name` and `flags`.
    -> Correct the row that the sentence names.

BAD_JSON: A JSON file cannot be read
    The text is no JSON, holds a name twice, a number that is not finite, or is larger or nested deeper than is read.
    -> The sentence names the place. Any JSON checker shows the same.

NO_ENDS: There is no path to keep as a test
    In Blender the tool Navmesh Test has no start and no end yet.
    -> Click with the tool to set the start, Ctrl-click to set the end, then add the test.

NO_TESTS: There is no path test or place to write
    The scene's list of path tests, or its collection of places, is empty.
    -> Add a path test, or a place, in the panel *Ask*.

BAD_INTENT: A file of paths or places to test cannot be used
    What `--test` or `--must-reach` was given holds something else than rows of names and points.
    -> The sentence names the row and shows the form that it must have.

NOT_FINITE: A coordinate is not a number
    Vertices or a transform hold infinity or "not a number". A builder that goes on with them loses parts of the level.
    A mesh file or arrays are refused with the count and the first triangle; in Blender such faces and objects are left
    out by name.
    -> Remove these vertices, or set their coordinates anew; in Blender look for modifiers and drivers that divide by
    zero. Elsewhere repair the exporter that wrote them.

INDEX_OUT_OF_RANGE: A triangle uses a vertex that does not exist
    The level refers to vertices beyond those that it has: a file that was cut off, or an exporter that counts wrongly.
    -> Export the level again. In arrays count vertices from 0, in `.obj` files from 1.

NO_TRIANGLES: There is nothing to build from
    No object with faces is among what was chosen: nothing is selected, the collection is empty, or rules, names and
    visibility leave everything out.
    -> Select at least one object with faces, or choose *Everything Visible* as scope. The panel *Before the Build* and
    the report name what was left out and why.

EMPTY_BOUNDS: The bounds are smaller than a cell
    On the ground the level, or the bounds that were given, do not hold a single cell.
    -> Is the level's up axis y? (Blender's is turned by itself; mesh files must have y up.) Otherwise lower Cell Size.

TOO_FAR: The level lies too far from the origin
    Coordinates are float32: far out they are no longer exact to a part of a cell, and the mesh would be wrong.
    -> Move the level to the origin, or cut away what lies far outside of it.

WRONG_ENCODING: The text of a mesh file is UTF-16
    OBJ files are read as UTF-8 or ASCII.
    -> Save it as UTF-8 in a text editor, or with `iconv -f UTF-16 -t UTF-8`.

FACES_NOT_CUT: Faces that cross themselves were read as fans
    Faces of an `.obj` with many corners are cut into triangles. One that crosses itself has no inside; it became a fan
    of triangles, which may cover ground that is none.
    -> Triangulate these faces in the program that made them. The sentence names their lines.

LINES_LEFT_OUT: Lines of a mesh file were not read
    Curves, surfaces and other things that are no faces are left out.
    -> Convert what should be walked on to meshes before you export it.

PARTS_LEFT_OUT: Parts of a level file were not read
    Meshes that bones move, such as characters, have no one place, and are no part of the level.
    -> Nothing, if they are characters. If they are ground or walls, apply their armature before you export the level.

NEEDS_TRIMESH: The format is read with trimesh, and it is not installed
    `.obj`, `.npz`, `.glb` and `.gltf` are read without it; other mesh files are read with trimesh, a Python package.
    -> `pip install navmesh[formats]`, or `pip install trimesh`; or export the level as `.glb`.

NEEDS_A_PACKAGE: A package that trimesh needs for the format is not installed
    trimesh reads some formats with the help of others, such as `.3mf` with lxml and networkx.
    -> Install what the sentence names with pip, or export the level as `.glb`.

NAME_NOT_FOUND: A mapped name is not in the mesh file
    The scene file maps materials or groups to areas, and the level has none of that name: it was renamed, or capitals
    differ.
    -> Correct the name in the scene file, or in the level. `--fail-on NAME_NOT_FOUND` stops a pipeline over it.

CANNOT_READ: A file cannot be read
    It is not there, may not be read, or the disk failed; the sentence has the system's reason.
    -> Check the path and the rights to the file.

FILE_TOO_LARGE: A file is larger than what is read
    A limit protects the memory from files that only say they are large.
    -> If the file is what you expect it to be, write the level in tiles, with larger cells, or in several files.

UNKNOWN_FORMAT: The ending of a file is not known
    The ending chooses the format, and this one is none of those that are read or written.
    -> Take one of the endings in the sentence.

NO_IMPORTER: This Blender cannot import files of this ending
    `blender --command navmesh build` imports levels with what File > Import has, and here the importer is missing: this
    version of Blender has none, or the add-on that brings it cannot be enabled.
    -> Enable the add-on in Preferences > Add-ons, or hand the level over as `.glb` or `.blend`.

NO_COLLECTION: There is no collection of this name
    The setup, or `--collection`, names a collection that this scene does not have.
    -> Choose an existing collection in the panel, or correct the name.

NO_SEEDS: There is nothing to prune from
    Pruning keeps what a seed can reach. There is no seed, or none stands on the navmesh.
    -> Mark an empty where agents set out as *Seed* (panel *Object*, *Use*), or give `seeds` in the scene file; put them
    on walkable ground.

SEED_OFF_NAVMESH: A seed stands on no navmesh
    No walkable ground lies under or near a point from which agents are to set out.
    -> Move the seed onto the ground, at most an agent's height above it, and off walls by its radius.

BAD_MARKER: A volume, a link or a seed marks nothing
    An object is marked as one of these, and has no size, covers no ground, leads nowhere or has no location.
    -> Give a volume faces and a link its other end (panel *Object*), or set *Use* to something else.

NOT_CONVEX: An area volume is not convex
    Volumes are upright prisms over the outline of their object. Where it bends inward, the hull around it is marked.
    -> Divide the volume into convex ones where the difference matters.

ODD_ATTRIBUTE: The attribute `navmesh_area` is of the wrong kind
    Areas of faces are read from an attribute of that name which must be an integer on faces.
    -> Remove it and add it again: Properties > Data > Attributes, domain Face, type Integer.

ZERO_SCALE: An object is scaled to nothing
    Along an axis its scale is 0: it has no volume, and its faces look nowhere.
    -> Set the scale (panel *Item*), or leave the object out.

SCALE: An object's scale is not applied
    It is built as it is seen. The hint is there because sizes in edit mode are not those of the level.
    -> Nothing, if it looks right; else Object > Apply > Scale.

FLIPPED: A floor looks down
    Walkable is what faces up. Floors whose normals look down are ceilings to the builder. (As the name of a broken
    rule, in a sentence about polygons: a polygon faces down.)
    -> Flip the normals: Edit Mode, Mesh > Normals > Recalculate Outside, or Flip.

OUTLIER: An object lies far from the rest
    The grid covers everything from one end to the other: one object far away makes it large, slow and coarse.
    -> Move the object, exclude it (panel *Object*, *Use*), or add a box as bounds.

UNREPRESENTABLE: Cells change a size of the agent
    Sizes are rounded to whole cells, and this one changes by more than a tenth (a climb by more than a quarter).
    -> Lower Cell Size or Cell Height to the value in the hint, or accept the effective size.

BAD_PRESET: A preset fails
    A preset is a small script of assignments, and this one ends in an error. Nothing was changed.
    -> Mend or remove its file, which the sentence names, and save the preset again.

MISSING_LIBRARY: A linked file is missing
    The level links objects from a .blend file that cannot be found, and what it would bring along is not built.
    -> Outliner > Blender File: right-click the library and relocate it, or bring the file back. `--allow-missing`
    builds without it.

MISSING_DATA: Something that an object needs is missing
    An object has lost its mesh, or a modifier or a constraint reads an object or a file that is not there. What is left
    is built, and may not be what it should.
    -> Bring it back, or leave the object out (panel *Object*, *Use*: *Never*). `--allow-missing` builds without it.

MODIFIER_FAILED: A modifier does not work
    Blender shows an error beside the modifier, and the object is built without what it would do.
    -> Look at the modifier's error in Properties > Modifiers, and repair or remove it.

MISSING_SOURCES: Something of the level is missing, and the command refuses to build
    On a build machine nobody sees that a part of a level is gone; so the command builds nothing then.
    -> Bring it back, leave the objects out (*Use*: *Never*), or build without it: `--allow-missing`.

SCENE_CHANGED: Another scene was shown while the level was gathered
    Gathering goes on in slices, and needs the scene that it began with. Nothing was changed.
    -> Go back to that scene and build again.

BOUNDS_HOLD_NOTHING: Bounds contain nothing of the level
    An object is marked as *Bounds*, and what is built from lies outside of its box.
    -> Move the bounds, or set its *Use* to something else.

STEPS_OF_FEW_CELLS: The climb is less than two cells high
    Heights are rounded to cells, so that a step of one cell may come out as none or as two: stairs and bumps may become
    walls.
    -> Lower Cell Height, or raise Max Climb, to the value in the hint.

LEVEL_TOO_NARROW: The level is narrower than the agent needs
    An agent keeps its radius away from edges, and nothing is left between them.
    -> Add ground around the level, or lower Agent Radius: *Fit Settings to Level* does it.

LEVEL_TOO_SMALL: What is left of the level is removed as too small
    Ground smaller than Region Min Size is removed, and this level has no larger one.
    -> Lower Region Min Size or Cell Size (*Fit Settings to Level* does it), or add ground around the level.

NO_SETUP: There is no setup of this name
    A script or `--setup` names a setup that the file does not have.
    -> Take one of the names in the sentence; capitals count.

BAD_NAME: A setup's name cannot be part of a file's name
    `{setup}` in the name of an output stands for the setup's name, and this one holds characters that files cannot
    have.
    -> Rename the setup.

SAME_NAME: Two builds would write the same file
    Several files or setups are built, and the name of the output is the same for them.
    -> Put `{file}` or `{setup}` into the name of the output.
"""
