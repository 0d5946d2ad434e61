// The panel: what is shown, what colors mean, what the build said. Elements are made by hand; texts are never read as HTML.

const KEYS = [
  ["Drag", "turn"], ["Shift drag", "move"], ["Wheel", "nearer"], ["Click", "start, then end of a path"],
  ["Arrows", "turn"], ["W A S D", "move"], ["+ −", "nearer, farther"], ["H", "everything"], ["C", "color by the next"],
  ["B", "before or after"], ["L", "level"], ["Esc", "no path"], ["T", "dark or light"], ["P", "panel"],
];

/** An element with attributes and children; strings become text. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** Fill the panel. `state` holds what is chosen, `act` what to do when it changes. */
export function fillPanel(panel, facts, state, act) {
  panel.replaceChildren(
    summary(facts.navmesh),
    ...choices(facts, state, act),
    title("Colors"), element("ul", { id: "legend" }),
    ...changes(facts.difference, act),
    ...listed("Held up", (facts.heat?.places ?? []).map((place) => [heldWords(place), place.at])),
    ...hiding(facts.cover),
    ...listed("Tests", facts.tests.map((test) => [testWords(test), test.from, test.ok])),
    ...listed("Must be reached", facts.mustReach.map((place) => [placeWords(place), place.point, place.ok])),
    ...listed("Warnings", facts.warnings.map((warning) => [warningWords(warning), warning.at])),
    ...listed("Seeds", facts.seeds.map((seed, number) => [seed.name || `Seed ${number + 1}`, seed.at])),
    title("Keys"), element("ul", {}, ...KEYS.map(([key, does]) => element("li", {}, element("kbd", {}, key), does))),
    element("p", {}, `Navmesh ${facts.version}. Paths are those that Detour finds.`),
  );

  function listed(heading, rows) {
    if (!rows.length) return [];
    return [title(`${heading} (${rows.length})`), element("ul", {}, ...rows.map(([words, at, passed]) => row(words, at, passed, act)))];
  }
}

function summary(mesh) {
  const ground = mesh.islands.reduce((sum, metres) => sum + metres, 0);
  const links = mesh.links.points.length + mesh.links.wide.length;
  return element("p", { id: "summary" }, [
    counted(mesh.polygons, "polygon"), `${ground.toLocaleString("en", { maximumFractionDigits: 1 })} m²`,
    counted(mesh.islands.length, "island"), links ? counted(links, "link") : "", mesh.tiles > 1 ? counted(mesh.tiles, "tile") : "",
  ].filter(Boolean).join(" · "));
}

export function counted(number, word) {
  return `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;
}

function title(text) {
  return element("h2", {}, text);
}

function choices(facts, state, act) {
  const shown = { ground: "Navmesh", edges: "Edges of polygons", walls: "Walls", contours: "Lines of height" };
  if (facts.navmesh.links.points.length + facts.navmesh.links.wide.length) shown.links = "Links";
  if (facts.navmesh.tiles > 1) shown.borders = "Borders of tiles";
  if (facts.level) shown.level = levelWords(facts.level);
  if (facts.difference) shown.changes = "What changed";
  if (facts.heat) shown.heat = "Where a crowd loses time";
  if (facts.cover) shown.cover = "Cover";
  const boxes = Object.entries(shown).map(([name, words]) =>
    element("label", {}, element("input", {
      type: "checkbox", id: `show-${name}`, checked: state.shown[name], onchange: (event) => act.show(name, event.target.checked),
    }), words));
  const ways = element("select", { id: "color-by", onchange: (event) => act.colorBy(event.target.value) },
    ...Object.entries(state.ways).map(([way, words]) => element("option", { value: way, selected: way === state.way }, words)));
  const costs = Object.values(facts.navmesh.areas).some(({ cost }) => cost !== 1);
  const before = facts.before ? element("button", { id: "before", onclick: act.before }, "Before") : null;
  return [
    title("Show"), ...boxes, element("label", {}, "Color by", ways),
    costs ? element("label", {}, element("input", { type: "checkbox", id: "costs", onchange: (event) => act.costs(event.target.checked) }), "Paths heed what areas cost") : "",
    element("div", { class: "row" }, element("button", { onclick: act.home }, "Everything"), before,
      element("button", { onclick: act.theme }, "Dark or light"), element("button", { onclick: act.clear }, "No path")),
  ];
}

function levelWords(level) {
  const all = level.shown === level.triangles;
  return all ? "Level" : `Level (the largest ${level.shown.toLocaleString("en")} of ${level.triangles.toLocaleString("en")} triangles)`;
}

function changes(difference, act) {
  if (!difference) return [];
  const metres = (value) => `${value.toLocaleString("en", { maximumFractionDigits: 1 })} m²`;
  const how = difference.by_corners ? " (by corners of polygons: one has no detail)" : "";
  const heading = `Added ${metres(difference.added)}, removed ${metres(difference.removed)}, moved ${metres(difference.moved)}${how}`;
  const rows = difference.places.slice(0, 50).map((place) => row(`${place.kind} ${metres(place.m2)}`, place.at, undefined, act));
  const more = difference.places.length - rows.length;
  return [title("What changed"), element("p", { id: "changes" }, heading), element("ul", {}, ...rows),
    more > 0 ? element("p", {}, `and ${counted(more, "smaller place")}`) : ""];
}

function row(words, at, passed, act) {
  const mark = passed === undefined ? "" : passed ? "✓ " : "✗ ";
  const kind = passed === undefined ? "" : passed ? "good" : "bad";
  if (!at) return element("li", { class: kind }, mark + words);
  return element("li", { class: kind }, element("button", { onclick: () => act.flyTo(at, words) }, mark + words));
}

function heldWords({ seconds, agents, width }) {
  const wide = width === null ? "" : `, ${width.toFixed(1)} m wide`;
  return `${seconds.toLocaleString("en")} s lost by ${counted(agents, "agent")}${wide}`;
}

function hiding(cover) {
  if (!cover) return [];
  const list = element("ul", { id: "cover" });
  fillLegend(list, cover.legend.map(({ color, label, count }) => [color, `${label} (${count.toLocaleString("en")})`]));
  return [title(`Cover (${cover.places.toLocaleString("en")})`), list];
}

function testWords(test) {
  const found = test.expect === "unreachable" ? "no way, as it should be" : `${test.length?.toFixed(1)} m`;
  return `${test.name}: ${test.ok ? found : test.why || test.status}`;
}

function placeWords(place) {
  return place.ok ? place.name : `${place.name}: ${place.why}`;
}

function warningWords(warning) {
  return `${warning.code}: ${warning.message}`;
}

/** What colors mean; long lists end with how many more there are. */
export function fillLegend(list, entries) {
  const shown = entries.slice(0, 16).map(([color, words]) =>
    element("li", {}, element("i", { style: `background: rgb(${color.join(",")})` }), words));
  if (entries.length > 16) shown.push(element("li", {}, `and ${(entries.length - 16).toLocaleString("en")} more`));
  list.replaceChildren(...shown);
}
