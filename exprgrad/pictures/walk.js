"use strict";
(() => {
  const rows = [...document.querySelectorAll("tr[data-step]")];
  const all = (query) => document.querySelectorAll(query);
  const nodes = new Map([...all("[data-n]")].map((g) => [g.dataset.n, g]));
  const told = document.getElementById("told"), count = document.getElementById("count");
  const buttons = [...all("button")], first = told.textContent;
  const show = (at) => {
    at = Math.max(0, Math.min(rows.length, at));
    for (const e of all(".known,.swept,.done,.lit,.now,.past"))
      e.classList.remove("known", "swept", "done", "lit", "now", "past");
    rows.forEach((row, i) => {
      if (i >= at) return;
      const now = i === at - 1, d = row.dataset, node = nodes.get(d.node);
      row.classList.add("past");
      if (now) row.classList.add("now");
      if (node) {
        node.classList.add(d.total === undefined ? "known" : "swept");
        if (now) node.classList.add("lit");
        const adjoint = node.querySelector(".adjoint");
        if (d.total !== undefined && adjoint) adjoint.textContent = d.total;
      }
      if (d.edge !== undefined)
        for (const e of all(`[data-k="${d.edge}"]`)) e.classList.add("done", ...(now ? ["lit"] : []));
    });
    told.textContent = at ? rows[at - 1].dataset.told : first;
    count.textContent = `step ${at} of ${rows.length}`;
    buttons[0].disabled = buttons[1].disabled = at === 0;
    buttons[2].disabled = buttons[3].disabled = at === rows.length;
    document.body.dataset.at = at;
    location.replace(`#step=${at}`);
  };
  const here = () => Number(document.body.dataset.at);
  const moves = [() => 0, () => here() - 1, () => here() + 1, () => rows.length];
  buttons.forEach((button, i) => button.addEventListener("click", () => show(moves[i]())));
  const keys = { Home: 0, ArrowLeft: 1, ArrowRight: 2, End: 3 };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !(event.key in keys)) return;
    event.preventDefault();
    show(moves[keys[event.key]]());
  });
  rows.forEach((row, i) => row.addEventListener("click", () => show(i + 1)));
  document.body.classList.add("live");
  show(Number((/step=(\d+)/.exec(location.hash) || [0, 0])[1]));
})();
