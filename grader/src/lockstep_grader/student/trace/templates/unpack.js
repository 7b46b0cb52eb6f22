// The recording of the page: page_data.py wrote it, and docs/profiling.md describes its rows.

const warpSize = 32;
const accesses = { r: "read", w: "write", a: "update" };

async function unpack() {
  const packed = atob(document.getElementById("recording").textContent);
  const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const recording = await new Response(stream).json();
  return { ...recording, moments: recording.moments.map((row) => momentOf(row, recording)) };
}

function momentOf([kind, block, ...rest], recording) {
  const moment = { kind, block, warp: 0, place: -1, lanes: 0, live: 0, waiting: 0, isDiverged: false };
  if (kind === "b" || kind === "g") {
    [moment.place] = rest;
  } else if (kind === "f") {
    [moment.warp, moment.finding, moment.lane] = rest;
    const { file, line } = recording.findings[moment.finding];
    moment.place = recording.places.findIndex((place) => place[1] === line && place[2] === file);
  } else if (kind !== "B" && kind !== "E") {
    let more;
    [moment.warp, moment.place, moment.lanes, moment.live, moment.waiting, ...more] = rest;
    moment.isDiverged = "srwao".includes(kind) && (moment.live & ~moment.waiting & ~moment.lanes) !== 0;
    if (kind in accesses) {
      [moment.array, moment.size, moment.offsets, moment.before, moment.after, moment.cost, moment.ideal] = more;
      moment.memory = recording.arrays[moment.array];
    } else if (kind === "o") {
      [moment.name, moment.before, moment.after] = more;
    }
    moment.before = moment.before ? bytesOf(moment.before) : null;
    moment.after = moment.after ? bytesOf(moment.after) : null;
  }
  return moment;
}

function bytesOf(hex) {
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
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
