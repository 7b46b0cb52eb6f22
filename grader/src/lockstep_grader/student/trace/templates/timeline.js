// All moments from left to right, a row per warp: what acts, in the colour of its line; what waits;
// barriers as walls; findings as triangles.

class Timeline {
  constructor(canvas, replay) {
    this.canvas = canvas;
    this.replay = replay;
    this.rows = replay.recording.blocks.length * replay.numWarps;
    this.rowHeight = Math.max(2, Math.min(12, Math.floor((window.innerWidth < 640 ? 64 : 96) / this.rows)));
    this.top = 12;
    this.gap = 4;  // between blocks
    this.height = this.top + this.rows * this.rowHeight + this.gap * replay.recording.blocks.length + 4;
    canvas.style.height = `${this.height}px`;
    this.picture = document.createElement("canvas");
  }

  rowOf(moment) {
    const block = this.replay.recording.blocks.indexOf(moment.block);
    return this.top + (block * this.replay.numWarps + moment.warp) * this.rowHeight + block * this.gap;
  }

  xOf(at) {
    return ((at + 0.5) / this.replay.moments.length) * this.width;
  }

  atOf(x) {
    return Math.floor((x / this.canvas.clientWidth) * this.replay.moments.length);
  }

  resize() {
    const scale = window.devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    for (const each of [this.canvas, this.picture]) {
      each.width = this.width * scale;
      each.height = this.height * scale;
      each.getContext("2d").setTransform(scale, 0, 0, scale, 0, 0);
    }
    this.paint();
  }

  paint() {
    const draw = this.picture.getContext("2d");
    const { moments, recording, numWarps } = this.replay;
    const ink = colourOf("--ink");
    const each = Math.max(this.width / moments.length, 0.6);
    draw.clearRect(0, 0, this.width, this.height);
    draw.fillStyle = colourOf("--panel");
    for (let block = 0; block < recording.blocks.length; ++block) {
      const y = this.rowOf({ block: recording.blocks[block], warp: 0 });
      draw.fillRect(0, y, this.width, numWarps * this.rowHeight);
    }
    this.paintWaits(draw);
    moments.forEach((moment, at) => {
      if (!"srwao".includes(moment.kind)) return;
      draw.fillStyle = hueOf(moment.place);
      const part = moment.isDiverged ? 0.5 : 1;  // half as high: not all lanes
      const height = (this.rowHeight - 1) * part;
      draw.fillRect(this.xOf(at) - each / 2, this.rowOf(moment) + (this.rowHeight - 1) - height, each, height);
    });
    moments.forEach((moment, at) => {
      const y = this.rowOf({ block: moment.block, warp: 0 });
      if (moment.kind === "b" || moment.kind === "g") {
        draw.fillStyle = ink;
        draw.fillRect(this.xOf(at) - 1, y - 2, 2, numWarps * this.rowHeight + 3);
      } else if (moment.kind === "f") {
        draw.fillStyle = colourOf("--bad");
        const x = this.xOf(at);
        draw.beginPath();
        draw.moveTo(x - 5, 10);
        draw.lineTo(x + 5, 10);
        draw.lineTo(x, 1);
        draw.fill();
        draw.fillRect(x - 0.5, 10, 1, this.height - 14);
      }
    });
  }

  // From the warp's arrival to the barrier's opening.
  paintWaits(draw) {
    const arrived = new Map();
    draw.fillStyle = colourOf("--soft");
    this.replay.moments.forEach((moment, at) => {
      const row = this.rowOf(moment);
      if (moment.kind === "v") {
        if (!arrived.has(row)) arrived.set(row, { at, block: moment.block });
      } else if (moment.kind === "b" || moment.kind === "g") {
        for (const [y, since] of arrived) {
          if (since.block !== moment.block) continue;
          const x = this.xOf(since.at);
          draw.fillRect(x, y + (this.rowHeight - 1) / 2 - 0.5, this.xOf(at) - x, 1);
          arrived.delete(y);
        }
      }
    });
  }

  show() {
    if (!this.picture.width) return;  // not laid out yet; resize() comes
    const draw = this.canvas.getContext("2d");
    draw.clearRect(0, 0, this.width, this.height);
    draw.drawImage(this.picture, 0, 0, this.width, this.height);
    const x = this.xOf(this.replay.at);
    draw.fillStyle = colourOf("--link");
    draw.fillRect(x - 1, 0, 2, this.height);
    draw.beginPath();
    draw.arc(x, this.height - 4, 4, 0, 7);
    draw.fill();
  }
}
