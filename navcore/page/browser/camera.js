// A camera that turns around a point. Matrices are column by column, as WebGL takes them.

const STEEPEST = Math.PI / 2 - 0.01;
const OPENING = 0.75; // radians, from the top to the bottom of the view
const FREE = 0.94; // of the half of the view: so far things may reach at first

export class Camera {
  constructor(low, high) {
    this.bounds = [low, high];
    this.size = Math.max(1, Math.hypot(...low.map((value, axis) => high[axis] - value)));
    this.home();
  }

  /** Everything in the free part of the view, also where that is narrow. */
  home(aspect = 1, aside = 0) {
    const [low, high] = this.bounds;
    this.target = low.map((value, axis) => (value + high[axis]) / 2);
    this.around = 0.7;
    this.above = 0.9;
    this.away = this.size * 0.6;
    while (this.away < this.size * 20 && !this.holdsAll(this.matrix(aspect, aside), aside)) this.away *= 1.03;
  }

  holdsAll(matrix, aside) {
    return [0, 1, 2, 3, 4, 5, 6, 7].every((number) => {
      const place = [0, 1, 2].map((axis) => this.bounds[(number >> axis) & 1][axis]);
      const row = (k) => dot([matrix[k], matrix[4 + k], matrix[8 + k]], place) + matrix[12 + k], depth = row(3);
      return depth > 0 && Math.abs(row(0) / depth - aside) < FREE * (1 - aside) && Math.abs(row(1) / depth) < FREE;
    });
  }

  turn(around, above) {
    this.around += around;
    this.above = Math.max(-STEEPEST, Math.min(STEEPEST, this.above + above));
  }

  nearer(factor) {
    this.away = Math.max(this.size * 1e-4, Math.min(this.size * 20, this.away * factor));
  }

  /** Move sideways and up by parts of the view's height. */
  shift(right, up) {
    const [x, y] = this.axes();
    const step = 2 * this.away * Math.tan(OPENING / 2);
    this.target = this.target.map((value, axis) => value + (x[axis] * right + y[axis] * up) * step);
  }

  flyTo(point) {
    this.target = [...point];
    this.away = Math.min(this.away, Math.max(8, this.size * 0.05));
  }

  eye() {
    const flat = Math.cos(this.above) * this.away;
    return [
      this.target[0] + Math.sin(this.around) * flat,
      this.target[1] + Math.sin(this.above) * this.away,
      this.target[2] + Math.cos(this.around) * flat,
    ];
  }

  /** What lies right of the camera, above it and behind it. */
  axes() {
    const eye = this.eye();
    const z = unit(eye.map((value, axis) => value - this.target[axis]));
    const x = unit(cross([0, 1, 0], z));
    return [x, cross(z, x), z];
  }

  /** From the world to the view, which is `aspect` times as wide as it is high; its middle stands `aside` of its half width. */
  matrix(aspect, aside = 0) {
    const eye = this.eye(), [x, y, z] = this.axes();
    const near = Math.max(this.away * 0.01, this.size * 1e-5), far = this.away + this.size * 4;
    const scale = 1 / Math.tan(OPENING / 2), depth = (far + near) / (near - far), shift = (2 * far * near) / (near - far);
    const turn = [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]];
    const move = [-dot(x, eye), -dot(y, eye), -dot(z, eye)];
    const columns = [];
    for (let column = 0; column < 4; column++) {
      const [a, b, c] = column < 3 ? turn.slice(3 * column, 3 * column + 3) : move;
      columns.push((a * scale) / aspect - c * aside, b * scale, c * depth + (column === 3 ? shift : 0), -c);
    }
    return new Float32Array(columns);
  }

  /** The ray through a place of the view, from -1 to 1 both ways. */
  ray(right, up, aspect) {
    const [x, y, z] = this.axes(), open = Math.tan(OPENING / 2);
    const direction = unit([0, 1, 2].map((k) => x[k] * right * open * aspect + y[k] * up * open - z[k]));
    return { from: this.eye(), direction };
  }
}

export function cross(a, b) {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function dot(a, b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function unit(a) {
  const length = Math.hypot(...a) || 1;
  return a.map((value) => value / length);
}
