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

// a number as people type it: pi/4, 1/3, −2, 2e-3, 3sqrt(2); not a number if it is none
const numberOf = (words) => {
  const signs = { "−": "-", "–": "-", "·": "*", "×": "*", "÷": "/", "π": "pi", "√": "sqrt" };
  const plain = words.toLowerCase().replace(/[−–·×÷π√]/g, (sign) => signs[sign]);
  const tokens = plain.match(/(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|pi|e|sqrt|\*\*|\S/g) || [];
  let i = 0;
  const atom = () => {
    const token = tokens[i++];
    if (token === "pi" || token === "e") return token === "e" ? Math.E : Math.PI;
    if (token === "sqrt") return Math.sqrt(atom());
    if (token !== "(") return /^[\d.]/.test(token || "") ? Number(token) : NaN;
    const inside = sum();
    return tokens[i++] === ")" ? inside : NaN;
  };
  const power = () => { const base = atom(); return tokens[i] === "^" || tokens[i] === "**" ? (i++, base ** signed()) : base; };
  const signed = () => (tokens[i] === "-" ? (i++, -signed()) : tokens[i] === "+" ? (i++, signed()) : power());
  const product = () => {
    let own = signed();
    for (;;) {
      if (tokens[i] === "*") { i++; own *= signed(); }
      else if (tokens[i] === "/") { i++; own /= signed(); }
      else if (/^(?:pi|e|sqrt|\()$/.test(tokens[i] || "")) own *= power();
      else return own;
    }
  };
  const sum = () => {
    let own = product();
    while (tokens[i] === "+" || tokens[i] === "-") own += tokens[i++] === "+" ? product() : -product();
    return own;
  };
  const found = sum();
  return i === tokens.length && Number.isFinite(found) ? found : NaN;
};

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
  return { ...own, corners: given.refused, texts: null };
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

// the nodes whose adjoints lack what does not cross a corner
const unfinishedAt = (found) => {
  const lacking = new Set(), totals = {};
  for (const node of [...nodes].reverse())
    if (found.blocked.has(node.name) || lacking.has(node.name))
      edges.filter((edge) => edge.node === node.name).forEach((edge) => lacking.add(edge.operand));
  edges.forEach((edge, i) => { if (found.edges[i] && found.edges[i][2] !== null) totals[edge.operand] = found.edges[i][2]; });
  for (const name of wrt) {
    const slope = found.texts ? found.texts.gradient[name] : given.gradient[name];
    if (slope !== null && Math.abs(slope - totals[name]) <= 1e-9 * Math.abs(slope)) lacking.delete(name);  // what does not cross is 0
  }
  return lacking;
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
  const unfinished = unfinishedAt(found);
  const passes = edges.map((edge, i) => i).filter((i) => found.edges[i] && found.edges[i][1] !== null);
  for (const i of passes) parts[edges[i].operand] = (parts[edges[i].operand] || 0) + 1;
  for (const i of passes) {
    const edge = edges[i], [partial, contribution, total] = found.edges[i];
    const bounds = boundsOf(found, edge);
    const before = (arrived[edge.operand] = [...(arrived[edge.operand] || []), [contribution, bounds.partOff]]);
    adjoint[edge.operand] = total;
    steps.push({
      kind: "edge", edge, i, node: byName.get(edge.operand), adjoint: adjoint[edge.node], partial, contribution, total, before,
      parts: parts[edge.operand], off: found.offs[edge.operand] || 0, unfinished: unfinished.has(edge.operand), ...bounds,
    });
    const largest = Math.max(...before.map(([part]) => Math.abs(part))), cancels = total !== 0 && largest > 100 * Math.abs(total);
    if (parts[edge.operand] === before.length && before.length > 1 && !unfinished.has(edge.operand) && !cancels)
      steps.push({ kind: "nudge", node: byName.get(edge.operand), total, off: found.offs[edge.operand] || 0, routes: steps.filter((own) => own.kind === "edge" && own.edge.operand === edge.operand) });
  }
  if (passes.length) steps.push({ kind: "end", node: byName.get(walk.result), count: passes.length, corners: found.blocked.size });
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
  if (step.unfinished) return `${told}. The adjoint of ${edge.operand} is not known: not all that adds to it crosses a corner.`;
  if (parts === 1) return `${told}, whose adjoint is ${shown(total, off)}.`;
  const sum = before.length > 1 ? joined(before.map(([x, own], i) => (i ? factor(x, own) : shown(x, own))).join(" + "), shown(total, off)) : shown(total, off);
  return `${told}, contribution ${before.length} of ${parts}: ${sum}.`;
};
// why contributions add: what a nudge of a node does to the result, by each of its ways
const NUDGE = 0.001;
const nudged = ({ node, total, off, routes }) => {
  const ways = routes.map(({ edge, partial, partialOff, contribution, partOff }) =>
    edge.node === walk.result ? `– directly to ${walk.result}, which moves by ${shown(NUDGE * contribution, NUDGE * partOff)}`
      : `– through ${edge.node}, which moves by ${shown(NUDGE * partial, NUDGE * partialOff)} and ${walk.result} by ${shown(NUDGE * contribution, NUDGE * partOff)}`);
  return `Why contributions add: nudge ${node.name} by ${NUDGE}. The nudge goes on\n${ways.join("\n")}\n` +
    `Together ${walk.result} moves by ${shown(NUDGE * total, NUDGE * off)}, which is ${factor(total, off)} × ${NUDGE}, as long as nudges are small.`;
};
const ended = ({ count, corners }) => {
  const inputs = wrt.length, edgesOf = (many) => (many === 1 ? "one edge" : `${many} edges`);
  const all = corners ? "every partial that does not depend on a corner" : inputs === 1 ? "the partial" : inputs === 2 ? "both partials" : `all ${inputs} partials`;
  const forward = inputs === 1 ? `Forward mode takes one sweep, too, as there is one input; with more inputs it takes more.`
    : `Forward mode takes ${inputs} sweeps, one for each input, over ${edgesOf(count)} each: ${inputs} × ${count} = ${inputs * count}.`;
  return `Why one sweep is enough: it crossed each of the ${edgesOf(count)} once and gave ${all}, because a node's adjoint is found once and then used for everything that the node depends on.\n${forward}`
    .replace("each of the one edge once", "the one edge");
};
const ORDER = " The sweep goes on in the opposite order of the values: a node hands its adjoint on only after everything that uses it has added to it.";
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
  if (step.kind === "nudge") return nudged(step);
  if (step.kind === "end") return ended(step);
  if (step.kind === "fault") return `There is no value here: ${step.fault}.`;
  const corners = Object.values(found.corners).map((why) => `\n${why[0].toUpperCase()}${why.slice(1)}.`).join("");
  return `The adjoint of a node says how fast the result changes with it. That of ${walk.result}, the result, is 1.${ORDER}${corners}`;
};

// --- what comes next ---------------------------------------------------------------------------------------------------
// the question about a step, its answer, and what a wrong one may have been; nothing where there is no number to find
const asks = (found, step) => {
  if (!step || step.kind === "fault" || step.kind === "nudge" || step.kind === "end") return null;
  const { kind, node } = step;
  if (kind === "seed") return { what: `the adjoint of ${node.name}, the result`, right: 1, off: 0, hint: "it says how fast the result changes with itself", others: [] };
  if (kind === "edge") {
    const { edge, adjoint, adjointOff, partial, partialOff, contribution, partOff, total, before } = step;
    const rule = `the adjoint of ${edge.node}, ${shown(adjoint, adjointOff)}, times ∂${edge.node}/∂${edge.operand} = ${edge.formula}`;
    const others = [
      [partial, `that is ∂${edge.node}/∂${edge.operand} alone; it is multiplied by the adjoint of ${edge.node}, ${shown(adjoint, adjointOff)}`],
      [adjoint, `that is the adjoint of ${edge.node}; it is multiplied by ∂${edge.node}/∂${edge.operand} = ${edge.formula}`],
      ...(before.length > 1 ? [[total, `that is the whole adjoint so far; ${edge.node} adds its part of it`]] : []),
      [found.values[edge.operand], `that is the value of ${edge.operand}, not what is added to its adjoint`],
      [-contribution, "the sign is the other one"],
    ];
    return { what: `what ${edge.node} adds to the adjoint of ${edge.operand}`, right: contribution, off: partOff, hint: `it is ${rule}`, others };
  }
  if (kind === "tangent") {
    const { sum } = step;
    if (isInput(node) || sum.total === null || !sum.parts.length) return null;
    return { what: `the tangent of ${node.name}`, right: sum.total, off: 0, hint: `it is ${sum.parts.map(({ edge }) => `∂${edge.node}/∂${edge.operand} × the tangent of ${edge.operand}`).join(" + ")}`, others: [[found.values[node.name], `that is the value of ${node.name}`]] };
  }
  if (isInput(node)) return null;
  const right = found.values[node.name];
  return { what: `the value of ${node.name} = ${node.formula}`, right, off: found.errors[node.name] || 0, hint: `it is ${joined(node.formula, numbers(node, found))}`, others: [[-right, "the sign is the other one"]] };
};
// whether a typed number is the right one: to all of its digits, three of them at least, or to six
const answers = (words, typed, right, off = 0) => {
  const places = /^[-−]?\d*[.](\d+)$/.exec(words.trim()), room = places ? 0.5 * 10 ** -places[1].length : 0;
  const rounded = places && words.replace(/^[-−]?0*[.]?0*/, "").replace(".", "").length >= 3 ? room * (1 + 1e-9) : 0;
  return Math.abs(typed - right) <= Math.max(off, 1e-6 * Math.abs(right), rounded);
};
