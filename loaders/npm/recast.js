import { linkOfPolygon, referencesOf, toDetour } from './detour.js';
import { costOf, doorState } from './ground.js';
import { NavmeshFileError } from './load.js';

/**
 * For recast-navigation-js: `{ navMesh, query, setCosts, setDoor, linkOf }`.
 *
 * `query.defaultFilter` has the costs of the areas; `setCosts(filter)` gives them to another, as of a crowd.
 * `core` is the module @recast-navigation/core where it was imported already.
 */
export async function toRecast(navmesh, core) {
  const library = core ?? (await import('@recast-navigation/core'));
  if (!library.Raw?.Module) await library.init(); // a second time would part what was made before
  const { navMesh } = library.importNavMesh(toDetour(navmesh));
  if (!navMesh) throw new NavmeshFileError('UNSOUND', 'Recast did not take the navmesh. Look at the file with: navcore info FILE.');
  const query = new library.NavMeshQuery(navMesh);
  const areas = new Set([...Object.keys(navmesh.areaTypes).map(Number), ...navmesh.areas, ...navmesh.links.map(({ area }) => area)]);
  const setCosts = (filter) => {
    for (const area of areas) filter.setAreaCost(area, costOf(navmesh, area));
  };
  setCosts(query.defaultFilter);
  const references = referencesOf(navmesh);
  const setDoor = (name, isOpen) => {
    for (const [polygon, flags] of doorState(navmesh, name, isOpen)) {
      for (const reference of references[polygon]) navMesh.setPolyFlags(reference, flags);
    }
  };
  const byId = linksById(navmesh.links);
  const linkOf = (one) => (typeof one === 'number' ? byId.get(one) ?? null : linkOfPolygon(navmesh, one.poly()));
  return { navMesh, query, setCosts, setDoor, linkOf };
}

/** Null for an id that several links have, as 0 of all that nobody numbered; points of one wide link share theirs. */
function linksById(links) {
  const found = new Map();
  for (const link of links) {
    const before = found.get(link.id);
    const isFirst = before === undefined, isSameWide = before?.wideLink !== undefined && before.wideLink === link.wideLink;
    found.set(link.id, isFirst || isSameWide ? link : null);
  }
  return found;
}
