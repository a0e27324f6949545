"""Documents audited: which claims are found, how they are judged, and how they are reported."""

from __future__ import annotations

import contextlib
import time

import pytest

from exprgrad import ExprgradError, parse
from exprgrad.expressions.steps import steps
from exprgrad.grading.audit import audit

NOTES = r"""\documentclass{article}
\newcommand{\ddx}{\frac{d}{dx}}
\begin{document}
Let $f(x) = x^2\sin x$. % f'(x) = 3
\begin{align*}
  f'(x) &= 2x\sin x + x^2\cos x \\
        &= x(2\sin x - x\cos x).
\end{align*}
The derivative of $x^3$ is $3x^2$. Also $g'(x) = 3$, and
\[ \ddx |x| = 1 \]
\begin{verbatim}
$f'(x) = 0$
\end{verbatim}
\end{document}
"""


def statuses(text: str, name: str = "a.tex") -> list[str]:
    return [claim.status for claim in audit(text, name).claims]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("d/dx (u*v) = du/dx * dv/dx", "wrong"),
        ("d/dx (u*v) = u dv/dx + v du/dx", "right"),
        ("d/dx (uv) = du/dx dv/dx", "not read"),
        (r"$\frac{d}{dx}(uv) = \frac{du}{dx}\frac{dv}{dx}$", "wrong"),
    ],
)
def test_rates_of_letters_are_not_those_of_the_whole(text, found):
    assert statuses(f"We have {text}.\n", "a.md") == [found]


def test_claims_are_found_at_their_lines_and_judged():
    found = [(c.place[0], c.status) for c in audit(NOTES, "notes.tex").claims]
    assert found == [(7, "wrong"), (9, "right"), (9, "not read"), (10, "undecided")]


@pytest.mark.slow
def test_first_wrong_step_is_named_with_its_evidence():
    wrong = audit(NOTES).claims[0].wrong
    assert wrong.text == r"x(2\sin x - x\cos x)"
    assert "the derivative is" in wrong.evidence


@pytest.mark.parametrize(
    "claim",
    [
        r"$y = \sqrt{x}$ and $y' = \frac{1}{2\sqrt x}$",
        r"$y = \sqrt{x}$, so $\frac{dy}{dx} = \frac{1}{2\sqrt x}$",
        r"$f(x) = x^3 \implies f''(x) = 6x$",
        r"$f(x) = x^5, \quad f^{(3)}(x) = 60x^2$",
        r"$f(x,y) = x^2y$ has $f_x(x,y) = 2xy$ and $f_y = x^2$",
        r"$z = x^2y$, $\frac{\partial z}{\partial y} = x^2$",
        r"$\frac{d^2}{dx^2}\sin x = -\sin x$",
        r"${d\over dx} x^2 = 2x$",
        r"$\frac{d}{dx}(x^2) + \frac{d}{dx}(x^3) = 2x + 3x^2$",
        r"$\frac{d}{dx}x^2 + 1 = 2x$",
        r"$\frac{d}{dt}\left[t^2\right] = 2t > 0$",
        r"$$\frac{d}{dx}\{x^2\}$$ $$= 2x$$",
        r"$(d/dx)[x^2] = 2x$",
        r"Differentiating $x^2$, we get $2x$.",
        r"$2t$ is the derivative of $t^2$.",
        r"the derivative of $xt$ with respect to $t$ is $x$",
        r"\begin{equation}\label{a}\begin{split} (x^2+1)' &= 2x \end{split}\end{equation}",
        r"\[ \frac{d}{dx}(1+x)(1-x) = -2x \]",
    ],
)
def test_right_claims_in_many_shapes(claim):
    found = statuses(claim)
    assert found
    assert set(found) == {"right"}
    assert "wrong" not in found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("no mathematics at all", []),
        (r"$a^2 + b^2 = c^2$", []),
        (r"costs $5 and not $6", []),
        (r"$f'(x) = 2x$", ["not read"]),
        (r"$f(x) = x^2$ and $f'(3) = 6$", ["right"]),
        (r"$f(x) = x^2$ and $f'(3) = 7$", ["wrong"]),
        (
            r"$f(x) = \sin x$, $f'(\pi/3) = \frac12$ and $f''(\frac{\pi}{2}) = 1$",
            ["right", "wrong"],
        ),
        (r"$f(x) = \sqrt x$, $f'(2) = 0.354$, $f'(2) = 0.36$", ["right", "wrong"]),
        (
            r"$f(x) = ax^2$, $f'(1) = 2a$, $f'(t) = 2at$, $f'(2) = 2a$",
            ["right", "right", "wrong"],
        ),
        (r"$f(x) = |x|$, $f'(0) = 0$", ["wrong"]),
        (r"$f(x) = \frac1x$, $f'(0) = 0$", ["undecided"]),
        (
            r"$y = x^3$, $\left.\frac{dy}{dx}\right|_{x=2} = 12$, $y'(1) = 2$",
            ["right", "wrong"],
        ),
        (r"$\frac{d}{dx} x^3 \Big|_{x=2} = 12$", ["right"]),
        (r"$f(x) = x^2$, so $f'(x) = 2x = 0$ where $f'(x) = 0$", ["right", "not read"]),
        (
            r"$f(x) = x^2$. Solve $f'(x) = 12$. There is a $c$ with $f'(c) = 3$",
            ["not read", "not read"],
        ),
        (r"$s(t) = 5t^2$, $v(t) = s'(t) = 10t$ and $v'(t) = 9$", ["right", "wrong"]),
        (r"\[\boxed{\frac{d}{dx} x^2 = 2x}\]", ["right"]),
        (
            r"The second derivative of $x^3$ is $6x$, whose derivative is $5$.",
            ["right", "wrong"],
        ),
        (
            r"$f(x) = \begin{cases} x^2 & x \ge 0 \\ -x^2 & x < 0 \end{cases}$ has $f'(x) = \begin{cases} 2x & x \ge 0 \\ -x & x < 0 \end{cases}$",
            ["undecided"],
        ),
        (
            r"Let $f(x,y) = x^2y^3$. Then $f_{xy} = f_{yx}$ and $f_x = 2xy^3$.",
            ["not read", "right"],
        ),
        (
            r"Let $z = x^2+y^2$ and $y = 3x$. Then $\frac{\partial z}{\partial x} = 2x$ and $z_y = 2y$.",
            ["right", "right"],
        ),
        (r"$\frac{d}{dx} \foo = 2x$", ["not read"]),
        (r"$f(x) = x^2 ⇒ f'(x) = 2x, x > 0$", ["right"]),
        (r"$\frac{d}{dx} x^2 = 2x = 3x$", ["wrong"]),
        (r"$f(x) = x^2$, $f'(x) = 2x$, $f(x) = x^3$, $f'(x) = 2x$", ["right", "wrong"]),
    ],
)
def test_what_is_not_a_right_claim(text, found):
    assert statuses(text) == found


def test_markdown_has_mathematics_in_backticks_and_fences_but_no_blocks_of_code():
    text = "the derivative of `x^2` is `3x`\n```math\n\\frac{d}{dx} x^2 = 3x\n```\n- d/dx sin x = cos x\n\n```\nd/dx x = 2\n```\n"
    assert [(c.line, c.status) for c in audit(text, "a.md").claims] == [
        (1, "wrong"),
        (3, "wrong"),
        (5, "right"),
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The derivative of `e^(-x^2/2)` is `-x e^(-x^2/2)`, that of `x^2` is `2x²/x`.", ["right"]),
        ("`½x²` has derivative `x`; `½x` is the derivative of `½x²`.", ["right", "wrong"]),
        ("`f(x) = x^(2/3)` has `f'(x) = 2/(3x^(1/3))`, so `f'(1) = 1/3`.", ["right", "wrong"]),
        ("Let `f(x, y) = xy²`; `f_x = y²` and `f_y = 2x`", ["right", "wrong"]),
        ("The derivative of `x^2` is `foo bar`.", ["not read"]),
        (r"The derivative of `\sin^2 x` is `2\sin x`.", ["wrong"]),
    ],
)  # fmt: skip
def test_backticks_hold_text_or_latex_as_everywhere_else(text, found):
    assert [claim.status for claim in audit(text, "a.md").claims] == found


def test_the_words_of_a_claim_are_told_in_full():
    [claim] = audit("$x^3$ has derivative $3x$.", "a.md").claims
    assert claim.text == "the derivative of x^3 = 3x"


@pytest.mark.slow
@pytest.mark.parametrize(
    "hostile",
    [r"\[" * 50_000, "$" * 100_001, r"\begin{align}" * 20_000, "$x$ " * 20_000, "```math\n" * 20_000, "'=" * 50_000],
    ids=lambda text: text[:8],
)  # fmt: skip
@pytest.mark.parametrize("suffix", ["tex", "md"])
def test_hostile_documents_cost_little(hostile, suffix):
    start = time.process_time()
    with contextlib.suppress(ExprgradError):
        audit(hostile, f"a.{suffix}")
    assert time.process_time() - start < 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["x^2 sin(3x)", "ln(x)/x^2", "sqrt(1+e^(2x))", "atan(x)^3"]
)
def test_steps_in_latex_are_all_found_right(text):
    from exprgrad.views.tex import derivation as latex_lines

    written = "\n".join(latex_lines(steps(parse(text).root, "x")))
    found = statuses(written)
    assert len(found) > 1
    assert set(found) == {"right"}


@pytest.mark.slow
def test_plain_lines_are_read_as_text_and_listed_where_they_cannot_be():
    text = """f(x) = x^2 sin x
f'(x) = 2x sin x + x^2 cos x
f'(2) = 3
d/dx ln x = 1/x = x^(-1)
df/dx = 2x sin x
g(x, y) = x y^2
∂g/∂y = 2xy
d/dx (x + = 3
h'(x) = 2
a = b
"""
    assert [(c.line, c.status) for c in audit(text, "a.txt").claims] == [
        (2, "right"),
        (3, "wrong"),
        (4, "right"),
        (5, "wrong"),
        (7, "right"),
        (8, "not read"),
        (9, "not read"),
    ]


KINDS = [
    (r"Let $f(x)=x^3-x$. The slope of $y=x^3-x$ at $x=2$ is $11$.", "$11$", "$12$"),
    (r"The tangent line to $y=x^3$ at $x=1$ is $y=3x-2$.", "3x-2", "3x-1"),
    (r"An antiderivative of $x^4$ is $\frac{x^5}{5}$.", "{5}$", "{4}$"),
    (r"$g(x,y)=x^3y^2$ has $\frac{\partial^2g}{\partial x\partial y}=6x^2y$.", "=6", "=5"),
    (r"$f(t)=t^6$, so $f^{(4)}(t)=360t^2$.", "360", "340"),
    (r"$y=t^3$, $\left.\frac{dy}{dt}\right|_{t=2}=12$.", "=12", "=13"),
    (r"On the curve $x^2+y^2=4$, $\frac{dy}{dx}=-\frac xy$.", "=-", "="),
]  # fmt: skip
"""Claims of the kinds that are checked, right, and what is replaced by a slip."""


@pytest.mark.parametrize(("text", "old", "new"), KINDS)
def test_claims_of_every_kind_are_found_in_a_document(text, old, new):
    assert set(statuses(text)) == {"right"}
    assert "wrong" in statuses(text.replace(old, new))


@pytest.mark.parametrize(
    "text",
    [
        r"$F$ is increasing on $(0,\infty)$.",
        "so `f(x)` is strictly decreasing on [0, 1].",
        r"\(f\) is concave up for \(x>0\)",
    ],
)
def test_what_is_said_of_an_interval_is_listed_as_not_checked(text):
    [claim] = audit(text, "a.md").claims
    assert (claim.status, claim.why, claim.as_dict()["judged"]) == ("not read", "behaviour", "not_checked")  # fmt: skip


SLIPS = [
    (r"Let $y=s^2t$. On $x^2\tan y=9$ we have $\frac{dy}{dx}=-\frac{2\tan y}{x\sec^2y}$.", r"\sec^2", r"\sec^3"),
    (r"Let $f(x)=7x-x^2$. \[f'(x)=\lim_{h\to0}\frac{f(x+h)-f(x)}{h}\]", "h)-f", "h)+f"),
    (r"A loss: $L(z)=\ln(1+e^{-z})$; $L'(z)=-\frac{1}{1+e^{z}}$.", "=-", "="),
]  # fmt: skip
"""A right text, and what in it is replaced by a slip."""


@pytest.mark.slow
@pytest.mark.parametrize(("text", "old", "new"), SLIPS)
def test_a_slip_is_found_and_the_right_text_is_not_accused(text, old, new):
    assert statuses(text) == ["right"]
    assert statuses(text.replace(old, new)) == ["wrong"]


@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.tex"])
def test_sentences_need_no_marks(name):
    text = """The derivative of x^3 is 3x^2, and the second derivative of x^3 is 5x.
The derivative of position is velocity. The derivative of a constant is 0.
The derivative of a*t^2 with respect to t is 2at.
"""
    claims = audit(text, name).claims
    assert [(c.line, c.column, c.status) for c in claims] == [
        (1, 19, "right"),
        (1, 61, "wrong"),
        (3, 19, "right"),
    ]


def test_equations_stand_among_words_and_beside_marks():
    text = """For f(x) = x^2 sin x we have f'(x) = 2x sin x + x^2 cos x.
If $g(x) = x^2$, then g'(x) = 2x and g'(3) = 5, which costs $20 and $3.
Let h(x) = 3x^2, so h''(x) = 6.
Therefore h'(1) = (.
"""
    assert [(c.line, c.status) for c in audit(text, "a.md").claims] == [
        (1, "right"),
        (2, "right"),
        (2, "wrong"),
        (3, "right"),
        (4, "not read"),
    ]


ANSWER = r"""To differentiate \( f(x) = x^2 e^{3x} \), use the **product rule**:

$$
\begin{align*}
f'(x) &= 2x e^{3x} + x^2 \cdot 3e^{3x} \\
      &= x e^{3x}\left\{2 + 3x\right\}
\end{align*}
$$

At \( x = 1 \): \( f'(1) = 5e^3 \), and the derivative of \(\dfrac{1}{x}\) is

\[
\dfrac{1}{x^2}
\]
"""
PRICES = "The book costs $20, the pen $3. With $f(x)=\\sqrt{x}$ it is $f'(x)=\\frac{1}{2\\sqrt{x}}$."
SHEET = r"""\begin{enumerate}
\item $f(x) = 3x^4 - 5x + 2$. \textbf{Answer:} $f'(x) = 12x^3 - 5$, $f''(x) = 36x^2$.
\item $y = \ln(\cos x)$. Answer: $\dfrac{dy}{dx} = -\tan x$.
\item $y = \arctan(2x)$. Answer: $y' = \frac{1}{1+4x^2}$.
\end{enumerate}
"""
PHYSICS = r"""A ball has height $h(t) = 20t - 5t^2$. Its velocity is $h'(t) = 20 - 10t$, so $h'(2) = 0$;
we have $h'(t) = 0 \iff t = 2$, and $h'(1) = 10\text{ m/s}$.
"""
PARTIALS = r"""Let $f(x,y) = x^2 y + \sin(xy)$. Then
\begin{align}
\frac{\partial f}{\partial x} &= 2xy + y\cos(xy), \\
\frac{\partial f}{\partial y} &= x^2 + y\cos(xy).
\end{align}
and $f_{xx} = 2y - y^2 \sin(xy)$.
"""
TABLE = r"""\begin{tabular}{ll}
$f(x) = \sec x$ & $f'(x) = \sec x \tan x$ \\
$f(x) = \cot x$ & $f'(x) = \csc^2 x$ \\
\end{tabular}
"""


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        (ANSWER, "a.md", ["right", "right", "wrong"]),
        (PRICES, "a.md", ["right"]),
        (SHEET, "a.tex", ["right", "right", "right", "wrong"]),
        (PHYSICS, "a.tex", ["right", "right", "not read", "not read"]),
        (PARTIALS, "a.tex", ["right", "wrong", "right"]),
        (TABLE, "a.tex", ["right", "wrong"]),
    ],
)
def test_documents_as_they_are_written(text, name, found):
    assert statuses(text, name) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            r"Let $y = u^5$ and $u = 3x^2+1$. $\frac{dy}{dx} = \frac{dy}{du}\cdot\frac{du}{dx} = 5u^4 \cdot 6x$",
            ["right"],
        ),
        (r"$u = 3x^2$, $y = u^5$, $\frac{dy}{dx} = 5u^4 \cdot 3x$", ["wrong"]),
        (
            r"$u = x^2$, $v = e^x$, $(uv)' = u'v + uv'$, $(uv)' = u'v'$",
            ["right", "wrong"],
        ),
        (
            r"$f(x)=x^2$, $g(x)=\sin x$. $(f+g)'(x) = 2x + \cos x$, $(f\cdot g)'(x) = f'(x)g(x)+f(x)g'(x)$",
            ["right", "right"],
        ),
        (
            r"$y = x^{\sin x}$, $\frac{y'}{y} = \cos x\ln x + \frac{\sin x}{x}$",
            ["right"],
        ),
        (r"$f(x) = x^2$, $g(x) = f(x)^2$, $g'(x) = 2f(x)f'(x)$", ["right"]),
        (r"$t = 2$ and $y = t^3$, so $y' = 3t^2$", ["right"]),
        (r"$x = y^2$, $y = x^2$, so $y' = 2x$", ["right"]),
        (r"$f(x) = f(x)+1$, $f'(x) = 2$", ["not read"]),
        (r"$f(x, y) = xy$, $g(x) = f(x)$, $g'(x) = 1$", ["not read"]),
        (r"$y = x^3$. At $x = 2$ we have $\frac{dy}{dx} = 12$.", ["right"]),
        (r"$y = x^3$. At $x = 2$ we have $\frac{dy}{dx} = 8$.", ["wrong"]),
        (
            r"$f(x) = x^2$. At $x = 1$, $f'(x) = 2$, and at $x = 2$, $f'(x) = 5$.",
            ["right", "wrong"],
        ),
        (r"$y = x^3$. When $x = 2$, $y' = 12$ and $y'' = 12$.", ["right", "right"]),
        # a value is no definition, and f is not known in the words before it
        (
            r"Newton: $f(x)=x^2-2$. At $x = 1$, $f(x) = -1$. At $x = 3$, $f'(x) = 6$.",
            ["not read"],
        ),
        (r"$z = xy^2$. At $(1, 2)$, $\frac{\partial z}{\partial x} = 4$.", ["right"]),
    ],
)
def test_names_stand_for_what_was_said_of_them(text, found):
    assert statuses(text) == found


@pytest.mark.parametrize(
    "text",
    [
        r"$f(x) = x^2$. If $P(x) = f(x)h(x)$, then \[P'(x) = f(x)h'(x) + h(x)f'(x).\]",
        r"Let $Q(x) = f(x)/g(x)$. \[Q'(x) = \frac{g(x)f'(x)-f(x)g'(x)}{g(x)^2}\]",
        r"\[\frac{d}{dx}\Big(f\big(g(x)\big)\Big) = f'\big(g(x)\big)g'(x)\]",
    ],
)
def test_rules_about_any_functions_are_right(text):
    assert statuses(text) == ["right"]


@pytest.mark.parametrize(
    "text",
    [
        r"Let $f$ be even. Let $g(x) = f(-x)$. Then $g'(x) = f'(x)$.",
        r"Let $F$ be an antiderivative of $f$. Then $\frac{d}{dx} F(g(x)) = f(g(x))g'(x)$.",
        r"With $f'(x) = f(x)$ and $g(x) = f(x)e^{-x}$, \[g'(x) = f(x)e^{-x}-f(x)e^{-x}.\]",
        r"Let $h(x) = f(x)g(x)$, $f$ the sine and $g$ the cosine. $h'(x) = g(x)^2-f(x)^2$.",
        r"Let $h(x) = f(x^2)$ where $f'(4) = 3$. \[h'(2) = 4f'(4) = 12\]",
    ],
)
def test_what_holds_for_some_functions_is_not_called_wrong(text):
    assert {*statuses(text)} <= {"undecided", "not read"}


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        (r"$f(x) = \frac{1}{2$ and $f'(x) = \frac{1}{2$", "a.tex", ["not read"]),
        (r"$v(2) = 17$ and $v'(2) = 3$", "a.tex", ["not read"]),
        (r"$f(x, y) = x^2y^3$, $f_{xy} = 6xy^2$, $\frac{\partial f}{\partial x}(1) = 2$", "a.tex", ["right", "not read"]),
        ("f(x) = x^2\n$g(x) = f(x)^2$ and $g'(x) = 4x^3$", "a.md", ["right"]),
        ("y = ab + c\n$y' = 3$", "a.md", ["not read"]),
        ("The derivative of $x^2$ is $2x$, $\\frac{3$.", "a.md", ["right"]),
        ("the derivative of $\\frac{1}{2$ is $3$", "a.md", ["not read"]),
        ("f(x) = ln(x, y, z)\nf'(x) = 3", "a.txt", ["not read"]),
        ("f'(x) = ", "a.txt", ["not read"]),
        ("If(x) then (a, b) = c; d/dx (x^2 = 3", "a.txt", ["not read"]),
        ("```\nd/dx x = 2\n```\n", "a.md", []),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_listed_or_is_no_claim(text, name, found):
    assert statuses(text, name) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (r"$\dv{x^3}{x} = 3x^2$ and $\dv{x^3}{x} = 3x$", "right wrong"),
        (r"Let $f(x,y) = x^2y$. $\pdv{f}{x} = 2xy$, $\pdv{f}{x}{y} = 2x$, $\pdv[2]{f}{x} = 2x$", "right right wrong"),
        (r"Let $y = x^2$. $\frac{\dd{y}}{\dd{x}} = 2x$, $\frac{\dd y}{\dd x} = x$", "right wrong"),
        (r"Let $x(t) = t^3 - 3t$. Then $\dot x = 3t^2 - 3$ and $\ddot x = 6t$.", "right right"),
        (r"Let $x(t) = t^3 - 3t$. Then $\dot{x}(t) = 3t^2$ and $\ddot{x}(1) = 6$.", "wrong right"),
        (r"Let $x(s) = s^2$. Then $\dot x = 2s$.", "not read"),
        (r"Let $f(x,y) = x^2y + y^3$. Then $\partial_x f = 2xy$, $\partial_y f(x,y) = x^2 + y^2$.", "right wrong"),
        (r"$\frac{dx^2}{dx} = 2x$, $\frac{d\ln x}{dx} = \frac1x$, $\dv[2]{x^3}{x} = 6x$", "right right not read"),
        (r"Let $f(x) = 1{,}5x^2 + 2{,}125x$. Then $f'(x) = 3{,}0x + 2.125$ and $f'(0) = 2{,}125$.", "right not read"),
        (r"Let $f(x) = e^{2x}$, $g(x) = \sin x$. $(f\circ g)'(x) = 2e^{2\sin x}\cos x$, $(f\circ g)'(x) = 2e^{2\sin x}$", "right wrong"),
        (r"Let $f(t) = e^{2t}$, $g(t) = \sin t$. $(f\circ g)'(t) = 2e^{2\sin t}\cos t$", "right"),
        (r"Let $f(x) = e^{2x}$, $g(x) = \sin x$. $((f\circ g)^{-1})'(x) = 2x$", "not read"),
    ],
)  # fmt: skip
def test_derivatives_and_numbers_of_physics_are_read_or_refused(text, found):
    assert " ".join(statuses(text)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (r"$\text{a) } \frac{d}{dx} x^3 = 3x^2$ and \[\text{(ii) } f(x) = x^5 \implies f'(x) = 5x\]", "right wrong"),
        (r"Let $f(x) = x^4$. Then $\frac{\delta f}{\delta x} = 4x^3$ and $\frac{\delta f}{\delta x} = 4x^2$.", "right wrong"),
        (r"Let $p = \frac{NkT}{V}$. Then $\left(\frac{\partial p}{\partial V}\right)_T = -\frac{NkT}{V^2}$.", "right"),
        (r"Let $p = \frac{NkT}{V}$. Then $\Big(\frac{\partial p}{\partial T}\Big)_{V, N} = \frac{Nk}{V^2}$.", "wrong"),
        (r"Let $U = cT - a/V$. Then $\left(\frac{\partial U}{\partial T}\right)_p = c + \frac{a}{VT}$.", "not read"),
        (r"Let $f: x \mapsto x^4$. Then $f'(x) = 4x^3$ and $f'(1) = 3$.", "right wrong"),
        (r"Let $g \colon \mathbb{R} \to \mathbb{R},\ t \mapsto \sin 2t$. Then $g'(t) = 2\cos 2t$.", "right"),
        (r"Let $f\colon A \to B$. With $f(x) = x^4$ we have $f'(x) = 4x^3$.", "right"),
        (r"Consider the point $x = 2$. Let $f(x) = x^4$. At this point, $f' = 32$.", "not read"),
        (r"Let $z = x^3y^2$ and $z = f(x,y)$. Then $f_x(x,y) = 3x^2y^2$.", "not read"),
        (r"Then $g_x(x,y) = 3x^2y^2$.", "not read"),
    ],
)  # fmt: skip
def test_notations_of_lectures_are_read(text, found):
    assert " ".join(statuses(text)) == found


def test_lines_below_a_composition_keep_their_numbers():
    text = (
        "f(x) = e^(2x)\ng(x) = sin x\n(f∘g)'(x) = 2e^(2sin x) cos x\nf'(x) = e^(2x)\n"
    )
    found = [(c.place[0], c.status) for c in audit(text, "a.txt").claims]
    assert found == [(3, "right"), (4, "wrong")]


def test_document_that_is_too_long_is_refused():
    with pytest.raises(ExprgradError, match="characters; at most"):
        audit("x" * 5_000_001)


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        (r"$f(x)=x^2$. There is $c\in(0,1)$ with $f'(c)=\frac{f(1)-f(0)}{1-0}=1$.", "a.tex", ["not read"]),
        (r"Let $x = t^2$ and $y = t^3$. Then $\frac{dy}{dx} = \frac{3t^2}{2t}$.", "a.tex", ["right"]),
        (r"$f(x)=x^2$. For $x=3$ we get \[ f'(x)=2x=2\cdot 3=6. \]", "a.tex", ["right"]),
        (r"$f(x)=x^2$, so $f'(x) = 12$ at $x = 6$.", "a.tex", ["right"]),
        ("y = x^2\nAt x = 3, dy/dx = 6.\n", "a.txt", ["right"]),
        ("f(x) = x^2, so f'(1) = 2 (see above) and f'(2) = 5 (also above).", "a.txt", ["right", "wrong"]),
        (r"If $f(x) = x^2$ then $f'(x) = 2$.", "a.tex", ["wrong"]),
        (r"For $y = x^2$ we have $y' = 3$.", "a.tex", ["wrong"]),
        (r"$f(x,y)=x^2y$, $\frac{\partial f}{\partial x}\Big|_{(1,2)}=4$", "a.tex", ["right"]),
        (r"Let $f(x,y) = x^2y$. Then $f_x(1,2) = 4$, $f_y(1,2) = 7$, $f_{xy}(1, 2) = 2$; $a_n(3) = 7$.", "a.tex", ["right", "wrong", "right"]),
        (r"$V = \frac43\pi r^3$, so $\frac{dV}{dr} = 4\pi r^2$ and $\frac{dV}{dt} = 4\pi r^2 \frac{dr}{dt}$.", "a.tex", ["right", "not read"]),
    ],
)  # fmt: skip
def test_nothing_true_is_called_wrong_for_how_it_is_put(text, name, found):
    assert statuses(text, name) == found


def test_macros_that_are_not_understood_are_passed_over():
    text = r"""\def\at(#1,#2){#1#2}\newcommand{\R}{\mathbb{R}}\newcommand{\x}[1{
\newcommand{\dd}{\frac{d}{dx}}
$\dd x^2 = 2x$, $\at(1,2)$, $\dd x^3 = 2x$"""
    assert statuses(text) == ["right", "wrong"]


def test_value_that_vanishes_is_no_factor_of_another():
    text = r"$g(x) = \frac{x\sin x}{x}$, $g'(\pi/2) = \frac{4}{\pi^2}$"
    [claim] = audit(text).claims
    assert claim.status == "wrong"
    assert claim.wrong.evidence == "this is 0.4052847346, the derivative there is 0"


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        r"Let $f(x) = \frac{4x}{1+x^2}$. Now $f'(x) = 3(x^2-1)^2(2x)$.",  # an older function
        r"Let $z = x^2 y + x$. Then $\frac{dz}{dt} = 2xy + 2x^2$.",
        r"Let $y = \pi$. Then $\frac{dy}{dx} = -\frac{2xy}{x^2-3xy^2}$.",
        r"Let $x = \cos t$. Then $\frac{dx}{dt} = -\sin t & \frac{dy}{dt} = \cos t$.",
        r"Let $x = \pi^2$. Then $\frac{dx}{dx} = 1$.",
        r"Let $x = 0.1$. Start at $x_{0} = 2$.",
    ],
)
def test_what_may_be_about_another_function_is_not_called_wrong(text):
    assert "wrong" not in statuses(text)


@pytest.mark.parametrize(
    "text",
    [
        r"Let $f(x) = \frac{4x}{1+x^2}$. Then $f'(x) = \frac{4+4x^2}{(1+x^2)^2}$.",
        r"Let $f(x) = \cos x$. Then $f'(x) = \sin x$.",
        r"Let $f(x) = x^3 - 2x$. Then $f'(x) = 3x^2 + 2$.",
        r"Let $f(x) = x^3$. Then $f'(2) = 11$.",
        r"The derivative of $x^3$ is $\cos x$.",
    ],
)
def test_a_slip_is_called_wrong(text):
    assert statuses(text)[-1] == "wrong"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (r"(a) $f(x)=x^3$, (b) $f(x)=\sin x$. (a) $f'(x)=3x^2$ (b) $f'(x)=\cos x$", ["right", "right"]),
        (r"(a) $f(x)=x^3$, (b) $f(x)=\sin x$. (a) $f'(x)=3x^2$ (b) $f'(x)=2\cos x$", ["right", "wrong"]),
        ("$f(x)=x^3$, $f'(x)=3x^2$.\n\nNow $f(x)=x^4$, $f'(x)=4x^3$.\n\nAbove, $f'(x)=3x^2$.", ["right", "right", "undecided"]),
        (r"$s(t)=-16t^2+64$. Setting $s(t)=0$ gives $t=2$, and $s'(t)=-32t$.", ["right"]),
        (r"$f(x,y)=x^2y$, $f(x_0,y_0)=f(1,2)=2$, $f_x(x,y)=2xy$", ["right"]),
        (r"Let $P_2(x)=1+x^2$. Then $P_2'(x)=2x$, $P'_2(1)=2$, $P''_2(x) = 3$", ["right", "right", "wrong"]),
        (r"$x^2+xy+y^2=7$, so $\frac{dy}{dx} = -\frac{2x+y}{x+2y}$ and $y' = \frac{2x+y}{x+2y}$", ["right", "wrong"]),
        (r"$x^2+y^2=25$, so $\frac{d}{dx}(x^2)+\frac{d}{dx}(y^2) = 0$", ["undecided"]),
        (r"$x = y^3$. $\frac{d}{dx}[x] = \frac{d}{dx}[y^3]$, $\left.\frac{dy}{dx}\right|_{(8,2)} = \frac{1}{12}$", ["undecided", "right"]),
        (r"$f(x)=x^2$, $g(x)=e^x$: \begin{align*} f'(x) &= 2x & g'(x) &= e^x \\ f''(x) &= 2 & g''(x) &= 2e^x \end{align*}", ["right", "right", "right", "wrong"]),
        (r"$x = t^2$, $y = 2t$: $\frac{dx}{dt} = 2t \qquad \frac{dy}{dt} = 3$", ["right", "wrong"]),
        (r"$z=x^2y$, $x=s-t$, $y=2s$. $\frac{\partial z}{\partial s} = 2xy(1) + x^2(2)$", ["right"]),
        (r"$f(x)=x^2$. $f'(x) = \lim_{h\to 0}\frac{(x+h)^2-x^2}{h} = \lim_{h\to 0}(2x+h) = 2x$", ["right"]),
        (r"$f(x)=x^2$. $f'(3) = \lim_{x\to 3}\frac{f(x)-f(3)}{x-3} = \lim_{x\to 3}(x+4)$", ["wrong"]),
        (r"(a) $f(x)=\sin x$, (b) $f(x)=x^3$. (b) $f'(x)=3x^2$, $f'(0)=1$", ["right", "wrong"]),
        (r"Let $z=x^2+y^2$. Let $z=x^2y+x$, $x=s^2+3t$ and $y=2s-t$. $\frac{\partial z}{\partial s} = (2xy+1)(2s)+2x^2 = 2s+\foo$", ["not read"]),
        (r"Let $g(x)=axe^{-bx}$. Then $g'(x) = axe^{-bx}(-b) + ae^{-bx}$.", ["right"]),
        (r"Given $w=xy+z$, $x=e^{2u}\cos v$, $y=e^{2u}$, $z=e^u$, we get $\frac{\partial w}{\partial v} = -e^{4u}\sin v$", ["right"]),
        (r"$f(x,y)=x+y$. $x^2\tan y = 50$: $f_x = 2x\tan y$", ["right"]),
        (r"Let $f(x)=x^2$. If instead $f'(x)=3x^2$ and $f(0)=1$, then $f(x)=x^3+1$.", ["undecided"]),
        (r"Let $f(x)=|x|$. For $x<0$, $f'(x)=-1$.", ["undecided"]),
        (r"Let $h(x) = 1/2x$. Then $h'(x) = -1/2x^2 = -\frac{1}{2x^2}$.", ["undecided"]),
        (r"Let $h(x) = \log x$. Then $h'(x) = (\log x)' = \frac{1}{x\ln 10}$.", ["undecided"]),
        (r"$r=2$ and $\frac{dr}{dt}=3$", ["undecided"]),
        (r"A common error: $(x^2\sin x)'=2x\cos x$ is wrong.", ["undecided"]),
        (r"Let $f(x)=x^3+x$ and $g=f^{-1}$. Then $g'(2)=\frac14$.", ["not read"]),
        (r"Let $y = x\sqrt{2x+1}$, then $\frac{dy}{dx} = y(\frac{1}{x}+\frac{1}{2x+1})$.", ["right"]),
        (r"Let $f(x)=ax^2+bx$ with $f'(0)=2$, $f''(0)=6$. So $a=3$ and $f'(x)=6x+2$.", ["not read", "not read", "undecided"]),
        (r"Let $D(t)=3+2\sin t$. $D'(t)=2\cos t$.", ["right"]),
        (r"For $x^3+y^3=6xy$, $y'=\frac{2y-x^2}{y^2-2x}$. At $(3,3)$ $y'=-1$.", ["right", "not read"]),
        (r"$f(x)=x^2$. $f'(3)=\lim_{x\to3}\frac{x^2-9}{x-3}=\lim_{x\to3}\frac{x^3-9}{x-3}=6$", ["wrong"]),
        (r"Let $u=x^2$, $y=u^3$. $\frac{dy}{dx}=\frac{dy}{du}\frac{du}{dx}=3u^2\cdot 3x=6x^5$", ["wrong"]),
        (r"A student writes $(e^{2x})'=e^{2x}$. This is incorrect.", ["undecided"]),
        (r"Find all $x$ where $f(x)=x^3-3x$ has $f'(x)=9$.", ["not read"]),
        (r"\begin{example} $f(x)=x^2$ has $f'(x)=2x$.\end{example} \begin{example} $f(x)=x^5$ has $f'(x)=5x^4$.\end{example} As in the first, $f'(x)=2x$.", ["right", "right", "undecided"]),
        (r"Let $f(x)=x^2$. Then $f^{-1}(x)=\sqrt x$ and $(f^{-1})'(x)=\frac{1}{2\sqrt x}$.", ["not read"]),
        (r"Let $f(x)=x^2$. If $f$ were $x^3$, we would have $f'(x)=3x^2$.", ["undecided"]),
        (r"Let $f(x)=x^3$. It is not true that $f'(x)=2x^2$.", ["undecided"]),
        (r"True or false? If $f(x)=\pi^2$ then $f'(x)=2\pi$. False: $f'(x)=0$.", ["undecided", "right"]),
        (r"Which is right: $(x^2)'=x$, $(x^2)'=2$ or $(x^2)'=2x$?", ["undecided", "undecided", "right"]),
        (r"The cycloid $x=t-\sin t$, $y=1-\cos t$ has $\frac{dy}{dx}=\frac{\sin t}{1-\cos t}$.", ["right"]),
        (r"The cycloid $x=t-\sin t$, $y=1-\cos t$ has $\frac{dy}{dx}=\frac{\sin t}{1+\cos t}$.", ["wrong"]),
        (r"Let $x=s^2+3t$ and $y=2s-t$. On $x^2\tan(y)=50$, $\frac{dy}{dx}=-\frac{2\tan(y)}{x\sec^3(y)}$.", ["wrong"]),
        (r"If $f(x)=\sqrt{3x+1}$, then $\left. f'(x)\right|_{x=1}=\frac34$.", ["right"]),
        (r"\begin{alignat*}{2} f(x) &= x^2 &\qquad g(x) &= x^3 \\ f'(x) &= 2x & g'(x) &= 3x^2 \end{alignat*}", ["right", "right"]),
    ],
)  # fmt: skip
def test_claims_belong_to_the_definitions_and_equations_around_them(text, found):
    assert statuses(text) == found


@pytest.mark.parametrize(
    "text",
    [
        r"Let $f(x)=x^3-4x$. Suppose $f$ is differentiable with $f'(1)=5$.",
        r"$f(x)=4x^3$. Suppose $f(1)=2$ and $f'(1)=3$. Let $g(x)=x^2f(x)$. Then $g'(1)=2\cdot2+3=7$.",
        r"Let $g(x)=\cos x$. It is known that $g(3)=7$ and $g'(3)=2$. If $h(x)=xg(x)$, then $h'(3)=7+6=13$.",
        r"$C(q)=q^3-6q^2$. A firm reports $C(200)=9000$ and $C'(200)=30$.",
        r"$f(x)=\frac1{\sin x}$. From the graph, $f'(1)=0$ and $f'(4)=-2$.",
        r"$g(x)=e^{x^3}$. Let $g$ be the inverse of $h(x)=x^3+x$; then $g'(2)=\frac14$.",
        r"$f(x)=e^{x^3}$. Let $f$ be the function of Figure 3; then $f'(2)=5$.",
        "1. $f(x)=(2x+5)^4$, $g(x)=\\sin x$.\n\nNow use the table. If $h(x)=f(g(x))$, then $h'(1)=f'(g(1))g'(1)=f'(2)\\cdot4=20$.",
        "\\begin{problem}$f(x)=x^3+x$, $f(1)=2$\\end{problem}\n\\begin{problem}$f'(0)=4$ and $f(0)=2$.\\end{problem}",
        "\\begin{problem}$f(x)=\\frac1x$\\end{problem}\n\\begin{problem}The function $f$ has $f'(0)=1$. Show that $f' = f$.\\end{problem}",
        "\\begin{problem}$x^2+xy+y^2=7$\\end{problem}\n\\begin{problem}$\\sin(xy)=x$: $y'=\\frac{1-y\\cos(xy)}{x\\cos(xy)}$\\end{problem}",
        r"$y=x^x$. Now $y^2=x^3+1$; then $2yy'=3x^2$.",
        r"$f(x,y)=x^2y^3$. Suppose $f(1,2)=3$, $f_x(1,2)=2$ and $f_y(1,2)=-1$.",
        r"One should not write $\frac{d}{dx}(x^2\sin x)=2x\cos x$.",
        r"$f(x)=x^3$, $g(x)=e^x$. Let $f(1)=2$, $f'(1)=-1$, $g(1)=4$, $g'(1)=3$. Then $(fg)'(1)=-4+6=2$.",
        r"Someone told me $\frac{d}{dx}\frac1x=\ln x$.",
        r"It is a misconception that $\frac{d}{dx}\ln(2x)=\frac1{2x}$.",
        r"``By the chain rule, $\frac{d}{dx}\sin(5x)=\cos(5x)$.''",
        r"(c) $\frac{d}{dx}(e^{x^2})=e^{2x}$ ✗",
        r"Let $L(w)=(wx-y)^2$. With $e=wx-y$ we have $\frac{\partial L}{\partial w}=2xe$.",
    ],
)  # fmt: skip
def test_a_function_that_the_text_has_renewed_accuses_nobody(text):
    assert "wrong" not in statuses(text)


@pytest.mark.parametrize(
    "text",
    [
        r"Let $s(t)=\frac{15\sin t}{e^t}$. Assume that $s$ is in feet. Then $s'(2)=\frac{15\cos2-15\cos2}{e^2}$.",
        r"$f(x)=4x-x^2$. Let $f$ be a function and $x$ a value. Then $f'(x)=\lim_{h\to2}\frac{f(x+h)-f(x)}{h}$.",
        r"We see in the graph that $f(x)=x^2$ has $f(1)=1$, $f'(3)=7$.",
        r"$y=x^x$, so $\ln y=x\ln x$, $y'=x^x(\ln x-1)$.",
        "(a) $f(x)=x^2+1$.\n\n1. $f'(1)=3$.",
        r"Claim: $\frac{d}{dx}x^2=3x$.",
    ],
)  # fmt: skip
def test_a_slip_about_the_function_that_stands_is_still_found(text):
    assert "wrong" in statuses(text)


@pytest.mark.slow
def test_a_second_derivative_belongs_to_the_last_of_two_curves():
    text = "1. $x^2-y^2=5$: $y'=\\frac{x}{y}$.\n\n2. $x^4+y^4=16$: $y''=-\\frac{48x^2}{y^7}$."
    assert statuses(text) == ["right", "right"]


def test_what_a_value_is_compared_with_is_no_part_of_it():
    found = audit("f(x) = x^3 - 12x. f''(x) = 6x, f''(2) = 12 > 0.", "a.txt")
    assert [claim.status for claim in found.claims] == ["right", "right"]


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        (
            "a.tex",
            r"Since $\frac{d}{dx}\sin x=\cos x$, $\int\cos x\,dx=\sin x+C$, and $\int x^2\,dx=\frac{x^3}2+C$.",
            ["right", "right", "wrong"],
        ),
        ("b.md", "- `∫ x^3 dx = x^4/4 + C`\n- The integral of cos x is -sin x + C.\n", ["right", "wrong"]),
        ("c.md", "1. $\\int 2x\\,dx = x^2 + C$\n2. Integrating, $\\int e^{2x} dx = e^{2x} + C$.\n", ["right", "wrong"]),
        ("d.tex", "\\item $\\int 2x\\,dx = x^2 - C$\n\\item Now $\\int_0^1 2x\\,dx = 1$.", ["right"]),
    ],
)  # fmt: skip
def test_antiderivatives_are_found_in_lists_and_among_other_claims(name, text, found):
    assert [claim.status for claim in audit(text, name).claims] == found


def test_a_variable_behind_an_antiderivative_is_judged_and_no_constant():
    [claim] = audit(r"$\int (1+\frac1x)\,dx = \ln|x| + x$").claims
    assert [step.text for step in claim.steps] == [r"\ln|x| + x"]


def test_a_claim_of_a_sentence_is_shown_as_it_is_written():
    text = r"An antiderivative of $\cos x$ is $\sin x + C$. The tangent line to $y=x^2$ at $x=3$ is $y=6x-8$."
    right, wrong = audit(text).claims
    assert right.text == r"An antiderivative of $\cos x$ is $\sin x + C$"
    assert [step.text for step in right.steps] == [r"\sin x"]
    assert wrong.text == "The tangent line to $y=x^2$ at $x=3$ is $y=6x-8$"


def test_a_line_of_text_that_begins_with_a_sign_continues_the_chain_above():
    text = "f(x) = (3*x - 1)/(x + 2)\nf'(x) = (3*(x + 2) - (3*x - 1))/(x + 2)^2\n   = {}/(x + 2)^2 by the quotient rule.\n"
    found = [audit(text.format(n), "a.txt").claims for n in (7, 5)]
    assert [[s.status for s in claim.steps] for [claim] in found] == [["right", "right"], ["right", "wrong"]]  # fmt: skip


def test_a_claim_says_in_a_word_why_it_was_not_read():
    found = audit(r"$h'(x) = 2x$. $f(x)=x^2$, $f'(x)=0$, $f'(x)=\int_0^x 2\,dt$")
    assert [claim.why for claim in found.claims] == [
        "undefined",
        "condition",
        "integral",
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The height is s(t) = 5t^2 + 2t. The velocity is v(t) = s'(t) = 10t + 2.", ["right"]),
        ("Let y = ln(x^2 + 1). Then dy/dx = 2x/(x^2+1), and at x = 1 we have dy/dx = 1.", ["right", "right"]),
        ("x^2 + y^2 = 25\n\ndy/dx = -x/y", ["right"]),
        ("(a) f(x) = 3x^2 (b) f(x) = 1/x. Answers: (a) f'(x) = 6x (b) f'(x) = -1/x^2", ["right", "right"]),
    ],
)  # fmt: skip
def test_a_plain_text_is_read_as_one_in_tex(text, found):
    assert [claim.status for claim in audit(text, "notes.txt").claims] == found


def test_no_slope_along_a_letter_that_the_formula_lacks_is_judged():
    text = r"Let $z=x^2y$, $x=s-t$. With $s=1$, $x=1$ and $y=2$, $\frac{\partial z}{\partial s} = 6$."
    assert "wrong" not in [claim.status for claim in audit(text, "a.tex").claims]


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("$x^2 + y^2 = 25$, so $dy/dx = -x/y$.", "x^2 + y^2 = 25"),
        (r"$x = \cos t$, $y = \sin t$, so $dy/dx = -\cot t$", r"\cos t, \sin t"),
        ("The gradient of $x^2 y$ is $(2xy, x^2)$.", "x^2 y"),
    ],
)
def test_what_a_claim_is_about_has_no_prose_around_it(text, function):
    [claim] = audit(text, "a.tex").claims
    assert (claim.status, claim.function) == ("right", function)


def test_a_step_has_one_of_the_statuses_of_claims():
    [claim] = audit(r"$\frac{d}{dx} x^2 = 3x = x + 2x$", "a.tex").claims
    assert [step.status for step in claim.steps] == ["wrong", "undecided"]


def test_a_claim_with_names_of_others_in_plain_text_is_judged_once_in_its_place():
    text = "If u = 3x^2 and y = u^4, then dy/dx = {}.\n"
    [right] = audit(text.format("4u^3*6x"), "a.txt").claims
    [wrong] = audit(text.format("4u^3*6"), "a.txt").claims
    assert (right.status, right.text) == ("right", "dy/dx = 4u^3*6x")
    assert (wrong.status, wrong.text, wrong.column) == ("wrong", "dy/dx = 4u^3*6", 31)
    assert wrong.steps[0].column == 39


def test_words_of_a_sentence_are_no_names_that_were_defined_before_it():
    text = "Let $f(x) = x^3$ and $h(t) = t^2$.\n\nThe slope of $y = x^2$ at $x = 3$ is $5$."
    assert statuses(f"So $f'(1) = 3$ and $f(1) = 1$. {text}", "a.md")[-1] == "wrong"


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        ("<p>Let f(x) = x^2.</p>\n<p>f'(x) = 3x</p>", "a.html", [(2, 12, "wrong")]),
        ("<p>y = x<sup>3</sup><br>y' = 3x<sup>2</sup></p>", "a.html", [(1, 25, "right")]),
        ("<ul><li>d/dx sin(x) = cos(x)</li><li>d/dx cos(x) = sin(x)</li></ul>", "a.html", [(1, 9, "right"), (1, 52, "wrong")]),
        ("<p>If f(x) = e<sup>2x</sup>, then f&prime;(x) = 2e<sup>2x</sup>.</p>", "a.html", [(1, 35, "right")]),
        ("<script>f(x) = x^3; f'(x) = 5</script><p>y = x^2, dy/dx = 2x</p>", "a.html", [(1, 51, "right")]),
        ("<p>Product rule: (uv)' = u'v + uv'</p>", "a.html", [(1, 18, "right")]),
        ('{"cells": [{"cell_type": "code", "source": ["f\'(x) = 7"]}, {"cell_type": "markdown",\n"source": ["Let $f(x)=\\\\sin x$.\\n",\n"Then $f\'(x)=\\\\sin x$."]}]}', "a.ipynb", [(3, 14, "wrong")]),
    ],
)  # fmt: skip
def test_pages_and_notebooks_are_read_as_people_see_them(text, name, found):
    assert [(*c.place, c.status) for c in audit(text, name).claims] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Die Ableitung von $x^3$ ist $3x^2$.", ["right"]),
        ("Die zweite Ableitung von x^3 ist 5x.", ["wrong"]),
        ("Sei $f(x)=0,5x^2$. Dann gilt $f'(x)=x$.", ["right"]),
        ("Sei $f(x,y)=x^2y$. Dann ist $f_x(1,2)=4$.", ["right"]),
        ("f(x) = 1,5x^2\nf'(x) = 3,5x", ["wrong"]),
        ("Gegeben ist $f(x)=x^2$. An der Stelle $x=3$ ist die Steigung $6$.", ["right"]),
        ("On considère $f(x)=x^3$. Sa dérivée est $3x^2$.", ["right"]),
        ("Soit f(x) = 2,5x^2. On a f'(x) = 5x.", ["right"]),
        ("La derivada de $x^3$ es $2x^2$.", ["wrong"]),
        ("The points are (1,5) and (2,5x). Let f(x) = 1,000.", []),
    ],
)  # fmt: skip
def test_sentences_of_other_languages_have_decimal_commas(text, found):
    assert statuses(text, "a.md") == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Consider $f(x) = x^3$.\n\nThe derivative at $x = 2$ is $12$.", ["right"]),
        ("The function is $g(t) = \\sin(2t)$. Its derivative is $\\cos(2t)$.", ["wrong"]),
        ("Take $y = e^{3x}$. Its second derivative is $9e^{3x}$.", ["right"]),
        ("y = x^3\ndy/dx = 3x^2\nWhen x = 2, the slope is 6.\n", ["right", "wrong"]),
        ("On the curve x^2 + y^2 = 25, dy/dx at (3, 4) is 3/4.", ["wrong"]),
        ("$f'(x) = 2x$ because $f(x) = x^2 + 3$.", ["right"]),
        ("The critical points of $f(x)=x^3-3x$ are $x=1$ and $x=0$.", ["wrong"]),
        ("Let $f(x)=x^3-6x^2$. The inflection point is at $x=2$.", ["right"]),
        ("Let $f(x,y)=x^2y$. Then $\\nabla f = \\langle 2xy, x^2 \\rangle$.", ["right"]),
        ("Let $f(x,y)=x^2y$. The gradient is $\\nabla f = (2xy, x)$.", ["wrong"]),
        ("Problem 1. Differentiate f(x) = ln(x^2).\nSolution. f'(x) = 2/x.", ["right"]),
        ("$$(uv)' = u'v'.$$", ["wrong"]),
        ("d/dx (x^2 y) = 2xy + x^2 dy/dx", ["right"]),
        ("x^2 y = 4. Differentiate: d/dx(x^2 y) = 2xy + x^2 dy/dx = 0", ["not read"]),
        ("For $y = \\arcsin x$, $\\cos y \\, y' = 1$.", ["right"]),
        ("Let $f(x)=x^2$.\n\nConsider the exponential function. Its derivative is $e^x$.", []),
    ],
)  # fmt: skip
def test_sentences_are_about_what_was_defined_before_them(text, found):
    assert statuses(text, "a.md") == found


@pytest.mark.parametrize(
    "text",
    [
        "Let f(x) = x^2. By the rule of old:\nf'(x) = 2x + 0\n = 3x.\nWe are done, foo = bar baz.",
        "Let f(x) = x^2. By the rule of old:\nf'(x) = x +\n2x.\nWe are done, foo = bar baz.",
        "Let $f(x) = x^2$. By the rule\n\\begin{align*}\nf'(x) &= 2x + 0 \\\\\n&= 3x.\n\\end{align*}\nDone, $foo = bar baz$.",
        "Let $f(x)=x^2$. Strange: foo = bar baz.\n$$f'(x) = 2x$$\n$$= 3x$$",
    ],
)
def test_no_step_of_a_chain_is_judged_without_the_others(text):
    assert [claim.status for claim in audit(text, "a.md").claims] == ["wrong"]
