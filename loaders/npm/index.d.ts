// Types of libraries that are not installed are `any`: hence the ts-ignore lines.
// @ts-ignore
import type { NavMesh as RecastNavMesh, NavMeshQuery as RecastQuery, QueryFilter as RecastFilter } from '@recast-navigation/core';
// @ts-ignore
import type { NavMesh as NavcatNavMesh, DefaultQueryFilter as NavcatFilter } from 'navcat';
// @ts-ignore
import type { Vector3 } from 'three';
// @ts-ignore
import type { Pathfinding } from 'three-pathfinding';

/** Metres, y up. */
export type Point = [x: number, y: number, z: number];

export interface AreaType {
  name: string;
  /** Abilities that the area asks of an agent, as bits. */
  flags: number;
  /** How dear a metre is. */
  cost: number;
  /** Red, green and blue from 0 to 1, linear; not there where nobody chose one. */
  color?: [number, number, number];
}

export interface Link {
  start: Point;
  end: Point;
  radius: number;
  bidirectional: boolean;
  area: number;
  flags: number;
  id: number;
  /** How an agent gets across; `given` by hand, the others were found. */
  kind: 'given' | 'drop' | 'jump' | 'climb';
  /** Of a link that was found: a number that all points of it share. */
  wideLink?: number;
  /** Likewise: start left, start right, end left, end right, looking along the link. */
  corners?: [Point, Point, Point, Point];
}

export interface Door {
  name: string;
  /** Its polygons by their references in the .bin of the same build. */
  polygons: number[];
  /** The same polygons as the file counts them; triangles of a .glb. */
  numbers?: number[];
  /** Flags of its polygons while it is open, and closed. */
  open: number;
  closed: number;
}

export interface AgentSize {
  name: string;
  radius: number;
  height: number;
  /** The flag that the filter of such an agent excludes. */
  exclude: number;
}

export interface Navmesh {
  vertices: Point[];
  /** Vertices of each polygon, counter-clockwise seen from above. A .glb has triangles. */
  polygons: number[][];
  areas: number[];
  flags: number[];
  links: Link[];
  areaTypes: Record<number, AreaType>;
  doors: Door[];
  sizes: AgentSize[];
  /** The file it was read from. */
  format: 'json' | 'glb';
  /** What it was built with; null where the file does not say. */
  settings: Record<string, number | boolean | string> | null;
  /** Triangles that follow the heights; null where the file has none, as a .glb. */
  detail: { vertices: Point[]; triangles: [number, number, number][]; polygon: number[] } | null;
}

/** What is wrong with a file, and the way out. */
export declare class NavmeshFileError extends Error {
  code: 'BAD_INPUT' | 'BAD_UNIT' | 'BAD_VERSION' | 'CUT_OFF' | 'NO_DOOR' | 'NOT_A_NAVMESH' | 'TOO_LARGE' | 'UNSOUND';
  constructor(code: NavmeshFileError['code'], message: string);
}

/** The navmesh in a .json or .glb of Navmesh. Throws NavmeshFileError. */
export declare function loadNavmesh(bytes: ArrayBuffer | ArrayBufferView | string): Navmesh;

/** The bytes of a Detour .bin, which Babylon's plugins and recast-navigation-js load. Throws NavmeshFileError. */
export declare function toDetour(navmesh: Navmesh): Uint8Array;

/** For recast-navigation-js. `core`: the module, where it was imported already. */
export declare function toRecast(navmesh: Navmesh, core?: unknown): Promise<{
  navMesh: RecastNavMesh;
  /** Its default filter has the costs of the areas. */
  query: RecastQuery;
  /** Gives them to another filter, as of a crowd. */
  setCosts(filter: RecastFilter): void;
  /** Opens or closes a door by its name. Throws NavmeshFileError where there is none. */
  setDoor(name: string, isOpen: boolean): void;
  /** The link of a connection, or of a user id that no other link has. */
  linkOf(connection: { poly(): number } | number): Link | null;
}>;

/** For navcat. `navcat`: the module, where it was imported already. */
export declare function toNavcat(navmesh: Navmesh, navcat?: unknown): Promise<{
  navMesh: NavcatNavMesh;
  /** Has the costs of the areas. */
  filter: NavcatFilter;
  /** Opens or closes a door by its name. Throws NavmeshFileError where there is none. */
  setDoor(name: string, isOpen: boolean): void;
  /** The link of an off-mesh connection by its id. */
  linkOf(connection: number): Link | null;
}>;

/** For three-pathfinding. `libraries`: the modules, where they were imported already. */
export declare function toThreePathfinding(
  navmesh: Navmesh,
  libraries?: { three?: unknown; threePathfinding?: unknown },
): Promise<{
  /** With the zone 'level', for everything that the library does by itself. */
  pathfinding: Pathfinding;
  zone: { vertices: Vector3[]; groups: unknown[][] };
  /** Opens or closes a door by its name. Throws NavmeshFileError where there is none. */
  setDoor(name: string, isOpen: boolean): void;
  /** The way with links and costs: its points from the start on, and the links in order. Null where there is none. */
  findPath(
    from: { x: number; y: number; z: number },
    to: { x: number; y: number; z: number },
    options?: { exclude?: number },
  ): { points: Vector3[]; links: Link[] } | null;
}>;
