// The lanes of the shown block's warps, and the lines of the source where they are.

class WarpsView {
  constructor(root, replay) {
    this.root = root;
    this.replay = replay;
    this.lanes = [];
    this.rows = [];
    for (let warp = 0; warp < replay.numWarps; ++warp) {
      const row = element("div", "warp");
      row.setAttribute("role", "img");
      row.append(element("span", "index", `w${warp}`));
      for (let lane = 0; lane < warpSize && warp * warpSize + lane < replay.threads; ++lane) {
        const made = element("i", "lane");
        this.lanes.push(made);
        row.append(made);
      }
      this.rows.push(row);
    }
    root.replaceChildren(...this.rows);
  }

  show(block) {
    const { moment } = this.replay;
    const states = this.replay.lanes.get(block);
    const isNow = moment.block === block && "srwaovx".includes(moment.kind);
    states.forEach((state, thread) => {
      const made = this.lanes[thread];
      const [warp, lane] = [Math.floor(thread / warpSize), thread % warpSize];
      const isWarp = isNow && moment.warp === warp;
      const acts = isWarp && ((moment.lanes >>> lane) & 1) === 1 && moment.kind !== "x";
      const isAway = isWarp && !acts && state.state === "runs" && moment.isDiverged;
      const look = acts && state.state === "runs" ? "acts" : { runs: isAway ? "away" : "", waits: "waits", over: "over", new: "fresh" }[state.state];
      const glyph = { acts: "rwao".includes(moment.kind) ? { r: "R", w: "W", a: "A", o: "⇄" }[moment.kind] : "●", away: "⋯", waits: "‖", over: "×" }[look] || "";
      if (made.textContent !== glyph) made.textContent = glyph;
      made.className = `lane ${look}`;
      const isPlaced = state.place >= 0 && state.state === "runs";
      made.style.background = isPlaced ? hueOf(state.place) : "";
    });
    this.rows.forEach((row, warp) => {
      row.classList.toggle("now", isNow && moment.warp === warp);
      row.setAttribute("aria-label", this.inWords(block, warp, states));
    });
    if (isNow) scrollInside(this.root, this.rows[moment.warp]);
  }

  inWords(block, warp, states) {
    const own = states.slice(warp * warpSize, (warp + 1) * warpSize);
    const groups = new Map();
    for (const { state, place } of own) {
      const line = place >= 0 ? this.replay.recording.places[place][1] : 0;
      const name = { waits: `wait in line ${line}`, over: "finished", new: "not started" }[state] || (line ? `in line ${line}` : "started");
      groups.set(name, (groups.get(name) || 0) + 1);
    }
    return `Warp ${warp}: ${[...groups].map(([name, count]) => `${counted(count, "lane")} ${name}`).join(", ")}`;
  }
}

class SourceView {
  constructor(replay) {
    this.replay = replay;
    this.files = [...document.querySelectorAll(".source")];
    this.marked = [];
  }

  rowOf(place) {
    const [file, line] = this.replay.recording.places[place] || [-1];
    return file < 0 ? null : this.files[file].querySelector(`[data-line="${line}"]`);
  }

  clear() {
    for (const row of this.marked) {
      row.classList.remove("now", "here");
      row.querySelector(".who").textContent = "";
      row.querySelector(".who").style.background = "";
    }
    this.marked = [];
  }

  show(block) {
    this.clear();
    const warps = new Map();  // row -> {place, warps}
    this.replay.lanes.get(block).forEach(({ state, place }, thread) => {
      const row = (state === "runs" || state === "waits") && this.rowOf(place);
      if (!row) return;
      if (!warps.has(row)) warps.set(row, { place, ids: new Set() });
      warps.get(row).ids.add(Math.floor(thread / warpSize));
    });
    for (const [row, { place, ids }] of warps) {
      row.classList.add("here");
      const who = row.querySelector(".who");
      who.textContent = spans([...ids]);
      who.style.background = hueOf(place);
      this.marked.push(row);
    }
    const { moment } = this.replay;
    const now = this.rowOf(moment.place);
    if (!now) return;
    now.classList.add("now");
    this.marked.push(now);
    scrollInside(now.parentElement, now);
  }
}

// "w0-3 w5"
function spans(ids) {
  const parts = [];
  for (let i = 0; i < ids.length; ++i) {
    const first = i;
    while (ids[i + 1] === ids[i] + 1) ++i;
    parts.push(first === i ? `w${ids[i]}` : `w${ids[first]}-${ids[i]}`);
  }
  return parts.length > 2 ? `${parts[0]} +${parts.length - 1}` : parts.join(" ");
}
