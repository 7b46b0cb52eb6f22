// The recordings of the page, out of its columns of bytes; pack.py made them and explains them.

const warpSize = 32;
const accesses = { r: "read", w: "write", a: "update" };
const pageBytes = 4096;
const wordBytes = 4;
const flagBits = { before: 1, after: 2, even: 4 };
const models = { same: 1, sum: 2, floatSum: 3 };

// {meta, recordings}
async function unpack() {
  const bytes = await inflated(sevenBits(document.getElementById("recording").textContent));
  const start = 4 + new DataView(bytes.buffer).getUint32(0);
  const meta = JSON.parse(new TextDecoder().decode(bytes.subarray(4, start)));
  let at = start;
  const recordings = meta.recordings.map((recording) => {
    const columns = {};
    for (const [name, length] of recording.columns) {
      columns[name] = new Column(bytes.subarray(at, at + length));
      at += length;
    }
    return { ...recording, moments: new Unpacker(recording, columns).moments() };
  });
  return { ...meta, recordings };
}

function sevenBits(text) {
  const bytes = new Uint8Array(Math.floor((text.length * 7) / 8));
  let [bits, held, at] = [0, 0, 0];
  for (let i = 0; i < text.length; ++i) {
    bits = ((bits << 7) | (text.charCodeAt(i) & 127)) & 0x3fff;
    held += 7;
    if (held < 8) continue;
    held -= 8;
    bytes[at++] = bits >> held;
  }
  return bytes.subarray(4, 4 + new DataView(bytes.buffer).getUint32(0));
}

async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

class Column {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  byte() {
    return this.bytes[this.at++];
  }

  unsigned() {
    let [value, unit, byte] = [0, 1, 128];
    for (; byte & 128; unit *= 128) {
      byte = this.byte();
      value += (byte & 127) * unit;
    }
    return value;
  }

  difference() {
    const value = this.unsigned();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }
}

// What the recording has told of the memory of one array; 0 where it told nothing.
class TracedMemory {
  constructor() {
    this.pages = new Map();
  }

  page(offset) {
    const number = Math.floor(offset / pageBytes);
    if (!this.pages.has(number)) this.pages.set(number, new Uint8Array(pageBytes));
    return this.pages.get(number);
  }

  get(offset, bytes) {
    for (let i = 0; i < bytes.length; ++i) bytes[i] = this.page(offset + i)[(offset + i) % pageBytes];
  }

  set(offset, bytes) {
    for (let i = 0; i < bytes.length; ++i) this.page(offset + i)[(offset + i) % pageBytes] = bytes[i];
  }
}

class Unpacker {
  constructor(recording, columns) {
    this.recording = recording;
    this.columns = columns;
    this.warps = new Map();
    this.lines = new Map();
    this.memory = recording.arrays.map(() => new TracedMemory());
    this.bits = new Uint32Array(2);
    this.floats = new Float32Array(this.bits.buffer);
  }

  moments() {
    const { kind } = this.columns;
    const decoder = new TextDecoder("ascii");
    const made = [];
    let [block, warp] = [0, 0];
    for (const letter of decoder.decode(kind.bytes)) {
      block += this.columns.block.difference();
      const moment = { kind: letter, block, warp: 0, place: -1, lanes: 0, live: 0, waiting: 0, isDiverged: false };
      made.push(moment);
      if (letter === "b" || letter === "g") {
        moment.place = this.columns.place.unsigned();
      } else if (letter !== "B" && letter !== "E") {
        warp += this.columns.warp.difference();
        moment.warp = warp;
        if (letter === "f") {
          moment.finding = this.columns.other.unsigned();
          moment.lane = this.columns.other.unsigned();
        } else {
          this.acting(moment);
        }
      }
    }
    return made;
  }

  warpOf(moment) {
    const key = moment.block * warpSize + moment.warp;
    if (!this.warps.has(key)) {
      // The last two values of each lane, four words each.
      const held = { last: new Uint32Array(4 * warpSize), before: new Uint32Array(4 * warpSize) };
      this.warps.set(key, { place: 0, lanes: 0, live: 0, waiting: 0, held });
    }
    return this.warps.get(key);
  }

  acting(moment) {
    const { columns } = this;
    const state = this.warpOf(moment);
    moment.place = state.place += columns.place.difference();
    for (const mask of ["lanes", "live", "waiting"]) {
      moment[mask] = state[mask] = (state[mask] ^ columns[mask].unsigned()) >>> 0;
    }
    moment.isDiverged = "srwao".includes(moment.kind) && (moment.live & ~moment.waiting & ~moment.lanes) !== 0;
    if (moment.kind in accesses) {
      this.access(moment, state.held);
    } else if (moment.kind === "o") {
      moment.name = this.recording.names[columns.other.unsigned()];
      const flags = columns.other.unsigned();
      moment.before = flags & flagBits.before ? this.values(moment, state.held, 8) : null;
      moment.after = flags & flagBits.after ? this.values(moment, state.held, 8) : null;
    }
  }

  access(moment, held) {
    const { columns } = this;
    if (!this.lines.has(moment.place)) this.lines.set(moment.place, { array: 0, size: 0, first: 0, step: 0, cost: 0, ideal: 0 });
    const line = this.lines.get(moment.place);
    const flags = columns.flags.byte();
    moment.array = line.array += columns.array.difference();
    moment.size = line.size += columns.size.difference();
    moment.cost = line.cost += columns.cost.difference();
    moment.ideal = line.ideal += columns.cost.difference();
    moment.memory = this.recording.arrays[moment.array];
    line.first += columns.first.difference();
    if (flags & flagBits.even) {
      moment.offsets = [line.first, (line.step += columns.step.difference())];
    } else {
      const offsets = [line.first];
      for (let left = lanesOf(moment.lanes).length - 1; left > 0; --left) offsets.push(offsets.at(-1) + columns.offsets.difference());
      moment.offsets = [offsets];
    }
    moment.before = moment.after = null;
    const memory = this.memory[moment.array];
    const offsets = offsetsOf(moment);
    for (const side of ["before", "after"]) {
      if (!(flags & flagBits[side])) continue;
      const values = this.values(moment, held, moment.size);
      moment[side] = values;
      offsets.forEach((offset, index) => memory.set(offset, values.subarray(index * moment.size, (index + 1) * moment.size)));
    }
    if (moment.before || moment.after) return;
    const known = new Uint8Array(moment.size * offsets.length);
    offsets.forEach((offset, index) => memory.get(offset, known.subarray(index * moment.size, (index + 1) * moment.size)));
    this.hold(moment, held, known, moment.size);
  }

  // The lanes' values one after another.
  values(moment, held, size) {
    const lanes = lanesOf(moment.lanes);
    const model = this.columns.models.byte();
    const width = Math.min(size, wordBytes);
    const made = new Uint8Array(size * lanes.length);
    let at = 0;
    for (const lane of lanes) {
      for (let word = 0; word * wordBytes < size; ++word) {
        let value = this.foretold(model, held, 4 * lane + word);
        for (let byte = 0, carry = 0; byte < width; ++byte) {
          carry += ((value >>> (8 * byte)) & 255) + this.columns[`bytes${byte}`].byte();
          made[at++] = carry & 255;
          carry >>= 8;
        }
      }
    }
    this.hold(moment, held, made, size);
    return made;
  }

  foretold(model, { last, before }, index) {
    if (model === models.same) return last[index];
    if (model === models.sum) return last[index] + before[index];
    if (model !== models.floatSum) return 0;
    [this.bits[0], this.bits[1]] = [last[index], before[index]];
    this.floats[0] = this.floats[0] + this.floats[1];
    return this.bits[0];
  }

  hold(moment, { last, before }, values, size) {
    const width = Math.min(size, wordBytes);
    let at = 0;
    for (const lane of lanesOf(moment.lanes)) {
      for (let word = 0; word * wordBytes < size; ++word) {
        const index = 4 * lane + word;
        before[index] = last[index];
        let value = 0;
        for (let byte = 0; byte < width; ++byte) value += values[at++] * 256 ** byte;
        last[index] = value;
      }
    }
  }
}

function lanesOf(mask) {
  const lanes = [];
  for (let lane = 0; lane < warpSize; ++lane) if ((mask >>> lane) & 1) lanes.push(lane);
  return lanes;
}

// Bytes from the array's start, lane by lane of those that act.
function offsetsOf(moment) {
  const [first, step] = moment.offsets;
  if (Array.isArray(first)) return first;
  return lanesOf(moment.lanes).map((_, index) => first + step * index);
}
