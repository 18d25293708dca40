// Client-side behaviour of the pages: one run per double click, sort and filter tables, place and close tooltips.
// Gradio only ignores a second click after the server has answered the first one, whose run takes away the uploaded file.
document.addEventListener("click", (event) => {
  if (event.detail > 1 && event.target.closest("button.primary")) event.stopImmediatePropagation();
}, true);
document.addEventListener("click", (event) => {
  const button = event.target.closest(".om th button");
  if (!button) return;
  const head = button.closest("th"), body = head.closest("table").tBodies[0];
  const place = [...head.parentNode.children].indexOf(head);
  const up = head.getAttribute("aria-sort") === "descending";
  for (const other of head.parentNode.children) if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const value = (row) => { const c = row.children[place]; return c.dataset.value ?? c.textContent.trim(); };
  const number = (text) => (text === "" || isNaN(text) ? null : Number(text));
  [...body.rows].sort((a, b) => {
    const x = value(a), y = value(b), n = number(x), m = number(y);
    if (x === "" || y === "") return (x === "") - (y === "");  // rows without a value stay at the end
    const order = n !== null && m !== null ? n - m : x.localeCompare(y);
    return up ? order : -order;
  }).forEach((row) => body.append(row));
});
document.addEventListener("input", (event) => {
  const filter = event.target.closest(".om-filter");
  if (!filter) return;
  const rows = [...filter.parentNode.querySelector("tbody").rows], words = event.target.value.trim().toLowerCase();
  const whole = (row) => `${row.textContent} ${row.querySelector("[data-text]")?.dataset.text ?? ""}`.toLowerCase();
  for (const row of rows) row.hidden = !whole(row).includes(words);
  filter.querySelector("output").textContent = words && `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows`;
});
// A tooltip is placed below its word, or above it where there is no room, and inside the window.
const placeTip = (event) => {
  const word = event.target.closest?.(".om-tip"), text = word?.querySelector(":scope > span");
  if (!text) return;
  const at = word.getBoundingClientRect(), size = text.getBoundingClientRect();
  text.style.left = `${Math.max(12, Math.min(at.left, window.innerWidth - size.width - 12))}px`;
  text.style.top = `${at.bottom + 6 + size.height < window.innerHeight ? at.bottom + 6 : Math.max(6, at.top - size.height - 6)}px`;
};
document.addEventListener("pointerover", placeTip);
document.addEventListener("focusin", placeTip);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && document.activeElement?.classList.contains("om-tip")) document.activeElement.blur();
});
