// The findings above the panes; of a race its two accesses, in this order and the other.

function makeFindings(root, player) {
  const [recording] = player.recordings;
  root.replaceChildren(...recording.findings.map((finding, number) => {
    const box = element("section", "warning finding");
    box.append(element("h2", "bad", `▲ ${finding.kind}${finding.line ? `, line ${finding.line}` : ""}`));
    box.append(element("p", "", finding.message));
    const race = player.races.find((each) => each.finding === number);
    if (race) box.append(...raceParts(player, race));
    else box.append(jumpList([jumpTo(player, 0, finding.moment, `step ${finding.moment + 1}`)]));
    return box;
  }));
}

function raceParts(player, race) {
  const parts = [order(player, race, 0, "In this order", race)];
  if (race.other) {
    const { seed, one_by_one: oneByOne } = player.orders[race.other.recording - 1];
    const how = oneByOne ? `one lane after another, as with ./lab run --seed ${seed}` : `as with --seed ${seed}`;
    parts.push(order(player, race.other, race.other.recording, `In the other order (${how})`, race));
    const isSame = race.value === race.other.value;
    parts.push(element("p", "", isSame ? "Both orders give the same value here. Nothing in the program decides between them." : "Nothing in the program decides between the two orders."));
  } else {
    parts.push(element("p", "", "The other orders that were tried did not bring the two accesses the other way round; a GPU may."));
  }
  return parts;
}

// The two accesses of a race in one of the recordings, what comes of them, and a button to watch.
function order(player, seen, number, title, race) {
  const recording = player.recordings[number];
  const box = element("div", "order");
  box.append(element("h3", "", title));
  box.append(jumpList(seen.touches.map((touch, index) => {
    const moment = recording.moments[touch.moment];
    const verb = { r: "reads", w: "writes", a: "updates" }[touch.kind];
    const words = `${index + 1}. step ${touch.moment + 1}: ${threadName(touch.block, touch.thread)} ${verb} ${cellName(recording, touch)} in line ${recording.places[moment.place][1]}`;
    return jumpTo(player, number, touch.moment, words);
  })));
  const [first, second] = seen.touches;
  const watched = first.kind === "r" ? first : second;
  const { type } = recording.arrays[watched.array];
  if (seen.value) {
    const verb = watched.kind === "r" ? "reads" : "comes last and leaves";
    box.append(element("p", "", `${threadName(watched.block, watched.thread)} ${verb} ${exact(type, bytesOf(seen.value))}.`.replace("t", "T")));
  }
  const play = element("button", "play-order", number === 0 ? "▶ Play this order" : "▶ Play the other order");
  play.addEventListener("click", () => {
    player.open(number);
    player.goTo(Math.max(0, first.moment - 2));
    player.play(Math.min(second.moment + 1, player.replay.last));
  });
  box.append(play);
  return box;
}

function jumpTo(player, number, at, words) {
  const button = element("button", "", words);
  button.addEventListener("click", () => {
    player.setPlaying(false);
    player.open(number);
    player.goTo(at);
  });
  return button;
}

function jumpList(buttons) {
  const list = element("div", "jumps");
  list.append(...buttons);
  return list;
}

function cellName(recording, touch) {
  const array = recording.arrays[touch.array];
  return nameOfCell(array, Math.floor(touch.offset / array.item_bytes) - array.first);
}

// The cells of an array where the accesses of a race are that this moment shows.
function racedCells(player, number) {
  const cells = new Set();
  const { array } = player.arrays[number];
  for (const race of player.races) {
    const seen = player.shown === 0 ? race : race.other;
    if (!seen || (player.shown > 0 && seen.recording !== player.shown)) continue;
    const [first, second] = seen.touches;
    if (player.replay.at < first.moment || player.replay.at > second.moment + 1) continue;
    for (const touch of seen.touches) {
      if (touch.array === number) cells.add(Math.floor(touch.offset / array.item_bytes) - array.first);
    }
  }
  return cells;
}
