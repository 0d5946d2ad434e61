"""Every setting a user can make, declared once: name, default, unit, range, help. Flags, panels and tables derive from here."""

from __future__ import annotations

import dataclasses
import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from .errors import BadSettings

if TYPE_CHECKING:
    import numpy as np

METRE, CELLS, DEGREES, NO_UNIT = "m", "cells", "°", ""
DETAIL_FROM = 0.9  # cells between samples of heights; none are taken below
LINKS = "Links"  # the group of settings of links that are found: no tile depends on them
PARTITIONS = ("watershed", "monotone", "layers")


class SettingInfo(NamedTuple):
    """What is known about a setting beside its name, type and default."""

    help: str
    unit: str
    low: float
    high: float
    above_low: bool  # the lowest value itself is out of range
    gap: tuple[float, float] | None  # an open interval that is out of range too
    choices: tuple[str, ...]
    group: str
    recast: str


def setting(
    default: Any,
    text: str,
    *,
    unit: str = NO_UNIT,
    low: float = -math.inf,
    high: float = math.inf,
    above_low: bool = False,
    gap: tuple[float, float] | None = None,
    choices: tuple[str, ...] = (),
    group: str,
    recast: str = "",
) -> Any:
    """Declare one setting."""
    info = SettingInfo(text, unit, low, high, above_low, gap, choices, group, recast)
    return field(default=default, metadata={"info": info})


class Voxels(NamedTuple):
    """The settings in voxels, as the stages use them, derived in float32."""

    cell_size: np.float32  # metres
    cell_height: np.float32  # metres
    height_vx: int
    climb_vx: int
    radius_vx: int
    edge_max_length_vx: int
    edge_max_error_vx: np.float32
    region_min_area_vx: int
    region_merge_area_vx: int
    detail_sample_distance: np.float32  # metres, 0 for no samples
    detail_sample_max_error: np.float32  # metres


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What to build, in metres and degrees; outside its range a setting is refused by name. Recast: rcConfig."""

    # fmt: off
    cell_size: float = setting(0.3, "Width of one voxel on the ground. Raise it for speed, lower it for narrow passages.", unit=METRE, low=0.0, above_low=True, group="Grid", recast="cs")
    cell_height: float = setting(0.2, "Height of one voxel. Raise it for speed, lower it where steps and slopes must be followed closely.", unit=METRE, low=0.0, above_low=True, group="Grid", recast="ch")
    tile_size: int = setting(0, "Side of one tile; 0 builds in one piece. Use tiles for large levels. Raise it for fewer, larger tiles and less border.", unit=CELLS, low=0, high=4096, gap=(0, 16), group="Grid", recast="tileSize")
    agent_height: float = setting(2.0, "Room an agent needs above the floor. Raise it and low passages close.", unit=METRE, low=0.0, above_low=True, group="Agent", recast="walkableHeight × ch")
    agent_radius: float = setting(0.6, "Distance kept from walls and edges. Raise it and narrow passages close.", unit=METRE, low=0.0, group="Agent", recast="walkableRadius × cs")
    agent_max_climb: float = setting(0.9, "Highest step an agent takes. Raise it to climb stairs and curbs.", unit=METRE, low=0.0, group="Agent", recast="walkableClimb × ch")
    agent_max_slope: float = setting(45.0, "Steepest ground an agent walks on. Raise it to include steeper slopes; 0 makes nothing walkable.", unit=DEGREES, low=0.0, high=90.0, group="Agent", recast="walkableSlopeAngle")
    filter_low_hanging_obstacles: bool = setting(True, "Let agents step over obstacles lower than the climb height.", group="Filters")
    filter_ledge_spans: bool = setting(True, "Keep agents away from drops higher than the climb height.", group="Filters")
    filter_walkable_low_height_spans: bool = setting(True, "Remove floors without room for the agent's height.", group="Filters")
    median_filter: bool = setting(False, "Smooth the borders between area types.", group="Filters", recast="rcMedianFilterWalkableArea")
    partition: str = setting("watershed", "How the floor is divided into regions: watershed gives the nicest polygons, monotone is fastest, layers suits tiles.", choices=PARTITIONS, group="Regions")
    region_min_size: float = setting(8, "Islands smaller than a square with this side are removed. Raise it to remove larger ones, too.", unit=CELLS, low=0, high=1000, group="Regions", recast="√minRegionArea")
    region_merge_size: float = setting(20, "Regions smaller than a square with this side are merged into a neighbor. Raise it for fewer polygons.", unit=CELLS, low=0, high=1000, group="Regions", recast="√mergeRegionArea")
    edge_max_length: float = setting(12.0, "Longest polygon edge along walls; 0 does not split edges. Raise it for fewer vertices.", unit=METRE, low=0.0, group="Polygons", recast="maxEdgeLen × cs")
    edge_max_error: float = setting(1.3, "How far polygon edges may leave the true outline. Raise it for fewer vertices.", unit=CELLS, low=0.0, high=100.0, group="Polygons", recast="maxSimplificationError")
    tessellate_wall_edges: bool = setting(True, "Split long edges along walls.", group="Polygons", recast="RC_CONTOUR_TESS_WALL_EDGES")
    tessellate_area_edges: bool = setting(False, "Split long edges between area types.", group="Polygons", recast="RC_CONTOUR_TESS_AREA_EDGES")
    vertices_per_polygon: int = setting(6, "Most vertices of one polygon; Detour files need 6 or fewer. Raise it for fewer polygons.", low=3, high=12, group="Polygons", recast="maxVertsPerPoly")
    detail_mesh: bool = setting(True, "Build triangles that follow the height of the ground inside each polygon.", group="Detail")
    detail_sample_distance: float = setting(6.0, "Distance between height samples; below 0.9 no samples are taken. Raise it for fewer triangles and speed.", unit=CELLS, low=0.0, high=1000.0, group="Detail", recast="detailSampleDist ÷ cs")
    detail_sample_max_error: float = setting(1.0, "How far the detail mesh may leave the true height, in cell heights. Raise it for fewer triangles.", unit=CELLS, low=0.0, high=1000.0, group="Detail", recast="detailSampleMaxError ÷ ch")
    repair: bool = setting(True, "Mend what Recast leaves broken; off keeps its results to the bit, broken ones included.", group="Result")
    generate_links: bool = setting(False, "Find jumps, drops and climbs between walkable places that walking does not join, and keep them as links. Tops that are smaller than Region Min Size are removed before and have none.", group=LINKS)
    link_jump_distance: float = setting(2.0, "Widest gap that an agent jumps across; 0 finds no jumps. Raise it for agents that jump far.", unit=METRE, low=0.0, high=1000.0, group=LINKS)
    link_jump_height: float = setting(0.5, "How high an agent jumps, which is also the most that a jump rises. Raise it for agents that jump onto things.", unit=METRE, low=0.0, high=1000.0, group=LINKS)
    link_drop_height: float = setting(2.5, "Deepest place that an agent lets itself drop to; 0 finds no drops. Raise it for agents that survive deeper falls.", unit=METRE, low=0.0, high=1000.0, group=LINKS)
    link_climb_height: float = setting(0.0, "Highest wall that an agent climbs up and down; 0 finds no climbs.", unit=METRE, low=0.0, high=1000.0, group=LINKS)
    link_detour: float = setting(3.0, "A link is kept where walking to its end is this many times as long as the link. Raise it for fewer links.", low=1.0, high=1000.0, group=LINKS)
    link_spacing: float = setting(2.0, "Distance between the points that stand for a wide link where a format has only points. Raise it for fewer points.", unit=METRE, low=0.0, above_low=True, high=1000.0, group=LINKS)
    link_jump_area: int = setting(5, "Area id of jumps that were found.", low=0, high=62, group=LINKS)
    link_jump_flags: int = setting(8, "Abilities that jumps ask of an agent, as bits.", low=0, high=65535, group=LINKS)
    link_drop_area: int = setting(5, "Area id of drops that were found.", low=0, high=62, group=LINKS)
    link_drop_flags: int = setting(8, "Abilities that drops ask of an agent, as bits.", low=0, high=65535, group=LINKS)
    link_climb_area: int = setting(5, "Area id of climbs that were found.", low=0, high=62, group=LINKS)
    link_climb_flags: int = setting(8, "Abilities that climbs ask of an agent, as bits.", low=0, high=65535, group=LINKS)
    # fmt: on

    def __post_init__(self) -> None:
        for f in settings_fields():
            object.__setattr__(self, f.name, _accepted(f, getattr(self, f.name)))

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> Settings:
        """Settings from names and values (JSON); an unknown name is refused with the nearest known one."""
        known = [f.name for f in settings_fields()]
        for name in values:
            if name not in known:
                import difflib  # here, because Blender waits for this module when it starts

                near = difflib.get_close_matches(str(name), known, 1)
                hint = f"Did you mean {near[0]}?" if near else "`python -m navcore settings` lists all settings."
                raise BadSettings(f"There is no setting named {name!r}. {hint}", "UNKNOWN_SETTING")
        return cls(**values)

    def to_mapping(self) -> dict[str, Any]:
        """Names and values, ready for JSON."""
        return dataclasses.asdict(self)

    def without_links(self) -> Settings:
        """The same with the defaults of what concerns links that are found: what tiles are built with."""
        own: dict[str, Any] = {f.name: f.default for f in settings_fields() if setting_info(f.name).group == LINKS}
        return dataclasses.replace(self, **own)

    def in_voxels(self) -> Voxels:
        """The one place where metres and degrees become voxels, with every quotient rounded to float32 first."""
        return self._voxels

    def voxels_of_agent(self, radius: float, height: float) -> Voxels:
        """Those of an agent of another radius and height."""
        import numpy as np

        with np.errstate(all="ignore"):
            height_vx, radius_vx = self._agent_in_voxels(height, radius)
        return self._voxels._replace(height_vx=height_vx, radius_vx=radius_vx)

    @cached_property
    def _voxels(self) -> Voxels:
        import numpy as np  # here, so that listing settings (as Blender does when it starts) costs nothing

        with np.errstate(all="ignore"):  # what overflows is refused below, by name
            return self._derived()

    def _derived(self) -> Voxels:
        import numpy as np

        f32 = np.float32
        cs, ch = f32(self.cell_size), f32(self.cell_height)
        if not cs > 0 or not ch > 0 or not math.isfinite(f32(1) / cs) or not math.isfinite(f32(1) / ch):
            raise BadSettings(
                f"cell_size {self.cell_size:g} m and cell_height {self.cell_height:g} m are too small to compute with."
            )
        distance = f32(self.detail_sample_distance)
        height_vx, radius_vx = self._agent_in_voxels(self.agent_height, self.agent_radius)
        return Voxels(
            cs, ch, height_vx,
            _whole("agent_max_climb", np.floor(f32(self.agent_max_climb) / ch), "cell_height"),
            radius_vx,
            _whole("edge_max_length", f32(self.edge_max_length) / cs, "cell_size"),
            f32(self.edge_max_error),
            int(f32(self.region_min_size) * f32(self.region_min_size)),
            int(f32(self.region_merge_size) * f32(self.region_merge_size)),
            f32(0) if distance < f32(DETAIL_FROM) else cs * distance,
            ch * f32(self.detail_sample_max_error),
        )  # fmt: skip

    def _agent_in_voxels(self, height: float, radius: float) -> tuple[int, int]:
        import numpy as np

        f32 = np.float32
        height_vx = _whole("agent_height", np.ceil(f32(height) / f32(self.cell_height)), "cell_height")
        if height_vx > 255:
            raise BadSettings(
                f"agent_height {height:g} m is {height_vx} voxels of {self.cell_height:g} m (limit 255). "
                f"Raise cell_height to {math.ceil(height / 255 * 1000) / 1000:g} m or lower agent_height.",
            )
        return height_vx, _whole("agent_radius", np.ceil(f32(radius) / f32(self.cell_size)), "cell_size")


def settings_fields() -> tuple[dataclasses.Field[Any], ...]:
    """Every setting in order of declaration."""
    return fields(Settings)


def setting_info(name: str) -> SettingInfo:
    """Everything declared about one setting."""
    info: SettingInfo = Settings.__dataclass_fields__[name].metadata["info"]
    return info


def _whole(name: str, value: np.floating[Any], per: str) -> int:
    if not abs(float(value)) < 2**31:
        raise BadSettings(f"{name} is {float(value):.3g} voxels; lower it or raise {per}.")
    return int(value)


def _accepted(declared: dataclasses.Field[Any], value: Any) -> Any:
    """`value` as the setting's type, or BadSettings saying what would be accepted."""
    info: SettingInfo = declared.metadata["info"]
    kind = {"bool": bool, "int": int, "float": float, "str": str}[str(declared.type)]
    if kind is bool:
        if _is_true_or_false(value):
            return bool(value)
        raise BadSettings(f"{declared.name} must be true or false, not {value!r}.")
    if kind is str:
        if value in info.choices:
            return value
        raise BadSettings(f"{declared.name} must be one of {', '.join(info.choices)}, not {value!r}.")
    return _accepted_number(declared.name, info, kind, value)


def _is_true_or_false(value: Any) -> bool:
    """Whether this is Python's or NumPy's boolean."""
    return isinstance(value, bool) or getattr(getattr(value, "dtype", None), "kind", "") == "b"


def _accepted_number(name: str, info: SettingInfo, kind: type, value: Any) -> float:
    if _is_true_or_false(value) or not isinstance(value, numbers.Real):
        raise BadSettings(f"{name} must be a number, not {value!r}.")
    number = float(value)
    whole = kind is not int or number == math.floor(number) if math.isfinite(number) else False
    inside = info.low <= number <= info.high and not (info.above_low and number == info.low)
    if info.gap is not None and info.gap[0] < number < info.gap[1]:
        inside = False
    if not (whole and inside):
        raise BadSettings(f"{name} must be {_range_in_words(info, kind)}, not {value}.")
    return kind(number)


def _range_in_words(info: SettingInfo, kind: type) -> str:
    unit = f" {info.unit}" if info.unit else ""
    number = "a whole number" if kind is int else "a finite number"
    if info.gap is not None:
        return f"{info.low:g}, or {number} from {info.gap[1]:g} to {info.high:g}{unit}"
    if math.isinf(info.high):
        return f"{number} {'above' if info.above_low else 'of at least'} {info.low:g}{unit}"
    return f"{number} from {info.low:g} to {info.high:g}{unit}"
