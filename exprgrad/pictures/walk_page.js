// The page: the rows of the tables and the parts of the picture are shown up to the present step.
const all = (query) => [...document.querySelectorAll(query)];
const one = (id) => document.getElementById(id);
const made = (name, facts = {}, ...inside) => {
  const space = ["svg", "path", "line", "circle", "text", "g", "title", "clipPath", "rect"].includes(name);
  const element = space ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(facts)) element.setAttribute(key, value);
  element.append(...inside);
  return element;
};
const text = (element, words) => { if (element && element.textContent !== words) element.textContent = words; };

const state = { at: { ...given.at }, found: foundThere(), mode: "", step: 0, steps: [] };

const told = one("told"), first = told.textContent, buttons = all(".bar button");
const drawn = new Map();  // in each picture: from left to right, and from top to bottom for a narrow page
for (const group of all("[data-n]")) drawn.set(group.dataset.n, [...(drawn.get(group.dataset.n) || []), group]);
const lines = new Map();
for (const element of all("[data-k]")) lines.set(element.dataset.k, [...(lines.get(element.dataset.k) || []), element]);
const rowsBy = (query, key) => new Map(all(query).map((row) => [row.dataset[key], row]));
const rowOf = { value: rowsBy("tr[data-node]", "node"), edge: rowsBy("tr[data-edge]", "edge"), tangent: new Map() };
const seedRow = all("tr[data-seed]")[0], results = rowsBy("tr[data-partial]", "partial"), valueRow = all("tr[data-result]")[0];
const printed = new Map([valueRow, ...results.values()].map((row) => [row, row.cells[row.cells.length - 1].textContent]));

// the table of forward mode, which the page has only with its script
const tangentRows = made("tbody"), tangentTable = made("div", {},
  made("table", { class: "t" }, made("caption"), made("thead", {}, made("tr", {},
    ...["node", "formula", "partial × tangent", "tangent"].map((word) => made("th", { scope: "col" }, word)))), tangentRows));
for (const node of nodes) {
  const words = [node.name, isInput(node) ? "input" : node.formula, "", ""];
  const row = made("tr", { class: "t" }, ...words.map((word) => made("td", {}, word)));
  rowOf.tangent.set(node.name, row);
  tangentRows.append(row);
}
all(".tables")[0].append(tangentTable);

const rowFor = ({ kind, i, node }) => {
  if (kind === "seed") return seedRow;
  if (kind === "fault" || kind === "nudge" || kind === "end") return undefined;
  return rowOf[kind].get(kind === "edge" ? String(i) : node.name);
};

const fillRow = (step) => {
  const { found } = state, { cells } = rowFor(step), { node, sum } = step;
  if (step.kind === "value") fillValue(node);
  if (step.kind === "edge") {
    text(cells[3], product(step));
    text(cells[4], step.unfinished ? "" : shown(step.total, step.off));
  }
  if (step.kind === "tangent") {
    fillValue(node);
    text(cells[2], products(sum));
    text(cells[3], sum.total === null ? "none" : shown(sum.total));
  }
};
const fillValue = (node) => {
  const { found } = state, row = rowOf.value.get(node.name), own = numbers(node, found);
  row.hidden = false;
  text(row.cells[2], isInput(node) || own === node.formula ? "" : own);
  text(row.cells[3], shown(found.values[node.name], found.errors[node.name]));
};

// what each node is, in one line, for those who rest a pointer on it and those who do not see it
const descriptions = () => {
  const { found } = state, adjoints = { [walk.result]: 1 };
  edges.forEach((edge, i) => { if (found.edges[i] && found.edges[i][2] !== null) adjoints[edge.operand] = found.edges[i][2]; });
  const described = (name) => {
    const node = byName.get(name), x = found.values[name], value = x === undefined ? "" : shown(x, found.errors[name]);
    const words = isInput(node) ? joined(name, value) : joined(name, node.formula, value);
    if (found.fault) return words;
    if (found.blocked.has(name)) return `${words}; no rule holds there, and the reverse sweep does not cross it`;
    const arrived = adjoints[name] === undefined ? "no gradient reaches it" : `adjoint ${shown(adjoints[name], found.offs[name])}`;
    return `${words}; ${arrived}`;
  };
  return new Map([...drawn.keys()].map((name) => [name, described(name)]));
};

const fillPicture = () => {
  const { found } = state, words = descriptions();
  for (const [name, groups] of drawn) for (const group of groups) {
    const x = found.values[name];
    text(group.querySelector(".value"), x === undefined ? "" : short(x, found.errors[name]));
    text(group.querySelector("title"), words.get(name));
  }
  for (const desc of all(".graph desc")) text(desc, `A graph of ${drawn.size} nodes with the result ${walk.result}. ${[...words.values()].join(". ")}.`);
  edges.forEach((edge, i) => {
    const [partial, part] = found.edges[i] || [null, null], { partialOff, partOff } = boundsOf(found, edge);
    for (const element of lines.get(String(edge.k)) || []) {
      if (element.matches(".partial")) text(element, partial === null ? "" : short(partial, partialOff));
      if (!element.matches(".contribution")) continue;
      const from = element.dataset.from ? ` from ${edge.node}` : "";
      text(element, part === null ? "" : `${part < 0 ? "" : "+"}${short(part, partOff)}${from}`);
    }
  });
};

const fillResults = () => {
  const { texts, fault } = state.found;
  const put = (row, words) => text(row.cells[row.cells.length - 1], words);
  for (const [row, words] of printed) if (!texts) put(row, words);
  if (!texts) return;
  put(valueRow, fault ? "none" : inFull(texts.value, texts.error));
  for (const [name, row] of results) {
    const x = texts.gradient[name];
    put(row, fault ? "none" : x === null ? "not known" : inFull(x, texts.gradientErrors[name]));
  }
};

// the step at which each result is reached; those that no step reaches come with the last one
const reach = new Map();
const reached = () => {
  const { steps, mode } = state, last = (own) => steps.findLastIndex(own) + 1 || steps.length;
  reach.set(valueRow, last((step) => (step.kind === "value" || step.kind === "tangent") && step.node.name === walk.result));
  for (const [name, row] of results)
    reach.set(row, mode ? (mode === name ? steps.length : Infinity) : last((step) => step.kind === "edge" && step.edge.operand === name));
};

const fill = () => {
  reached();
  for (const rows of Object.values(rowOf)) for (const row of rows.values()) row.hidden = true;
  seedRow.hidden = true;
  for (const step of state.steps) {
    if (!rowFor(step)) continue;
    rowFor(step).hidden = false;
    fillRow(step);
  }
  fillPicture();
  fillResults();
  tangentTable.hidden = !state.mode;
  text(tangentTable.querySelector("caption"), `Forward mode: tangents with respect to ${state.mode}`);
  all("table.r")[0].parentNode.hidden = Boolean(state.mode || state.found.fault);
  text(one("point"), Object.entries(state.at).map(([name, x]) => `${name} = ${shown(x)}`).join(", "));
  all(".graph")[0].classList.toggle("pushed", Boolean(state.mode));
};

const mark = (k, now) => { for (const e of lines.get(String(k)) || []) e.classList.add("done", ...(now ? ["lit"] : [])); };
const flow = ({ k, operand }) => {
  if (state.found.uses[operand]) for (const e of lines.get(String(k)) || []) e.classList.add("flow");
};
// the nodes at the other ends of what happens
const endsOf = ({ kind, node, edge, sum, routes }) =>
  kind === "edge" ? [edge.node] : kind === "nudge" ? routes.map((own) => own.edge.node) : kind === "tangent" ? sum.parts.map((part) => part.edge.operand) : kind === "value" ? node.operands : [];

// a constant stands within the boxes of what uses it
const groupsOf = (name) => drawn.get(name) || nodes.filter((own) => own.operands.includes(name)).flatMap((own) => groupsOf(own.name));
const light = (step, now) => {
  const row = rowFor(step);
  if (row) row.classList.add("past", ...(now ? ["now"] : []));
  if (row && now) row.setAttribute("aria-current", "step");
  if (step.kind === "tangent") rowOf.value.get(step.node.name).classList.add("past");
  if (step.kind === "edge") mark(step.edge.k, now);
  if (step.kind === "value" && now) edges.filter((edge) => edge.node === step.node.name).forEach(flow);
  if (now) for (const name of endsOf(step)) for (const group of drawn.get(name) || []) group.classList.add("end");
  if (step.kind === "tangent") for (const part of step.sum.parts) mark(part.edge.k, now);
  if (step.kind === "nudge" && now) for (const { edge } of step.routes) mark(edge.k, now);
  if (step.kind === "fault" || step.kind === "end") return;
  const { kind, total, sum } = step;
  const arrived = kind === "edge" ? (step.unfinished ? undefined : total) : kind === "seed" ? 1 : kind === "tangent" ? sum.total : undefined;
  for (const group of drawn.get(step.node.name) || []) {
    if (kind === "value" || kind === "tangent") group.classList.add("known");
    if (kind !== "value") group.classList.add("swept");
    if (arrived !== undefined) text(group.querySelector(".adjoint"), arrived === null ? "none" : arrivedAt(step, arrived, group));
  }
  if (now) for (const group of groupsOf(step.node.name)) group.classList.add("lit");
};

// what stands in the tab: where contributions meet their sum, if there is room, else the total
const arrivedAt = ({ kind, before, off }, total, group) => {
  const own = short(total, kind === "edge" ? off : 0);
  if (kind !== "edge" || before.length < 2) return own;
  const sum = `${before.map(([part, own], i) => (part < 0 ? (i ? ` − ${short(-part, own)}` : short(part, own)) : (i ? " + " : "") + short(part, own))).join("")} = ${own}`;
  return sum.length * 7.5 <= Number(group.querySelector(".box").getAttribute("width")) - 30 ? sum : own;
};

// The frame shows the whole graph where it is hardly smaller then, else the present node and its edges, at their own size
// where they fit. Where they have to be much smaller only their own texts are left; texts never are.
const frame = all(".graph")[0], ROOM = 10, HIGHEST = 0.52, LEAST = 0.8;
const pictures = all(".graph svg").map((svg) => ({ svg, wide: svg.viewBox.baseVal.width, high: svg.viewBox.baseVal.height }));
const seen = () => pictures.find(({ svg }) => svg.getClientRects().length);
const around = (elements) => {
  const boxes = elements.map((e) => e.getBBox());
  const left = Math.min(...boxes.map((b) => b.x)), top = Math.min(...boxes.map((b) => b.y));
  return { left, top, wide: Math.max(...boxes.map((b) => b.x + b.width)) - left, high: Math.max(...boxes.map((b) => b.y + b.height)) - top };
};
const look = () => {
  const shownNow = seen();
  if (!shownNow) return;
  const { svg, wide, high } = shownNow, size = document.documentElement.classList.contains("large") ? 1.5 : 1;
  svg.classList.remove("far");
  svg.style.removeProperty("--larger");
  frame.style.height = `${Math.min(high * size + 2, Math.max(innerHeight * HIGHEST, 150))}px`;
  const fits = (box) => Math.min(frame.clientWidth / (box.wide + 2 * ROOM), frame.clientHeight / (box.high + 2 * ROOM));
  const present = [...svg.querySelectorAll(".lit,.flow")], ends = [...svg.querySelectorAll(".end")];
  const whole = Math.min(size, fits({ wide: wide - 2 * ROOM, high: high - 2 * ROOM }));
  let shownWith = [...present, ...ends];
  if (present.length && fits(around(shownWith)) < size) shownWith = present;
  let near = present.length ? around(shownWith) : { left: 0, top: 0, wide, high: 0 };
  let scale = !present.length || whole >= LEAST * size ? Math.max(whole, LEAST * size) : Math.min(size, fits(near));
  let from = 0;
  const resize = () => {
    // larger texts may reach beyond the picture
    from = Math.min(0, near.left);
    const across = Math.max(wide, near.left + near.wide) - from;
    svg.setAttribute("viewBox", `${from} 0 ${across} ${high}`);
    svg.style.width = `${across * scale}px`;
    svg.style.height = `${high * scale}px`;
    svg.style.setProperty("--larger", Math.max(1, 1 / scale));
    svg.classList.toggle("far", scale < LEAST);
  };
  resize();
  for (let i = 0; i < 20 && present.length; i++) {  // larger texts take more room
    near = around(shownWith);
    if (fits(near) >= scale * 0.999) break;
    scale = fits(near) * 0.98;
    resize();
  }
  resize();
  if (present.length) {
    frame.scrollLeft = (near.left - from + near.wide / 2) * scale - frame.clientWidth / 2;
    frame.scrollTop = (near.top + near.high / 2) * scale - frame.clientHeight / 2;
    const { top, bottom } = frame.getBoundingClientRect();
    if (top < 0 || bottom > innerHeight || told.getBoundingClientRect().bottom > innerHeight) frame.scrollIntoView({ block: "start" });
  }
};
// what is wider than the page can be scrolled by keys, too
const reachable = () => {
  for (const e of all(".tables>div,.results>div,.steps,.wide")) e.tabIndex = e.scrollWidth > e.clientWidth ? 0 : -1;
};
addEventListener("resize", () => { look(); reachable(); });

const show = (step) => {
  const { steps } = state;
  state.step = step = Math.max(0, Math.min(steps.length, step));
  for (const e of all(".known,.swept,.done,.lit,.now,.past,.flow,.end")) {
    e.classList.remove("known", "swept", "done", "lit", "now", "past", "flow", "end");
    e.removeAttribute("aria-current");
  }
  steps.slice(0, step).forEach((own, i) => light(own, i === step - 1));
  const refused = state.found.fault ? says(state.found, steps[steps.length - 1]) : "";
  text(told, step ? says(state.found, steps[step - 1], state.mode) : refused || first);
  told.classList.toggle("refused", Boolean(refused));
  for (const [row, at] of reach) row.classList.toggle("reached", step >= at || state.mode && step === steps.length);
  ask();
  text(one("count"), `step ${step} of ${steps.length}`);
  buttons[0].disabled = buttons[1].disabled = step === 0;
  buttons[2].disabled = buttons[3].disabled = step === steps.length;
  look();
  reachable();
  keep();
};

// the steps anew, for another point or another sweep; who stood at the end still does
const follow = (step = state.step === state.steps.length && state.step ? Infinity : state.step) => {
  state.steps = stepsOf(state.found, state.mode);
  fill();
  show(step);
};

// --- the address keeps the expression, the point, the step and the sweep ------------------------------------------------
let waiting = 0;
const keep = () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    const facts = new URLSearchParams({ e: walk.expression, ...state.at, ".step": state.step, ".mode": state.mode });
    history.replaceState(null, "", `#${facts}`);
  }, 300);
};

const modes = made("select", { "aria-label": "which sweep" }, made("option", { value: "" }, "reverse mode"),
  ...wrt.map((name) => made("option", { value: name }, `forward mode, with respect to ${name}`)));
if (computes || !given.corners.length) one("options").append(made("label", { class: "modes" }, modes));
modes.addEventListener("change", () => { state.mode = modes.value; follow(0); });

// large type, for those who sit far away
const large = made("button", { type: "button", "aria-pressed": "false" }, "Large type");
large.addEventListener("click", () => {
  large.setAttribute("aria-pressed", document.documentElement.classList.toggle("large"));
  dispatchEvent(new Event("resize"));
});
one("options").append(large);

// what comes next is asked for, judged, and said why
const guess = one("guess"), [guessed] = all("#guess input"), judged = one("judged");
const ask = () => {
  const question = asks(state.found, state.steps[state.step]);
  guess.hidden = !question;
  if (question) text(one("asks"), `${question.what[0].toUpperCase()}${question.what.slice(1)}:`);
  guessed.value = "";
  text(judged, "");
};
guess.addEventListener("submit", (event) => {
  event.preventDefault();
  const question = asks(state.found, state.steps[state.step]), typed = numberOf(guessed.value);
  if (Number.isNaN(typed)) return text(judged, "A number is asked for, such as 0.5, 1/3 or pi/4.");
  if (answers(guessed.value, typed, question.right, question.off)) {
    show(state.step + 1);
    return text(judged, "Right.");
  }
  const other = question.others.find(([x]) => x !== undefined && x !== question.right && answers(guessed.value, typed, x));
  text(judged, `Not ${shown(typed)}: ${other ? other[1] : question.hint}.`);
});

// on paper everything is there at once
let before = null;
addEventListener("beforeprint", () => {
  const folded = all("details:not([open])");
  before = { step: state.step, folded };
  for (const details of folded) details.open = true;
  show(Infinity);
});
addEventListener("afterprint", () => {
  for (const details of before.folded) details.open = false;
  show(before.step);
});

const moves = [() => 0, () => state.step - 1, () => state.step + 1, () => state.steps.length];
buttons.forEach((button, i) => button.addEventListener("click", () => show(moves[i]())));
const keys = { Home: 0, ArrowLeft: 1, PageUp: 1, ArrowRight: 2, PageDown: 2, " ": 2, Enter: 2, End: 3 };
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || !(event.key in keys)) return;
  if (event.target.matches("input,select,textarea")) return;
  if (event.target.matches("button,summary") && (event.key === " " || event.key === "Enter")) return;
  event.preventDefault();
  show(moves[keys[event.key]]());
});
document.addEventListener("click", (event) => {
  const row = event.target.closest(".tables tbody tr");
  const own = (step) => rowFor(step) === row || (step.kind === "tangent" && rowOf.value.get(step.node.name) === row);
  const at = row ? state.steps.findIndex(own) : -1;
  if (at >= 0) show(at + 1);
});
