"""Why the last build made nothing, as a hint with its way out: shown in the panel until something is done about it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import bpy

from ...navcore.errors import Cancelled, NavmeshError, NothingWalkable
from .. import events
from ..blender_types import scene_of
from ..builds.own_navmesh import BadOwnMesh
from ..gather.before_build.hints_and_fixes import Fix, Hint, fixes_of_note, fixes_of_warning, set_settings
from ..kept_value import KeptValue
from ..operator_types import Answer, Reports, report_error
from ..redraw import is_shown, redraw
from ..stored.setup_properties import NavmeshSetup
from ..stored.setups import shown_setup
from .checks_before_build import ForecastKey, key_of

if TYPE_CHECKING:
    from ..builds.request_and_result import Request

_NOT_OF_THE_LEVEL = ("BUSY", "SCENE_GONE")  # nothing that one would change about it
_refused: KeptValue[tuple[ForecastKey, Hint] | None] = KeptValue(None)  # for which setup as it stood, and why


def shown(scene: bpy.types.Scene) -> Hint | None:
    """Why there is no navmesh of the setup as it stands now; None where nothing was refused."""
    refused = _refused.value
    return refused[1] if refused is not None and refused[0] == key_of(scene, shown_setup(scene)) else None


def forget(*_: object) -> None:
    """A build begins, or something was done about it."""
    _refused.forget()


def report_refusal(
    operator: Reports, error: BaseException, context: bpy.types.Context, requests: Sequence[Request], window: bool
) -> Answer:
    """Say what went wrong: in the panel, where it has a button. Only who does not see the panel gets a pop-up."""
    if not isinstance(error, NavmeshError) or isinstance(error, Cancelled) or error.code in _NOT_OF_THE_LEVEL:
        return report_error(operator, error)
    setup = shown_setup(scene_of(context))
    hint = hint_of(error, context, setup, requests)
    _refused.value = key_of(scene_of(context), setup), hint
    redraw()
    if not window or not is_shown():
        return report_error(operator, error)
    operator.report({"WARNING"}, hint.message)
    return {"CANCELLED"}


def hint_of(error: NavmeshError, context: bpy.types.Context, setup: NavmeshSetup, requests: Sequence[Request]) -> Hint:
    """The error with its way out, as far as there is one."""
    from ..gather.before_build.level_forecast import forecast_level

    if isinstance(error, BadOwnMesh):
        faces = json.dumps({place.uid: place.faces for place in error.places})
        fixes = (Fix("Select Faces", "navmesh.select_faces", (("faces", faces),)),) if error.places else ()
        return Hint(error.code, str(error), "", fixes)
    if isinstance(error, NothingWalkable) and len(requests) == 1 and not requests[0].gathered.own:
        return _nothing_walkable(error, requests[0])
    known = (hint for hint in forecast_level(context, setup).hints if hint.code == error.code)
    hint = next(known, Hint(error.code, ""))._replace(message=str(error))
    return hint._replace(fixes=(*fixes_of_warning(error.code, str(error)), *hint.fixes))


def _nothing_walkable(error: NothingWalkable, request: Request) -> Hint:
    import numpy as np

    from ..gather.before_build.level_forecast import small_level
    from ..gather.gathered_level import flipped_floors

    gathered = request.gathered
    around = [gathered.vertices.min(0), gathered.vertices.max(0)] if gathered.bounds is None else gathered.bounds
    small = small_level(request.settings, np.array(around, np.float64).reshape(1, 2, 3))
    if small is not None:
        return small
    ways_out = tuple(set_settings({name: value}) for name, value in error.ways_out)
    all_too_steep = all(name == "agent_max_slope" for name, _ in error.ways_out)
    for note in flipped_floors(gathered) if all_too_steep else ():
        return Hint(error.code, str(error), note.name, (*fixes_of_note(note.code, note.name), *ways_out))
    return Hint(error.code, str(error), "", ways_out)


SUBSCRIBERS = ((events.objects_changed, forget),)
unregister = forget
