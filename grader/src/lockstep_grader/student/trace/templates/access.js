// The current access: where each lane went. Global memory as 128-byte lines of four sectors; shared
// memory as 32 banks, each distinct word of a bank one row below the other.

const cellWidth = 20;
const left = 92;

function accessRows(moment) {
  const rows = [];  // {label, cells: column -> lanes}
  const lanes = lanesOf(moment.lanes);
  const row = (key, label) => {
    let found = rows.find((each) => each.key === key);
    if (!found) rows.push((found = { key, label, cells: new Map() }));
    return found;
  };
  const put = (to, column, lane) => {
    if (!to.cells.has(column)) to.cells.set(column, []);
    to.cells.get(column).push(lane);
  };
  const words = new Map();  // of shared memory: bank -> words in order
  offsetsOf(moment).forEach((offset, index) => {
    for (let word = Math.floor(offset / 4); word * 4 < offset + moment.size; ++word) {
      if (!moment.memory.shared) {
        const line = Math.floor(word / 32);
        put(row(line, `byte ${line * 128}`), word % 32, lanes[index]);
        continue;
      }
      const bank = word % 32;
      if (!words.has(bank)) words.set(bank, []);
      const known = words.get(bank);
      if (!known.includes(word)) known.push(word);
      const turn = known.indexOf(word);
      put(row(turn, `word ${turn + 1}`), bank, lanes[index]);
    }
  });
  return rows.sort((one, other) => one.key - other.key);
}

function costText(moment) {
  const bytes = lanesOf(moment.lanes).length * moment.size;
  if (!moment.memory.shared) {
    const used = Math.min(100, Math.round((100 * new Set(offsetsOf(moment)).size * moment.size) / (moment.cost * 32)));
    return `${counted(moment.cost, "sector")} of 32 bytes for ${counted(bytes, "byte")}: ${used}% of what moves is used`;
  }
  const conflicts = moment.cost - moment.ideal;
  const wavefronts = counted(moment.cost, "wavefront");
  if (conflicts <= 0) return `${wavefronts}, no bank conflict`;
  return `${wavefronts} instead of ${moment.ideal}: ${counted(conflicts, "bank conflict")}`;
}

function drawAccess(root, moment) {
  if (!(moment.kind in accesses)) {
    root.replaceChildren(element("p", "soft", "This step accesses no memory."));
    return;
  }
  const verb = { r: "reads", w: "writes", a: "updates" }[moment.kind];
  const text = `Warp ${moment.warp} ${verb} ${moment.memory.name}: ${costText(moment)}.`;
  const rows = accessRows(moment);
  const shown = rows.slice(0, 8);
  const height = 62 + shown.length * 22 + (rows.length > shown.length ? 18 : 0);
  const picture = svg("svg", { viewBox: `0 0 ${left + 32 * cellWidth + 4} ${height}`, role: "img", "aria-label": text });
  const label = (y, words) => picture.append(svg("text", { x: left - 6, y, class: "label" }, words));
  const box = (column, y, lane, words) => {
    const x = left + column * cellWidth;
    picture.append(svg("rect", { x, y, width: cellWidth - 1, height: 18, class: lane === null ? "off" : `on l${lane}` }));
    picture.append(svg("text", { x: x + cellWidth / 2 - 0.5, y: y + 13, class: lane === null ? "in soft" : "in" }, words));
  };
  label(15, "lane");
  for (let lane = 0; lane < warpSize; ++lane) box(lane, 2, (moment.lanes >>> lane) & 1 ? lane : null, lane);
  label(42, moment.memory.shared ? "bank" : "word");
  for (let column = 0; column < 32; ++column) {
    picture.append(svg("text", { x: left + column * cellWidth + cellWidth / 2, y: 42, class: "column" }, column));
  }
  shown.forEach((row, index) => {
    const y = 50 + index * 22;
    const isConflict = moment.memory.shared && index >= Math.max(1, moment.size / 4);
    label(y + 13, isConflict ? `▲ ${row.label}` : row.label);
    if (!moment.memory.shared) {
      for (let sector = 0; sector < 4; ++sector) {
        const isUsed = [...row.cells.keys()].some((column) => Math.floor(column / 8) === sector);
        const x = left + sector * 8 * cellWidth - 0.5;
        picture.append(svg("rect", { x, y: y - 2, width: 8 * cellWidth, height: 22, class: isUsed ? "sector used" : "sector" }));
      }
    }
    for (const [column, lanes] of row.cells) {
      box(column, y, lanes[0], lanes.length > 1 ? `${lanes[0]}+` : lanes[0]);
      if (isConflict) picture.append(svg("rect", { x: left + column * cellWidth, y, width: cellWidth - 1, height: 18, class: "conflict" }));
    }
  });
  if (rows.length > shown.length) label(height - 4, `and ${rows.length - shown.length} more`);
  root.replaceChildren(element("p", "", text), picture);
}
