// Arrays as grids of cells.

function nameOfCell(array, cell) {
  const index = array.first + cell;
  if (array.columns === 32) return `${array.name}[${index}]`;
  return `${array.name}[${Math.floor(index / array.columns)}][${index % array.columns}]`;
}

class ArrayView {
  constructor(replay, number, tell) {
    this.replay = replay;
    this.number = number;
    this.array = replay.recording.arrays[number];
    this.tell = tell;
    this.shown = [];
    this.root = element("section", "array");
    const title = element("h3", "", this.array.name);
    const [first, count, total] = [this.array.first, this.array.count, this.array.total];
    const part = count < total ? `cells ${first} to ${first + count - 1} of ${total}` : `${total} cells`;
    const where = this.array.shared ? `shared memory of block ${this.array.block}` : "global memory";
    title.append(element("span", "soft", `${where}, ${this.array.type}, ${part}`));
    this.grid = element("div", "cells");
    this.grid.setAttribute("role", "grid");
    this.grid.setAttribute("aria-label", `${this.array.name}, ${where}`);
    this.root.append(title, this.grid);
    this.grid.addEventListener("keydown", (event) => this.move(event));
    this.grid.addEventListener("focusin", (event) => this.tellOf(event.target));
    this.grid.addEventListener("pointerover", (event) => this.tellOf(event.target));
  }

  // Room for so many columns; a matrix keeps its own.
  layOut(width) {
    const room = Math.floor(width / 36);
    const isMatrix = this.array.columns !== 32;
    const columns = isMatrix ? this.array.columns : [32, 16, 8, 4].find((each) => each <= room) || 4;
    if (columns === this.columns) return;
    this.columns = columns;
    this.cells = [];
    this.shown = [];
    this.grid.style.setProperty("--columns", columns);
    this.grid.replaceChildren();
    for (let first = 0; first < this.array.count; first += columns) {
      const row = element("div", "cell-row");
      row.setAttribute("role", "row");
      const label = element("span", "index", String(this.array.first + first));
      label.setAttribute("role", "rowheader");
      row.append(label);
      for (let cell = first; cell < Math.min(first + columns, this.array.count); ++cell) {
        const made = element("span", "cell");
        made.setAttribute("role", "gridcell");
        made.tabIndex = cell === 0 ? 0 : -1;
        made.dataset.cell = cell;
        this.cells.push(made);
        row.append(made);
      }
      this.grid.append(row);
    }
  }

  nameOf(cell) {
    return nameOfCell(this.array, cell);
  }

  valueOf(cell) {
    const state = this.replay.memory[this.number];
    if (!state.known[cell]) return "";
    return short(this.array.type, state.bytes, cell * this.array.item_bytes);
  }

  show(raced) {
    const moment = this.replay.moment;
    const state = this.replay.memory[this.number];
    const isNow = moment.array === this.number;
    const act = isNow ? accesses[moment.kind] : "";
    let seen = null;
    for (let cell = 0; cell < this.cells.length; ++cell) {
      const acts = isNow && state.touched[cell] === this.replay.at ? act : "";
      const writer = state.writer[cell];
      const key = `${acts}|${state.known[cell]}|${writer}|${raced.has(cell)}`;
      const value = this.valueOf(cell);
      if (this.shown[cell] === key + value) continue;
      this.shown[cell] = key + value;
      const made = this.cells[cell];
      made.textContent = value || "·";
      made.className = `cell ${acts} ${raced.has(cell) ? "raced" : ""} ${writer >= 0 ? "written" : ""}`;
      if (acts && !seen) seen = made;
    }
    if (seen) scrollInside(this.grid, seen);
  }

  tellOf(target) {
    if (target.dataset.cell === undefined) return;
    const cell = Number(target.dataset.cell);
    const state = this.replay.memory[this.number];
    if (!state.known[cell]) return this.tell(`${this.nameOf(cell)}: not used so far`);
    const value = exact(this.array.type, state.bytes, cell * this.array.item_bytes);
    const writer = this.replay.writerOf(this.number, cell);
    const by = writer
      ? `written last by ${threadName(writer.moment.block, writer.thread)} in line ${lineOf(this.replay, writer.moment)}, step ${writer.at + 1}`
      : "written before the launch";
    return this.tell(`${this.nameOf(cell)} = ${value}, ${by}`);
  }

  move(event) {
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.columns, ArrowDown: this.columns };
    if (!(event.key in steps)) return;
    event.preventDefault();
    event.stopPropagation();
    const next = this.cells[Number(event.target.dataset.cell) + steps[event.key]];
    if (!next) return;
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }
}
