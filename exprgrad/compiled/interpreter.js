// The sweeps of an expression at any point, on the rows of the operation table: values, partials, adjoints and tangents,
// each with a bound on its error, and what Python says where there is none.
//
// A rule (a local partial, a condition of a domain, a corner) is a small tape: its arguments, its constants, its steps.
// What a number may be off is followed to first order, with the ends of its range looked at, so that a jump, a pole or
// the end of a domain within the error is not passed over. An error that is not finite says that nothing is known.
function interpreter(rows, program) {
  const UNIT = 2 ** -53, SMALLEST = 1e-290;
  const {inputs, steps, constants, root, at} = program;
  const first = inputs.length + constants.length, size = first + steps.length;
  const frozen = program.frozen || null;

  // Rules

  const apply = (row, x) => (row.kernel ? Number(row.kernel(...x)) : plain(row.formula, x));

  const values = (rule, x) => {
    const v = [...x];
    for (const [number] of rule.constants) v.push(number);
    for (const [name, operands] of rule.steps) v.push(apply(rows[name], operands.map((j) => v[j])));
    return v;
  };

  const plain = (rule, x) => (typeof rule === "object" ? values(rule, x)[rule.root] : rule);

  // The value of a rule and how far it may be off, for arguments with these errors.
  const bounded = (rule, x, e) => {
    if (typeof rule !== "object" || rule === null) return [rule, 0];
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

  // Whether a number has so few bits, of them so many behind the point, that none is lost in a product with another.
  const isShort = (number, bits) => Number.isInteger(number * 2 ** bits) && Math.abs(number) < 2 ** (50 - bits);

  // Whether an operator's result is exact: a sum, difference or product of short numbers, or a short quotient.
  const isExact = (row, v, x) =>
    row.domain ? isShort(x[0], 32) && isShort(x[1], 16) && isShort(v, 16) : x.every((a) => isShort(a, 16)) && isShort(v, 32);

  const isProduct = (part, a, b) => isShort(a, 16) && isShort(b, 16) && isShort(part, 32);

  // Whether a power is that of a short number to a small whole exponent.
  const isPower = (v, [x, y]) => {
    if (!Number.isInteger(y) || y < 0 || y > 32 || !isShort(x, 16)) return false;
    let product = 1;
    for (let k = 0; k < y; k++) {
      if (!isShort(product, 16)) return false;
      product *= x;
    }
    return product === v && isShort(v, 32);
  };

  // What the kernel rounds.
  const rounding = (row, v, x) => {
    if (row.kernel && row.exact && (Number.isInteger(v) || x.some((a) => Math.abs(a) === Math.abs(v)))) return 0;
    if (row.native && isExact(row, v, x)) return 0;
    if (row.power && isPower(v, x)) return 0;
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
        // a jump may come close to what lies beyond it; of several that are off, together they may reach it
        if (!(step <= 4 * count * slope)) most = Math.max(most, 2 * step);
        else if (Math.abs(times) === 1) most = Math.max(most, step);
      }
      total += most;
    }
    return total >= 0 ? total : Infinity;
  };

  // Whether the rule gives no derivative here: 0 it does, 1 it does not, 2 that hangs on the errors. Of the ends of the
  // domain, those in an operand that is wanted count.
  const corner = (row, x, e, wanted) => {
    const rules = [row.corner, ...(row.edges || []).filter((_, k) => wanted[k])].filter((rule) => rule);
    const found = rules.map((rule) => bounded(rule, x, e));
    return found.some(([, off]) => off !== 0) ? 2 : found.some(([truth]) => truth) ? 1 : 0;
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
    // below all normal doubles a number has fewer digits: those of its shortest decimal
    if (Math.abs(x) < 2 ** -1022) return general(x, Math.min(digits, x.toExponential().split("e")[0].replace(/[-.]/g, "").length));
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

  // The arguments that a condition is about, with their values.
  const here = (step, x, blamed) => {
    const facts = blamed.map((k) => [step.written[k], inFull(x[k])]).filter(([name, text]) => name && name !== text);
    return facts.length ? `; here ${facts.map(([name, text]) => `${name} is ${text}`).join(" and ")}` : "";
  };

  // Why a step has no value, or may have none; null where it has one.
  const fault = (step, row, x, e, v) => {
    const used = needed(row, x);
    const failing = (row.domain || []).find(([rule]) => {
      const [found, off] = bounded(rule, x, x.map((_, k) => (used.includes(k) ? e[k] : 0)));
      return off !== 0 || !found;
    });
    if (row.choose && e[0] !== 0 && !(Math.abs(x[0]) > e[0])) {
      return `could not decide in double precision what follows from ${step.written[0]}`;
    }
    if (failing) {
      const [rule, needs, blamed] = failing, off = bounded(rule, x, e)[1];
      if (off !== 0) return `could not decide in double precision whether ${step.title} has a value here: it needs ${needs}`;
      return `${step.title} needs ${needs}${here(step, x, blamed)}`;
    }
    if (Number.isFinite(v)) return null;
    return `${step.title} overflows here: the largest number in double precision is 1.8e308`;
  };

  // The sweeps

  const named = (point) => (Array.isArray(point) ? Object.fromEntries(inputs.map((i, k) => [i.name, point[k]])) : point);

  // With `typed`, a number that is given stands for the decimal that it was read from, half a unit away at most.
  const forward = (point, typed = false) => {
    const v = [], e = [], faults = [];
    for (const input of inputs) {
      const x = Number(point[input.name]);
      if (!Number.isFinite(x)) faults[v.length] = `${input.name} has no value`;
      v.push(x);
      e.push(typed && !isShort(x, 32) ? Math.abs(x) * UNIT : 0);
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
      const [plainly, own] = bounded(rule === undefined ? null : rule, [v[step.index], ...x], [e[step.index], ...off]);
      const isLimit = Number.isNaN(plainly) && found[k] === 0;
      errors[k] = isLimit && off.every((each) => each === 0) ? 0 : own;
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
      const state = corner(row, x, step.operands.map((j) => e[j]), step.operands.map((j) => wanted[j]));
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
        const exact = isProduct(part, w[i], slope);
        off[j] += Math.abs(w[i]) * errors[k] + (Math.abs(slope) + errors[k]) * off[i];
        off[j] += (exact ? 0 : UNIT * Math.abs(part)) + tiny(part, w[i], slope);
        whole[j] = whole[j] && exact && isShort(w[j], 32);
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

  // One side of a point: what every node tends to there and its slope along the direction, with their errors.
  //
  // A step at a corner is looked at a little way off: it is linear there, or infinitely steep, or its slope tends to that
  // at the corner, or it jumps; else nothing is known. `state` has what became of every node.
  const FINE = 0, NOWHERE = 1, INFINITE = 2, UNKNOWN = 3;

  const far = (row, x, d, h) => {
    const w = x.map((number, k) => number + h * d[k]), f = holds(row, w) ? apply(row, w) : NaN;
    const slope = d.reduce((sum, dk, k) => (dk ? sum + partial(row, k, f, w) * dk : sum), 0);
    return {h, w, f, slope, there: Number.isFinite(f)};
  };

  // Whether a step changes no faster than its operands around a corner, so that what stands still there gives slope 0.
  const isKink = (row, x, used) => {
    const here = holds(row, x) ? apply(row, x) : NaN;
    return used.every((k) => [-1, 1].every((sign) => {
      const [near, nearer] = [2 ** -30, 2 ** -42].map((h) => far(row, x, x.map((_, i) => (i === k ? sign : 0)), h));
      const isBounded = [near, nearer].every(({h, f, slope}) => Math.abs(f - here) <= 2 * h && Math.abs(slope) <= 2);
      return near.there && nearer.there && isBounded;
    }));
  };

  // The limit and the slope of a step along d from a place where its rule does not hold; null where that is not known.
  const beside = (row, x, d, used) => {
    const h = 2 ** -30 * 2 ** Math.ceil(Math.log2(Math.max(1, ...x.map(Math.abs))));
    const [one, two, three] = [h, h / 64, h / 4096].map((size) => far(row, x, d, size));
    if (!one.there && !two.there && !three.there) return {state: NOWHERE};
    if (!one.there || !two.there || !three.there) return null;
    // where several move along the corner itself, what is smaller than their slopes decides, unless nothing jumps
    const isAlong = used.length > 1 && row.corner && [one, two, three].some(({w}) => plain(row.corner, w));
    if (isAlong && !isKink(row, x, used)) return null;
    if (row.steps) return one.f === two.f && two.f === three.f ? {state: FINE, limit: one.f, slope: 0} : null;
    const here = holds(row, x) ? apply(row, x) : NaN;
    if (Number.isNaN(here)) {
      const grows = Math.abs(two.f) > 1.1 * Math.abs(one.f) && Math.abs(three.f) > 1.1 * Math.abs(two.f);
      return grows && Math.sign(one.f) === Math.sign(three.f) ? {state: INFINITE} : null;
    }
    const straight = one.slope === two.slope && two.slope === three.slope && Number.isFinite(one.slope);
    if (straight) {
      const ends = [one, two, three].map(({h: size, f, slope}) => f - size * slope);
      const isNear = ends.every((end) => Math.abs(end - here) <= 8 * UNIT * Math.max(Math.abs(one.f), Math.abs(here)));
      if (isNear) return {state: FINE, limit: here, slope: one.slope};
      return ends[0] === ends[1] && ends[1] === ends[2] ? {state: FINE, limit: ends[0], slope: one.slope} : null;
    }
    const nearer = [one, two, three].map(({f}) => Math.abs(f - here));
    if (!(nearer[2] < nearer[1] && nearer[1] < nearer[0])) return null;
    const sizes = [one, two, three].map(({slope}) => Math.abs(slope));
    const alike = Math.sign(one.slope) === Math.sign(two.slope) && Math.sign(two.slope) === Math.sign(three.slope);
    if (alike && sizes[1] > 1.1 * sizes[0] && sizes[2] > 1.1 * sizes[1]) {
      return {state: FINE, limit: here, slope: Math.sign(one.slope) * Infinity};
    }
    const slope = d.reduce((sum, dk, k) => (dk ? sum + partial(row, k, here, x) * dk : sum), 0);
    const gaps = [one, two, three].map((point) => Math.abs(point.slope - slope));
    const tends = gaps[1] < 0.95 * gaps[0] && gaps[2] < 0.95 * gaps[1];
    return tends || gaps[2] <= 1e-12 * (1 + Math.abs(slope)) ? {state: FINE, limit: here, slope} : null;
  };

  const side = (v, e, name, direction) => {
    const isFlat = Array(size).fill(false);
    const limit = [...v], off = [...e], t = Array(size).fill(0), toff = Array(size).fill(0);
    const state = v.map((x) => (Number.isNaN(x) ? NOWHERE : FINE)), smooth = Array(size).fill(true);
    const moves = Array(size).fill(false);
    const input = inputs.find((own) => own.name === name).index;
    t[input] = direction;
    moves[input] = true;
    for (const step of steps) {
      const i = step.index, row = rows[step.op], ops = step.operands, x = ops.map((j) => limit[j]);
      if (!ops.some((j) => moves[j])) continue;
      moves[i] = true;
      const used = state[ops[0]] === FINE ? needed(row, x) : [0];
      state[i] = Math.max(...used.map((k) => state[ops[k]]));
      if (state[i] === INFINITE && !row.choose) state[i] = UNKNOWN;
      if (state[i] !== FINE) continue;
      // a number that passes through 0 is a condition that changes
      const changes = (k) => moves[ops[k]] && !isFlat[ops[k]] && x[k] === 0;
      if ((row.choose && changes(0)) || (row.steps && !row.corner && used.some(changes))) {
        state[i] = UNKNOWN;
        continue;
      }
      isFlat[i] = !!row.steps || used.every((k) => !moves[ops[k]] || isFlat[ops[k]]);
      const errors = ops.map((j, k) => (used.includes(k) ? off[j] : 0));
      const moving = used.filter((k) => t[ops[k]] !== 0 || toff[ops[k]] !== 0);
      const value = holds(row, x) ? apply(row, x) : NaN;
      const wanted = ops.map((j, k) => used.includes(k) && moves[j]);
      const partials = ops.map((_, k) => (wanted[k] ? partial(row, k, value, x) : 0));
      smooth[i] = corner(row, x, errors, wanted) === 0 && Number.isFinite(value) && partials.every(Number.isFinite);
      if (smooth[i]) {
        limit[i] = value;
        off[i] = error(row, value, x, errors);
        for (const k of moving) {
          const j = ops[k], rule = row.partials[k];
          const p = partials[k], poff = bounded(rule, [value, ...x], [off[i], ...errors])[1];
          const part = Math.abs(t[j]) === Infinity && Math.abs(p) <= poff ? NaN : p * t[j];
          const exact = isProduct(part, p, t[j]) && isShort(t[i], 32) && isShort(t[i] + part, 32);
          t[i] += part;
          if (Math.abs(part) === Infinity) continue;
          toff[i] += (Math.abs(p) + poff) * toff[j] + Math.abs(t[j]) * poff;
          toff[i] += exact ? 0 : UNIT * (Math.abs(part) + Math.abs(t[i]));
        }
        if (Number.isNaN(t[i])) state[i] = UNKNOWN;
        continue;
      }
      const isSure = moving.length === 1 ? Math.abs(t[ops[moving[0]]]) > toff[ops[moving[0]]] : moving.every((k) => toff[ops[k]] === 0);
      const largest = Math.max(0, ...moving.map((k) => Math.abs(t[ops[k]])));
      const d = ops.map((j, k) => (!moving.includes(k) ? 0 : largest === Infinity ? Math.sign(t[j]) : t[j] / largest));
      const isExact = moving.every((k) => errors[k] === 0) && (largest < Infinity || moving.length === 1);
      const isKnown = isExact && isSure && corner(row, x, errors, wanted) !== 2;
      let found = isKnown && moving.length ? beside(row, x, d, used.filter((k) => moves[ops[k]])) : null;
      if (isKnown && !moving.length && isKink(row, x, used)) found = {state: FINE, limit: value, slope: 0};
      // what an operand that stands still is off counts in a slope that is finite
      const isOff = found && found.state === FINE && !row.steps && Number.isFinite(found.slope) && errors.some((off) => off);
      if (!found || isOff || (largest === Infinity && found.slope)) {
        state[i] = UNKNOWN;
        continue;
      }
      state[i] = found.state;
      if (found.state !== FINE) continue;
      limit[i] = found.limit;
      off[i] = rounding(row, found.limit, x);
      t[i] = found.slope ? found.slope * largest : 0;
      toff[i] = Number.isFinite(found.slope) && found.slope ? Math.abs(found.slope) * toff[ops[moving[0]]] : 0;
    }
    return {limit, off, t, toff, state, smooth};
  };

  // Whether nothing tells the left from the right at the result: so it is where all that goes into a smooth step does so.
  const agrees = (left, right) => {
    const alike = Array(size).fill(true);
    for (const {index: i, operands, op} of steps) {
      const exact = left.limit[i] === right.limit[i] && left.t[i] === -right.t[i] && !left.toff[i] && !right.toff[i];
      const used = needed(rows[op], operands.map((j) => right.limit[j]));
      const carried = left.smooth[i] && right.smooth[i] && used.every((k) => alike[operands[k]]);
      alike[i] = left.state[i] === right.state[i] && (exact || carried);
    }
    return alike[root];
  };

  // What a partial is where a rule does not hold: its kind of corner, its slopes on both sides, and itself if it exists.
  const decided = (v, e, name) => {
    const [left, right] = [-1, 1].map((direction) => side(v, e, name, direction));
    const isUnknown = [left, right].some(({state}) => state[root] === UNKNOWN);
    if (isUnknown) return {kind: "undetermined"};
    const told = [left, right].map(({limit, off, t, toff, state}, k) => {
      if (state[root] === NOWHERE) return {why: "edge"};
      if (state[root] === INFINITE) return {why: "jump"};
      const gap = Math.abs(limit[root] - v[root]), unsure = off[root] + e[root];
      if (gap > unsure) return {why: "jump"};
      if (gap > 0 || (unsure && !steps.every(({index: i}) => limit[i] === v[i] || !(off[i] + e[i])))) return {why: "unknown"};
      return {slope: (k ? 1 : -1) * t[root] + 0, off: toff[root]};
    });
    const [l, r] = told.map(({slope}) => slope);
    if (told.some(({why}) => why === "unknown")) return {kind: "undetermined"};
    if (told.some(({why}) => why === "jump")) return {kind: "jump", l, r};
    const slopes = told.filter(({why}) => !why);
    if (slopes.some(({slope}) => Math.abs(slope) === Infinity)) return {kind: "vertical", l, r};
    if (!slopes.length) return {kind: "isolated"};
    if (slopes.length === 1) return {kind: "edge", l, r, ...slopes[0]};
    if (agrees(left, right)) return {kind: "", ...slopes[1]};
    return {kind: Math.abs(l - r) > told[0].off + told[1].off ? "corner" : "undetermined", l, r};
  };

  const KINDS = {
    corner: ({title, bent}) => `${title} ${bent ? "has" : "makes"} a corner here`,
    vertical: ({title, bent}) => `${bent ? "the expression" : title} is infinitely steep here`,
    jump: ({title}) => `${title} jumps here`,
    isolated: () => "the expression is defined on neither side of this point",
  };

  // Why a partial does not exist.
  const sentence = (name, x, row, {kind, l, r}) => {
    const which = `∂/∂${name}`, place = ` at ${name} = ${number(x, 10)}`;
    if (!(kind in KINDS)) return `could not decide whether ${which} exists${place}: it depends on how ${row.title} behaves there`;
    const sides = [["left", l], ["right", r]].filter(([, slope]) => slope !== undefined);
    const falls = [l, r].includes(-Infinity), cusp = falls && [l, r].includes(Infinity) ? ": a cusp" : "";
    const endless = (slope) => (falls ? (slope < 0 ? "-∞" : "∞") : "infinite");
    const told = sides.map(([where, slope]) => `${Number.isFinite(slope) ? number(slope, 10) : endless(slope)} from the ${where}`);
    const slopes = told.length ? `; the slope is ${told.join(" and ")}${cusp}` : "";
    return `${which} does not exist${place}: ${KINDS[kind](row)}${slopes}`;
  };

  const none = (why, v = [], e = []) => ({
    fault: why, primals: v.map((x) => (Number.isNaN(x) ? null : x)), errors: e, partials: [], contributions: [], adjoints: [],
    adjointErrors: [], gradient: {}, gradientErrors: {}, value: null, error: Infinity, corner: null, corners: {}, notes: [], frozen,
  });

  const isGiven = (point) => inputs.every(({name}) => Number(point[name]) === at[name]);

  const asGiven = () => {
    const {primals, adjoints, partials, gradient, gradientErrors, value, error: off} = program.numbers;
    const contributions = partials.map((own, i) => own.map((p) => (p === null ? null : adjoints[i] * p)));
    const unknown = primals.map(() => null);
    return {...none(null), primals, errors: unknown, partials, contributions, adjoints, adjointErrors: unknown, gradient,
      gradientErrors, value, error: off};
  };

  // Errors where the point is the decimals that were typed, as far as all that is decided there stays as it is.
  const widened = (point, v, e, backwards) => {
    if (inputs.every(({index}) => isShort(v[index], 32))) return [e, backwards.off];
    const {e: wide, faults} = forward(point, true);
    if (faults[root]) return [e, backwards.off];
    const again = backward(v, wide), {blocked} = backwards;
    const isSame = again.blocked.length === blocked.length && again.blocked.every(({step}, k) => step === blocked[k].step);
    return [wide, isSame ? again.off : backwards.off];
  };

  const run = (given) => {
    const point = named(given);
    if (frozen) return isGiven(point) ? asGiven() : none(frozen);
    const {v, e, faults} = forward(point);
    if (faults[root]) return none(faults[root], v, e);
    const backwards = backward(v, e), {w, partials, contributions, blocked} = backwards;
    const [errors, off] = widened(point, v, e, backwards);
    const gradient = {}, gradientErrors = {}, corners = {}, notes = [];
    for (const {name, index} of inputs) {
      gradient[name] = (w[index] === null ? 0 : w[index]) + 0;
      gradientErrors[name] = w[index] === null ? 0 : off[index];
    }
    for (const [{name, index}, {step, sure}] of below(v, blocked)) {
      const found = sure ? decided(v, e, name) : {kind: "undetermined"};
      const exists = found.kind === "" || found.kind === "edge";
      gradient[name] = exists ? found.slope : null;
      gradientErrors[name] = exists ? found.off : null;
      if (!exists) corners[name] = sentence(name, v[index], rows[step.op], found);
      if (found.kind !== "edge") continue;
      notes.push(`∂/∂${name} is the slope from the ${found.l === undefined ? "right" : "left"}; the other side is not defined`);
    }
    return {
      fault: null, primals: v.map((x) => (Number.isNaN(x) ? null : x)), errors, partials, contributions, adjoints: w,
      adjointErrors: off, gradient, gradientErrors, value: v[root] + 0, error: errors[root],
      corner: Object.values(corners)[0] || null, corners, notes, frozen,
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
