"use strict";
// Comfort only: without it everything can be read, opened, filtered and printed.
(() => {
  const find = document.getElementById("find");
  if (find) {
    find.closest("label").hidden = false;
    const rows = [...document.querySelectorAll("tr.check")].map((row) => [row, (row.id + " " + row.textContent).toLowerCase()]);
    find.addEventListener("input", () => {
      const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
      document.body.classList.toggle("finding", words.length > 0);
      for (const [row, text] of rows) row.hidden = !words.every((w) => text.includes(w));
      for (const group of document.querySelectorAll("tbody.group")) {
        group.hidden = words.length > 0 && !group.querySelector("tr.check:not([hidden])");
      }
    });
    find.form.addEventListener("submit", (e) => e.preventDefault());
    find.form.addEventListener("reset", () => {
      for (const box of document.querySelectorAll(".fold")) box.checked = false;
      setTimeout(() => find.dispatchEvent(new Event("input")));
    });
  }
  const worst = document.getElementById("worst");
  if (worst) {
    worst.closest("label").hidden = false;
    const groups = [...document.querySelectorAll("tbody.group")];
    const order = () => {
      const sorted = worst.checked ? groups.toSorted((a, b) => a.dataset.worst - b.dataset.worst) : groups;
      if (sorted.length) sorted[0].parentElement.append(...sorted);
    };
    worst.addEventListener("change", order);
    worst.form.addEventListener("reset", () => setTimeout(order));
  }
  addEventListener("keydown", (e) => {
    const open = document.querySelector(".exhibit:has(:target), .exhibit:target");
    if (e.key === "Escape" && open) location.hash = open.querySelector(".close").getAttribute("href");
  });
  addEventListener("hashchange", () => {
    const body = document.querySelector(".proof .body:target");
    if (body) body.focus({ preventScroll: true });
    const row = document.querySelector("tr.check:target a");
    if (row) row.focus({ preventScroll: true });
  });
  for (const pre of document.querySelectorAll("pre.run")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(pre.querySelector("code").textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(pre.querySelector("code"));
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    pre.append(button);
  }
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details.chapter, details.attend, details.part")].filter((d) => !d.open);
    for (const d of opened) d.open = true;
  });
  addEventListener("afterprint", () => {
    for (const d of opened) d.open = false;
  });
})();
