// Reads .json and .glb files of Navmesh. Everything is checked here, so that what follows need not look.

const VERSION = 1;
const GLB_MAGIC = 0x46546c67, JSON_CHUNK = 0x4e4f534a, BINARY_CHUNK = 0x004e4942;
const WAY_OUT = 'Export it again with Navmesh, as .json or .glb.';
const NUMBERS = { 5121: Uint8Array, 5123: Uint16Array, 5125: Uint32Array, 5126: Float32Array }; // by glTF's own numbers
const WIDTHS = { SCALAR: 1, VEC3: 3 };

/** What is wrong with a file: `message` says it and the way out, `code` is for programs. */
export class NavmeshFileError extends Error {
  constructor(code, message) {
    super(message);
    this.name = 'NavmeshFileError';
    this.code = code;
  }
}

function refuse(code, message) {
  throw new NavmeshFileError(code, message);
}

/** The navmesh in a .json or .glb of Navmesh: an ArrayBuffer, bytes, or the text of a .json. */
export function loadNavmesh(bytes) {
  const content = asBytes(bytes);
  if (content.length === 0) refuse('CUT_OFF', 'The file is empty. Was it downloaded to its end?');
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  if (content.length >= 4 && view.getUint32(0, true) === GLB_MAGIC) return checked(ofGlb(content, view));
  const start = new TextDecoder('latin1').decode(content.subarray(0, 4));
  if (start === 'TESM' || start === 'VAND' || start === 'TEST') {
    refuse('NOT_A_NAVMESH', "This is a Detour .bin, which recast-navigation-js loads by itself: importNavMesh(bytes). Here .json and .glb are read.");
  }
  return checked(ofJson(parsed(new TextDecoder().decode(content), 'The file is no JSON and no .glb')));
}

function asBytes(bytes) {
  if (typeof bytes === 'string') return new TextEncoder().encode(bytes);
  if (ArrayBuffer.isView(bytes)) return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (Object.prototype.toString.call(bytes) === '[object ArrayBuffer]') return new Uint8Array(bytes);
  return refuse('BAD_INPUT', 'loadNavmesh takes an ArrayBuffer, a Uint8Array or text: await response.arrayBuffer() of a fetch is one.');
}

function parsed(text, otherwise) {
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const page = text.trimStart().startsWith('<') ? ' It looks like a web page: is the address right?' : '';
    refuse('NOT_A_NAVMESH', `${otherwise}, or it was cut off (${error.message}).${page} ${WAY_OUT}`);
  }
  return value;
}

// --- .json

function ofJson(file) {
  if (file?.format !== 'navmesh') refuse('NOT_A_NAVMESH', `The JSON is no navmesh: its format is not "navmesh". ${WAY_OUT}`);
  needVersion(file.version);
  if (file.up !== 'y' || file.unit !== 'metre') refuse('BAD_UNIT', `The navmesh must be in metres with y up. ${WAY_OUT}`);
  const mesh = file.polygon_mesh;
  if (mesh === null || typeof mesh !== 'object') refuse('UNSOUND', `The navmesh has no polygon_mesh. ${WAY_OUT}`);
  return {
    vertices: mesh.vertices, polygons: mesh.polygons, areas: mesh.areas, flags: mesh.flags,
    links: linksOf(file), areaTypes: typesOf(file), doors: file.doors ?? [], sizes: file.sizes ?? [],
    format: 'json', settings: file.settings ?? null, detail: file.detail_mesh ?? null,
  };
}

function needVersion(version) {
  if (version === VERSION) return;
  refuse('BAD_VERSION', `The navmesh has version ${version}; this loader reads ${VERSION}. Take the loader that came with the Navmesh which wrote it.`);
}

function typesOf(file) {
  const types = {};
  for (const [area, row] of Object.entries(file.area_types ?? {})) {
    types[area] = { cost: 1, ...row };
    if (!(Number.isFinite(types[area].cost) && types[area].cost >= 0)) refuse('UNSOUND', `What area ${area} costs is no number from 0 on. ${WAY_OUT}`);
  }
  return types;
}

/** Links with their kinds: those that were given, then the points of each wide one. */
function linksOf({ links = [], wide_links: wide = [] }) {
  needList(links, 'links');
  needList(wide, 'wide_links');
  wide.forEach((link, number) => isCount(link?.points) || refuse('UNSOUND', `Wide link ${number} does not say how many points it has. ${WAY_OUT}`));
  const points = wide.reduce((sum, { points }) => sum + points, 0);
  const given = links.length - points;
  if (!(given >= 0)) refuse('UNSOUND', `The navmesh has fewer links than its wide links have points. ${WAY_OUT}`);
  const owners = [...Array(given).fill(null), ...wide.flatMap((link, number) => Array(link.points).fill(number))];
  return links.map((link, number) => {
    const owner = owners[number];
    return owner === null ? { ...link, kind: 'given' } : { ...link, kind: wide[owner].kind, wideLink: owner, corners: wide[owner].corners };
  });
}

// --- .glb

function ofGlb(content, view) {
  const { text, data } = chunks(content, view);
  const file = parsed(text, 'The .glb holds no JSON');
  const node = file.nodes?.[file.scenes?.[file.scene ?? 0]?.nodes?.[0] ?? 0];
  const extras = node?.extras?.navmesh ?? undefined;
  if (file.asset?.generator !== 'Navmesh' && extras === undefined) {
    refuse('NOT_A_NAVMESH', 'The .glb was not written by Navmesh: it may be the level itself. Build its navmesh and load that.');
  }
  if (extras !== undefined) needVersion(extras.version);
  const primitive = file.meshes?.[node?.mesh]?.primitives?.[0];
  if (!primitive) refuse('UNSOUND', `The .glb has no mesh at its first node. ${WAY_OUT}`);
  const read = (number) => accessor(file, number, data);
  const positions = read(primitive.attributes?.POSITION), indices = read(primitive.indices);
  const area = primitive.attributes._AREA === undefined ? null : read(primitive.attributes._AREA);
  const { vertices, ids } = welded(positions);
  const polygons = [], areas = [];
  for (let k = 0; k + 2 < indices.length; k += 3) {
    if (Math.max(indices[k], indices[k + 1], indices[k + 2]) >= ids.length) refuse('UNSOUND', `A triangle of the .glb has a corner that is not there. ${WAY_OUT}`);
    polygons.push([ids[indices[k]], ids[indices[k + 1]], ids[indices[k + 2]]]);
    areas.push(area === null ? 0 : area[indices[k]]);
  }
  const areaTypes = typesOf(extras ?? {}), doors = extras?.doors ?? [];
  const usual = areas.map((id) => areaTypes[id]?.flags ?? (id === 0 ? 1 : 0));
  return {
    vertices, polygons, areas, flags: extras?.flags ?? withDoors(usual, doors),
    links: linksOf(extras ?? {}), areaTypes, doors, sizes: extras?.sizes ?? [],
    format: 'glb', settings: extras?.settings ?? null, detail: null,
  };
}

/** Flags of triangles, those of doors by the states that they were built in. */
function withDoors(flags, doors) {
  needList(doors, 'doors');
  for (const door of doors) {
    if (isListOf(door?.numbers, flags.length)) door.numbers.forEach((number) => { flags[number] = door.is_closed ? door.closed : door.open; });
  }
  return flags;
}

function chunks(content, view) {
  const cutOff = () => refuse('CUT_OFF', 'The .glb ends before its end. Was it downloaded, or written, to the last byte?');
  if (content.length < 20) cutOff();
  if (view.getUint32(4, true) !== 2) refuse('BAD_VERSION', `The .glb has version ${view.getUint32(4, true)} of glTF; 2 is read. ${WAY_OUT}`);
  if (view.getUint32(8, true) > content.length) cutOff();
  let text = '', data = null;
  for (let at = 12; at + 8 <= content.length; ) {
    const size = view.getUint32(at, true), kind = view.getUint32(at + 4, true);
    if (at + 8 + size > content.length) cutOff();
    const chunk = content.subarray(at + 8, at + 8 + size);
    if (kind === JSON_CHUNK) text = new TextDecoder().decode(chunk);
    if (kind === BINARY_CHUNK) data = chunk;
    at += 8 + size;
  }
  if (data === null) refuse('UNSOUND', `The .glb has no data within it. ${WAY_OUT}`);
  return { text, data };
}

function accessor(file, number, data) {
  const found = file.accessors?.[number], view = file.bufferViews?.[found?.bufferView];
  const Kind = NUMBERS[found?.componentType], count = found?.count * WIDTHS[found?.type];
  const from = (view?.byteOffset ?? 0) + (found?.byteOffset ?? 0);
  if (!view || !Kind || !isCount(count) || !isCount(from)) refuse('UNSOUND', `The .glb describes its numbers in a way that Navmesh does not write. ${WAY_OUT}`);
  const to = from + count * Kind.BYTES_PER_ELEMENT;
  if (to > data.length) refuse('CUT_OFF', 'The .glb has less data than it says. Was it written to the last byte?');
  return new Kind(data.slice(from, to).buffer);
}

/** Vertices once for each place: the file has them once for each area. */
function welded(positions) {
  const known = new Map(), vertices = [], ids = [];
  for (let k = 0; k + 2 < positions.length; k += 3) {
    const place = [positions[k], positions[k + 1], positions[k + 2]], key = place.join();
    if (!known.has(key)) known.set(key, vertices.push(place) - 1);
    ids.push(known.get(key));
  }
  return { vertices, ids };
}

// --- what both must hold

function needList(value, name) {
  if (!Array.isArray(value)) refuse('UNSOUND', `${name} of the navmesh must be a list. ${WAY_OUT}`);
}

function isCount(value) {
  return Number.isInteger(value) && value >= 0;
}

/** Whether a list holds whole numbers below a limit, and nothing else. */
function isListOf(value, limit) {
  return Array.isArray(value) && value.every((number) => isCount(number) && number < limit);
}

function isPoint(value) {
  return Array.isArray(value) && value.length === 3 && value.every(Number.isFinite);
}

function checked(navmesh) {
  const { vertices, polygons, areas, flags, links, doors, sizes } = navmesh;
  for (const [name, value] of Object.entries({ vertices, polygons, areas, flags, doors, sizes })) needList(value, name);
  const wrong = (what) => refuse('UNSOUND', `${what} ${WAY_OUT}`);
  if (polygons.length === 0) wrong('The navmesh has no polygons.');
  if (areas.length !== polygons.length || flags.length !== polygons.length) wrong('The navmesh has not one area and one set of flags for each polygon.');
  vertices.forEach((vertex, number) => isPoint(vertex) || wrong(`Vertex ${number} is no point [x, y, z].`));
  const isCorner = (corner) => isCount(corner) && corner < vertices.length;
  polygons.forEach((ring, number) => {
    if (!Array.isArray(ring) || ring.length < 3 || !ring.every(isCorner)) wrong(`Polygon ${number} has a corner that is not there, or fewer than three.`);
    if (!(Number.isInteger(areas[number]) && areas[number] >= 0 && areas[number] < 64)) wrong(`The area of polygon ${number} is no number from 0 to 63.`);
  });
  doors.forEach((door) => {
    if (!(typeof door?.name === 'string' && Array.isArray(door.polygons) && door.polygons.every(isCount))) wrong('A door has no name or no list of polygons.');
    if (door.numbers !== undefined && !isListOf(door.numbers, polygons.length)) wrong(`The door "${door.name}" has polygons that are not there.`);
  });
  links.forEach((link, number) => isPoint(link.start) && isPoint(link.end) && link.radius > 0 || wrong(`Link ${number} has no start, no end or no radius.`));
  if (navmesh.detail !== null && !isDetail(navmesh.detail, polygons.length)) wrong('The detail_mesh of the navmesh is no list of points, of triangles of these and of the polygon that each belongs to.');
  return navmesh;
}

function isDetail({ vertices, triangles, polygon }, polygons) {
  return [vertices, triangles, polygon].every(Array.isArray) && vertices.every(isPoint) && triangles.length === polygon.length
    && triangles.every((corners) => Array.isArray(corners) && corners.length === 3 && corners.every((corner) => isCount(corner) && corner < vertices.length))
    && polygon.every((number) => isCount(number) && number < polygons);
}
