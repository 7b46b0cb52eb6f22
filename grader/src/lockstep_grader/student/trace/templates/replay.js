// A recording, and the state of threads and memory at one of its moments.

const stepsBetweenCheckpoints = 1000;

class Replay {
  constructor(recording) {
    this.recording = recording;
    this.threads = recording.threads;
    this.numWarps = Math.ceil(this.threads / warpSize);
    this.moments = recording.moments;
    this.checkpoints = [];  // states, so that a step back need not begin at the start
    this.restart();
  }

  get last() {
    return this.moments.length - 1;
  }

  get moment() {
    return this.moments[this.at];
  }

  restart() {
    this.at = -1;
    this.lanes = new Map();
    for (const block of this.recording.blocks) {
      this.lanes.set(block, Array.from({ length: this.threads }, () => ({ place: -1, state: "new" })));
    }
    this.memory = this.recording.arrays.map((array) => ({
      bytes: new Uint8Array(array.count * array.item_bytes + 16),
      known: new Uint8Array(array.count),
      writer: new Int32Array(array.count).fill(-1),  // a moment
      touched: new Int32Array(array.count).fill(-1),
    }));
  }

  goTo(target) {
    const at = Math.max(0, Math.min(target, this.last));
    if (at < this.at) this.restore(Math.floor(at / stepsBetweenCheckpoints));
    while (this.at < at) {
      this.play(this.moments[++this.at]);
      if (this.at % stepsBetweenCheckpoints === 0) this.checkpoints[this.at / stepsBetweenCheckpoints] ??= this.copy();
    }
  }

  copy() {
    const lanes = new Map([...this.lanes].map(([block, own]) => [block, own.map((lane) => ({ ...lane }))]));
    const memory = this.memory.map((state) => Object.fromEntries(Object.entries(state).map(([name, cells]) => [name, cells.slice()])));
    return { at: this.at, lanes, memory };
  }

  restore(number) {
    const saved = this.checkpoints[number];
    if (!saved) return this.restart();
    Object.assign(this, saved);
    Object.assign(this, this.copy());  // what is played must not change the checkpoint
    return undefined;
  }

  play(moment) {
    const lanes = this.lanes.get(moment.block);
    if (moment.kind === "b" || moment.kind === "g") {
      for (const lane of lanes) if (lane.state === "waits") lane.state = "runs";
    } else if (moment.kind === "B") {
      for (const lane of lanes) lane.state = "runs";
    } else if (moment.kind === "E") {
      for (const lane of lanes) lane.state = "over";
    } else if (moment.kind !== "f") {
      this.placeLanes(moment, lanes);
      if (moment.kind in accesses) this.touch(moment);
    }
  }

  placeLanes(moment, lanes) {
    const base = moment.warp * warpSize;
    for (let lane = 0; lane < warpSize && base + lane < this.threads; ++lane) {
      const own = lanes[base + lane];
      if ((moment.lanes >>> lane) & 1 && moment.kind !== "x") own.place = moment.place;
      if (((moment.live >>> lane) & 1) === 0) own.state = "over";
      else own.state = (moment.waiting >>> lane) & 1 ? "waits" : "runs";
    }
  }

  touch(moment) {
    const state = this.memory[moment.array];
    const array = moment.memory;
    const base = array.first * array.item_bytes;
    const bytes = moment.after || moment.before;
    const offsets = offsetsOf(moment);
    for (let index = 0; index < offsets.length; ++index) {
      const at = offsets[index] - base;
      if (at < 0 || at + moment.size > array.count * array.item_bytes) continue;
      if (bytes) state.bytes.set(bytes.subarray(index * moment.size, (index + 1) * moment.size), at);
      const first = Math.floor(at / array.item_bytes);
      const end = Math.ceil((at + moment.size) / array.item_bytes);
      for (let cell = first; cell < end; ++cell) {
        state.known[cell] = 1;
        state.touched[cell] = this.at;
        if (moment.after) state.writer[cell] = this.at;
      }
    }
  }

  // The thread that made the cell's value, by the moment of its write.
  writerOf(number, cell) {
    const at = this.memory[number].writer[cell];
    if (at < 0) return null;
    const moment = this.moments[at];
    const array = moment.memory;
    const low = (array.first + cell) * array.item_bytes;
    const lanes = lanesOf(moment.lanes);
    let writer = null;  // the last lane that went there
    offsetsOf(moment).forEach((offset, index) => {
      if (offset <= low && low < offset + moment.size) writer = lanes[index];
    });
    return { moment, at, thread: moment.warp * warpSize + writer };
  }

  // The next moment in the direction that `wanted` accepts; null: none.
  find(direction, wanted) {
    for (let at = this.at + direction; at >= 0 && at <= this.last; at += direction) {
      if (wanted(this.moments[at], at)) return at;
    }
    return null;
  }

  // Whether lanes part here that were together before in their warp.
  partsAt(at) {
    const moment = this.moments[at];
    if (!moment.isDiverged) return false;
    for (let earlier = at - 1; earlier >= 0; --earlier) {
      const other = this.moments[earlier];
      if (other.block !== moment.block) continue;
      if (other.kind === "b" || other.kind === "B") return true;
      if (other.warp === moment.warp && "srwao".includes(other.kind)) return !other.isDiverged;
    }
    return true;
  }
}
