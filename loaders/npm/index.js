// Navigation meshes of Navmesh in JavaScript: load.js reads files, the others hand what they hold to a library.

export { loadNavmesh, NavmeshFileError } from './load.js';
export { toDetour } from './detour.js';
export { toRecast } from './recast.js';
export { toNavcat } from './navcat.js';
export { toThreePathfinding } from './three-pathfinding.js';
