// The sweeps of an expression at any point, on the rows of the operation table: values, partials, adjoints and tangents,
// each with a bound on its error, and what Python says where there is none.
//
// A rule (a local partial, a condition of a domain, a corner) is a small tape: its arguments, its constants, its steps.
// What a number may be off is followed to first order, with the ends of its range looked at, so that a jump, a pole or
// the end of a domain within the error is not passed over. An error that is not finite says that nothing is known.
function interpreter(rows, program) {
  const UNIT = 2 ** -53, SMALLEST = 1e-290, LARGEST_WHOLE = 2 ** 50;
  const {inputs, steps, constants, root, at} = program;
  const first = inputs.length + constants.length, size = first + steps.length;
  const frozen = program.frozen || null;

  // Rules

  const apply = (row, x) => Number(row.kernel(...x));

  const values = (rule, x) => {
    const v = [...x];
    for (const [number] of rule.constants) v.push(number);
    for (const [name, operands] of rule.steps) v.push(apply(rows[name], operands.map((j) => v[j])));
    return v;
  };

  const plain = (rule, x) => (typeof rule === "object" ? values(rule, x)[rule.root] : rule);

  // The value of a rule and how far it may be off, for arguments with these errors.
  const bounded = (rule, x, e) => {
    if (typeof rule !== "object") return [rule, 0];
    const v = values(rule, x), errors = [...e];
    for (const [, error] of rule.constants) errors.push(error);
    for (const [name, operands] of rule.steps) {
      const own = operands.map((j) => v[j]), off = operands.map((j) => errors[j]);
      errors.push(error(rows[name], v[errors.length], own, off));
    }
    return [v[rule.root], errors[rule.root]];
  };

  const holds = (row, x) => (row.domain || []).every(([rule]) => plain(rule, x));

  const partial = (row, k, v, x) => {
    const rule = (row.partials || [])[k];
    const found = rule === null || rule === undefined ? NaN : plain(rule, [v, ...x]);
    // x^y ln x tends to 0 with x
    return Number.isNaN(found) && row.power && k === 1 && v === 0 ? 0 : found;
  };

  // The operands that the result depends on: of `if`, the condition and one branch.
  const needed = (row, x) => {
    if (!row.choose) return x.map((_, k) => k);
    const chosen = row.choose[x[0] ? 1 : 0];
    return chosen === null ? [0] : [0, chosen];
  };

  // Errors

  const moved = (x, k, by) => x.map((number, i) => (i === k ? number + by : number));

  // A zero or a tiny number may be what is left of a smaller one.
  const underflow = (row, v, x) => {
    if (Math.abs(v) >= SMALLEST || Number.isNaN(v)) return 0;
    if (v === 0 && (x[0] === 0 || (row.native && x.includes(0)))) return 0;
    const beside = apply(row, moved(x, 0, x[0] * 2 ** -20));
    return v === 0 && Math.abs(beside) >= SMALLEST ? 0 : SMALLEST;
  };

  const isWhole = (number) => Number.isInteger(number) && Math.abs(number) < LARGEST_WHOLE;

  // What the kernel rounds.
  const rounding = (row, v, x) => {
    if (row.exact && Number.isInteger(v)) return 0;
    if (row.native && isWhole(v) && x.every(isWhole)) return 0;
    const [relative, absolute] = row.error;
    const own = (relative * Math.abs(v) + absolute) * UNIT + underflow(row, v, x);
    return row.formula ? own + bounded(row.formula, x, x.map(() => 0))[1] : own;
  };

  const error = (row, v, x, e) => {
    const own = rounding(row, v, x), used = needed(row, x);
    const count = used.filter((k) => e[k] !== 0).length;
    let total = own;
    for (const k of used) {
      if (e[k] === 0) continue;
      const slope = Math.abs(partial(row, k, v, x)) * e[k];
      let most = slope;
      for (const times of count > 1 ? [-count, -1, 1, count] : [-1, 1]) {
        const there = moved(x, k, times * e[k]);
        const step = holds(row, there) ? Math.abs(apply(row, there) - v) - 2 * own : NaN;
        if (!(step <= 4 * count * slope)) most = Math.max(most, step);
      }
      total += most;
    }
    return total >= 0 ? total : Infinity;
  };

  // Whether the rule gives no derivative here: 0 it does, 1 it does not, 2 that hangs on the errors.
  const corner = (row, x, e) => {
    if (!row.corner) return 0;
    const [found, off] = bounded(row.corner, x, e);
    return off !== 0 ? 2 : found ? 1 : 0;
  };

  // Sentences

  const trimmed = (digits) => (digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits);

  const exponent = (e) => `e${e < 0 ? "-" : "+"}${String(Math.abs(e)).padStart(2, "0")}`;

  // So many significant digits, as Python's format g has them; halves go to the even digit.
  const general = (x, digits) => {
    let [mantissa, power] = Math.abs(x).toExponential(digits - 1).split("e");
    const [exact] = Math.abs(x).toExponential(Math.min(100, digits + 60)).split("e");
    const tail = exact.replace(".", "").slice(digits);
    if (/^50*$/.test(tail)) {
      const cut = exact.replace(".", "").slice(0, digits);
      if (Number(cut.at(-1)) % 2 === 0) mantissa = digits > 1 ? `${cut[0]}.${cut.slice(1)}` : cut;
      power = Number(cut.at(-1)) % 2 === 0 ? Math.abs(x).toExponential(digits + 60).split("e")[1] : power;
    }
    const e = Number(power), sign = x < 0 ? "-" : "";
    if (e < -4 || e >= digits) return sign + trimmed(mantissa) + exponent(e);
    const all = mantissa.replace(".", "");
    if (e < 0) return sign + trimmed(`0.${"0".repeat(-e - 1)}${all}`);
    return sign + trimmed(`${all.slice(0, e + 1)}.${all.slice(e + 1)}`).replace(/\.$/, "");
  };

  // A number for people: whole numbers in full, others with so many significant digits.
  const number = (x, digits) => {
    if (!Number.isFinite(x)) return "undefined";
    if (Number.isInteger(x) && Math.abs(x) < 1e15) return String(x + 0);
    return general(x, digits);
  };

  // A number with all its digits, as a message has it.
  const inFull = (x) => {
    if (Number.isInteger(x) && Math.abs(x) < 1e16) return String(x + 0);
    const [mantissa, power] = Math.abs(x).toExponential().split("e");
    const digits = mantissa.replace(".", "").length, e = Number(power);
    if (e < -4 || e >= 16) return (x < 0 ? "-" : "") + mantissa + exponent(e);
    return general(x, Math.max(digits, e + 1));
  };

  // Only the digits that stand, and no more than ten.
  const shown = (x, off) => {
    if (x === null || x === undefined) return "none";
    if (off === 0 || off === null || off === undefined) return number(x, 10);
    if (!(off < Infinity) || !Number.isFinite(x)) return "…";
    if (x === 0 && off < 1e-300) return "0";
    const known = x ? Math.floor(Math.log10(Math.abs(x)) - Math.log10(2 * off)) : 0;
    const sure = Math.max(0, Math.min(17, known));
    if (!sure) {
      const [mantissa, e] = (Math.abs(x) + off).toExponential(1).split("e");
      return `0 ± ${mantissa}${exponent(Number(e))}`;
    }
    const digits = Math.min(10, sure);
    return Math.abs(x) < 10 ** sure ? number(x, digits) : general(x, digits);
  };

  const here = (step, x) => {
    const facts = step.written.map((name, k) => [name, inFull(x[k])]).filter(([name, text]) => name !== text);
    return facts.length ? `; here ${facts.map(([name, text]) => `${name} is ${text}`).join(" and ")}` : "";
  };

  // Why a step has no value, or may have none; null where it has one.
  const fault = (step, row, x, e, v) => {
    const used = needed(row, x);
    const failing = (row.domain || []).find(([rule]) => {
      const [found, off] = bounded(rule, x, x.map((_, k) => (used.includes(k) ? e[k] : 0)));
      return off !== 0 || !found;
    });
    if (failing) {
      const [rule, needs] = failing, off = bounded(rule, x, e)[1];
      if (off !== 0) return `could not decide in double precision whether ${step.title} has a value here: it needs ${needs}`;
      return `${step.title} needs ${needs}${here(step, x)}`;
    }
    if (Number.isFinite(v)) return null;
    return `${step.title} overflows here: the largest number in double precision is 1.8e308`;
  };

  // The sweeps

  const named = (point) => (Array.isArray(point) ? Object.fromEntries(inputs.map((i, k) => [i.name, point[k]])) : point);

  const forward = (point) => {
    const v = [], e = [], faults = [];
    for (const input of inputs) {
      const x = Number(point[input.name]);
      if (!Number.isFinite(x)) faults[v.length] = `${input.name} has no value`;
      v.push(x);
      e.push(0);
    }
    for (const [x, off] of constants) {
      v.push(x);
      e.push(off);
    }
    for (const step of steps) {
      const row = rows[step.op], x = step.operands.map((j) => v[j]), off = step.operands.map((j) => e[j]);
      const used = step.operands[0] in faults ? [0] : needed(row, x);
      const before = used.map((k) => faults[step.operands[k]]).find((why) => why);
      const found = before ? NaN : apply(row, x);
      const why = before || fault(step, row, x, off, found);
      if (why) faults[step.index] = why;
      v.push(why ? NaN : found);
      e.push(why ? Infinity : error(row, found, x, off));
    }
    return {v, e, faults};
  };

  // Which nodes the result depends on: no branch that is not taken.
  const live = (v) => {
    const alive = Array(size).fill(false);
    alive[root] = true;
    for (const step of [...steps].reverse()) {
      if (!alive[step.index]) continue;
      const x = step.operands.map((j) => v[j]);
      for (const k of needed(rows[step.op], x)) alive[step.operands[k]] = true;
    }
    return alive;
  };

  const isActive = Array(size).fill(false);
  for (const input of inputs) isActive[input.index] = true;
  for (const step of steps) isActive[step.index] = step.active;

  // The local partials of a step with their errors; null for operands that are not wanted or not taken.
  const partialsOf = (step, v, e, wanted) => {
    const row = rows[step.op], x = step.operands.map((j) => v[j]), off = step.operands.map((j) => e[j]);
    const found = step.operands.map(() => null), errors = step.operands.map(() => null);
    for (const k of needed(row, x)) {
      if (!wanted[step.operands[k]]) continue;
      const rule = row.partials && row.partials[k];
      found[k] = partial(row, k, v[step.index], x);
      errors[k] = typeof rule === "object" && rule ? bounded(rule, [v[step.index], ...x], [e[step.index], ...off])[1] : 0;
      if (!(errors[k] >= 0)) errors[k] = Infinity;
    }
    return [found, errors];
  };

  const tiny = (product, a, b) => (Math.abs(product) < SMALLEST && a && b ? SMALLEST : 0);

  const backward = (v, e) => {
    const alive = live(v), wanted = isActive.map((a, i) => a && alive[i]);
    const w = Array(size).fill(null), off = Array(size).fill(0), blocked = [];
    const partials = Array.from({length: size}, () => []), contributions = Array.from({length: size}, () => []);
    const sizes = Array(size).fill(0), counts = Array(size).fill(0), whole = Array(size).fill(true);
    w[root] = 1;
    for (const step of [...steps].reverse()) {
      const i = step.index;
      if (!wanted[i]) continue;
      const row = rows[step.op], x = step.operands.map((j) => v[j]);
      if (counts[i] > 1 && !whole[i]) off[i] += counts[i] * sizes[i] * UNIT;
      const [p, errors] = partialsOf(step, v, e, wanted);
      const state = corner(row, x, step.operands.map((j) => e[j]));
      if (state || p.some((slope) => slope !== null && !Number.isFinite(slope))) {
        blocked.push({step, sure: state !== 2});
        continue;
      }
      partials[i] = p;
      contributions[i] = p.map(() => null);
      if (w[i] === null) continue;
      p.forEach((slope, k) => {
        if (slope === null) return;
        const j = step.operands[k], part = w[i] * slope;
        contributions[i][k] = part;
        w[j] = (w[j] === null ? 0 : w[j]) + part;
        const exact = isWhole(part) && isWhole(w[i]) && isWhole(slope);
        off[j] += Math.abs(w[i]) * errors[k] + (Math.abs(slope) + errors[k]) * off[i];
        off[j] += (exact ? 0 : UNIT * Math.abs(part)) + tiny(part, w[i], slope);
        whole[j] = whole[j] && exact && isWhole(w[j]);
        sizes[j] += Math.abs(part);
        counts[j] += 1;
      });
    }
    for (const {index} of inputs) if (counts[index] > 1 && !whole[index]) off[index] += counts[index] * sizes[index] * UNIT;
    return {w, off: off.map((o) => (o >= 0 ? o : Infinity)), partials, contributions, blocked};
  };

  // The variables that a blocked step depends on, each with the lowest such step.
  const below = (v, blocked) => {
    const culprit = new Map(blocked.map((b) => [b.step.index, b]));
    for (const step of [...steps].reverse()) {
      const own = blocked.find((b) => b.step === step) || culprit.get(step.index);
      if (!own) continue;
      const x = step.operands.map((j) => v[j]);
      for (const k of needed(rows[step.op], x)) culprit.set(step.operands[k], own);
    }
    return inputs.filter((input) => culprit.has(input.index)).map((input) => [input, culprit.get(input.index)]);
  };

  const none = (why, v = [], e = []) => ({
    fault: why, primals: v.map((x) => (Number.isNaN(x) ? null : x)), errors: e, partials: [], contributions: [], adjoints: [],
    adjointErrors: [], gradient: {}, gradientErrors: {}, value: null, error: Infinity, corner: null, corners: {}, frozen,
  });

  const isGiven = (point) => inputs.every(({name}) => Number(point[name]) === at[name]);

  const asGiven = () => {
    const {primals, adjoints, partials, gradient, gradientErrors, value, error: off} = program.numbers;
    const contributions = partials.map((own, i) => own.map((p) => (p === null ? null : adjoints[i] * p)));
    const unknown = primals.map(() => null);
    return {...none(null), primals, errors: unknown, partials, contributions, adjoints, adjointErrors: unknown, gradient,
      gradientErrors, value, error: off};
  };

  const run = (given) => {
    const point = named(given);
    if (frozen) return isGiven(point) ? asGiven() : none(frozen);
    const {v, e, faults} = forward(point);
    if (faults[root]) return none(faults[root], v, e);
    const {w, off, partials, contributions, blocked} = backward(v, e);
    const gradient = {}, gradientErrors = {}, corners = {};
    for (const {name, index} of inputs) {
      gradient[name] = (w[index] === null ? 0 : w[index]) + 0;
      gradientErrors[name] = w[index] === null ? 0 : off[index];
    }
    for (const [{name}, {step}] of below(v, blocked)) {
      gradient[name] = gradientErrors[name] = null;
      corners[name] = `could not decide whether ∂/∂${name} exists at ${name} = ${number(Number(point[name]), 10)}: it depends on how ${step.title} behaves there`;
    }
    return {
      fault: null, primals: v.map((x) => (Number.isNaN(x) ? null : x)), errors: e, partials, contributions, adjoints: w,
      adjointErrors: off, gradient, gradientErrors, value: v[root] + 0, error: e[root],
      corner: Object.values(corners)[0] || null, corners, frozen,
    };
  };

  // The value alone, NaN where there is none: for a curve.
  const value = (given) => {
    const point = named(given), v = [];
    if (frozen) return isGiven(point) ? program.numbers.value : NaN;
    for (const input of inputs) v.push(Number(point[input.name]));
    for (const [x] of constants) v.push(x);
    for (const step of steps) {
      const row = rows[step.op], x = step.operands.map((j) => v[j]);
      const there = needed(row, x).every((k) => Number.isFinite(x[k])) && holds(row, x);
      v.push(there ? apply(row, x) : NaN);
    }
    return Number.isFinite(v[root]) ? v[root] + 0 : NaN;
  };

  // Forward mode: the tangent of every node along a direction; NaN where a rule gives no finite partial.
  const tangents = (given, direction) => {
    const point = named(given), seed = named(direction), t = Array(size).fill(0);
    for (const {name, index} of inputs) t[index] = Number(seed[name] || 0);
    const found = frozen ? run(point) : {...forward(point)};
    const v = frozen ? found.primals : found.v;
    if (frozen ? found.fault : found.faults[root]) return t.fill(NaN);
    const alive = frozen ? isActive : live(v);
    for (const step of steps) {
      if (!isActive[step.index] || !alive[step.index]) continue;
      const wanted = isActive.map((a, i) => a && alive[i]);
      const p = frozen ? found.partials[step.index] : partialsOf(step, v, found.e, wanted)[0];
      let total = 0;
      p.forEach((slope, k) => {
        if (slope && t[step.operands[k]]) total += slope * t[step.operands[k]];
        if (Number.isNaN(slope) && t[step.operands[k]]) total = NaN;
      });
      t[step.index] = total;
    }
    return t;
  };

  return {inputs, steps, frozen, at, root, run, value, tangents, shown, number};
}
