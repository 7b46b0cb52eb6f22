// The page: what the views share, the player and its keys.

function element(name, className = "", text = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== "") made.textContent = text;
  return made;
}

function svg(name, attributes, text = null) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== null) made.textContent = text;
  return made;
}

function counted(count, word) {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

function colourOf(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// Of a line of the source: neighbouring lines get colours far apart.
const lineNumbers = new Map();
let replayPlaces = [];  // of the recording that is shown
let lineLightness = 74;
function hueOf(place) {
  if (place < 0) return "";
  const key = replayPlaces[place].slice(0, 2).join(":");
  if (!lineNumbers.has(key)) lineNumbers.set(key, lineNumbers.size);
  return `hsl(${Math.round(lineNumbers.get(key) * 137.5 + 205) % 360} 68% ${lineLightness}%)`;
}

function threadName(block, thread) {
  return `thread ${thread} of block ${block}`;
}

function lineOf(replay, moment) {
  return replay.recording.places[moment.place][1];
}

// Scrolls the box alone, not the page: `inner` gets to the middle of what the window shows of the box.
function scrollInside(box, inner) {
  const [outer, own] = [box.getBoundingClientRect(), inner.getBoundingClientRect()];
  const shown = Math.min(outer.bottom, window.innerHeight);
  const bottom = shown > outer.top + own.height ? shown : outer.bottom;
  if (own.top < outer.top || own.bottom > bottom) {
    box.scrollTop += own.top - outer.top - (bottom - outer.top - own.height) / 2;
  }
  if (own.left < outer.left || own.right > outer.right) {
    box.scrollLeft += own.left - outer.left - (outer.width - own.width) / 2;
  }
}

// What happens at a moment, as a sentence.
function sentence(replay) {
  const { moment, recording } = replay;
  const who = `Block ${moment.block}, warp ${moment.warp}`;
  const line = moment.place >= 0 ? `line ${lineOf(replay, moment)}` : "";
  const lanes = lanesOf(moment.lanes);
  const some = lanes.length === 1 ? `lane ${lanes[0]}` : counted(lanes.length, "lane");
  const s = lanes.length === 1 ? "s" : "";
  const rest = moment.isDiverged ? ` The warp has diverged: its other lanes wait for their turn.` : "";
  switch (moment.kind) {
    case "s": return `${who}, ${line}: ${some} go${lanes.length === 1 ? "es" : ""} on here.${rest}`;
    case "r": return `${who}, ${line}: ${some} read${s} ${moment.memory.name}; ${costText(moment)}.${rest}`;
    case "w": return `${who}, ${line}: ${some} write${s} ${moment.memory.name}; ${costText(moment)}.${rest}`;
    case "a": return `${who}, ${line}: ${some} update${s} ${moment.memory.name} atomically; ${costText(moment)}.${rest}`;
    case "o": return `${who}, ${line}: ${some} ${moment.name === "sync" ? `synchronise${s}` : `exchange${s} registers (${moment.name})`}.${rest}`;
    case "v": return `${who}, ${line}: ${some} wait${s} at the barrier.`;
    case "x": return `${who}: ${some} ${lanes.length === 1 ? "ends" : "end"}.`;
    case "b": return `Block ${moment.block}, ${line}: all threads have come to the barrier, and go on.`;
    case "g": return `Block ${moment.block}, ${line}: the grid's barrier opens.`;
    case "B": return `Block ${moment.block} starts.`;
    case "E": return `Block ${moment.block} has ended.`;
    // What happened; the remedy is below, in the findings.
    default: return `Finding: ${recording.findings[moment.finding].message.split("; ")[0]}`;
  }
}

class Player {
  constructor(recording) {
    this.recording = recording;
    this.timer = null;
    this.position = document.getElementById("position");
    this.status = document.getElementById("status");
    this.access = document.getElementById("access");
    replayPlaces = recording.places;
    this.replay = new Replay(recording);
    this.timeline = new Timeline(document.getElementById("timeline"), this.replay);
    this.warps = new WarpsView(document.getElementById("warps"), this.replay);
    this.source = new SourceView(this.replay);
    const told = document.getElementById("cell");
    this.arrays = recording.arrays.map((_, index) => new ArrayView(this.replay, index, (text) => { told.textContent = text; }));
    this.position.max = this.replay.last;
    makeFindings(document.getElementById("findings"), this);
    this.makeBlocks();
    this.showBlock(recording.blocks[0]);
    this.resize();
    this.listen();
    this.goTo(this.opening());
  }

  // Where the page opens: at the first finding, or else where the first lanes do something.
  opening() {
    const { findings, moments } = this.recording;
    if (findings.length > 0) return Math.min(...findings.map(({ moment }) => moment));
    return Math.max(0, moments.findIndex(({ kind }) => kind in accesses));
  }

  makeBlocks() {
    const group = document.getElementById("blocks");
    this.buttons = this.recording.blocks.map((block) => {
      const button = element("button", "", `block ${block}`);
      button.addEventListener("click", () => this.showBlock(block));
      return button;
    });
    group.replaceChildren(...this.buttons);
    group.hidden = this.buttons.length < 2;
  }

  showBlock(block) {
    this.block = block;
    this.buttons.forEach((button, index) => {
      button.setAttribute("aria-pressed", String(this.recording.blocks[index] === block));
    });
    const root = document.getElementById("arrays");
    this.visible = this.arrays.filter(({ array }) => array.block < 0 || array.block === block);
    this.visible.sort((one, other) => Number(other.array.shared) - Number(one.array.shared));
    root.replaceChildren(...this.visible.map((view) => view.root));
    this.layOut();
    if (this.replay.at >= 0) this.show();
  }

  layOut() {
    const width = document.getElementById("arrays").clientWidth - 40;
    for (const view of this.visible) view.layOut(width);
  }

  goTo(at) {
    this.replay.goTo(at);
    const { moment } = this.replay;
    if (moment.block !== this.block) this.showBlock(moment.block);
    else this.show();
  }

  show() {
    const { replay } = this;
    this.position.value = replay.at;
    const text = sentence(replay);
    this.position.setAttribute("aria-valuetext", `step ${replay.at + 1} of ${replay.moments.length}: ${text}`);
    this.status.replaceChildren(element("span", "soft", `Step ${replay.at + 1} of ${replay.moments.length} `), text);
    this.status.classList.toggle("is-finding", replay.moment.kind === "f");
    this.timeline.show();
    this.warps.show(this.block);
    this.source.show(this.block);
    drawAccess(this.access, replay.moment);
    for (const view of this.visible) view.show(racedCells(this, view.number));
  }

  resize() {
    lineLightness = matchMedia("(prefers-color-scheme: dark)").matches ? 66 : 74;
    this.layOut();
    this.timeline.resize();
    // The source stays below the player, which stays above it.
    const { height } = document.querySelector(".player").getBoundingClientRect();
    document.documentElement.style.setProperty("--player", `${Math.ceil(height)}px`);
    if (this.replay.at >= 0) this.show();
  }

  // As far as `end`.
  play(end) {
    this.setPlaying(true);
    this.end = end;
  }

  setPlaying(plays) {
    clearInterval(this.timer);
    this.timer = null;
    this.end = Infinity;
    const button = document.getElementById("play");
    button.setAttribute("aria-pressed", String(plays));
    button.children[0].textContent = plays ? "⏸" : "▶";
    button.children[1].textContent = plays ? "Pause" : "Play";
    // A screen reader would read each of the steps that fly by.
    this.status.setAttribute("aria-live", plays ? "off" : "polite");
    if (!plays) return;
    if (this.replay.at === this.replay.last) this.goTo(0);
    const rate = Number(document.getElementById("speed").value);
    const steps = Math.max(1, Math.round(rate / 30));
    this.timer = setInterval(() => {
      this.goTo(Math.min(this.replay.at + steps, this.end));
      if (this.replay.at >= Math.min(this.replay.last, this.end)) this.setPlaying(false);
    }, (1000 * steps) / rate);
  }

  jump(direction, wanted, what) {
    this.setPlaying(false);
    const at = this.replay.find(direction, wanted);
    if (at !== null) this.goTo(at);
    else this.status.textContent = `There is no ${direction > 0 ? "later" : "earlier"} ${what}.`;
  }

  listen() {
    const jumps = {
      b: (direction) => this.jump(direction, ({ kind }) => kind === "b" || kind === "g", "barrier"),
      d: (direction) => this.jump(direction, (_, at) => this.replay.partsAt(at), "divergence"),
      f: (direction) => this.jump(direction, ({ kind }) => kind === "f", "finding"),
    };
    const step = (by) => {
      this.setPlaying(false);
      this.goTo(by === 0 ? 0 : this.replay.at + by);
    };
    const actions = {
      first: () => step(0),
      back: () => step(-1),
      play: () => this.setPlaying(this.timer === null),
      forward: () => step(1),
      last: () => step(this.replay.moments.length),
      "to-barrier": (event) => jumps.b(event.shiftKey ? -1 : 1),
      "to-divergence": (event) => jumps.d(event.shiftKey ? -1 : 1),
      "to-finding": (event) => jumps.f(event.shiftKey ? -1 : 1),
    };
    for (const [id, action] of Object.entries(actions)) document.getElementById(id).addEventListener("click", action);
    document.getElementById("speed").addEventListener("change", () => { if (this.timer !== null) this.setPlaying(true); });
    this.position.addEventListener("input", () => { this.setPlaying(false); this.goTo(Number(this.position.value)); });
    this.timeline.canvas.addEventListener("pointerdown", (event) => { this.setPlaying(false); this.goTo(this.timeline.atOf(event.offsetX)); });
    this.timeline.canvas.addEventListener("pointermove", (event) => { if (event.buttons) this.goTo(this.timeline.atOf(event.offsetX)); });
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select")) return;
      const isButton = event.target.matches("button");
      const keys = { ArrowLeft: actions.back, ArrowRight: actions.forward, Home: actions.first, End: actions.last };
      if (!isButton) keys[" "] = actions.play;
      const jump = jumps[event.key.toLowerCase()];
      if (!jump && !keys[event.key]) return;
      event.preventDefault();
      if (jump) jump(event.shiftKey ? -1 : 1);
      else keys[event.key]();
    });
    window.addEventListener("resize", () => this.resize());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.resize());
  }
}

const traced = await unpack();
document.getElementById("trace").hidden = false;
new Player(traced);
performance.mark("ready");  // for those who measure how long the page takes to open
