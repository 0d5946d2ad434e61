"""Shaders for pictures: faces and thick lines that fade with distance, and many agents of one shape.

The same on every graphics backend.

Blender's own polylines do not fade. Here each line is a quad, which the vertex shader makes as wide as is asked for.
Colors come as people see them (sRGB); the viewport wants linear light.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..stored.view_properties import MOST

if TYPE_CHECKING:
    import gpu

_LIGHT = """
vec3 light_of(vec3 seen) {
  return mix(seen / 12.92, pow((seen + 0.055) / 1.055, vec3(2.4)), step(vec3(0.04045), seen));
}
"""
_FACE_VERTEX = f"""{_LIGHT}
void main() {{
  gl_Position = to_clip * vec4(pos, 1.0);
  away = gl_Position.w;
  shade = vec4(light_of(color.rgb), color.a);
}}
"""
_FACE_FRAGMENT = """
void main() {
  float left = fade > 0.0 ? clamp(2.0 - 2.0 * away / fade, 0.0, 1.0) : 1.0;
  drawn = vec4(shade.rgb, shade.a * opacity * left);
}
"""
_LINE_VERTEX = f"""{_LIGHT}
vec4 before_the_eye(vec4 here, vec4 there) {{
  float a = here.z + here.w;
  float b = there.z + there.w;
  return a < 0.0 && b > 0.0 ? mix(here, there, a / (a - b)) : here;
}}
void main() {{
  vec4 first = to_clip * vec4(pos, 1.0);
  vec4 second = to_clip * vec4(other, 1.0);
  vec4 here = before_the_eye(first, second);
  vec4 there = before_the_eye(second, first);
  vec2 along = (there.xy / there.w - here.xy / here.w) * viewport;
  float apart = length(along);
  vec2 aside = apart > 1e-6 ? vec2(-along.y, along.x) / apart : vec2(0.0, 1.0);
  across = sign(corner);
  aside *= abs(corner) > 1.5 ? -across : across;
  gl_Position = here;
  gl_Position.xy += aside * (width + 1.0) / viewport * here.w;
  away = here.w;
  shade = vec4(light_of(color.rgb), color.a);
}}
"""
_LINE_FRAGMENT = """
void main() {
  float left = fade > 0.0 ? clamp(2.0 - 2.0 * away / fade, 0.0, 1.0) : 1.0;
  float rim = clamp((1.0 - abs(across)) * (width + 1.0) * 0.5, 0.0, 1.0);
  drawn = vec4(shade.rgb, shade.a * opacity * left * rim);
}
"""
# One call draws them all. What a graphics card takes for sure is 16 KB.
_AGENT_DATA = f"""
struct Agents {{
  vec4 place[{MOST}];
  vec4 tint[{MOST}];
}};
"""
_AGENT_VERTEX = f"""{_LIGHT}
void main() {{
  vec4 place = agents.place[gl_InstanceID];
  float c = cos(place.w);
  float s = sin(place.w);
  vec3 turned = vec3(c * pos.x - s * pos.y, s * pos.x + c * pos.y, pos.z);
  vec3 outward = vec3(c * normal.x - s * normal.y, s * normal.x + c * normal.y, normal.z);
  gl_Position = to_clip * vec4(place.xyz + turned, 1.0);
  float lit = 0.5 + 0.5 * max(0.0, dot(outward, normalize(vec3(-0.4, -0.6, 0.8))));
  shade = vec4(light_of(agents.tint[gl_InstanceID].rgb * lit * bright), 1.0);
}}
"""
_AGENT_FRAGMENT = """
void main() {
  drawn = shade;
}
"""
_shaders: dict[str, gpu.types.GPUShader] = {}


def face_shader() -> gpu.types.GPUShader:
    """Wants `pos` and `color`."""
    return _shaders.get("faces") or _made("faces", _FACE_VERTEX, _FACE_FRAGMENT, is_line=False)


def line_shader() -> gpu.types.GPUShader:
    """Wants `pos`, `other` (the line's other end), `corner` (±1 at its first end, ±2 at its second) and `color`."""
    return _shaders.get("lines") or _made("lines", _LINE_VERTEX, _LINE_FRAGMENT, is_line=True)


def agent_shader() -> gpu.types.GPUShader:
    """Wants `pos` and `normal`, the block `agents` (place and turn of each, then color), `to_clip` and `bright`."""
    if "agents" not in _shaders:
        import gpu

        between = gpu.types.GPUStageInterfaceInfo("navmesh_agents")  # type: ignore[call-arg] # the stubs know no name
        between.smooth("VEC4", "shade")
        info = gpu.types.GPUShaderCreateInfo()
        info.typedef_source(_AGENT_DATA)
        info.uniform_buf(0, "Agents", "agents")
        info.push_constant("MAT4", "to_clip")
        info.push_constant("FLOAT", "bright")
        info.vertex_in(0, "VEC3", "pos")
        info.vertex_in(1, "VEC3", "normal")
        info.vertex_out(between)
        info.fragment_out(0, "VEC4", "drawn")
        info.vertex_source(_AGENT_VERTEX)
        info.fragment_source(_AGENT_FRAGMENT)
        shaders: Any = gpu.shader  # the stubs say that it makes nothing
        _shaders["agents"] = shaders.create_from_info(info)
    return _shaders["agents"]


def forget() -> None:
    """The extension is disabled."""
    _shaders.clear()


def _made(name: str, vertex: str, fragment: str, *, is_line: bool) -> gpu.types.GPUShader:
    import gpu

    between = gpu.types.GPUStageInterfaceInfo(f"navmesh_{name}")  # type: ignore[call-arg] # the stubs know no name
    between.flat("VEC4", "shade")
    between.smooth("FLOAT", "away")
    info = gpu.types.GPUShaderCreateInfo()
    info.push_constant("MAT4", "to_clip")
    info.push_constant("FLOAT", "fade")
    info.push_constant("FLOAT", "opacity")
    info.vertex_in(0, "VEC3", "pos")
    info.vertex_in(1, "VEC4", "color")
    if is_line:
        between.no_perspective("FLOAT", "across")
        info.push_constant("VEC2", "viewport")
        info.push_constant("FLOAT", "width")
        info.vertex_in(2, "VEC3", "other")
        info.vertex_in(3, "FLOAT", "corner")
    info.vertex_out(between)
    info.fragment_out(0, "VEC4", "drawn")
    info.vertex_source(vertex)
    info.fragment_source(fragment)
    shaders: Any = gpu.shader  # the stubs say that it makes nothing
    _shaders[name] = shaders.create_from_info(info)
    return _shaders[name]
