// SPDX-License-Identifier: MIT
// Sorting and filtering of tables that are whole without it: headings become buttons, forms appear.
"use strict";
(() => {
  const collator = new Intl.Collator("en", {numeric: true, sensitivity: "base"});

  const value = (row, column, kind) => {
    const cell = row.cells[column];
    const text = cell.dataset.value ?? cell.textContent.trim();
    if (kind !== "number") return text;
    return text === "" ? null : Number(text);
  };

  // Empty cells come last either way: what was not graded is neither high nor low.
  const compare = (left, right, kind, sign) => {
    if (left === null || right === null) return (left === null) - (right === null);
    return sign * (kind === "number" ? left - right : collator.compare(left, right));
  };

  const announce = (table) => {
    const status = document.querySelector(`[data-filters="${table.id}"] [data-status]`);
    if (!status) return;
    const rows = [...table.tBodies[0].rows];
    const shown = rows.filter((row) => !row.hidden).length;
    const sorted = table.querySelector("th[aria-sort]");
    const order = sorted ? `, by ${sorted.textContent.trim()}, ${sorted.getAttribute("aria-sort")}` : "";
    status.textContent = `${shown} of ${rows.length} shown${order}`;
  };

  const sortBy = (table, heading, column) => {
    const kind = heading.dataset.kind;
    const before = heading.getAttribute("aria-sort");
    const first = kind === "number" ? "descending" : "ascending"; // high points, early letters
    const other = first === "descending" ? "ascending" : "descending";
    const order = before === first ? other : first;
    for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const body = table.tBodies[0];
    const rows = [...body.rows];
    rows.sort((left, right) => compare(value(left, column, kind), value(right, column, kind), kind, sign));
    body.append(...rows);
    announce(table);
  };

  const makeSortable = (table) => {
    [...table.tHead.rows[0].cells].forEach((heading, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => sortBy(table, heading, column));
    });
  };

  const filter = (form, table) => {
    const wanted = {};
    for (const field of form.querySelectorAll("[data-filter]")) wanted[field.dataset.filter] = field.value;
    const words = (wanted.text ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      const kept = words.every((word) => text.includes(word)) &&
        (!wanted.status || row.dataset.status === wanted.status) &&
        (!wanted.section || row.dataset.section === wanted.section);
      row.hidden = !kept;
    }
    announce(table);
  };

  for (const table of document.querySelectorAll("table[data-sortable]")) makeSortable(table);
  for (const form of document.querySelectorAll("[data-filters]")) {
    const table = document.getElementById(form.dataset.filters);
    form.hidden = false;
    form.addEventListener("input", () => filter(form, table));
    form.addEventListener("submit", (event) => event.preventDefault());
    filter(form, table); // a reloaded page keeps what was typed
  }
})();
