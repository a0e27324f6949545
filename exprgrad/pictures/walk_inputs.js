// Sliders and fields for the inputs, the curve along one of them, and the numeric check of its partial.
const noted = one("noted");
const scaleOf = (x) => {
  const least = Math.abs(x) * 1.5 || 2, power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((k) => k * power).find((own) => own >= least * (1 - 1e-12));
};
// the slider counts hundredths of its scale, so that its numbers are short decimals
const rangeOf = (x) => {
  const step = scaleOf(x) / 100, middle = Math.round(x / step);
  return { step, low: middle - 100, high: middle + 100 };
};
const onSlider = (range, count) => Number((count * range.step).toPrecision(12));

const inputs = new Map();
const chosen = () => state.along;
const draw = () => {
  for (const [name, own] of inputs) {
    const x = state.at[name], place = Math.round(x / own.range.step);
    if (place < own.range.low || place > own.range.high) own.range = rangeOf(x);
    own.slider.min = own.range.low;
    own.slider.max = own.range.high;
    own.slider.value = Math.round(x / own.range.step);
    own.slider.setAttribute("aria-valuetext", shown(x));
    if (document.activeElement !== own.field) own.field.value = String(x);
    own.field.removeAttribute("aria-invalid");
  }
  curve();
  check();
};
const isGiven = () => Object.entries(given.at).every(([name, x]) => state.at[name] === x);
const moveTo = (at, along) => {
  Object.assign(state.at, at);
  if (along) state.along = along;
  state.found = isGiven() ? foundThere() : foundAt({ ...state.at });
  text(noted, "");
  follow();
  draw();
};
const typed = (name, field) => {
  const x = numberOf(field.value);
  if (Number.isNaN(x)) {
    field.setAttribute("aria-invalid", "true");
    text(noted, `${name} needs a number; it is still ${shown(state.at[name])}.`);
  } else moveTo({ [name]: x }, name);
};

const addInput = (name) => {
  const range = rangeOf(state.at[name]);
  const slider = made("input", { type: "range", step: 1, "aria-label": `${name}, slider`, "data-slider": name });
  const field = made("input", { autocomplete: "off", spellcheck: "false", "aria-label": name, "data-field": name });
  inputs.set(name, { slider, field, range });
  slider.addEventListener("input", () => moveTo({ [name]: onSlider(inputs.get(name).range, Number(slider.value)) }, name));
  field.addEventListener("input", () => typed(name, field));
  field.addEventListener("blur", draw);
  one("inputs").append(made("div", { class: "input" }, made("span", { "aria-hidden": "true" }, name), slider, field));
};

// --- the curve ---------------------------------------------------------------------------------------------------------
const HIGH = 300, LEFT = 64, FOOT = 26, TOP = 8, RIGHT = 12;
const along = (x) => exprgrad.value({ ...state.at, [chosen()]: x });

// whether a curve may be drawn from a to b: what lies between gets small when one looks closer, at a jump it does not
const joins = (a, b, small, budget) => {
  let [x, y] = a, [u, v] = b;
  for (let i = 0; i < 40 && budget.left > 0; i++) {
    if (Math.abs(v - y) <= small) return true;
    const m = x + (u - x) / 2, w = along(m);
    budget.left--;
    if (!Number.isFinite(w)) return false;
    if (Math.abs(w - y) > Math.abs(v - w)) [u, v] = [m, w];
    else [x, y] = [m, w];
  }
  return false;
};
// the last point with a value, from one that has it towards one that has not
const edgeOf = (inside, outside) => {
  let [[x, y], u] = [inside, outside];
  for (let i = 0; i < 24; i++) {
    const m = (x + u) / 2, w = along(m);
    if (Number.isFinite(w)) [x, y] = [m, w];
    else u = m;
  }
  return [x, y];
};
const piecesOf = (points, high) => {
  const pieces = [[]], budget = { left: Math.min(3000, 60000 / nodes.length) };
  points.forEach((point, i) => {
    const before = points[i - 1], has = Number.isFinite(point[1]), had = before && Number.isFinite(before[1]);
    if (has && before && !had) pieces.push([edgeOf(point, before[0])]);
    if (!has && had) pieces[pieces.length - 1].push(edgeOf(before, point[0]));
    if (has && had && !joins(before, point, high / 25, budget)) pieces.push([]);
    if (has) pieces[pieces.length - 1].push(point);
  });
  return pieces.filter((piece) => piece.length > 1);
};
const windowOf = (points, y) => {
  const ys = points.map((p) => p[1]).filter(Number.isFinite).sort((a, b) => a - b);
  let low = ys.length ? ys[Math.floor(ys.length * 0.02)] : -1, high = ys.length ? ys[Math.ceil(ys.length * 0.98) - 1] : 1;
  if (Number.isFinite(y)) [low, high] = [Math.min(low, y), Math.max(high, y)];
  const flat = high - low <= 1e-9 * Math.max(Math.abs(low), Math.abs(high));  // what is there is rounding
  const room = flat ? Math.abs(high) * 0.1 || 1 : (high - low) * 0.1;
  return [low - room, high + room];
};
const ticks = (low, high, count) => {
  const least = (high - low) / count, power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((k) => k * power).find((own) => own >= least), found = [];
  for (let k = Math.ceil(low / step); k * step <= high; k++) found.push(Number((k * step).toPrecision(10)));
  return found;
};

const partialOf = (name) => {
  const { found } = state;
  if (found.fault) return null;
  if (found.texts) return found.texts.gradient[name];
  return given.gradient[name];
};
const offOf = (name) => (state.found.texts ? state.found.texts.gradientErrors[name] || 0 : 0);
const curve = () => {
  const name = chosen(), { range } = inputs.get(name), x = state.at[name], y = along(x), slope = partialOf(name);
  const low = range.low * range.step, high = range.high * range.step;
  const svg = one("curve"), WIDE = Math.max(300, svg.clientWidth || 640), inside = made("g", { "clip-path": "url(#frame)" });
  svg.setAttribute("viewBox", `0 0 ${WIDE} ${HIGH}`);
  const points = Array.from({ length: 241 }, (_, i) => low + ((high - low) * i) / 240).map((u) => [u, along(u)]);
  const [down, up] = windowOf(points, y);
  const X = (u) => (LEFT + ((u - low) / (high - low)) * (WIDE - LEFT - RIGHT)).toFixed(1);
  const Y = (v) => (TOP + ((up - v) / (up - down)) * (HIGH - TOP - FOOT)).toFixed(1);
  const tan = Number.isFinite(y) && slope !== null && slope !== undefined;
  const what = tan ? `with its tangent at ${name} = ${shown(x)}, of slope ${shown(slope, offOf(name))}` : "without a tangent here";
  svg.replaceChildren(made("title", {}, `The result along ${name}, ${what}`),
    made("clipPath", { id: "frame" }, made("rect", { x: LEFT, y: TOP, width: WIDE - LEFT - RIGHT, height: HIGH - TOP - FOOT })));
  for (const v of ticks(down, up, 5)) svg.append(made("path", { class: v ? "grid" : "axis", d: `M${LEFT} ${Y(v)}H${WIDE - RIGHT}` }),
    made("text", { x: LEFT - 8, y: Number(Y(v)) + 4, "text-anchor": "end" }, short(v)));
  for (const u of ticks(low, high, WIDE > 500 ? 7 : 4)) svg.append(made("path", { class: u ? "grid" : "axis", d: `M${X(u)} ${TOP}V${HIGH - FOOT}` }),
    made("text", { x: X(u), y: HIGH - 8, "text-anchor": "middle" }, short(u)));
  for (const piece of piecesOf(points, up - down))
    inside.append(made("path", { class: "line", d: `M${piece.map(([u, v]) => `${X(u)} ${Y(Math.max(down - 9 * (up - down), Math.min(up + 9 * (up - down), v)))}`).join("L")}` }));
  const straight = (kind, k) => inside.append(made("path", { class: kind, d: `M${X(low)} ${Y(y + k * (low - x))}L${X(high)} ${Y(y + k * (high - x))}` }));
  const h = nudges()[state.nudge], v = along(x + h), secant = (v - y) / (x + h - x), slopes = [];
  if (tan) {
    straight("tangent", slope);
    slopes.push(made("span", {}, `tangent of slope ${shown(slope, offOf(name))}`));
  } else slopes.push(made("span", {}, "no tangent here"));
  if (Number.isFinite(secant)) slopes.push(made("span", {}, `line to ${name} + ${written(h)} of slope ${shown(secant)}`));
  one("slopes").replaceChildren(...slopes);
  if (Number.isFinite(secant) && Number(X(x + h)) - Number(X(x)) > 3) {
    straight("secant", secant);
    inside.append(made("circle", { class: "nudged", cx: X(x + h), cy: Y(v), r: 4 }));
  }
  if (Number.isFinite(y)) inside.append(made("circle", { class: "here", cx: X(x), cy: Y(y), r: 5.5 }));
  svg.append(inside);
  svg.dataset.window = JSON.stringify([low, high, WIDE]);
};
// the point follows the pointer along the curve
const dragged = (svg) => {
  const follows = (event) => {
    const name = chosen(), { range } = inputs.get(name), [low, high, wide] = JSON.parse(svg.dataset.window);
    const { left, width } = svg.getBoundingClientRect(), x = ((event.clientX - left) / width) * wide;
    const count = Math.round((low + ((x - LEFT) / (wide - LEFT - RIGHT)) * (high - low)) / range.step);
    moveTo({ [name]: onSlider(range, Math.max(range.low, Math.min(range.high, count))) }, name);
  };
  svg.addEventListener("pointerdown", (event) => { svg.setPointerCapture(event.pointerId); follows(event); });
  svg.addEventListener("pointermove", (event) => { if (svg.hasPointerCapture(event.pointerId)) follows(event); });
};

// --- the numeric check ---------------------------------------------------------------------------------------------------
const NUDGES = 9;
const nudges = () => {
  const unit = 10 ** Math.floor(Math.log10(scaleOf(state.at[chosen()])));
  return Array.from({ length: NUDGES }, (_, i) => Number((unit / 10 ** i).toPrecision(3)));
};
const written = (h) => {
  const power = Math.round(Math.log10(h));
  return power >= -3 && power <= 6 ? String(h) : `10${String(power).replace(/./g, (c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)])}`;
};
// ten digits, those that agree with the partial apart from the others
const compared = (quotient, partial) => {
  if (!Number.isFinite(quotient)) return ["", "none"];
  const words = minus(quotient.toPrecision(10)), off = Math.abs(quotient - partial);
  if (partial === null) return ["", words];
  const right = off ? Math.floor(Math.log10(Math.abs(quotient)) - Math.log10(2 * off)) : 10;
  let end = 0, count = 0;
  for (; end < words.length && words[end] !== "e"; end++) {
    if (/\d/.test(words[end]) && (count || words[end] !== "0")) count++;
    if (count > right) break;
  }
  return right > 0 ? [words.slice(0, end), words.slice(end)] : ["", words];
};
const check = () => {
  const name = chosen(), x = state.at[name], y = along(x), partial = partialOf(name) ?? null;
  const quotient = (h) => (along(x + h) - y) / (x + h - x);
  nudges().forEach((h, i) => {
    const { cells } = one("checks").rows[i];
    text(cells[0].querySelector("span"), written(h));
    [quotient(h), quotient(-h)].forEach((q, k) => {
      const [dark, light] = compared(q, partial);
      cells[k + 1].replaceChildren(made("b", {}, dark), made("i", {}, light));
    });
  });
  text(one("partial"), partial === null ? "no partial" : inFull(partial, offOf(name)));
  const compares = Number.isFinite(y)
    ? `(f(${name} + h) − f(${name})) ÷ h for h > 0 and for h < 0. ` : "There is no value here, and so no difference quotient.";
  const agrees = "Digits that agree with the partial are dark; a smaller h helps until rounding takes over.";
  text(one("asked"), compares + (partial === null ? "" : agrees));
};

const start = () => {
  state.along = wrt[0];
  state.nudge = 0;
  for (const name of Object.keys(given.at)) addInput(name);
  const choice = made("select", { "aria-label": "the input along which the curve is drawn" }, ...Object.keys(given.at).map((name) => made("option", {}, name)));
  const rows = Array.from({ length: NUDGES }, (_, i) => made("tr", {}, made("td", {}, made("label", {},
    made("input", { type: "radio", name: "nudge", value: i, ...(i ? {} : { checked: "" }) }), " ", made("span"))), made("td"), made("td")));
  const folded = made("details", {}, made("summary", {}, "The curve, its tangent, and a numeric check"),
    made("p", {}, made("label", {}, "along ", choice)),
    made("svg", { id: "curve", viewBox: `0 0 640 ${HIGH}`, role: "img" }), made("p", { id: "slopes" }),
    made("div", { class: "wide" }, made("table", { class: "check" }, made("caption", {}, "Numeric check: nudge the input by h"),
      made("thead", {}, made("tr", {}, ...["h", "upwards", "downwards"].map((word) => made("th", { scope: "col" }, word)))),
      made("tbody", { id: "checks" }, ...rows),
      made("tfoot", {}, made("tr", { class: "r" }, made("th", { scope: "row" }, "partial"), made("td", { id: "partial", colspan: 2 }))))),
    made("p", { id: "asked" }));
  one("beside").append(folded);
  folded.addEventListener("toggle", curve);
  dragged(one("curve"));
  const redraw = () => { choice.value = state.along; };
  choice.addEventListener("change", () => { state.along = choice.value; draw(); });
  one("inputs").addEventListener("input", redraw);
  one("checks").addEventListener("change", (event) => { state.nudge = Number(event.target.value); curve(); });
};

// what the address asks for: the point, if it is one of this expression; then the sweep and the step
const read = () => {
  const asked = new URLSearchParams(location.hash.slice(1)), point = {}, strange = [];
  const other = asked.has("e") && asked.get("e") !== walk.expression;
  for (const name of Object.keys(given.at)) {
    const words = asked.get(name);
    if (words === null || name === "e") continue;
    if (Number.isNaN(numberOf(words))) strange.push(name);
    else point[name] = numberOf(words);
  }
  if (wrt.includes(asked.get(".mode"))) modes.value = state.mode = asked.get(".mode");
  const moved = Object.entries(point).some(([name, x]) => state.at[name] !== x);
  if (!other && moved && computes) moveTo(point);
  follow(Number(asked.get(".step")) || 0);
  if (other) text(noted, `The address asks for another expression, ${asked.get("e")}; this page has ${walk.expression}, at the point that it was made for.`);
  else if (moved && !computes) text(noted, `${exprgrad.frozen}.`);
  else if (strange.length) text(noted, `The address has no number for ${strange.join(" and ")}.`);
};

document.body.classList.add("live");
if (computes) {
  start();
  draw();
} else text(noted, `${exprgrad.frozen}.`);
read();
addEventListener("hashchange", read);
if (computes) addEventListener("resize", curve);
