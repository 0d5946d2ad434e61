// WebGL 2, as little as this page needs: surfaces whose triangles have a color each, and lines.

const SURFACE = `#version 300 es
precision highp float;
uniform mat4 matrix; uniform float lift; uniform highp usampler2D colors; uniform int across; uniform float shade;
in vec3 place; in uint owner;
flat out vec4 color; out vec3 world; out float shaded;
void main() {
  int number = int(owner);
  color = vec4(texelFetch(colors, ivec2(number % across, number / across), 0)) / 255.0;
  world = place; shaded = shade;
  gl_Position = matrix * vec4(place, 1.0);
  gl_Position.z -= lift * gl_Position.w;
}`;
const SURFACE_COLOR = `#version 300 es
precision highp float;
flat in vec4 color; in vec3 world; in float shaded; uniform float opacity; uniform float contours; out vec4 painted;
void main() {
  vec3 normal = normalize(cross(dFdx(world), dFdy(world)));
  float light = mix(1.0, 0.55 + 0.45 * abs(dot(normal, normalize(vec3(0.4, 0.85, 0.3)))), shaded);
  float line = 0.0;
  if (contours > 0.0) {
    float height = world.y / contours;
    line = 0.35 * (1.0 - smoothstep(0.0, 1.5, abs(fract(height - 0.5) - 0.5) / max(fwidth(height), 1e-6)));
  }
  if (color.a == 0.0) discard;
  painted = vec4(color.rgb * light * (1.0 - line), color.a * opacity);
}`;
const LINE = `#version 300 es
precision highp float;
uniform mat4 matrix; uniform float lift;
in vec3 place;
void main() { gl_Position = matrix * vec4(place, 1.0); gl_Position.z -= lift * gl_Position.w; gl_PointSize = 9.0; }`;
const LINE_COLOR = `#version 300 es
precision highp float;
uniform vec4 paint; out vec4 painted;
void main() { painted = paint; }`;

const LITTLE = 6000; // corners that are drawn in any case

export class Drawing {
  constructor(canvas) {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, powerPreference: "high-performance" });
    if (!gl) throw new Error("This browser has no WebGL 2, which the page draws with.");
    this.gl = gl;
    this.surfaces = this.program(SURFACE, SURFACE_COLOR);
    this.lines = this.program(LINE, LINE_COLOR);
  }

  program(...sources) {
    const { gl } = this, program = gl.createProgram();
    sources.forEach((source, number) => {
      const shader = gl.createShader(number ? gl.FRAGMENT_SHADER : gl.VERTEX_SHADER);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    });
    gl.bindAttribLocation(program, 0, "place");
    gl.bindAttribLocation(program, 1, "owner");
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const names = ["matrix", "lift", "colors", "across", "opacity", "shade", "contours", "paint"];
    return { program, at: Object.fromEntries(names.map((name) => [name, gl.getUniformLocation(program, name)])) };
  }

  /** Triangles one after the other, with the number of what each corner belongs to; that has a color in the table. */
  surface(places, owners, count) {
    const { gl } = this, vertices = gl.createVertexArray();
    gl.bindVertexArray(vertices);
    this.buffer(0, places, 3);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, owners, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribIPointer(1, 1, gl.UNSIGNED_INT, 0, 0);
    const across = Math.max(1, Math.min(2048, count));
    return { vertices, count: places.length / 3, across, down: Math.max(1, Math.ceil(count / across)), texture: gl.createTexture() };
  }

  /** The color of each owner: four bytes. */
  paint(surface, colors) {
    const { gl } = this, padded = new Uint8Array(4 * surface.across * surface.down);
    padded.set(colors);
    gl.bindTexture(gl.TEXTURE_2D, surface.texture);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8UI, surface.across, surface.down, 0, gl.RGBA_INTEGER, gl.UNSIGNED_BYTE, padded);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  }

  /** Pairs of places, or places alone. */
  segments(places) {
    const { gl } = this, vertices = gl.createVertexArray();
    gl.bindVertexArray(vertices);
    this.buffer(0, places, 3);
    return { vertices, count: places.length / 3 };
  }

  buffer(attribute, values, size) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(attribute);
    gl.vertexAttribPointer(attribute, size, gl.FLOAT, false, 0, 0);
  }

  begin(width, height, background) {
    const { gl } = this;
    gl.viewport(0, 0, width, height);
    gl.clearColor(...background.map((value) => value / 255), 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** Its triangles, or of many only a `part`, from the first on. */
  drawSurface(surface, matrix, { lift = 0, opacity = 1, shade = 1, contours = 0, part = 1 } = {}) {
    const { gl } = this, { program, at } = this.surfaces;
    gl.useProgram(program);
    gl.uniformMatrix4fv(at.matrix, false, matrix);
    gl.uniform1f(at.lift, lift);
    gl.uniform1f(at.opacity, opacity);
    gl.uniform1f(at.shade, shade);
    gl.uniform1f(at.contours, contours);
    gl.uniform1i(at.across, surface.across);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, surface.texture);
    gl.uniform1i(at.colors, 0);
    gl.enable(gl.BLEND);
    gl.bindVertexArray(surface.vertices);
    gl.drawArrays(gl.TRIANGLES, 0, partOf(surface.count, part, 3));
  }

  drawLines(segments, matrix, color, { lift = 0, opacity = 1, points = false, part = 1 } = {}) {
    const { gl } = this, { program, at } = this.lines;
    gl.useProgram(program);
    gl.uniformMatrix4fv(at.matrix, false, matrix);
    gl.uniform1f(at.lift, lift);
    gl.uniform4f(at.paint, ...color.map((value) => value / 255), opacity);
    gl.enable(gl.BLEND);
    gl.bindVertexArray(segments.vertices);
    gl.drawArrays(points ? gl.POINTS : gl.LINES, 0, points ? segments.count : partOf(segments.count, part, 2));
  }
}

/** How many corners to draw of triangles or segments: whole ones, and all of what is little. */
function partOf(count, part, corners) {
  return part === 1 ? count : Math.min(count, Math.max(LITTLE, Math.ceil((count * part) / corners) * corners));
}
