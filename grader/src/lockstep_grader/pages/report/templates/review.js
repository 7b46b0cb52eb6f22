// SPDX-License-Identifier: MIT
// Keys for a reviewer. The page works without them, by links and forms.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const lines = [...document.querySelectorAll(".source .line")];
  const [about, line, text] = ["about", "line", "text"].map(byId);
  let at = Math.max(0, lines.findIndex((each) => `#${each.id}` === location.hash));

  const move = (to) => {
    lines[at]?.classList.remove("current");
    at = Math.min(Math.max(to, 0), lines.length - 1);
    lines[at]?.classList.add("current");
    lines[at]?.scrollIntoView({block: "nearest"});
    line.value = at + 1;
  };

  const write = (what, words) => {
    about.value = what;
    line.value = at + 1;
    if (words !== undefined) text.value = words;
    text.focus();
  };

  const place = lines.length ? "line" : "rung"; // a source that was not kept has no lines
  const follow = (id) => () => byId(id)?.click();
  const keys = {
    j: follow("after"), n: follow("after"), k: follow("before"), p: follow("before"),
    l: follow("rung-after"), h: follow("rung-before"),
    ArrowDown: () => move(at + 1), ArrowUp: () => move(at - 1),
    c: () => write(place), r: () => write("rung"), s: () => write("student"),
  };

  const snippets = [...document.querySelectorAll(".snippet")];
  snippets.forEach((button, index) => {
    const use = () => write(about.value, button.lastElementChild.textContent);
    button.addEventListener("click", use);
    keys[index + 1] = () => write(place, button.lastElementChild.textContent);
  });
  lines.forEach((each, index) => each.addEventListener("click", () => move(index)));

  document.addEventListener("keydown", (event) => {
    const isField = event.target.matches("input, textarea, select");
    if (isField && event.key === "Escape") event.target.blur();
    if (isField && event.key === "Enter" && event.ctrlKey) byId("write").requestSubmit();
    if (isField || event.ctrlKey || event.altKey || event.metaKey) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  if (lines.length) move(at);
})();
