"use strict";
// The walk: `walk` has the nodes, the edges and the numbers at the point of the page. What a sentence says and what a
// row shows is made here from those numbers; the page without this script shows the same rows at once.
(() => {
  const all = (query) => [...document.querySelectorAll(query)];
  const one = (id) => document.getElementById(id);
  const made = (name, facts = {}, ...inside) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(facts)) element.setAttribute(key, value);
    element.append(...inside);
    return element;
  };
  const text = (element, words) => { if (element && element.textContent !== words) element.textContent = words; };
  const { nodes, edges, given, wrt } = walk;
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const isInput = (node) => node.formula === node.name;

  // --- numbers, as Python writes them ---------------------------------------------------------------------------
  const digits = (x, count) => {
    if (Number.isInteger(x) && Math.abs(x) < 1e15) return String(x + 0).replace("-", "−");
    const exact = x.toExponential(60);
    let [head, power] = x.toExponential(count - 1).split("e");
    const tie = new RegExp(`^-?\\d${count > 1 ? `\\.\\d{${count - 1}}` : "\\.?"}50*e`).test(exact);
    if (tie && Number(head.at(-1)) % 2) [head, power] = [exact.slice(0, head.length), exact.split("e")[1]];
    power = Number(power);
    const sign = head.startsWith("-") ? "−" : "";
    const figures = head.replace(/[-.]/g, "");
    const trimmed = (whole, rest) => whole + (rest.replace(/0+$/, "") ? `.${rest.replace(/0+$/, "")}` : "");
    if (power < -4 || power >= count)
      return `${sign}${trimmed(figures[0], figures.slice(1))}e${power < 0 ? "−" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
    if (power < 0) return sign + trimmed("0", "0".repeat(-power - 1) + figures);
    return sign + trimmed(figures.slice(0, power + 1), figures.slice(power + 1));
  };
  const shown = (x) => digits(x, 6);
  const factor = (x) => (x < 0 ? `(${shown(x)})` : shown(x));
  const short = (x) => {
    for (let count = 6; count > 1; count--) if (digits(x, count).length <= 10) return digits(x, count);
    return digits(x, 1);
  };
  const numbers = (node, values) =>
    node.numbers.replace(/[\ue000-\uf8ff]/g, (place) => {
      const k = place.charCodeAt(0) - 0xe000, x = values[node.operands[k]];
      if (x === undefined) return node.operands[k];
      return node.brackets[k] ? factor(x) : shown(x);
    });

  // --- what happens at the point, one thing after the other -------------------------------------------------------
  const state = { found: given, mode: "", at: 0, steps: [] };

  // the sums of forward mode: each partial times the tangent of its operand
  const tangents = (found, name) => {
    const sums = {};
    for (const node of nodes) {
      if (isInput(node)) sums[node.name] = { parts: [], total: node.name === name ? 1 : 0 };
      else if (found.values[node.name] !== undefined) sums[node.name] = { parts: [], total: 0 };
    }
    const into = new Map();
    edges.forEach((edge, i) => {
      if (!into.has(edge.node)) into.set(edge.node, []);
      into.get(edge.node).push([edge, i]);
    });
    for (const node of nodes) {
      const sum = sums[node.name];
      if (!sum || isInput(node)) continue;
      if (found.corners.includes(node.name)) { sum.total = null; continue; }
      for (const [edge, i] of (into.get(node.name) || []).sort((a, b) => a[0].position - b[0].position)) {
        const own = found.edges[i], tangent = sums[edge.operand] && sums[edge.operand].total;
        if (!own) continue;
        sum.parts.push({ edge, i, partial: own[0], tangent });
        sum.total = tangent === null || sum.total === null ? null : sum.total + (own[0] && tangent ? own[0] * tangent : 0);
      }
    }
    return sums;
  };

  const stepsOf = (found) => {
    const steps = [], alive = nodes.filter((node) => found.values[node.name] !== undefined && found.uses[node.name] !== undefined);
    if (state.mode) {
      const sums = tangents(found, state.mode);
      return alive.map((node) => ({ kind: "tangent", node, sum: sums[node.name] }));
    }
    for (const node of alive) steps.push({ kind: "value", node });
    if (!byName.has(walk.result) || found.values[walk.result] === undefined) return steps;
    steps.push({ kind: "seed", node: byName.get(walk.result) });
    const adjoint = { [walk.result]: 1 }, arrived = {}, parts = {};
    edges.forEach((edge, i) => { if (found.edges[i]) parts[edge.operand] = (parts[edge.operand] || 0) + 1; });
    edges.forEach((edge, i) => {
      if (!found.edges[i]) return;
      const [partial, contribution, total] = found.edges[i];
      const before = (arrived[edge.operand] = arrived[edge.operand] || []);
      before.push(contribution);
      adjoint[edge.operand] = total;
      steps.push({
        kind: "edge", edge, i, node: byName.get(edge.operand), adjoint: adjoint[edge.node], partial, contribution, total,
        before: [...before], parts: parts[edge.operand],
      });
    });
    return steps;
  };

  // --- sentences --------------------------------------------------------------------------------------------------
  const joined = (...sides) => [...new Set(sides.filter(Boolean))].join(" = ");
  const computed = (node) => {
    const { values, uses } = state.found, value = shown(values[node.name]);
    const used = uses[node.name] > 1 ? ` It is used ${uses[node.name]} times.` : "";
    if (isInput(node)) return `${node.name} = ${value}, an input.${used}`;
    return `${joined(node.name, node.formula, numbers(node, values), value)}.${used}`;
  };
  const passed = ({ edge, adjoint, partial, contribution, total, before, parts }) => {
    const node = byName.get(edge.node);
    const local = joined(`∂${edge.node}/∂${edge.operand}`, edge.formula, shown(partial));
    const told = `${edge.node} = ${node.formula}, so ${local}; adjoint ${factor(adjoint)} × ${factor(partial)} = ${shown(contribution)} is added to ${edge.operand}`;
    if (parts === 1) return `${told}, whose adjoint is ${shown(total)}.`;
    const sum = before.length > 1 ? joined(before.map(factor).join(" + "), shown(total)) : shown(total);
    return `${told}, contribution ${before.length} of ${parts}: ${sum}.`;
  };
  const sumOf = ({ parts, total }) =>
    total === null ? "" : joined(parts.map((p) => `${factor(p.partial)} × ${factor(p.tangent)}`).join(" + "), shown(total));
  const pushed = ({ node, sum }) => {
    const value = computed(node).replace(/ It is used.*/, "");
    if (isInput(node)) {
      const why = node.name === state.mode ? "it is the input that changes" : "it stands still";
      return `${value} Its tangent is ${shown(sum.total)}: ${why}.`;
    }
    if (sum.total === null) return `${value} It has no tangent: there is a corner on the way.`;
    if (!sum.parts.length) return `${value} Its tangent is ${shown(sum.total)}: none of its operands changes.`;
    const rule = sum.parts.map(({ edge }) => `∂${edge.node}/∂${edge.operand} × the tangent of ${edge.operand}`).join(" + ");
    const end = node.name === walk.result ? ` That is the derivative of the result with respect to ${state.mode}.` : "";
    return `${value} Its tangent is ${rule} = ${sumOf(sum)}.${end}`;
  };
  const says = (step) => {
    if (step.kind === "value") return computed(step.node);
    if (step.kind === "tangent") return pushed(step);
    if (step.kind === "edge") return passed(step);
    return `The adjoint of a node says how fast the result changes with it. That of ${walk.result}, the result, is 1.`;
  };

  // --- the page -----------------------------------------------------------------------------------------------------
  const told = one("told"), count = one("count"), first = told.textContent;
  const buttons = all(".bar button");
  const drawn = new Map(all("[data-n]").map((group) => [group.dataset.n, group]));
  const lines = new Map();
  for (const element of all("[data-k]")) {
    if (!lines.has(element.dataset.k)) lines.set(element.dataset.k, []);
    lines.get(element.dataset.k).push(element);
  }
  const rowOf = {
    value: new Map(all("tr[data-node]").map((row) => [row.dataset.node, row])),
    edge: new Map(all("tr[data-edge]").map((row) => [Number(row.dataset.edge), row])),
    seed: all("tr[data-seed]")[0],
    tangent: new Map(),
  };

  // the table of forward mode, which the page has only with its script
  const body = made("tbody"), tangentTable = made("div", { hidden: "" },
    made("table", { class: "t" }, made("caption", {}), made("thead", {}, made("tr", {},
      ...["node", "formula", "partial × tangent", "tangent"].map((word) => made("th", { scope: "col" }, word)))), body));
  for (const node of nodes) {
    const row = made("tr", { class: "t" }, ...[node.name, isInput(node) ? "input" : node.formula, "", ""].map((words) => made("td", {}, words)));
    rowOf.tangent.set(node.name, row);
    body.append(row);
  }
  all(".tables")[0].append(tangentTable);
  const rowFor = (step) =>
    step.kind === "seed" ? rowOf.seed : rowOf[step.kind].get(step.kind === "edge" ? step.i : step.node.name);

  const fill = () => {
    const { values } = state.found;
    for (const rows of [rowOf.value, rowOf.edge, rowOf.tangent]) for (const row of rows.values()) row.hidden = true;
    for (const step of state.steps) {
      const row = rowFor(step), cells = row.cells, node = step.node;
      row.hidden = false;
      if (step.kind === "value") {
        const own = numbers(node, values);
        text(cells[2], isInput(node) || own === node.formula ? "" : own);
        text(cells[3], shown(values[node.name]));
      } else if (step.kind === "edge") {
        text(cells[3], `${factor(step.adjoint)} × ${factor(step.partial)} = ${shown(step.contribution)}`);
        text(cells[4], shown(step.total));
      } else if (step.kind === "tangent") {
        rowOf.value.get(node.name).hidden = false;
        text(cells[2], step.sum.parts.map((p) => (p.tangent === null ? "none" : `${factor(p.partial)} × ${factor(p.tangent)}`)).join(" + "));
        text(cells[3], step.sum.total === null ? "none" : shown(step.sum.total));
      }
    }
    rowOf.edge.forEach((row, i) => { if (state.mode && state.found.edges[i]) row.hidden = false; });
    for (const [name, group] of drawn) {
      const known = values[name] !== undefined;
      text(group.querySelector(".value"), known ? short(values[name]) : "");
    }
    edges.forEach((edge, i) => {
      const own = state.found.edges[i];
      for (const element of lines.get(String(edge.k)) || []) {
        if (element.matches(".partial")) text(element, own ? short(own[0]) : "");
        if (element.matches(".contribution"))
          text(element, own ? (own[1] < 0 ? "" : "+") + short(own[1]) + (element.dataset.from ? ` from ${edge.node}` : "") : "");
      }
    });
    tangentTable.hidden = !state.mode;
    text(tangentTable.querySelector("caption"), `Forward mode: tangents with respect to ${state.mode}`);
    all("table.r")[0].parentNode.hidden = Boolean(state.mode);
    drawn.values().next().value.ownerSVGElement.classList.toggle("pushed", Boolean(state.mode));
  };

  const mark = (k, now) => { for (const e of lines.get(String(k)) || []) e.classList.add("done", ...(now ? ["lit"] : [])); };
  const light = (step, now) => {
    const row = rowFor(step), group = drawn.get(step.node.name);
    row.classList.add("past");
    if (now) { row.classList.add("now"); row.setAttribute("aria-current", "step"); }
    if (step.kind === "tangent") rowOf.value.get(step.node.name).classList.add("past");
    if (step.kind === "edge") mark(step.edge.k, now);
    if (step.kind === "tangent") for (const part of step.sum.parts) mark(part.edge.k, now);
    if (!group) return;
    if (step.kind === "value" || step.kind === "tangent") group.classList.add("known");
    if (step.kind !== "value") group.classList.add("swept");
    if (now) group.classList.add("lit");
    const number = step.kind === "edge" ? step.total : step.kind === "seed" ? 1 : step.kind === "tangent" ? step.sum.total : undefined;
    if (number !== undefined) text(group.querySelector(".adjoint"), number === null ? "none" : short(number));
    if (now) bring(group);
  };
  // where the picture is wider than the page, the current node comes into sight
  const bring = (group) => {
    const frame = group.closest(".graph");
    if (frame.scrollWidth <= frame.clientWidth) return;
    const own = group.getBoundingClientRect(), outer = frame.getBoundingClientRect();
    if (own.left < outer.left || own.right > outer.right)
      frame.scrollLeft += own.left + own.width / 2 - outer.left - outer.width / 2;
  };

  const save = () => history.replaceState(null, "", `#step=${state.at}${state.mode ? `&mode=${encodeURIComponent(state.mode)}` : ""}`);
  const show = (at) => {
    const { steps } = state;
    state.at = at = Math.max(0, Math.min(steps.length, at));
    for (const e of all(".known,.swept,.done,.lit,.now,.past")) {
      e.classList.remove("known", "swept", "done", "lit", "now", "past");
      e.removeAttribute("aria-current");
    }
    steps.slice(0, at).forEach((step, i) => light(step, i === at - 1));
    text(told, at ? says(steps[at - 1]) : first);
    text(count, `step ${at} of ${steps.length}`);
    buttons[0].disabled = buttons[1].disabled = at === 0;
    buttons[2].disabled = buttons[3].disabled = at === steps.length;
    document.body.dataset.at = at;
    save();
  };
  const follow = (at = state.at) => {
    state.steps = stepsOf(state.found);
    fill();
    show(at);
  };

  const modes = made("select", { id: "mode" }, made("option", { value: "" }, "reverse mode"),
    ...wrt.map((name) => made("option", { value: name }, `forward mode, with respect to ${name}`)));
  all(".bar")[0].append(made("label", { class: "modes" }, modes));
  modes.setAttribute("aria-label", "which sweep");
  modes.addEventListener("change", () => { state.mode = modes.value; follow(0); });

  const moves = [() => 0, () => state.at - 1, () => state.at + 1, () => state.steps.length];
  buttons.forEach((button, i) => button.addEventListener("click", () => show(moves[i]())));
  const keys = { Home: 0, ArrowLeft: 1, ArrowRight: 2, End: 3 };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !(event.key in keys)) return;
    if (event.target.matches("input,select,textarea")) return;
    event.preventDefault();
    show(moves[keys[event.key]]());
  });
  document.addEventListener("click", (event) => {
    const row = event.target.closest(".tables tbody tr");
    const at = row ? state.steps.findIndex((step) => rowFor(step) === row || (step.kind === "tangent" && rowOf.value.get(step.node.name) === row)) : -1;
    if (at >= 0) show(at + 1);
  });

  const asked = new URLSearchParams(location.hash.slice(1));
  if (wrt.includes(asked.get("mode"))) modes.value = state.mode = asked.get("mode");
  document.body.classList.add("live");
  follow(Number(asked.get("step")) || 0);
})();
