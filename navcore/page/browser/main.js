// The page: reads what it was made with, draws it when something changed, and answers clicks.

import { readPage } from "./data.js";
import { Camera } from "./camera.js";
import { Drawing } from "./drawing.js";
import { colorsOf, edgesOf, facesOf, groundOf, hit, levelOf, linksOf, ribbonsOf, waysToColor } from "./scene.js";
import { EVERYBODY, findPath } from "./paths.js";
import { counted, element, fillLegend, fillPanel } from "./panel.js";

const COLORS = {
  light: { sky: [233, 237, 240], wall: [31, 59, 77], inner: [95, 127, 140], border: [160, 60, 160], link: [179, 38, 30], level: [188, 192, 196], path: [200, 20, 90], heat: [31, 59, 155], cover: [110, 70, 190] },
  dark: { sky: [20, 24, 27], wall: [225, 235, 240], inner: [70, 92, 102], border: [225, 140, 225], link: [255, 150, 130], level: [96, 102, 107], path: [255, 120, 180], heat: [150, 175, 255], cover: [190, 160, 255] },
};
const TURN = 0.008, STEP = 0.08; // radians a pixel, and of the view a key
const NARROW = 640; // pixels: the panel lies below the view, not beside it
const CLICK = 5; // pixels that a click may move
const SLOW = 60, GOOD = 45, FAST = 25, RESTS = 300; // milliseconds: frames that are slow, good and fast, and when nothing moves
const COARSEST = 0.4, LEAST = 0.02; // of the pixels along each side, and of what is drawn, while something moves
const AT_FIRST = 80000; // triangles and lines that are drawn before anybody knows how fast this machine is
const LIFT = { ground: 2e-5, edges: 6e-5, changes: 4e-5, path: 2e-4 };

const $ = (id) => document.getElementById(id);

class Page {
  constructor(facts) {
    this.facts = facts;
    this.canvas = $("view");
    this.drawing = new Drawing(this.canvas);
    this.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    this.rule = EVERYBODY;
    this.asked = [];
    this.sets = { after: this.prepared(facts.navmesh) };
    this.shownSet = "after";
    this.state = {
      shown: { ground: true, edges: true, walls: true, links: true, borders: false, level: true, changes: true, contours: false, heat: true, cover: true },
      ways: waysToColor(facts.navmesh), way: "area",
    };
    this.level = facts.level ? this.surfaceOf(levelOf(facts.level), null) : null;
    this.changes = facts.difference && facts.difference.faces.length ? this.surfaceOf(facesOf(facts.difference)) : null;
    this.beside = Object.fromEntries(["heat", "cover"].filter((name) => facts[name]).map((name) =>
      [name, { faces: this.surfaceOf(facesOf(facts[name])), lines: this.drawing.segments(facts[name].lines) }]));
    this.camera = new Camera(...this.bounds());
    this.setTheme();
    fillPanel($("panel"), facts, this.state, this.acts());
    this.recolor();
    this.listen();
    this.lookAtAll();
    this.before = 0;
    this.pace = Math.min(1, AT_FIRST / this.pieces());
    this.move();
  }

  /** How many triangles and lines there are. */
  pieces() {
    const { surface, lines } = this.current;
    return ((this.level?.count ?? 0) + surface.count) / 3 + Object.values(lines).reduce((sum, { count }) => sum + count / 2, 1);
  }

  prepared(mesh) {
    const ground = groundOf(mesh), edges = edgesOf(mesh);
    return {
      mesh, ground, surface: this.drawing.surface(ground.places, ground.owners, mesh.area.length),
      lines: Object.fromEntries(Object.entries(edges).map(([kind, places]) => [kind, this.drawing.segments(places)])),
      links: this.drawing.segments(linksOf(mesh)), ribbons: this.surfaceOf(ribbonsOf(mesh)),
    };
  }

  surfaceOf({ places, owners, colors, count = 1 }) {
    const surface = this.drawing.surface(places, owners, count);
    if (colors) this.drawing.paint(surface, colors);
    return surface;
  }

  bounds() {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    const { boxes } = this.facts.navmesh;
    for (let at = 0; at < boxes.length; at += 6) {
      for (let axis = 0; axis < 3; axis++) {
        low[axis] = Math.min(low[axis], boxes[at + axis]);
        high[axis] = Math.max(high[axis], boxes[at + 3 + axis]);
      }
    }
    return boxes.length ? [low, high] : [[-5, 0, -5], [5, 1, 5]];
  }

  get current() {
    return this.sets[this.shownSet];
  }

  acts() {
    return {
      show: (name, shown) => { this.state.shown[name] = shown; this.draw(); },
      colorBy: (way) => { this.state.way = way; this.recolor(); },
      home: () => this.home(),
      before: () => this.swap(),
      theme: () => this.otherTheme(),
      clear: () => this.clear(),
      costs: (heeded) => this.heedCosts(heeded),
      flyTo: (at, words) => { this.camera.flyTo(at); this.label = { at, words: words.slice(0, 60) }; this.draw(); },
    };
  }

  home() {
    this.lookAtAll();
    this.draw();
  }

  lookAtAll() {
    this.camera.home(this.canvas.clientWidth / this.canvas.clientHeight, this.aside());
  }

  // --- drawing

  recolor() {
    const { colors, legend } = colorsOf(this.current.mesh, this.state.way);
    this.drawing.paint(this.current.surface, colors);
    fillLegend($("legend"), legend);
    this.draw();
  }

  draw() {
    if (this.waits) return;
    this.waits = true;
    requestAnimationFrame((now) => { this.waits = false; this.keepPace(now); this.drawNow(); this.restSoon(); });
  }

  /** While something moves, slow machines draw fewer pixels, and of many triangles the largest; once it rests, everything. */
  keepPace(now) {
    const took = now - this.before;
    this.before = now;
    if (this.setsOff) this.setsOff = false; // how long it rested says nothing
    else if (this.moving && took > SLOW) this.pace = Math.max(LEAST, this.pace * Math.max(0.2, GOOD / took));
    else if (this.moving && took < FAST) this.pace = Math.min(1, this.pace * 1.2);
    this.part = this.moving ? this.pace : 1;
    this.coarse = Math.max(COARSEST, Math.min(1, 1.5 * Math.sqrt(this.part)));
  }

  /** The view moves, until it has rested for a moment. */
  move() {
    this.setsOff ||= !this.moving;
    this.moving = true;
    clearTimeout(this.resting);
    this.draw();
  }

  /** Counted from the picture on, not from the hand: slow pictures must not bring on the slowest. */
  restSoon() {
    clearTimeout(this.resting);
    if (this.moving) this.resting = setTimeout(() => { this.moving = false; this.draw(); }, RESTS);
  }

  drawNow() {
    const { canvas, drawing, state: { shown } } = this, colors = COLORS[this.theme];
    const sharp = Math.min(devicePixelRatio || 1, 2) * this.coarse;
    const width = Math.max(1, Math.round(canvas.clientWidth * sharp)), height = Math.max(1, Math.round(canvas.clientHeight * sharp));
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    const matrix = this.camera.matrix(width / height, this.aside()), { surface, lines, links, ribbons } = this.current;
    const { part } = this;
    drawing.begin(width, height, colors.sky);
    if (shown.level && this.level) drawing.drawSurface(this.level, matrix, { part });
    if (shown.ground) drawing.drawSurface(surface, matrix, { part, lift: LIFT.ground, contours: shown.contours ? this.contourStep() : 0, opacity: this.level && shown.level ? 0.8 : 1 });
    if (shown.changes && this.changes) drawing.drawSurface(this.changes, matrix, { lift: LIFT.changes, shade: 0 });
    for (const [name, { faces, lines: marks }] of Object.entries(this.beside)) {
      if (!shown[name]) continue;
      drawing.drawSurface(faces, matrix, { lift: LIFT.changes, shade: 0, opacity: 0.9 });
      if (marks.count) drawing.drawLines(marks, matrix, colors[name], { lift: LIFT.edges });
    }
    if (shown.edges) drawing.drawLines(lines.inner, matrix, colors.inner, { part, lift: LIFT.edges, opacity: 0.6 });
    if (shown.walls) drawing.drawLines(lines.walls, matrix, colors.wall, { part, lift: LIFT.edges });
    if (shown.borders) drawing.drawLines(lines.borders, matrix, colors.border, { part, lift: LIFT.edges });
    else if (shown.edges) drawing.drawLines(lines.borders, matrix, colors.inner, { part, lift: LIFT.edges, opacity: 0.6 });
    if (shown.links) {
      if (ribbons.count) drawing.drawSurface(ribbons, matrix, { lift: LIFT.edges, opacity: 0.7, shade: 0 });
      if (links.count) drawing.drawLines(links, matrix, colors.link, { lift: LIFT.edges });
    }
    if (this.path) drawing.drawLines(this.path, matrix, colors.path, { lift: LIFT.path });
    if (this.dots) drawing.drawLines(this.dots, matrix, colors.path, { lift: LIFT.path, points: true });
    this.placeLabel(matrix, width / sharp, height / sharp);
    this.frames = (this.frames ?? 0) + 1;
  }

  /** How far the middle of the free part of the view stands aside, in halves of its width. */
  aside() {
    const panel = $("panel"), wide = this.canvas.clientWidth;
    return panel.hidden || wide <= NARROW ? 0 : (panel.offsetLeft + panel.offsetWidth) / wide;
  }

  contourStep() {
    const [low, high] = this.camera.bounds, rise = high[1] - low[1];
    return rise > 40 ? 5 : rise > 8 ? 1 : 0.25;
  }

  placeLabel(matrix, width, height) {
    const labels = $("labels");
    if (!this.label) return labels.replaceChildren();
    const [x, y, z] = this.label.at;
    const row = (k) => matrix[k] * x + matrix[4 + k] * y + matrix[8 + k] * z + matrix[12 + k];
    const depth = row(3);
    if (depth <= 0) return labels.replaceChildren();
    const style = `left: ${((row(0) / depth + 1) * width) / 2}px; top: ${((1 - row(1) / depth) * height) / 2}px`;
    return labels.replaceChildren(element("span", { style }, this.label.words));
  }

  // --- what hands do

  swap() {
    if (!this.facts.before) return;
    this.sets.before ??= this.prepared(this.facts.before);
    this.shownSet = this.shownSet === "after" ? "before" : "after";
    $("before").textContent = this.shownSet === "after" ? "Before" : "After";
    this.clear();
    this.recolor();
  }

  otherTheme() {
    this.theme = this.theme === "dark" ? "light" : "dark";
    this.setTheme();
    this.draw();
  }

  setTheme() {
    document.documentElement.dataset.theme = this.theme;
    if (this.level) this.drawing.paint(this.level, new Uint8Array([...COLORS[this.theme].level, 255]));
  }

  heedCosts(heeded) {
    const costs = new Float32Array(64).fill(1);
    if (heeded) for (const [area, { cost }] of Object.entries(this.facts.navmesh.areas)) costs[area] = cost;
    this.rule = { ...EVERYBODY, costs };
    if (this.asked.length === 2) this.showPath();
  }

  clear() {
    this.asked = []; this.path = this.dots = this.label = null;
    $("answer").replaceChildren();
    this.draw();
  }

  /** The ground under a place of the view, or null. */
  groundAt(x, y) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    return hit(this.current.ground, this.camera.ray((2 * x) / width - 1 - this.aside(), 1 - (2 * y) / height, width / height));
  }

  click(x, y) {
    const found = this.groundAt(x, y);
    if (!found) return this.say("There is no navmesh at this place.");
    if (this.asked.length === 2) this.asked = [];
    this.asked.push(found.point);
    if (this.asked.length === 2) return this.showPath();
    this.path = null;
    this.dots = this.drawing.segments(new Float32Array(found.point));
    const mesh = this.current.mesh, island = mesh.island[found.polygon];
    return this.say(`${mesh.areas[mesh.area[found.polygon]].name}, island ${island + 1}. Click where the path ends.`);
  }

  showPath() {
    const { status, points, length, polygons, links } = this.ask(...this.asked);
    const pieces = points.flatMap((point, k) => (k ? [...points[k - 1], ...point] : []));
    this.path = this.drawing.segments(new Float32Array(pieces));
    this.dots = this.drawing.segments(new Float32Array(this.asked.flat()));
    const words = { complete: "", partial: "The end can't be reached: this is how far it goes. ", truncated: "Cut off at 256 polygons, as Detour does. ",
      out_of_nodes: "The search ran out of nodes. ", no_start: "No navmesh near the start. ", no_end: "No navmesh near the end. " }[status];
    $("answer").replaceChildren(words, element("span", { id: "path-length" }, `${length.toFixed(2)} m`),
      ` through ${counted(polygons.length, "polygon")}${links.length ? `, over ${counted(links.length, "link")}` : ""}`);
    this.draw();
  }

  ask(start, end) {
    return findPath(this.current.mesh, start, end, this.rule);
  }

  say(words) {
    $("answer").replaceChildren(words);
    this.draw();
  }

  listen() {
    const { canvas } = this, fingers = new Map();
    let moved = 0, apart = 0;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
      moved = fingers.size > 1 ? CLICK + 1 : 0; // two fingers never click
    });
    canvas.addEventListener("pointermove", (event) => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const [dx, dy] = [event.clientX - before[0], event.clientY - before[1]];
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
      moved += Math.abs(dx) + Math.abs(dy);
      if (moved <= CLICK) return;
      if (fingers.size > 1) {
        const [a, b] = [...fingers.values()], now = Math.hypot(a[0] - b[0], a[1] - b[1]);
        if (apart) this.camera.nearer(apart / now);
        apart = now;
        this.camera.shift(-dx / 2 / canvas.clientHeight, dy / 2 / canvas.clientHeight);
      } else if (event.shiftKey || event.buttons & 6) this.camera.shift(-dx / canvas.clientHeight, dy / canvas.clientHeight);
      else this.camera.turn(-dx * TURN, dy * TURN);
      this.move();
    });
    const up = (event) => {
      if (fingers.delete(event.pointerId) && event.type === "pointerup" && moved <= CLICK && event.button === 0) this.click(event.clientX, event.clientY);
      apart = 0;
    };
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.camera.nearer(Math.exp(Math.max(-1, Math.min(1, event.deltaY * 0.002))));
      this.move();
    }, { passive: false });
    addEventListener("resize", () => this.draw());
    addEventListener("keydown", (event) => this.key(event));
    $("menu").addEventListener("click", () => this.togglePanel());
    if (innerWidth <= NARROW) this.togglePanel();
  }

  togglePanel() {
    $("panel").hidden = !$("panel").hidden;
    $("menu").setAttribute("aria-expanded", String(!$("panel").hidden));
    this.draw();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
    const { camera } = this, box = (name) => $(`show-${name}`)?.click();
    const acts = {
      ArrowLeft: () => camera.turn(-STEP, 0), ArrowRight: () => camera.turn(STEP, 0), ArrowUp: () => camera.turn(0, STEP), ArrowDown: () => camera.turn(0, -STEP),
      w: () => camera.shift(0, STEP), s: () => camera.shift(0, -STEP), a: () => camera.shift(-STEP, 0), d: () => camera.shift(STEP, 0),
      "+": () => camera.nearer(0.85), "=": () => camera.nearer(0.85), "-": () => camera.nearer(1 / 0.85),
      h: () => this.home(), c: () => this.nextWay(), b: () => this.swap(), l: () => box("level"), t: () => this.otherTheme(),
      p: () => this.togglePanel(), Escape: () => this.clear(),
    };
    const act = acts[event.key] ?? acts[event.key.toLowerCase()];
    if (!act) return;
    act();
    event.preventDefault();
    this.draw();
  }

  nextWay() {
    const ways = Object.keys(this.state.ways);
    $("color-by").value = this.state.way = ways[(ways.indexOf(this.state.way) + 1) % ways.length];
    this.recolor();
  }
}

readPage().then((facts) => {
  const page = new Page(facts);
  window.navmesh = {
    path(start, end) {
      const { status, points, length } = page.ask(start, end);
      return { status, points, length };
    },
    page,
  };
}).catch((error) => {
  $("answer").textContent = `The page could not be shown: ${error.message}`;
  throw error;
});
