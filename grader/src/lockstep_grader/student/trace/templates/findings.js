// The findings above the panes, folded; of a race its two accesses, in this order and the other.

function makeFindings(root, player) {
  const { recording } = player;
  root.replaceChildren(...recording.findings.map((finding, number) => {
    const box = element("details", "warning finding");
    const summary = element("summary");
    summary.append(element("strong", "bad", `▲ ${finding.kind}${finding.line ? `, line ${finding.line}` : ""}`), ` ${finding.message}`);
    box.append(summary, element("p", "", finding.message));
    const race = recording.races.find((each) => each.finding === number);
    if (race) box.append(...raceParts(player, race));
    else box.append(jumpList([jumpTo(player, finding.moment, `step ${finding.moment + 1}`)]));
    return box;
  }));
}

// The accused pair as it was recorded, and what comes of the same two accesses the other way round.
function raceParts(player, race) {
  const { recording } = player;
  const [first, second] = race.touches;
  const reader = race.touches.find(({ kind }) => kind === "r");
  const { type } = recording.arrays[second.array];
  const value = (hex) => exact(type, bytesOf(hex));
  const outcome = (hex, last) => {
    if (!hex) return "";
    const who = reader || last;
    return ` ${capital(threadName(who.block, who.thread))} ${reader ? "reads" : "comes last and leaves"} ${value(hex)}.`;
  };
  const here = element("div", "order");
  here.append(element("h3", "", "In this order"), jumpList(race.touches.map((touch, index) => {
    return jumpTo(player, touch.moment, `${index + 1}. step ${touch.moment + 1}: ${touchText(recording, touch)}`);
  })));
  if (race.value) here.append(element("p", "", outcome(race.value, second).trim()));
  const play = element("button", "play-order", "▶ Play this order");
  play.addEventListener("click", () => {
    player.goTo(Math.max(0, first.moment - 2));
    player.play(Math.min(second.moment + 1, player.replay.last));
  });
  here.append(play);
  const other = element("div", "order");
  other.append(element("h3", "", "In the other order"));
  other.append(element("p", "", `First ${touchText(recording, second)}, then ${touchText(recording, first)}.${outcome(race.other_value, first)}`));
  const isSame = race.value !== "" && race.value === race.other_value;
  const same = reader ? "Both orders give the same value here. " : "Both store the same value here. ";
  return [here, other, element("p", "", `${isSame ? same : ""}Nothing in the program decides between the two orders.`)];
}

function touchText(recording, touch) {
  const verb = { r: "reads", w: "writes", a: "updates" }[touch.kind];
  const [, line] = recording.places[recording.moments[touch.moment].place];
  return `${threadName(touch.block, touch.thread)} ${verb} ${cellName(recording, touch)} in line ${line}`;
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}

function jumpTo(player, at, words) {
  const button = element("button", "", words);
  button.addEventListener("click", () => {
    player.setPlaying(false);
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
  const array = player.recording.arrays[number];
  for (const { touches } of player.recording.races) {
    const [first, second] = touches;
    if (player.replay.at < first.moment || player.replay.at > second.moment + 1) continue;
    for (const touch of touches) {
      if (touch.array === number) cells.add(Math.floor(touch.offset / array.item_bytes) - array.first);
    }
  }
  return cells;
}
