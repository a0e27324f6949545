"""Tasks in words, as the commands that do them.

    command("critical points of x^2")           Meant("critical", "x^2")
    command("slope of x^3 at x = 2")            Meant("diff", "x^3", {"wrt": "x", "at": "x=2"})
    command("f_xy if f(x, y) = x^2*y")          Meant("diff", "x^2*y", {"wrt": "x,y"})
    command("a day in the sun")                 None

What is said beside the task (points, variables, orders, directions, definitions) is taken out of the text first,
wherever it stands; then a row of `TASKS` has to account for all that is left.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain

from exprgrad.annotations import Any, NamedTuple
from exprgrad.errors import ExpressionSyntaxError, ExprgradError, Hint
from exprgrad.graph.order import topological
from exprgrad.graph.value import is_variable
from exprgrad.language import phrases
from exprgrad.language.brackets import nesting
from exprgrad.language.elsewhere import DIGITS, SPELT, SPOKEN
from exprgrad.language.parser import read
from exprgrad.language.points import in_order, lies_on
from exprgrad.language.products import Splitter
from exprgrad.language.questions import questions_in
from exprgrad.language.questions import read as statements_of
from exprgrad.language.undefined import FUNCTION_LETTERS
from exprgrad.language.words.conditionals import in_our_notation
from exprgrad.language.words.formulas import in_signs
from exprgrad.lazy import pattern
from exprgrad.operations.vocabulary import CONSTANTS, SPOKEN_FUNCTIONS, is_function

MOST_WORDS = 30
"""Words among which a formula is looked for."""


class Meant(NamedTuple):
    """A command that does a task: its name, what it is about, its options, some without a value, and what is claimed.

    An option with several values is given several times.
    """

    command: str
    formula: str
    options: Mapping[str, str | Sequence[str]] = {}
    claim: str = ""

    @property
    def arguments(self) -> list[str]:
        """The command as arguments of the program."""
        found = [self.command]
        for text in filter(None, (self.formula, self.claim)):
            found.append(f" {text}" if text.startswith("-") else text)
        for option, values in self.options.items():
            for value in [values] if isinstance(values, str) else values:
                found += [f"--{option}", value] if value else [f"--{option}"]
        return found


class Task(NamedTuple):
    """The parts of a task: its formula, the parameters of that, and what stands beside it; each as it was written."""

    formula: str
    parameters: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    order: int | None = None
    point: str | None = None
    direction: str | None = None
    claim: str = ""
    terms: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that are named, or the only one of the function."""
        return self.variables or self.parameters[: len(self.parameters) == 1]

    def by(
        self, command: str, *options: str, within: Sequence[str] = (), **more: Any
    ) -> Meant | None:
        """The task as a command with those of these options that it says, after `more` of them.

        None if it says more than these, and than what is `within` the formula.
        """
        said = {
            "wrt": ",".join(self.variables),
            "at": self.point,
            "order": str(self.order or ""),
            "direction": self.direction,
            "terms": self.terms,
        }
        if any(said[name] for name in said.keys() - {*options, *within}):
            return None
        said["wrt"] = ",".join(self.names)
        own = {name: value for name in options if (value := said[name])}
        return Meant(command, self.formula, {**more, **own}, self.claim)


Does = Callable[[Task], Meant | None]
"""Does a task by a command; None where none does it."""

# What stands beside a task

_N = r"[^\W\d_](?:_?[0-9])?"
_VALUE = rf"(?:{phrases.NUMBER}|[-−]?(?:[0-9]+\s*\*?\s*)?(?:ln|sqrt|√)\s*\(?[0-9]+\)?(?:/[0-9]+)?)"
_EQUATION = re.compile(r"(?<![<>!=])=(?!=)")
_EQUALS = r"\s*(?:==?|:|\b(?:is\s+)?equals?(?:\s+to)?\b|\bis\b)\s*"
_NUMBERS = {
    **phrases.ORDINALS,
    **{word: int(sign) for word, sign in DIGITS.items()},
    "double": 2, "twice": 2, "triple": 3, "three times": 3, "linear": 1, "quadratic": 2, "cubic": 3,
}  # fmt: skip
_HEAD = rf"(?![uvw]\s*=\s*[(<⟨\[][^()]*,)(?P<name>{_N}|F)\s*(?:\((?P<names>[^()]*)\))?\s*(?::?=(?!=)|(?<=\)):|\b(?:is|be)\s)\s*"
_BESIDE = {
    "direction": rf"(?:,\s*|\b)(?:(?:in|along)\s+(?:the\s+)?direction\s*(?:of\s+)?|along\s+|(?:(?:with|where|for|and|if)\s+)?(?=[uvw]\s*=))(?:the\s+)?(?:unit\s+)?(?:vector\s+)?(?:{_N}\s*=\s*)?([(<⟨\[][^()<>⟨⟩\[\]]*[)>⟩\]])",
    "variables": rf"(?:(?:,\s*|\b)(?:{phrases.RESPECT}|for\s+(?:the\s+)?variable|(?<!divided\s)(?<!multiplied\s)by|in(?=\s+{_N}\s*(?:$|of\b)))\s+|(?:,|\bfor)\s*(?={_N}$))(?P<names>{_N}(?:(?:\s*,\s*|\s+and\s+){_N})*)(?=\s*(?:$|[,;:]|(?:of|at|if|for|where|when|twice|three)\b))",
    "point": rf"(?:,\s*|\b)(?:(?:(?:and|then)\s+)?(?:at[\s,]|near|around|about|through|centered\s+at|when|where|for|if|as|evaluated?(?:\s+it)?\s+at|plug(?:ging)?\s+in|(?:in|on|using)(?!\s*[(<]))\s*(?<=[\s,])(?:(?:the\s+)?point\s+)?(?:where\s+)?|(?<=,)\s*)"
        rf"(?P<at>{_N}{_EQUALS}{_VALUE}(?:(?:\s*,\s*|\s+and\s+){_N}{_EQUALS}{_VALUE})*"
        rf"|\([^()=]*\)|{_VALUE})(?=\s*(?:$|[,;]|(?:of|for|if|where|when|to|in|along|with|given|up|order|degree|is|does|equals?|T)\b))",
    "terms": rf"(?:,\s*|\b)(?:(?:the|to|up\s+to)\s+)?(?:first\s+)?([0-9]+|{'|'.join(DIGITS)})\s+(?:non-?zero\s+)?terms\b(?:\s+(?:of|in|for)\b(?:\s+the\b)?)?",
    "order": r"(?:,\s*)?\b(?:(?:up\s+)?to\s+|of\s+)?(?:the\s+)?(?:(first|second|third|fourth|fifth)[\s-]+(?:order|degree)|(?:order|degree)\s+(one|two|three|four|five)|([0-9]+)(?:st|nd|rd|th)?[\s-]+(?:order|degree)(?!\s+[0-9])"
        r"|(?:order|degree)\s+([0-9]+)|(?<=\w\s)T_?([0-9])(?=\s+of\b)|(twice|three\s+times)$|(?<=up\sto\s)[^\W\d_]\^([0-9]+)(?=\s*$))\b",
}  # fmt: skip
"""Phrases beside a task, wherever they stand."""

_APART = (
    rf"^(?:(?:let|given|if|suppose|for|consider)\s+)?(?:the\s+function\s+)?(?P<head>{_HEAD})(?P<formula>.+?)(?:\s*[.,;:]\s*|\s+)(?P<task>(?:(?:then\s+|and\s+)?(?:find|compute|what|evaluate|calculate|determine|differentiate|derivative|tangent|normal|critical|inflection|gradient|slope|taylor|minimum|maximum|solve|where|directional|linear\w*|partial|second|third|show|please|local)\b|is\s+(?P=name)\b|d{_N}/d{_N}|{_N}'+|(?P=name)\s*\([^()]*\)\s*$).*)$",
    rf"(?:[\s,=?]+(?=[a-zA-Z]\([a-z])|(?:,\s*|\s+)(?:if|for|where|given(?:\s+that)?|when|with|of|to|and)\s+)(?:the\s+(?:function|curve|graph)\s+)?(?:of\s+)?(?P<head>{_HEAD})(?P<formula>.+)$",
    r"^(?:given(?:\s+that)?|if|for|let|on|consider)\s+(?:the\s+)?(?:(?:curve|circle|ellipse|hyperbola|equation|relation)\s+)?(?P<curve>[^=]+=[^=,;]+?)(?:[,;.]\s*(?:then\s+)?|\s+then\s+|\s+(?=find\b|what\b))(?P<task>.+)$",
    r"^(?P<task>.*?)(?:\s+(?:if|for|where|given(?:\s+that)?|when|of)\s+|\s*:\s*)(?P<curve>[^=]+=[^=]+)$",
)  # fmt: skip
"""Texts with a task, and apart from it what it is about: a definition before or behind it, or a curve."""

_CHATTER = (
    "all am and are be calculus can could do get have i'm global hello help hey hi i it its just kindly know like local make math me my need now of ok okay online please pls relative show so "
    "solve state steps take tell that the then this to trying us want we whats what's will with would you your find compute calculate evaluate determine give write"
).split()  # fmt: skip
"""Words that say nothing where they begin a task."""

_BY_RULE = r"(?:(?:\w+\s+rule|(?:limit\s+)?definition(?:\s+of\s+(?:the\s+|a\s+)?derivative)?|first\s+principles|(?:implicit|logarithmic)\s+differentiation)\b)"
_FRAME = re.compile(
    rf"^(?:steps\s+(?:of|for)|(?:{'|'.join(_CHATTER)})[,:]?|write\s+down|work\s+out|w(?:h|a|ha)t(?:'s|\s+(?:is|are|id|si|do|does|the))?|how\s+(?:do|does|to|can|would|should|could)|when(?=\s+you)"
    rf"|(?:(?:apply|use|using|by|with)\s+(?:the\s+)?{_BY_RULE}|\w+\s+rule|logarithmic\s+differentiation)\s*[,:]?(?:\s+(?:to|of|for|on))?|an?(?=\s+[^\W\d_]{{3}})|an\s+equation\s+(?:of|for)|equation\s+(?:of|for)|formula\s+(?:of|for)|value\s+of(?=\s+(?:the\s+)?(?:derivative|slope)|\s+f'|\s+d[a-z]?/d)|absolute(?=\s+(?:m[ai][nx]|extrem)))\s+",
    re.IGNORECASE,
)
_RULE = re.compile(rf"\s*\b(?:using|by|with|via|from)\s+(?:the\s+)?{_BY_RULE}\s*,?:?", re.IGNORECASE)  # fmt: skip
_TRAILING = re.compile(
    r"[\s,]*\b(?:for\s+me|please|thanks|thank\s+you|explained|formula|partially|and\s+simplify(?:\s+(?:your|the)\s+answer)?)$",
    re.IGNORECASE,
)
_SLIPS = {
    "teh": "the", "fidn": "find", "fnd": "find", "slop": "slope", "nabla": "gradient", "gradiant": "gradient", "jacobian": "gradient", "plz": "please",
    "pls": "please", "thx": "thanks", "ov": "of", "aat": "at", "att": "at", "pts": "points", "pt": "point", "th": "the", "lin": "line", "lne": "line", "wth": "with", "wen": "when", "whne": "when", "wats": "what", "thrid": "third", "cubd": "cubed",
}  # fmt: skip
"""Words that are often mistyped, or have another name."""

_KNOWN = (
    "derivative", "differentiable", "differentiate", "differentiation", "gradient", "tangent", "critical", "stationary", "maximum",
    "minimum", "maximize", "minimize", "taylor", "maclaurin", "implicit", "implicitly", "directional", "partial",
    "approximation", "polynomial", "normal", "linearization", "extrema", "inflection", "expansion", "second", "function", "antiderivative", "hessian",
    "respect", "squared", "cubed", "square", "cosine", "secant", "natural", "logarithm", "absolute", "inverse", "power", "times", "minus", "slope", "turning",
)  # fmt: skip
"""Words whose misspellings are understood."""

_AROUND = (
    "find", "what", "calculate", "compute", "evaluate", "determine", "please", "point", "points", "where", "when", "line", "series", "change", "rate", "root",
    "degree", "order", "value", "with", "equation", "numbers",
)  # fmt: skip
"""Words whose misspellings are understood among other words."""

# The tasks

_OF = r"\s*(?:(?:o[fdt]?|to|for|from|fo|fof|iof|off|pf|in|:)(?:\s+of)?\b|:|=|,)?\s*(?:the\s+)?(?:(?:following|each|given|function|curve|graph|expression|equation|volume|area|polynomial|parabola|circle|ellipse|hyperbola|surface)\s*:?\s*)*(?:of\s+)?(?!(?<=[^\W\d_])[^\W\d_])"
_OF_ONLY = _OF.replace(r"\b|:|=|,)?", r"\b|:)", 1)
"""The same where it must be said: f_x y may be a product."""

_DERIVATIVE = r"(?:derivatives?|derivate|derivation|deriv|differentiation|(?:instantaneous\s+)?(?:velocity|speed)|(?:slope|gradient)\s+of\s+(?:the\s+|a\s+)?(?:line\s+)?tangent(?:\s+line)?|slope|sensitivity|marginal\s+(?:cost|revenue|profit)|(?:instantaneous\s+)?rate\s+of\s+change)"
_DIFFERENTIATE = r"(?:differentiate|differentiating|derive|diff)"


def _derived(task: Task) -> Meant | None:
    if task.direction is not None:
        return _directional(task)
    if _EQUATION.search(task.formula):
        return _implicit(task) if _is_curve(task.formula) else None
    names = task.names or _only(task.formula)
    if names is None:
        is_number = _names(task.formula) == []
        return task._replace(variables=("x",) * is_number).by("diff", "wrt", "at")
    # the second derivative by x is that by x and x; by x and y it is given with both names
    if len(names) == 1:
        names *= task.order or 1
    if task.order not in (None, len(names)):
        return None
    if len(set(names)) == 1 < len(names):
        task = task._replace(variables=names[:1], order=len(names))
        return task.by("diff", "wrt", "order", "at")
    return task._replace(variables=names).by("diff", "wrt", "at", within=("order",))


def _gradient(task: Task) -> Meant | None:
    """The slope of a function of one variable is its gradient; in a direction it is a number."""
    if task.direction is not None or _only(task.formula):
        return _derived(task)
    is_value = task.point is not None and task.formula[:1] != "["
    return task.by("eval", "at") if is_value else task.by("diff")


def _claimed(task: Task) -> Meant | None:
    found = _derived(task)
    if found is None or found.command != "diff" or "implicit" in found.options:
        return None
    return found._replace(command="check")


def _hessian(task: Task) -> Meant | None:
    if task.point is not None:
        return task.by("eval", "at", hessian="")
    names = _names(task.formula) or ()
    pairs = [f"{x},{y}" for i, x in enumerate(names) for y in names[i:]]
    return task.by("diff", wrt=pairs)


def _mixed(task: Task) -> Meant | None:
    names = task.variables or _only(task.formula, 2)
    return _derived(task._replace(variables=names or (), order=2))


def _implicit(task: Task) -> Meant | None:
    names = _names(task.formula) if _EQUATION.search(task.formula) else None
    known = len(names or ()) > 1
    return task.by("diff", "wrt", "at", "order", implicit="") if known else None


def _directional(task: Task) -> Meant | None:
    names = task.variables or task.parameters or in_order(_names(task.formula) or ())
    entries = [entry.strip() for entry in (task.direction or "")[1:-1].split(",")]
    if len(entries) != len(names) or task.point is None or task.formula[:1] == "[":
        return None
    pairs = zip(entries, names, strict=True)
    slopes = " + ".join(f"({e})*d/d{name} ({task.formula})" for e, name in pairs)
    # the slope in a direction is that along a vector of length 1
    length = " + ".join(f"({entry})^2" for entry in entries)
    whole = task._replace(formula=f"({slopes})/sqrt({length})")
    return whole.by("eval", "at", within=("wrt", "direction"))


def _differentiable(task: Task) -> Meant | None:
    return task.by("eval", "at") if task.point else task.by("diff", "wrt")


def _formula_alone(task: Task) -> Meant | None:
    """A formula is differentiated, and a number computed."""
    if _EQUATION.search(task.formula) or task.point:
        return None
    return task.by("diff" if _names(task.formula) else "eval")


def _by(command: str, *options: str, needs: str = "", **more: str) -> Does:
    """Return what does a task by a command with these options, if it says what that `needs`."""

    def does(task: Task) -> Meant | None:
        if needs and getattr(task, needs) is None:
            return None
        return task.by(command, *options, **more)

    return does


_critical = _by("critical", "wrt")
_inflection = _by("critical", "wrt", inflection="")
_value = _by("eval", "at", needs="point")


def _taylor(task: Task) -> Meant | None:
    return task.by("taylor", "at", "order", "terms") if _names(task.formula) else None


_CLAIM = r"(?:is|are|does)\s+(?:it\s+true\s+that\s+)?(?:the\s+)?"
_CLAIMED = r"\s+(?:(?:the\s+same\s+as|equal(?:\s+to)?|equals)\b|=)\s*(?P<claim>.+)"
_ORDERED = r"(?:(?P<order>first|second|third|fourth|fifth|double|triple|[0-9]{1,3}(?:st|nd|rd|th))\s+)?(?:order\s+)?"

_ZERO = r"(?:is\s+|are\s+)?(?:equal(?:s|\s+to)?\s+)?(?:zero|0|vanish(?:es)?)"
_TURNING = r"critical\s+(?:points?|numbers?|values?)|(?:stationary|turning|extreme)\s+(?:points?|values?)|extrem(?:a|um|es)|local\s+extrema"
_INFLECTION = r"(?:points?\s+of\s+inflection|inflection\s+points?)"
_WHERE = rf"(?:(?:points?|values?|{_N}(?:\s+values?)?)\s+)?(?:of\s+{_N}\s+)?(?:(?:where|when|such\s+that|set|(?:for|at)\s+(?:which|what)(?:\s+{_N})?)\s+)?(?:is\s+|are\s+|does\s+)?(?:the\s+)?"
_EXTREME = r"max(?:im(?:um|a|i[sz]e|i[sz]ing))?|min(?:im(?:um|a|i[sz]e|i[sz]ing))?|largest|greatest|highest|biggest|smallest|least|lowest"

TASKS: list[tuple[str, Does]] = [
    (rf"{_CLAIM}(?P<claim>.+?)\s+(?:the\s+|an?\s+)?(?:correct\s+|right\s+)?{_ORDERED}(?:partial\s+)?{_DERIVATIVE}{_OF_ONLY}(?P<of>.+)", _claimed),
    (rf"{_CLAIM}(?:{_ORDERED}(?:partial\s+)?{_DERIVATIVE}|d/d(?P<x>{_N})){_OF}(?P<of>.+?){_CLAIMED}", _claimed),
    (rf"{_CLAIM}(?P<claim>.+?)\s+(?:an?|the)\s+(?:antiderivative|primitive|(?:indefinite\s+)?integral){_OF_ONLY}(?P<of>.+)", _by("check", "wrt", kind="antiderivative")),
    (rf"{_CLAIM}(?:{_ORDERED}{_DERIVATIVE}{_OF_ONLY})(?P<of>\S+)\s+(?P<claim>\S+)", _claimed),
    (r"(?:is|are|does)\s+(?P<of>.+?)\s+(?:always\s+)?(?:equal(?:\s+to)?|the\s+same\s+as|equivalent\s+to|identical\s+to)\s+(?P<claim>.+)", _by("same")),
    (rf"does\s+(?P<of>.+?)\s+have\s+(?:the\s+|a\s+)?{_ORDERED}{_DERIVATIVE}\s+(?P<claim>.+)", _claimed),
    (r"(?:implicitdiff|impdif)\s*\((?P<of>[^=]+=[^=,]+?)(?:,.*)?\)", _implicit),
    (r"hessian(?:\s+matrix)?", _hessian),
    (rf"implicit\s+(?:derivative|differentiation|diff)|implicitly\s+differentiate|(?:{_DIFFERENTIATE}|{_DERIVATIVE}|dy/dx|y')\s+implicitly", _implicit),
    (rf"(?:{_DIFFERENTIATE}|d/d(?P<x>{_N}))\s*{_OF}(?P<of>.+?)\s+implicitly", _implicit),
    (r"(?!.*d/d[a-z]\s*[(\w].*=)(?P<of>[^=]+=[^=]+?)\s+(?:find\s+)?(?:dy/dx|y')", _implicit),
    (rf"(?P<x>{_N})[\s-]{_DERIVATIVE}{_OF_ONLY}(?P<of>.+)", _derived),
    (rf"(?:first\s+)?(?:partial\s+derivatives|partials){_OF_ONLY}(?P<of>.+)", _gradient),
    (rf"acceleration{_OF_ONLY}(?P<of>.+)", lambda task: _derived(task._replace(order=2))),
    (r"(?P<of>.+?)\s*(?:->|=>|→)\s*(?:derivative|differentiate|[yf]')", _derived),
    (rf"(?:d{_N}/d(?P<x>{_N})|y'(?:\([^()]*\))?)(?:\s+by\s+implicit\s+differentiation)?{_OF}(?P<of>[^=]+=.+)", _implicit),
    (r"(?:mixed\s+(?:second\s+)?|second\s+(?:mixed\s+)?)partial(?:\s+derivative)?", _mixed),
    (rf"partial\s+(?P<x>{_N})\b{_OF_ONLY}(?P<of>.+)", _derived),
    (rf"directional\s+{_DERIVATIVE}", _directional),
    (rf"{_ORDERED}(?:partial\s+)?{_DERIVATIVE}|partial|{_DIFFERENTIATE}(?:\s+to)?|differentiated|prime", _derived),
    (rf"d\s*(?P<of>[^/]*[^/\sa-z][^/]*?)\s*/\s*d(?P<x>{_N})", _derived),
    (rf"(?!d/d[a-z]\s*[yfgh](?:\([a-z]\))?\s*=)[d∂](?:\^?(?P<number>[2-9]))?(?:{_N})?/[d∂](?P<x>[^\W\d_])(?:\^?[2-9]|[d∂](?P<y>[^\W\d_]))?(?!\s*=){_OF}(?P<of>.+)", _derived),
    (rf"\((?P<of>.+)\)(?P<primes>'+)(?:\((?P<at>{_VALUE})\))?", _derived),
    (r"how\s+(?:steep|fast|quickly|rapidly|sensitive)\s+(?:is|does)\s+(?P<of>.+?)(?:\s+(?:chang|increas|grow|ris)(?:e|ing)?)?", _derived),
    (rf"{_N}(?P<primes>['’′]+)(?:\([^()]*\))?{_OF_ONLY}(?P<of>.+)", _derived),
    (rf"[fguz]_?[xyzt](?:\([^()]*\))?\s*(?:,|and)\s*[fguz]_?[xyzt](?:\([^()]*\))?{_OF_ONLY}(?P<of>.+)", _gradient),
    (rf"[fguz]_?(?P<xs>[xyztuv]{{1,3}})(?:\([^()]*\))?{_OF_ONLY}(?P<of>.+)", _derived),
    (r"(?:gradient(?:\s+vector)?|grad|∇(?!\s*[²^]))\s*(?:\(?[fguz]\)?(?:\([^()]*\))?(?=\s))?", _gradient),
    (r"(?:linear|tangent\s+line|first)\s+approximation|(?:local\s+)?lineari[sz](?:ation|e)|(?:line\s+)?tangent(?:\s*(?:line|plane))?|local\s+linear\s+approximation", _by("tangent", "at", needs="point")),
    (r"approximate\s+(?P<of>.+?)\s+linearly", _by("tangent", "at", needs="point")),
    (r"(?:line\s+)?normal(?:\s+line)?", _by("tangent", "at", needs="point", normal="")),
    (rf"tangent(?:_?line)?\s*\((?P<of>.+?),\s*(?P<at>{_N}\s*=\s*{_VALUE})\)", _by("tangent", "at", needs="point")),
    (rf"(?:line\s+)?tangent(?:\s+line)?{_OF}(?P<of>[^=]+?)\s+(?P<at>{_N}\s*=\s*{_VALUE})", _by("tangent", "at", needs="point")),
    (rf"{_INFLECTION}|inflections?", _inflection),
    (rf"(?:(?:where|when)\s+)?does\s+(?P<of>.+?)\s+have\s+(?:an?\s+|its\s+)?{_INFLECTION}", _inflection),
    (rf"(?:is|does)\s+(?P<of>.+?)\s+(?:differentiable|have\s+a\s+{_DERIVATIVE})", _differentiable),
    (rf"is\s+(?:it|{_N})(?:\([a-z]\))?\s+differentiable", _differentiable),
    (rf"{_TURNING}|vertex|critical(?=\()|max(?:imum|ima)?\s+and\s+min(?:imum|ima)?|min(?:imum|ima)?\s+and\s+max(?:imum|ima)?|horizontal\s+tangents?(?:\s+lines?)?", _critical),
    (rf"(?:where\s+is\s+the\s+)?(?:{_EXTREME}|arg\s?min|arg\s?max|(?:which\s+)?(?:values?\s+(?:of|for)\s+)?{_N}\s+(?:(?:that|which)\s+)?m(?:in|ax)imi[sz]es?)(?:\s+(?:values?|points?))?", _critical),
    (rf"(?:(?:where|when|(?:at|for)\s+(?:which|what)\s+\w+)\s+)?does\s+(?P<of>.+?)\s+have\s+(?:an?\s+|its\s+)?(?:(?:local|absolute|relative|global)\s+)?(?:{_TURNING}|{_EXTREME}|horizontal\s+tangents?)", _critical),
    (rf"{_WHERE}(?:derivative|slope)\s+of\s+(?P<of>.+?)\s+{_ZERO}", _critical),
    (rf"{_WHERE}tangents?(?:\s+lines?)?\s+(?:to|of)\s+(?P<of>.+?)\s+(?:(?:is|are)\s+)?horizontal", _critical),
    (rf"(?:where|when|for\s+(?:which|what)\s+{_N})\s+(?:is\s+|does\s+)?(?P<of>.+?)\s+(?:is\s+|have\s+|has\s+)?(?:a\s+|at\s+a\s+)?(?:{_EXTREME}|minimal|maximal)", _critical),
    (rf"{_WHERE}(?:{_N}'\s*(?:\(\s*{_N}\s*\))?|dy/dx)\s*=\s*0{_OF}(?P<of>.+)", _critical),
    (r"(?:(?P<degree>linear|quadratic|cubic)\s+)?(?:(?:taylor|maclaurin)(?:\s+(?:series|polynomial|expansion|approximation))?|(?:power\s+)?series(?:\s+expansion)?|approximation)", _taylor),
    (rf"T_?(?P<number>[0-9]){_OF_ONLY}(?P<of>.+)", _taylor),
    (r"expand\s+(?P<of>.+?)\s+(?:in|as|into)\s+(?:an?\s+)?(?:taylor|maclaurin)(?:\s+(?:series|polynomial))?", _taylor),
    (r"expand\s+(?P<of>.+)", _by("taylor", "at", "order", needs="order")),
    (r"(?:expand|multiply\s+out)\s+(?P<of>.+)", _by("simplify", form="expanded")),
    (r"factor(?:i[sz]e)?\s+(?P<of>.+)", _by("simplify", form="factored")),
    (r"(?:simplify|reduce)\s+(?P<of>.+)", _by("simplify")),
    (r"(?:plug|put|substitute|insert)\s+(?P<at>.+?=.+?)\s+(?:into|in)\s+(?P<of>.+)", _value),
    (rf"value{_OF}(?P<of>.+)", _value),
    (rf"{_N}\b(?:\s*\([^()]*\))?{_OF_ONLY}(?P<of>.+)", _value),
    (r"(?P<of>.+)", _value),
    (r"(?P<of>.+)", _formula_alone),
]  # fmt: skip
"""Rows of tasks: what they are called, or a pattern of all that is said but what stands beside it; the command."""

_SHAPES = (rf"(?:\0){_OF}(?P<of>.+)", r"(?P<of>.+?)[\s,]+(?:\0)")
_SENTENCES = [
    (pattern(shape.replace(r"\0", words), re.IGNORECASE), does)
    for words, does in TASKS
    for shape in ((words,) if "(?P<of>" in words else _SHAPES)
]
"""Patterns of all that may be said, with the name of a task before its formula or behind it, and what does the task."""

_CALLS = (
    ("diff", rf"(?:sympify|S|parse_expr)\(['\"](?P<of>.+?)['\"]\)\.(?:diff\((?P<x>{_N})?\)|doit\(\))"),
    ("diff", rf"(?:\w+\.)?(?:Derivative|diff)\((?P<of>.+?),\s*(?P<x>{_N})\)\.doit\(\)"),
    ("diff", rf"\(\s*lambda\s+(?P<x>{_N})\s*:\s*(?P<of>[^:]+)\)"),
    ("diff", rf"(?P<of>.+)\.(?:diff\((?P<x>{_N})?(?:,\s*(?P<n>[0-9]))?\)|doit\(\))"),
    ("diff", rf"(?:\w+\.)?(?:grad|derivative|egrad|jacfwd|jacrev)\(\s*lambda\s+(?P<x>{_N})\s*:\s*(?P<of>[^,]+?)(?:\)?\s*[,(]\s*(?P<at>{_VALUE}))?\)"),
    ("diff", rf"n[Dd]eriv\((?P<of>.+?),\s*(?P<x>{_N}),\s*(?P<at>{_VALUE})\)"),
    ("diff", rf"(?:D|diff)[\[(](?P<of>[^,]+),\s*(?P<x>{_N})[\])]\s*(?:/\.\s*{_N}\s*->\s*|\.subs\(\s*{{?\s*{_N}\s*[,:=]\s*)(?P<at>{_VALUE})\s*[)}}]*"),
    ("diff", rf"(?:subs|eval|evaluate)\(\s*diff\((?P<of>[^,]+),\s*(?P<x>{_N})\)\s*,\s*{_N}\s*[,=]\s*(?P<at>{_VALUE})\)"),
    ("diff", rf"subs\(\s*{_N}\s*=\s*(?P<at>{_VALUE})\s*,\s*diff\((?P<of>[^,]+),\s*(?P<x>{_N})\)\s*\)"),
    ("diff", rf"(?P<f>{_N})\s*:=\s*(?P<x>{_N})\s*->\s*(?P<of>.+?)\s*[;:]\s*D\((?P=f)\)\((?:(?P=x)|(?P<at>{_VALUE}))\)"),
    ("eval", rf"(?P<of>.+?)\s*/\.\s*(?P<x>{_N})\s*->\s*(?P<at>{_VALUE})"),
    ("eval", rf"(?P<of>.+?)\.subs\(\s*\{{?\s*(?P<x>{_N})\s*[,:=]\s*(?P<at>{_VALUE})\s*[)}}]*"),
    ("eval", rf"(?:subs|eval|evaluate)\(\s*(?P<of>.+?)\s*,\s*(?P<x>{_N})\s*[,=]\s*(?P<at>{_VALUE})\s*\)"),
    ("eval", rf"(?:(?:if|given|let|when)\s+)?(?P<v>{_N})\s*=\s*(?P<of>[^=,;]+?)\s*(?:,|;|\band\b|\bwhere\b|\bwith\b|\bif\b)\s*(?:and\s+)?d(?P<x>{_N})/dt\s*=\s*(?P<rate>{_VALUE})"
        rf"\s*[,;.]?\s*(?:then\s+)?(?:find\s+|what\s+is\s+)?d(?P=v)/dt\s*[,;]?\s*(?:at|when|if|for)\s+(?P=x)\s*=\s*(?P<at>{_VALUE})"),
    ("uncertainty", r"(?:(?:find|calculate|compute|determine|estimate|propagate|what\s+is)\s+)?(?:the\s+)?(?:(?:(?:combined|standard|total|propagated)\s+)?(?:error|uncertainty)(?:\s+propagation)?\s*(?:of|in|for|on|through|:)\s+)?"
        rf"(?:{_HEAD})?(?P<of>.+?)(?:\s*[,;:]\s*|\s+)(?:(?:at|if|when|for|where|with|given)\s+)?(?P<at>[^\W\d_]\w*\s*=[^=,]*?(?:±|\+/-).*)"),
    ("taylor", r"taylor\((?P<of>.+),\s*(?P<n>[0-9]+)\)"),
    ("taylor", rf"(?:[Tt]aylor|[Mm]aclaurin|Series|(?P<rest>series))\s*[(\[](?P<of>.+),\s*\{{?\s*(?P<x>{_N}),\s*(?P<at>{_VALUE}),\s*(?P<n>[0-9]+)\s*\}}?\s*[)\]]"),
)  # fmt: skip
"""Calls in other programs, and rates by time, with the command for each."""


def command(text: str) -> Meant | None:
    """Return the command for a task in words; None if it is none.

    Raises `ExpressionSyntaxError` for words with two meanings.
    """
    line = _plain(text)
    if len(text) > phrases.LONGEST // 10 or "\\" in line:
        return None
    whole = (reads(line) for reads in (_called, _of_two))
    done = (does(task) for task, does in _tasks(_spelt(line)))
    found = next(filter(None, chain(whole, done, map(_of_curve, [line]))), None)
    # what was typed is a formula already, which every command reads
    is_same = found is not None and found.formula == " ".join(text.split())
    return None if is_same else found


def _plain(text: str) -> str:
    """A text in one line, with plain signs, without its number and the sign that ends it."""
    line = " ".join(text.split()).rstrip(" .?;=$").removeprefix(">>>").translate(_PLAIN)
    for notation, written in _WRITTEN:
        line = re.sub(notation, written, line, flags=re.IGNORECASE)
    line = " ".join(line.split())
    for start in (0, *(found.end() for found in re.finditer(r"\b(?:of|derivative|differentiate|d/d[a-z])\s+|^[a-z]\([a-z]\)\s*=\s*", line))):  # fmt: skip
        cases = in_our_notation(line[start:])
        if cases is not None and _names(cases) is not None:
            return line[:start] + cases
    return line


_WRITTEN = (
    (r"^(?:\(?(?:[0-9]{1,2}|[a-z])[.)]\s+|q(?:uestion)?\s*[0-9]*\s*[:.)]\s*|(?:(?:at|for|when|if)\s+|(?=[^,=]+=[-0-9./ ]+,\s*[a-z]{4}))(?P<at>[a-z]\s*=\s*[-0-9./a-z]+)(?:\s*,\s*|\s+(?=[a-z]{3}))(?P<rest>.+))", lambda found: f"{found['rest']} at {found['at']}" if found["at"] else ""),
    (r"^(?:exercise|problem|task|example|ex)\.?\s*[0-9]*[a-z]?\s*[:.)]\s*|^(?:an?|the)\s+[^=.,;(]*?(?=\b[a-z]\([a-z]\)\s*=)", ""),
    (r"^(?:the\s+)?jacobian(?:\s+matrix)?\s*(?:of\s+)?\(\[?((?:[^()]|\([^()]*\))*,(?:[^()]|\([^()]*\))*?)\]?\)$", r"gradient of [\1]"),
    (r"^d\\(?=d[a-z]\b)|^d\s*(?=d[a-z]\s+of\b)", "d/"),
    (r"^d\s*([a-z])\s*/?\s*d\s*([a-z])(?=\s+of\b)", r"d\1/d\2"),
    (r"\b(?:(?:partial\s+)?derivative|slope)\s+(?=[d∂][a-z]/[d∂][a-z]\b)", ""),
    (r"\b(derivative|differentiation)\s+(?:rule|formula)\b", r"\1"),
    (r"(?<=[a-z)])\s*['`´]\s*(?=\()|(?<=\b[a-z])\s+'", "'"),
    (r"\(((?:with\s+respect\s+to|wrt|w\.r\.t\.?)\s+[a-z])\)", r"\1"),
    (r"(?<=[0-9)])at\b|\bat(?=[a-z]\s*=)", " at "),
    (r",\s*(['\"])(\w)\1\s*\)", r", \2)"),
    (r"\bstd::", ""),
    (r"\bD\[([^\[\]]+)\]", r"diff(\1)"),
    (r"\bD\[([^\[\]]+)\]", r"diff(\1)"),  # what was within it: D[D[x^5,x],x]
    (r"(?<=[d∂])²|(?<=[d∂][a-z])²", "^2"),
    (r"^d/d([a-z])(?=\1\^)", r"d/d\1 "),
    (r"\s@\s*", " at "),
    (rf"^(dy/dx|y')\s*\|\s*_?[{{(]?({_N}\s*=\s*{_VALUE})[}})]?[\s,:]+(?=y\s*=)", r"\1 at \2 for "),
    (r"^is\s+it\s+(?:true|right|correct)\s+that\s+(?:([^=]+?)\s+is\s+)?", lambda found: f"is {found[1]} equal to " if found[1] else "is "),
    (r"\bof(?=[a-z]\b)", "of "),
    (r"\bofthe\b", "of the"),
    (r"\banti-(?=derivative)", "anti"),
    (r"^(.*\bsensitiv\w+\b.*)\s+to\s+(?:(?:an?\s+)?(?:small\s+)?changes?\s+in\s+)?(?=[a-z]\w?(?:,?\s+(?:at|when|if|for)\b|$))", r"\1 with respect to "),
    (r"\b([fgh])[\s-]+(double[\s-]+)?prime\b(?:\s+of\s+([a-z])\b)?", lambda found: f"{found[1]}{chr(39) * (2 if found[2] else 1)}" + (f"({found[3]})" if found[3] else "")),
    (r"\b([fgh]'*)\[([^\[\]]*?)_?\]", r"\1(\2)"),
    (r"(?<!\S)([\"'`$])([^\"'`$]+)\1(?!\S)", r"\2"),
    (r"^=|\b(?:calculator|solver|step\s+by\s+step)\b|(?:[,.;]\s*|\b)(?:(?:and|with|showing|please)\s+)*(?:(?:show|showing)\s+(?:me\s+)?)?(?:(?:all|the|your|my)\s+)*(?:steps|work(?:ing)?)\s*$|\bwith\s+(?:all\s+)?steps\b", ""),
    (rf"(\bat|=|\bis|\bequals)\s+({'|'.join(DIGITS)})(?=\s*(?:$|[,;?]))", lambda found: f"{found[1]} {DIGITS[found[2].lower()]}"),
    (rf"^(.*\b(?:derivative|slope|gradient|differentiate)\b.*\S)\s+(?:a|t|ta|ar|as|st)\s+(?=({_N})\s*=\s*{_VALUE}$)", lambda found: f"{found[1]} at " if found[2] in re.findall(_N, found[1]) else found[0]),
    (r"\bD_?\{?[uv]\}?\s*f\b\s*(?=(\()?)", lambda found: "directional derivative at " if found[1] else "directional derivative "),
    (rf"(?:\s+[(\[]|_[{{(])(?:at\s+)?({_N}\s*=\s*{_VALUE})[)\]}}]$", r" at \1"),
    (r"^([a-z]{2,})('+)\(([a-z])\)$", r"(\1(\3))\2"),
    (r"^(?:the\s+)?function\s*(?:is|:)\s*", "f = "),
    (r"\bderivative\s+of\s+(?:the\s+)?derivative\b", "second derivative"),
    (r"\bderivative\s+of\s+y\s+(with\s+respect\s+to\s+x)\s*(?::|if|when|where|for)\s*y\s*=", r"derivative \1: y ="),
    (r"(\bat|=)\s*(?:minus|negative)\s+(?=[0-9])", r"\1 -"),
    (r"^solve\s+d/dx\s*([^=]+?)\s*=\s*0$", r"critical points of \1"),
)  # fmt: skip
"""Notations that are written otherwise before a text is read: a pattern, and what stands for it."""

_PLAIN = str.maketrans({"’": "'", "′": "'", "−": "-"})


def nearest(text: str) -> Meant | None:
    """Return a command that does most of a task in words which no command does as it is said.

    What a command does not take is left out, and so are words that nobody knows; a point or a direction that is
    missing is 1 for every variable.
    """
    if len(text) > phrases.LONGEST // 10:
        return None
    call = re.fullmatch(r"\s*(?:minimize|fmin\w*)\s*\((.+)\)\s*", text)
    if call is not None and (names := _names(call[1])):
        return Meant("minimize", call[1], {"start": ",".join(f"{n}=0" for n in names)})
    text = re.sub(rf"\btangent\s*\((.+),\s*({_VALUE})\)", r"tangent to \1 at \2", text)
    line = re.sub(rf"\b({_DERIVATIVE}|gradient)\s+[a-z]{{1,3}}\s+(?!=|{_VALUE}$)", r"\1 of ", _spelt(_plain(text)))  # fmt: skip
    known = rf"\b(?:{'|'.join(_KNOWN)})\b"
    ends = (line[m.start() :] for m in re.finditer(known, line))
    for said in dict.fromkeys((line, *ends)):
        with suppress(ExprgradError, StopIteration):  # words with two meanings
            tasks = [*_tasks(said)]
            changed = (does(change(t)) for change in _CHANGES for t, does in tasks)
            # lazily: the first change with which a command does the task is enough
            every = (found for found in changed if found and found.formula != text)
            # an equation has no value: x^2 = 4 at x=1 is not what solve x^2 = 4 asks for
            return next(m for m in every if m.command != "eval" or "=" not in m.formula)
    drawn = re.fullmatch(rf"(?:graph|plot|sketch|draw){_OF}(?P<of>.+?)(?P<place>\s+(?:from|between|on|for)\b.+)?", line)  # fmt: skip
    formula = in_notation(drawn["of"]) if drawn is not None else None
    return None if formula is None else Meant("plot", formula)


def formula_in(text: str) -> str | None:
    """Return the longest part of a text that is a formula, or the first function that is named in it."""
    words = re.sub("([=;])", r" \1 ", _plain(text)).split()[:MOST_WORDS]
    spans = [(i, j) for i in range(len(words)) for j in range(i + 1, len(words) + 1)]
    for i, j in sorted(spans, key=lambda span: span[0] - span[1]):
        part = " ".join(words[i:j]).strip(",;:.? ")
        if not re.search(r"^[^+*/^=].*[-+*/^([0-9]|^[-([0-9]", part):
            continue
        with suppress(ExprgradError):
            found = in_notation(part)
            if found is not None and "=" not in found and _names(found):
                return found
    functions = (SPOKEN_FUNCTIONS.get(w, w) for w in map(str.lower, words))
    return next((f"{f}(x)" for f in functions if len(f) > 1 and is_function(f, called=False)), None)  # fmt: skip


_CHANGES: tuple[Callable[[Task], Task], ...] = (
    lambda task: task,
    lambda task: task._replace(point=point(_ones(task), task.formula)),
    lambda task: task._replace(direction=_ones(task)),
    lambda task: task._replace(direction=task.direction or _ones(task), point=point(_ones(task), task.formula)),
    lambda task: task._replace(order=2),
    lambda task: task._replace(order=None),
    lambda task: task._replace(point=None),
    lambda task: task._replace(variables=()),
    lambda task: task._replace(direction=None, terms=None),
)  # fmt: skip
"""Ways to leave out a part of a task, or to add one."""


def _ones(task: Task) -> str:
    return f"({','.join('1' for _ in _names(task.formula) or ())})"


def _called(line: str) -> Meant | None:
    """Return what is called in other programs: x**2.diff(x); series(sin(x), x, 0, 4), whose order is that of the rest."""
    for name, call in _CALLS:
        found = re.fullmatch(call, line)
        if found is None or in_notation(found["of"]) is None:
            continue
        said = found.groupdict()
        of, x, order = found["of"].strip(), said.get("x"), int(said.get("n") or 1)
        if name == "uncertainty":
            at = re.sub(r"\s+and\s+(?=\w+\s*=)", ",", said["at"])
            return Meant(name, of, {"at": at.replace(" ", "")})
        place = f"{x}={said['at']}" if said.get("at") else ""
        if name == "diff":
            return _derived(Task(of, (), (x,) if x else (), order, place or None))
        if "rate" in said:  # of V by t, which depends on x
            of = f"{said['rate']}*d/d{x} ({of})"
        options = {"at": place} if place and (name == "eval" or said["at"] != "0") else {}  # fmt: skip
        if name == "taylor":
            options["order"] = str(max(order - bool(said.get("rest")), 0))
        return Meant(name, of, options)
    return None


_TWO = re.compile(
    r"(?:(?:find|compute|given|if|let|for)\s+)?(?:(?:dy/dx|parametric\s+(?:derivative|differentiation))\s*(?:of|if|for|where|when|given|:)\s*)?"
    rf"(?P<y>{_N})\s*(?:\([a-z]\))?\s*=\s*(?P<of>[^=,;]+?)\s*(?:[,;]|\s(?=and|where|with|if|when|for))\s*(?:(?:and|where|with|if|when|for)\s+)?"
    rf"(?P<u>{_N})\s*(?:\([a-z]\))?\s*=\s*(?P<inner>[^=,;]+?)(?:\s*[.,;]?\s*(?:then\s+)?(?:find\s+|what\s+is\s+)?d(?:y|(?P=y))/d(?P<x>{_N})(?:\s*,)?(?:\s+(?:at|when|for)\s+(?P<at>{_N}\s*=\s*{_VALUE}))?)?",
    re.IGNORECASE,
)


def _of_curve(line: str) -> Meant | None:
    """The slope that a text asks for behind a curve: x^2 + y^2 = 25; y', or x = t^2; y = t^3; t = 2; dy/dx."""
    with suppress(ExprgradError):
        asked = [q for q in questions_in(statements_of(line)) if q.kind in ("implicit", "parametric")] if "=" in line else []  # fmt: skip
        for question in asked if len(asked) == 1 and not asked[0].claims else ():
            texts = [in_notation(piece.text) or "" for piece in question.given]
            place, order = question.at or question.argument, question.order
            at = place.text if place else None
            called = rf"(?<!\w){question.of}\s*\((?!\s*x?\s*\))"
            if not all(texts) or re.search(called, texts[0]):
                return None
            if question.kind == "implicit":
                at = at and _named(at, (in_order(_names(texts[0]) or ()), question.wrt or ("x",)), None)  # fmt: skip
                return Task(texts[0], (), question.wrt[: question.wrt[:1] != ("x",)], order * (order > 1), at).by("diff", "wrt", "order", "at", implicit="")  # fmt: skip
            return _along(texts[0], texts[1], order, at)
    return None


def _along(x: str, y: str, order: int, at: str | None) -> Meant | None:
    """The slope dy/dx, or a higher derivative, of a curve in a parameter: t, or the only variable."""
    names = {*(_names(x) or ()), *(_names(y) or ())} or {"x"}
    t = "t" if "t" in names else names.pop()
    if t in "xy" or (t != "t" and names):
        return None
    for _ in range(order):
        y = f"(d/d{t} ({y}))/(d/d{t} ({x}))"
    return Meant("eval", y, {"at": at}) if at else Meant("simplify", y)


def _of_two(line: str) -> Meant | None:
    """The slope of a curve x = t^2, y = t^3, or of y = u^2, where u = 3x + 1."""
    found = _TWO.fullmatch(line)
    of, inner = (in_notation(found[side].strip()) for side in ("of", "inner")) if found else (None, None)  # fmt: skip
    if found is None or of is None or inner is None:
        return None
    y, u, at, x = found["y"], found["u"], found["at"], found["x"]
    outer, names = {*(_names(of) or ())}, {*(_names(inner) or ())}
    if (y, u) == ("x", "y"):
        return _along(of, inner, 1, at)
    formula = re.sub(rf"(?<![^\W\d_]){u}(?![^\W_])", f"({inner})", of)
    if u not in outer or not names or {u, y} & names or {*(_names(formula) or ())} != (outer | names) - {u}:  # fmt: skip
        return None
    return _derived(Task(formula, (), (x,) if x else (), None, at))


def _spelt(line: str) -> str:
    """A line with the words of tasks spelt as they should be, in small letters."""
    from difflib import get_close_matches

    def corrected(found: re.Match[str]) -> str:
        word = found[0].lower()
        if word in _SLIPS:
            return _SLIPS[word]
        if {word, word.removesuffix("s")} & _SPELT or is_function(word, called=True):
            return word if len(word) > 4 else found[0]
        # a word beside a sign is a name in a formula: valu + 1 has no value in it, valu of x has
        beside = line[: found.start()].rstrip()[-1:] + line[found.end() :].lstrip()[:1]
        among = _AROUND if {*beside}.isdisjoint("+-*/^()=") else ()
        for words, cutoff in ((_KNOWN, 0.8 if len(word) > 5 else 0.87), (among, 0.75)):
            like = [known for known in words if abs(len(known) - len(word)) < 3]
            swapped = [k for k in like if sorted(k) == sorted(word) and k[0] == word[0]]
            # letters that changed places are likelier than any other slip, which has to leave most of the word alone
            near = swapped or get_close_matches(word, like, 1, cutoff)
            if near and len(word) > 3:
                return near[0]
        return found[0]

    return re.sub(r"(?<!\w)[^\W\d_]{2,}(?!')", corrected, line)


_SPELT = {*_KNOWN, *_AROUND, *_CHATTER, *SPOKEN_FUNCTIONS, *SPOKEN, *SPELT} | set((
    "logarithmic extreme partially cube reciprocal directional direction directions tangents cotangent derivate hyperbolic extremum approximate that then than zero linear from into lines "
    "wrt over half first third fourth fifth twice thrice quotient product sum"
).split())  # fmt: skip
"""Words that are spelt as they should be."""


def _tasks(line: str) -> Iterator[tuple[Task, Does]]:
    """The tasks that a line may mean, the likeliest first, each with what does it.

    What they are about may be given before or behind the task.
    """
    for apart in _APART:
        given = re.search(apart, line, re.IGNORECASE)
        if given is None:
            continue
        parts = given.groupdict()
        said = _TRAILING.sub("", parts.get("task") or line[: given.start()])
        if parts.get("name"):  # the derivative of g where g(x) = ...
            own = rf"\s+(?:of\s+)?{parts['name']}\s*(?:\(\s*{re.escape(parts.get('names') or '')}\s*\))?\s*(?=$|{phrases.RESPECT}\s)"
            said = re.sub(own, " ", said)
        names = tuple(n.strip() for n in (parts.get("names") or "").split(",") if n.strip())  # fmt: skip
        if parts.get("name") and re.search(rf"(?<!\w){parts['name']}\s*\(", parts["formula"]):  # fmt: skip
            continue  # a function of itself
        curve = parts.get("curve") or f"{parts['name']} = {parts['formula']}"
        # y = sin(x + y) gives no function
        is_curve = "curve" in parts or (not names and _is_curve(curve))
        yield from _rows(f"{said} of {_GIVEN[is_curve]}", curve if is_curve else parts["formula"], names)  # fmt: skip
    yield from _rows(line, None, ())


_GIVEN = ("\0", "\0=\0")
"""Signs in place of a formula, and of an equation, that is given apart from its task."""


def _rows(
    said: str, given: str | None, names: tuple[str, ...]
) -> Iterator[tuple[Task, Does]]:
    """The rows of `TASKS` for what is said of a formula, which is given apart or is a part of it, with its variables."""
    texts, beside = [said, given or ""], dict[str, str]()
    for key, beside_it in _BESIDE.items():
        for i, text in enumerate(texts):
            outside = (m for m in re.finditer(beside_it, text, re.IGNORECASE) if not sum(map(nesting, text[: m.start()])))  # fmt: skip
            found = next(outside, None)
            if found is None or found[0] == text or key in beside:
                continue
            beside[key] = next(filter(None, found.groups()))
            texts[i] = f"{text[: found.start()]} {text[found.end() :]}"
    said, before = " ".join(_RULE.sub("", texts[0]).split()).strip(" ,;:"), ""
    while said != before:  # without the words around a task
        before = said
        said = _TRAILING.sub("", _FRAME.sub("", said)).strip(" ,;")
    for row, does in _SENTENCES:
        match = row.fullmatch(said)
        own = "" if match is None else match["of"].strip(" ,;:")
        if match is None or (given is not None and own not in _GIVEN):
            continue
        task = _filled(own if given is None else texts[1], beside, match, names)
        if task is not None:
            yield task, does


def point(text: str, formula: str) -> str | None:
    """The values of a formula's variables in a list of names: for 3, x=3; for x=1 y=2, or x=1; y=2, x=1,y=2; None if it is none."""
    if "=" in text:
        return re.sub(rf"(?<=[^\s,;])(?:\s*;\s*|\s+(?:and\s+)?)(?={_N}\s*=)", ",", text)
    if not all(re.fullmatch(_VALUE, v.strip()) for v in text.strip(" ()").split(",")):
        return None
    return _named(text, (in_order(_names(formula) or ()),), None)


def _filled(
    formula: str, beside: dict[str, str], match: re.Match[str], names: tuple[str, ...]
) -> Task | None:
    """The task, with a formula in signs; None where that cannot be read."""
    groups = {key: value for key, value in match.groupdict().items() if value}
    formula = re.sub(rf"^{_HEAD}", "", formula) if "implicit" not in match[0] and not _is_curve(formula) else formula  # fmt: skip
    sides = _EQUATION.split(formula.strip(" ,;"))
    written = in_notation(" = ".join(map(str.strip, sides)))
    if written is None or written in FUNCTION_LETTERS - {"d"}:
        return None  # of f, which nobody has defined
    if match[0] == match["of"] != formula and not _names(written):
        return None  # solve f(x) = 4 asks for an x, and not for 4
    variables = tuple(re.findall(_N, beside.get("variables", "").replace(" and ", ",")))
    if "x" in groups:
        variables = (groups["x"], *groups.get("y", ""))
    elif "xs" in groups:
        variables = tuple(groups["xs"])
    order = int(groups.get("number") or 0) or len(groups.get("primes", "")) or None
    word = groups.get("order", groups.get("degree", beside.get("order", ""))).lower()
    order = order or _NUMBERS.get(word) or (int(word.rstrip("stndrh")) if word[:1].isdigit() else None)  # fmt: skip
    point = beside.get("point") or groups.get("at")
    point = point or _argument(match[0][: match.start("of")])
    if point is not None:
        on_graph = any(word in match[0] for word in ("tangent", "linear", "normal", "slope", "curve"))  # fmt: skip
        own = (names, in_order(_names(written) or ()), variables)
        point = _named(point, own, written if on_graph else None)
        if point is None:
            return None
    said = groups.get("claim", "").strip(" ,;")
    is_product = len(said) > 1 and set(said) <= {*(_names(written) or ()), *"0123456789"}  # fmt: skip
    claim = said if is_product or not said else in_notation(said)
    if claim is None:
        return None
    terms = DIGITS.get((word := beside.get("terms", "")).lower(), word) or None
    return Task(written, names, variables, order, point, beside.get("direction"), claim, terms)  # fmt: skip


def _is_curve(formula: str) -> bool:
    """Return whether a text is an equation that does not give one letter by the others, as y = sin(x + y) does not."""
    left, *others = _EQUATION.split(re.sub(r"\s+at\s.*", "", formula))
    name = re.fullmatch(rf"\s*({_N})\s*(?:\([^()]*\))?\s*", left)
    return any(name is None or name[1] in (_names(o.strip()) or ()) for o in others)


def _argument(said: str) -> str | None:
    """The numbers in the brackets of f'(2), or of ∇f(1, 2)."""
    found = re.match(r"[^\s(]*\(([^()]+)\)", said)
    values = found[1].split(",") if found is not None else [""]
    return f"({','.join(values)})" if all(re.fullmatch(_VALUE, v.strip()) for v in values) else None  # fmt: skip


def _named(
    point: str, choices: Sequence[tuple[str, ...]], graph: str | None
) -> str | None:
    """A point with the names of its variables: of (1, 2), x=1,y=2, or x=1 if it lies on the graph of a formula.

    Raises `ExpressionSyntaxError` for a point beside the graph.
    """
    point = re.sub(_EQUALS, "=", point).replace(" and ", ",")
    if "=" in point:
        own = re.findall(r"([^\W\d]\w*)=", point)
        known = {name for names in choices for name in names}
        if len(known) == len(own) == 1 and own[0].lower() in (*known, "a", "c", "x0"):
            point = point.replace(own[0], known.pop(), 1)  # X = 3, at a = 0
        return point.replace(" ", "") if len(own) == len(set(own)) else None
    values = [value.strip() for value in point.strip("()").split(",")]
    # (2, 4) is a point of the graph of x^2, and x = 2, y = 4 in a formula of both
    if graph is not None and len(values) == 2 and max(map(len, choices)) == 1:
        x, y = (read(value).root for value in values)
        if not lies_on(read(graph).root, x, y):
            name = next((name for own in choices for name in own), "x")
            instead = f"tangent to {graph} at {name} = {values[0]}"
            raise ExpressionSyntaxError(f"the point {point} is not shown to be on the graph", None, Hint("instead", text=instead))  # fmt: skip
        values = values[:1]
    names = next((own for own in choices if len(own) == len(values)), None)
    if names is None:
        return None
    return ",".join(f"{n}={v}" for n, v in zip(names, values, strict=True))


def in_notation(text: str) -> str | None:
    """Return a formula in signs; None for what is none. Raises `ExpressionSyntaxError` for words with two meanings."""
    if _names(text) is not None and "C" not in text:
        return text  # 5C2 is no product
    if _EQUATION.search(text):
        sides = [in_notation(side.strip()) or "" for side in _EQUATION.split(text)]
        return " = ".join(sides) if len(sides) == 2 and all(sides) else None
    written = in_our_notation(text) or in_signs(text) or text
    return None if _names(written) is None else written


def _names(text: str, letters: Collection[str] = ()) -> list[str] | None:
    """The variables of a formula in signs, or of an equation; None if it cannot be read, or has words in it.

    A name of `letters`, or of those that are variables of their own, is their product.
    """
    if _EQUATION.search(text):
        left, right = _EQUATION.split(text, 1)
        alone = {"x", "y", *re.findall(r"(?<![^\W\d_])[^\W\d_](?![^\W\d_])", text)}
        first, second = (_names(side.strip(), alone) for side in (left, right))
        return None if first is None or second is None else sorted({*first, *second})
    if not text or re.search(r"(?!and\b)[^\W\d_]{3,}\s+[^\W\d_]{3,}", text):
        return None
    try:
        found = read(text)
    except ExprgradError:
        return None
    operation = found.root.operation
    if operation is not None and operation.rule == "logic":
        return None  # of this and that
    names = [item.name or "" for item in topological(found.root) if is_variable(item)]
    # where x and y stand alone, xy is their product
    letters = set(letters) | {n for n in names if len(n) == 1}
    names = [n for name in names for n in (name if set(name) <= letters else [name])]
    glued = Splitter(letters, several=True, argument="x")
    ways = {name: glued.ways(name) for name in names if len(name) > 1 and name not in SPELT}  # fmt: skip
    for name, [way, *_] in ((n, w) for n, w in ways.items() if w):  # x of xsinx
        names += [t for kind, t in way if kind == "NAME" and t not in CONSTANTS]
        names.remove(name)
    words = [n for n in names if n.isalpha() and n not in SPELT and len(n) > 1]
    return None if words else list(dict.fromkeys(names))


def _only(formula: str, count: int = 1) -> tuple[str, ...] | None:
    """The variables of a formula if they are so many."""
    names = _names(formula) or []
    return tuple(names) if len(names) == count else None
