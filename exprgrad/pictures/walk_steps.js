// What happens at a point, one step after the other, and a sentence for each: from `walk`, the nodes and edges of the
// expression with the numbers at the point of the page, and from `exprgrad`, which computes them at any other.
const { nodes, edges, given, wrt } = walk;
const byName = new Map(nodes.map((node) => [node.name, node]));
const isInput = (node) => node.formula === node.name;
const computes = !exprgrad.frozen;

// --- numbers, as Python writes them, with a true minus ---------------------------------------------------------------
const minus = (words) => words.replace(/-/g, "−");
const digits = (x, count) => minus(exprgrad.number(x, count));
const known = (x, off) => (off && x ? Math.floor(Math.log10(Math.abs(x)) - Math.log10(2 * off)) : off ? 0 : 17);
const shown = (x, off = 0) => (known(x, off) >= 6 ? digits(x, 6) : minus(exprgrad.shown(x, off)));
const inFull = (x, off = 0) => minus(exprgrad.shown(x, off));
const factor = (x, off = 0) => (/^−|±/.test(shown(x, off)) ? `(${shown(x, off)})` : shown(x, off));
// a number for the picture, where there is room for ten characters
const short = (x, off = 0) => {
  const most = Math.min(6, known(x, off));
  for (let count = most; count > 1; count--) if (digits(x, count).length <= 10) return digits(x, count);
  return most > 0 ? digits(x, 1) : "…";
};
const numbers = (node, { values, errors }) =>
  node.numbers.replace(/[\ue000-\uf8ff]/g, (place) => {
    const k = place.charCodeAt(0) - 0xe000, name = node.operands[k], x = values[name];
    if (x === undefined) return name;
    return node.brackets[k] || known(x, errors[name]) < 1 ? factor(x, errors[name]) : shown(x, errors[name]);
  });

// --- what is known at a point ----------------------------------------------------------------------------------------
// the operands that a node depends on: of `if`, the condition and one branch
const needed = (node, values) => {
  if (!node.choose) return node.operands;
  const truth = values[node.operands[0]], chosen = truth === undefined ? null : node.choose[truth ? 1 : 0];
  return chosen === null ? [node.operands[0]] : [node.operands[0], node.operands[chosen]];
};

// which nodes the result depends on, and how often each is used
const usesOf = (values) => {
  const uses = Object.fromEntries(nodes.filter(isInput).map((node) => [node.name, 0]));
  uses[walk.result] = 0;
  for (const node of [...nodes].reverse()) {
    if (uses[node.name] === undefined || isInput(node)) continue;
    for (const name of needed(node, values)) if (name !== null) uses[name] = (uses[name] || 0) + 1;
  }
  return uses;
};

// at the point of the page the numbers are Python's; where a corner is in the way, only the interpreter has all partials
const foundThere = () => {
  const { values } = given, uses = usesOf(values), blocked = new Set(given.corners);
  const own = { ...given, errors: {}, offs: {}, adjoints: {}, blocked, fault: null, uses };
  if (computes && blocked.size) Object.assign(own, { edges: foundAt(given.at).edges });
  const missing = Object.keys(given.refused).map((name) => [name, `∂/∂${name} ${given.refused[name]} here`]);
  return { ...own, corners: Object.fromEntries(missing), texts: null };
};

const foundAt = (at) => {
  const run = exprgrad.run(at), values = {}, errors = {}, offs = {}, sums = {}, blocked = new Set();
  for (const { name, place } of nodes) {
    if (run.primals[place] === null || run.primals[place] === undefined) continue;
    values[name] = run.primals[place];
    errors[name] = run.errors[place];
  }
  const uses = usesOf(values), fault = run.fault;
  const own = edges.map((edge) => {
    const node = byName.get(edge.node), partials = run.partials[node.place] || [];
    if (fault || uses[edge.node] === undefined) return null;
    if (!partials.length) blocked.add(edge.node);
    const partial = partials[edge.position], part = (run.contributions[node.place] || [])[edge.position];
    if (partial === undefined || partial === null) return null;
    if (part === undefined || part === null) return [partial, null, null];
    sums[edge.operand] = (sums[edge.operand] || 0) + part;
    return [partial, part, sums[edge.operand]];
  });
  for (const { name, place } of nodes) if (run.adjointErrors[place]) offs[name] = run.adjointErrors[place];
  const adjoints = Object.fromEntries(nodes.map(({ name, place }) => [name, run.adjoints[place]]));
  return { at, values, errors, offs, adjoints, uses, edges: own, blocked, fault, corners: run.corners, texts: run };
};

// --- the steps -------------------------------------------------------------------------------------------------------
// the sums of forward mode: each partial times the tangent of its operand; null behind a corner
const tangents = (found, name) => {
  const sums = {}, into = new Map(nodes.map((node) => [node.name, []]));
  edges.forEach((edge, i) => { if (found.edges[i]) into.get(edge.node).push({ edge, partial: found.edges[i][0] }); });
  for (const node of nodes) {
    const sum = (sums[node.name] = { parts: [], total: node.name === name ? 1 : 0 });
    for (const { edge, partial } of into.get(node.name).sort((a, b) => a.edge.position - b.edge.position)) {
      const tangent = sums[edge.operand].total;
      sum.parts.push({ edge, partial, tangent });
      sum.total = tangent === null || sum.total === null ? null : sum.total + (partial && tangent ? partial * tangent : 0);
    }
    if (found.blocked.has(node.name)) sum.total = null;
  }
  return sums;
};

// The error of an adjoint has those of all its contributions in it, so it bounds each of them; and the error of a local
// partial comes into it times the adjoint of its node.
const boundsOf = (found, edge) => {
  const off = found.offs[edge.operand] || 0, adjointOff = found.offs[edge.node] || 0, adjoint = found.adjoints[edge.node];
  const none = edge.formula === "0" || (adjoint === 0 && !adjointOff), constant = /^−?\d+$/.test(edge.formula);
  return { adjointOff, partOff: none ? 0 : off, partialOff: off && adjoint && !constant ? off / Math.abs(adjoint) : 0 };
};

const stepsOf = (found, mode) => {
  const alive = nodes.filter((node) => found.values[node.name] !== undefined && found.uses[node.name] !== undefined);
  const end = found.fault ? [{ kind: "fault", node: byName.get(walk.result), fault: found.fault }] : [];
  if (mode) {
    const sums = tangents(found, mode);
    return [...alive.map((node) => ({ kind: "tangent", node, sum: sums[node.name] })), ...end];
  }
  const steps = [...alive.map((node) => ({ kind: "value", node })), ...end];
  if (found.fault) return steps;
  steps.push({ kind: "seed", node: byName.get(walk.result) });
  const adjoint = { [walk.result]: 1 }, arrived = {}, parts = {};
  const passes = edges.map((edge, i) => i).filter((i) => found.edges[i] && found.edges[i][1] !== null);
  for (const i of passes) parts[edges[i].operand] = (parts[edges[i].operand] || 0) + 1;
  for (const i of passes) {
    const edge = edges[i], [partial, contribution, total] = found.edges[i];
    const bounds = boundsOf(found, edge);
    const before = (arrived[edge.operand] = [...(arrived[edge.operand] || []), [contribution, bounds.partOff]]);
    adjoint[edge.operand] = total;
    steps.push({
      kind: "edge", edge, i, node: byName.get(edge.operand), adjoint: adjoint[edge.node], partial, contribution, total, before,
      parts: parts[edge.operand], off: found.offs[edge.operand] || 0, ...bounds,
    });
  }
  return steps;
};

// --- sentences -------------------------------------------------------------------------------------------------------
const joined = (...sides) => [...new Set(sides.filter(Boolean))].join(" = ");
const computed = (found, node) => {
  const value = shown(found.values[node.name], found.errors[node.name]), uses = found.uses[node.name];
  const used = uses > 1 ? ` It is used ${uses} times.` : "";
  if (isInput(node)) return `${node.name} = ${value}, an input.${used}`;
  if (/[<>=≤≥≠]/.test(node.formula)) {
    const truth = found.values[node.name] ? "is true" : "is not true";
    return `${node.name} says whether ${node.formula}: ${numbers(node, found)} ${truth}, so ${node.name} = ${value}.${used}`;
  }
  return `${joined(node.name, node.formula, numbers(node, found), value)}.${used}`;
};
const product = ({ adjoint, adjointOff, partial, partialOff, contribution, partOff }) =>
  `${factor(adjoint, adjointOff)} × ${factor(partial, partialOff)} = ${shown(contribution, partOff)}`;
const passed = (step) => {
  const { edge, partial, partialOff, total, off, before, parts } = step;
  const node = byName.get(edge.node);
  const local = joined(`∂${edge.node}/∂${edge.operand}`, edge.formula, shown(partial, partialOff));
  const told = `${edge.node} = ${node.formula}, so ${local}; adjoint ${product(step)} is added to ${edge.operand}`;
  if (parts === 1) return `${told}, whose adjoint is ${shown(total, off)}.`;
  const sum = before.length > 1 ? joined(before.map(([x, own], i) => (i ? factor(x, own) : shown(x, own))).join(" + "), shown(total, off)) : shown(total, off);
  return `${told}, contribution ${before.length} of ${parts}: ${sum}.`;
};
const products = ({ parts }) => parts.map((p) => (p.tangent === null ? "none" : `${factor(p.partial)} × ${factor(p.tangent)}`)).join(" + ");
const pushed = (found, { node, sum }, mode) => {
  const value = computed(found, node).replace(/ It is used.*/, "");
  if (isInput(node)) {
    const why = node.name === mode ? "it is the input that changes" : "it stands still";
    return `${value} Its tangent is ${shown(sum.total)}: ${why}.`;
  }
  if (sum.total === null) return `${value} It is given no tangent: there is a corner, here or before.`;
  if (!sum.parts.length) return `${value} Its tangent is ${shown(sum.total)}: none of its operands changes.`;
  const rule = sum.parts.map(({ edge }) => `∂${edge.node}/∂${edge.operand} × the tangent of ${edge.operand}`).join(" + ");
  const end = node.name === walk.result ? ` That is the derivative of the result with respect to ${mode}.` : "";
  return `${value} Its tangent is ${joined(rule, products(sum), shown(sum.total))}.${end}`;
};
const says = (found, step, mode) => {
  if (step.kind === "value") return computed(found, step.node);
  if (step.kind === "tangent") return pushed(found, step, mode);
  if (step.kind === "edge") return passed(step);
  if (step.kind === "fault") return `There is no value here: ${step.fault}.`;
  const corners = Object.values(found.corners).map((why) => `\n${why[0].toUpperCase()}${why.slice(1)}.`).join("");
  return `The adjoint of a node says how fast the result changes with it. That of ${walk.result}, the result, is 1.${corners}`;
};
