// Which part of a plane is seen: a scale and a shift, for points within the unit square.

const kMost = 60;

export function createPlane() {
  return {
    scale: 1,   // of the whole square to the picture
    x: 0.5,     // what is in the middle of the picture
    y: 0.5,
    width: 1,
    height: 1,
    get unit() {
      return Math.min(this.width, this.height) * 0.92 * this.scale;
    },
    toScreen(point) {
      return {x: (point.u - this.x) * this.unit + this.width / 2, y: (point.v - this.y) * this.unit + this.height / 2};
    },
    toPlane(x, y) {
      return {u: (x - this.width / 2) / this.unit + this.x, v: (y - this.height / 2) / this.unit + this.y};
    },
    // Zooms so that the place on the screen stays where it is.
    zoom(factor, x = this.width / 2, y = this.height / 2) {
      const fixed = this.toPlane(x, y);
      this.scale = Math.min(kMost, Math.max(0.8, this.scale * factor));
      const now = this.toPlane(x, y);
      this.shift(fixed.u - now.u, fixed.v - now.v);
    },
    shift(u, v) {
      this.x = Math.min(1.1, Math.max(-0.1, this.x + u));
      this.y = Math.min(1.1, Math.max(-0.1, this.y + v));
    },
    drag(dx, dy) {
      this.shift(-dx / this.unit, -dy / this.unit);
    },
    whole() {
      Object.assign(this, {scale: 1, x: 0.5, y: 0.5});
    },
    // A place in a map's own figures, for an address.
    get text() {
      return this.scale === 1 ? '' : [this.scale.toFixed(2), this.x.toFixed(3), this.y.toFixed(3)].join(',');
    },
    set text(value) {
      const [scale, x, y] = (value ?? '').split(',').map(Number);
      if (scale > 0 && Number.isFinite(x) && Number.isFinite(y)) Object.assign(this, {scale: Math.min(kMost, Math.max(0.8, scale)), x, y});
      else this.whole();
    },
  };
}
