// What the page was made with: facts in JSON, and arrays that were packed behind them.

const KINDS = { f4: Float32Array, u1: Uint8Array, u2: Uint16Array, u4: Uint32Array };

/** Facts, with the arrays of each part beside them. */
export async function readPage() {
  const facts = JSON.parse(document.getElementById("facts").textContent);
  const bytes = await unpacked(document.getElementById("arrays").textContent);
  for (const part of ["navmesh", "before", "level", "difference", "heat", "cover"]) {
    if (facts[part]) facts[part] = { ...facts[part], ...arraysOf(facts[part].arrays, bytes) };
  }
  return facts;
}

async function unpacked(text) {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text); // newer than the page's oldest browsers, and ten times as fast
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let k = 0; k < bytes.length; k++) bytes[k] = letters.charCodeAt(k);
  return bytes;
}

/** Named views into the bytes, each array as the table says. */
export function arraysOf(table, bytes) {
  const named = Object.entries(table).map(([name, [kind, begin, count]]) => [name, new KINDS[kind](bytes, begin, count)]);
  return Object.fromEntries(named);
}

/** "#rrggbb" as three numbers from 0 to 255. */
export function channels(color) {
  return [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
}

/** One of many colors that neighbors in number do not share; the first ones are those of Okabe and Ito. */
export function colorOfNumber(number) {
  const known = ["#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#f0e442", "#0072b2", "#d55e00"];
  if (number < known.length) return channels(known[number]);
  const hue = (number * 0.618033988749895) % 1, light = 0.55 + 0.2 * ((number * 0.7548776662) % 1);
  const channel = (shift) => {
    const k = (shift + hue * 12) % 12;
    return Math.round(255 * (light - 0.5 * Math.min(light, 1 - light) * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}
