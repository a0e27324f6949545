r"""Worked solutions in LaTeX, as books print them, and lines about an equation between several names."""

import random

import pytest

from exprgrad.checking.work.sheet import read_work
from exprgrad.checking.work.tex import joined, page
from exprgrad.checking.work.work import check_work

PRINTED = {
    "an align with marks of layout": r"""
Let $p(z) = z^3\tan(z) - z\sec(z)$.
\begin{align*}
    p'(z) =\mathstrut & \frac{d}{dz}\left[z^3\tan(z)\right] - \frac{d}{dz}[z\sec(z)] \\
    =\mathstrut & [z^3 \sec^2(z) + \tan(z) \cdot 3z^2] - [z\sec(z)\tan(z) + \sec(z) \cdot 1] \\
    =\mathstrut & z^3\sec^2(z) + 3z^2\tan(z) - z\sec(z)\tan(z) - \sec(z) \\
\end{align*}""",
    "words between the lines": r"""
Find the derivative of $y=\left(\frac{x}{x+1}\right)^4.$

Solution. First, let $u=\frac{x}{x+1}.$ Thus, $y=u^4.$ Next, find $\frac{du}{dx}$ and $\frac{dy}{du}.$
 $\frac{du}{dx}=\frac{1}{(x+1)^2}$
and
 $\frac{dy}{du}=4u^3.$
\begin{align*}
\frac{dy}{dx} &= \frac{dy}{du}\cdot\frac{du}{dx} \\
 &= 4u^3\cdot\frac{1}{(x+1)^2} \\
 &= \frac{4x^3}{(x+1)^5}
\end{align*}""",
    "limits of difference quotients": r"""
For $f(x)=2x^2-3x+1,$ find $f'(2).$
\begin{align*}
f'(2) &= \lim_{x\to 2} \frac{f(x)-f(2)}{x-2} \\
 &= \lim_{x\to 2} \frac{(2x^2-3x+1)-3}{x-2} \\
 &= \lim_{x\to 2} (2x+1) \\
 &= 5
\end{align*}""",
    "a product whose first factor is differentiated": r"""
Let $y = (x^2+3x)(x^3-1)$.
\begin{align*}
y' & = \frac{d}{dx}\left(x^2+3x\right)(x^3-1) + (x^2+3x)\frac{d}{dx}\left(x^3-1\right) && \text{(product rule)} \\
\intertext{and so}
& = (2x+3)(x^3-1) + 3x^2(x^2+3x)
\end{align*}""",
    "an arrow, and a value": r"""
$f(x) = \sqrt{x}$
\[ f'(x) = \frac{1}{2\sqrt{x}} \Rightarrow f'(9) = \frac{1}{2\sqrt{9}} = \frac16 \]""",
    "the logarithm of a function": r"""
$y = x^x$
$\ln y = x \ln x$
$\frac{1}{y}\frac{dy}{dx} = \ln x + 1$
$\frac{dy}{dx} = y(\ln x + 1)$""",
    "functions in a function": r"""
Let $z=x^2y-x$, where $x=\cos(t)$ and $y=e^{2t}$.
\begin{align*}
f_x(x,y) = 2xy-1,\qquad f_y(x,y) = x^2,\qquad \frac{dx}{dt} = -\sin(t),\qquad \frac{dy}{dt} = 2e^{2t}
\end{align*}
\[ \frac{dz}{dt} = -(2xy-1)\sin(t) + 2x^2e^{2t} \]""",
    "partial derivatives in two columns": r"""
$f(x,y)=x^2y+y^2$
\begin{align*}
f_x(x,y) & = 2xy & f_y(x,y) & = x^2+2y \\
f_x(1,2) & = 4 & f_y(1,2) & = 5
\end{align*}""",
    "implicit differentiation": r"""
The curve $\sin(x+y) + y^2 = 1$ is given.
\begin{align*}
\frac{d}{dx}\left(\sin(x+y) + y^2\right) &= \frac{d}{dx}(1) \\
\cos(x+y)\left(1+\frac{dy}{dx}\right) + 2y\frac{dy}{dx} &= 0 \\
\frac{dy}{dx}\left(\cos(x+y)+2y\right) &= -\cos(x+y)
\end{align*}
so that
\[ \frac{dy}{dx} = -\frac{\cos(x+y)}{\cos(x+y)+2y} \]
and the slope at $(-1, 1)$ is $\left.\frac{dy}{dx}\right|_{(-1,1)} = -\frac{1}{3}$.""",
    "critical points": r"""
$g(x) = axe^{-bx}$
\[ g'(x) = axe^{-bx}(-b) + e^{-bx}(a) \]
\[ 0 = ae^{-bx}(1-bx) \]""",
    "functions on the line of the problem": r"""
Differentiate $y=7x^3\cos(x)$.
Here $f(x)=7x^3$ and $g(x)=\cos(x)$.
We know that $f'(x)=21x^2$ and $g'(x)=-\sin(x)$.
\[ y'=21x^2\cos(x)-7x^3\sin(x) \]""",
    "a tangent plane": r"""
Let $f(x,t)=x^2-5xt$, with $x_0=2$ and $t_0=-1$.
\begin{align*}
f_x(x,t) &= 2x-5t \\
f_t(x,t) &= -5x \\
f(2,-1) &= 14 \\
f_x(2,-1) &= 9 \\
z &= f(x_0,t_0)+f_x(x_0,t_0)(x-x_0)+f_t(x_0,t_0)(t-t_0) \\
z &= 14+9(x-2)-10(t+1)
\end{align*}""",
    "a quotient in several variables": r"""
Let $f(x,y)=x^2y+3y$.
\begin{align*}
f(x+h,y) &= (x+h)^2y+3y \\
 &= x^2y+2xhy+h^2y+3y \\
\frac{\partial f}{\partial x} &= \lim_{h\to 0}\frac{2xhy+h^2y}{h} \\
 &= 2xy
\end{align*}""",
    "partial derivatives of what is 0": r"""
A curve is given by $\cos(xy)+x^3=2y$.
Let $F(x,y)=\cos(xy)+x^3-2y$.
\begin{align*}
F_x(x,y) &= -y\sin(xy)+3x^2 \\
F_y(x,y) &= -x\sin(xy)-2
\end{align*}
\[ \frac{dy}{dx}=\frac{3x^2-y\sin(xy)}{x\sin(xy)+2} \]""",
    "a bar on a row of its own": r"""
A circle is given by $x^2+y^2=169$. Its slope is $\frac{dy}{dx}=-\frac{x}{y}$.
\begin{align*}
\frac{dy}{dx}| \\
_{(5,12)} &= -\frac{5}{12}
\end{align*}""",
    "an order that is a sum": r"""
\[ \frac{d^{6}}{dx^{6}}(\cos x)=\frac{d^{4+2}}{dx^{4+2}}(\cos x)=-\cos x \]""",
    "functions of one name": r"""
(a) $f(x)=x^3$, (b) $f(x)=\cos x$, (c) $f(x)=e^{2x}$

(a) $f'(x)=3x^2$
(b) $f'(x)=-\sin x$
(c) $f'(x)=2e^{2x}$""",
    "extrema": r"""
Let $f(x)=x^3-12x$.
Then $f'(x)=3x^2-12=3(x-2)(x+2)$, which is 0 at $x=2$ and $x=-2$.
There is a local maximum at $x=-2$ and a local minimum at $x=2$, but no local minimum at $x=5$.""",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", PRINTED)
def test_a_solution_is_followed_as_it_is_printed(name):
    [solution] = read_work(PRINTED[name].strip())
    assert {line.status for line in solution.work.lines} == {"follows"}


@pytest.mark.parametrize(
    ("name", "old", "new", "first"),
    [
        ("an align with marks of layout", r"+ 3z^2\tan", r"+ 2z^2\tan", 5),
        ("words between the lines", "=4u^3.", "=4u^2.", 6),
        ("limits of difference quotients", "+1)-3}", "+1)-4}", 4),
        ("limits of difference quotients", "(2x+1)", "(2x-1)", 5),
        ("an arrow, and a value", r"\frac16", r"\frac15", 2),
        ("the logarithm of a function", "y(", "y^2(", 4),
        ("functions in a function", r"-(2xy-1)\sin", r"-(2xy+1)\sin", 5),
        ("partial derivatives in two columns", "x^2+2y", "x^2+y", 3),
        ("implicit differentiation", "+ 2y", "+ 3y", 4),
        ("implicit differentiation", r"= -\frac{1}{3}", r"= \frac{1}{3}", 9),
        ("functions on the line of the problem", "=-\\sin", "=\\sin", 3),
        ("a tangent plane", "-10(t", "-9(t", 8),
        ("a tangent plane", "&= 14", "&= 15", 5),
        ("a quotient in several variables", "+h^2y+3y", "+h^2+3y", 4),
        ("partial derivatives of what is 0", "&= -x", "&= -y", 5),
        ("functions of one name", "=-\\sin", "=\\sin", 4),
        ("functions of one name", "=2e", "=3e", 5),
        ("extrema", "minimum at $x=2$", "minimum at $x=3$", 3),
    ],
)
def test_the_first_wrong_line_is_found(name, old, new, first):
    [solution] = read_work(PRINTED[name].strip().replace(old, new, 1))
    assert solution.work.first_wrong == first


@pytest.mark.slow
def test_functions_of_one_name_are_told_apart_in_text_too():
    [solution] = read_work(
        "(a) y = x^3\n(b) y = cos x\n\n(a) y' = 3x^2\n(b) y' = sin x"
    )
    assert [line.status for line in solution.work.lines] == ["follows", "wrong"]


RELATED = {
    "a circle": ("x^2+y^2=25", ["2x + 2y y' = 0", "y' = -x/y", "y'' = -(y - x y')/y^2"]),
    "a sphere": ("V = 4/3 pi r^3", ["dV/dt = 4 pi r^2 dr/dt", "When r = 2 and dr/dt = 3,", "dV/dt = 4 pi (2)^2 (3) = 48 pi"]),
    "a ladder": ("x^2+y^2=100", ["2x dx/dt + 2y dy/dt = 0", "x = 6, y = 8, dx/dt = 1", "dy/dt = -x/y dx/dt = -3/4"]),
    "numbers that nobody named": ("V = pi r^2 h", ["dV/dt = 2 pi r h dr/dt + pi r^2 dh/dt", "dV/dt = 12 pi"]),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", RELATED)
def test_rates_that_an_equation_relates_are_followed(name):
    work = check_work(*RELATED[name])
    assert {line.status for line in work.lines} == {"follows"}


@pytest.mark.slow
def test_what_follows_from_a_wrong_equation_is_consequent():
    work = check_work("x^2+y^2=25", ["2x + 2y y' = 0", "2y y' = 2x", "y' = x/y"])
    assert [line.status for line in work.lines] == ["follows", "wrong", "consequent"]


def test_an_equation_of_a_sentence_accuses_nobody():
    [solution] = read_work(
        "Let $f(x)=x^2+1$.\nWe need $2x+3=9$ and $c=10b-5$, where $y=7x-2$ is a line.\n"
        "$f'(x)=2x$, and $x_0=4$."
    )
    assert {line.status for line in solution.work.lines} == {"follows"}


def test_what_continues_an_unread_line_is_not_called_wrong():
    work = check_work("x^2", [r"f'(x) &= \int_0^x \foo \\", r"&= 7x \\"])
    assert {line.status for line in work.lines} == {"unreadable"}


def test_lines_that_belong_together_are_one():
    assert joined(["\\[", "y = x", "\\]"]) == ["\\[ y = x \\]", "", ""]
    assert joined(["- y' = x", "- z"]) == ["- y' = x", "- z"]
    assert page(r"so $y=x$")[1] == ";;; y=x "


LINES = {
    r"Find the tangent line to $f(x)=\sqrt{x}$ at $x=4$.": [r"$f'(4)=\frac14$", r"The tangent line is $y=2+\frac14(x-4)$.", r"Thus $y=\frac14x+1$."],
    r"Find the linearization of $f(x)=x^{1/3}$ at $x=8$.": [r"$L(x)=f(8)+f'(8)(x-8)$", r"$L(x)=2+\frac{1}{12}(x-8)$"],
    r"Find the tangent plane of $z=x^2+3y^2$ at $(1,2)$.": ["$z_x=2x$, so $z_x(1,2)=2$.", "$z_y(1,2)=12$", "$z=13+2(x-1)+12(y-2)$"],
    r"Find the slope of $x=t^2+1$, $y=t^3-t$.": [r"$\frac{dx}{dt}=2t$", r"$\frac{dy}{dt}=3t^2-1$", r"$\frac{dy}{dx}=\frac{3t^2-1}{2t}$"],
    r"Let $z=x^2y$, where $x=\cos t$, $y=t^3$.": [r"$\frac{\partial z}{\partial x}=2xy$", r"$\frac{dz}{dt}=2xy(-\sin t)+3x^2t^2$"],
    r"Find $\frac{dy}{dx}$ for $\sin(xy)=x$.": [r"$\cos(xy)(y+x\frac{dy}{dx})=1$", r"$\frac{dy}{dx}=\frac{\sec(xy)-y}{x}$"],
    r"Let $f(x)=\frac{x^2-1}{x}$.": ["Rewrite $f(x)=x-x^{-1}$.", "Then $f'(x)=1+x^{-2}$."],
    "Find dy/dx for x^2 + x y + y^2 = 7.": ["2x + y + x y' + 2y y' = 0", "y' = -(2x + y)/(x + 2y)"],
    "V = (4/3) pi r^3": ["dV/dt = 4 pi r^2 dr/dt", "When r = 5 and dr/dt = 2:", "dV/dt = 4 pi (5)^2 (2)", "= 200 pi"],
    "A = pi r^2": ["dA/dt = 2 pi r dr/dt", "= 2 pi (10)(0.5)", "= 10 pi"],
    "f(x,y) = x^2 y^3": ["f_x = 2x y^3", "f_y = 3x^2 y^2", "f_xy = 6x y^2"],
    "f(x) = sqrt(x)": ["f'(a) = lim_{x->a} (sqrt(x) - sqrt(a))/(x - a)", "= lim_{x->a} 1/(sqrt(x) + sqrt(a))", "= 1/(2 sqrt(a))"],
    "f(x) = |x - 2|": ["For x > 2: f'(x) = 1", "For x < 2: f'(x) = -1"],
    "f(x) = x^2 + 3. Find the slope at x = 2.": ["At x = 2: f'(x) = 4"],
    "(a) f(x)=x^2, (b) f(x)=sin x": ["f'(x) = cos x"],
    "P(x) = -2x^2 + 80x": ["P'(x) = -4x + 80", "0 = -4x + 80", "x = 20"],
}  # fmt: skip


@pytest.mark.parametrize("problem", LINES)
def test_solutions_of_a_first_course_are_followed(problem):
    [solution] = read_work("\n".join([problem, *LINES[problem]]))
    assert {line.status for line in solution.work.lines} == {"follows"}


@pytest.mark.parametrize(
    ("problem", "line", "slip"),
    [
        (r"Find the tangent line to $f(x)=\sqrt{x}$ at $x=4$.", 3, r"The tangent line is $y=2-\frac14(x-4)$."),
        (r"Find the tangent line to $f(x)=\sqrt{x}$ at $x=4$.", 4, r"Thus $y=\frac14x-1$."),
        (r"Find the linearization of $f(x)=x^{1/3}$ at $x=8$.", 2, r"$L(x)=f(8)-f'(8)(x-8)$"),
        (r"Find the tangent plane of $z=x^2+3y^2$ at $(1,2)$.", 4, "$z=13+3(x-1)+12(y-2)$"),
        (r"Find the slope of $x=t^2+1$, $y=t^3-t$.", 4, r"$\frac{dy}{dx}=\frac{3t^2+1}{2t}$"),
        (r"Let $f(x)=\frac{x^2-1}{x}$.", 2, "Rewrite $f(x)=x+x^{-1}$."),
        ("V = (4/3) pi r^3", 2, "dV/dt = 3 pi r^2 dr/dt"),
        ("A = pi r^2", 4, "= 11 pi"),
        ("f(x) = sqrt(x)", 3, "= lim_{x->a} 1/(sqrt(x) - sqrt(a))"),
        ("f(x) = |x - 2|", 2, "For x > 2: f'(x) = -1"),
        ("P(x) = -2x^2 + 80x", 3, "0 = -4x - 80"),
    ],
)  # fmt: skip
def test_the_first_wrong_line_of_them_is_found(problem, line, slip):
    lines = [problem, *LINES[problem]]
    [solution] = read_work("\n".join([*lines[: line - 1], slip, *lines[line:]]))
    assert solution.work.first_wrong == line


def test_a_limit_that_diverges_is_no_number():
    work = check_work("x^2", "f'(3) = lim_{h->0} ((3+h)^2-8)/h\n= 6")
    assert work.lines[0].evidence == "this has no finite value, it should be 6"


ATOMS = {  # in text and in LaTeX, with the derivatives
    "x^3": ("x^3", "3*x^2", "3x^2"),
    "sin(x)": (r"\sin x", "cos(x)", r"\cos x"),
    "cos(x)": (r"\cos(x)", "-sin(x)", r"-\sin(x)"),
    "exp(2*x)": (r"e^{2x}", "2*exp(2*x)", r"2e^{2x}"),
    "ln(x)": (r"\ln x", "1/x", r"\frac{1}{x}"),
    "sqrt(x)": (r"\sqrt{x}", "1/(2*sqrt(x))", r"\frac{1}{2\sqrt{x}}"),
    "(x^2 + 1)": (r"\left(x^2+1\right)", "2*x", "2x"),
    "(3*x - 5)": (r"(3x-5)", "3", "3"),
}
RULES = [  # the function, its derivative as the rule says, and in another order; u and v, and p and q for u' and v'
    (("{u}*{v}", r"{u}\cdot {v}"), ("({p})*{v} + {u}*({q})", r"({p})\cdot {v} + {u}\cdot({q})"), ("{u}*({q}) + {v}*({p})", r"{u}({q}) + {v}({p})")),
    (("{u}/{v}", r"\frac{{{u}}}{{{v}}}"), ("(({p})*{v} - {u}*({q}))/({v})^2", r"\frac{{({p}){v} - {u}({q})}}{{\left({v}\right)^2}}"), ("({p})/{v} - {u}*({q})/({v})^2", r"\frac{{{p}}}{{{v}}} - \frac{{{u}({q})}}{{({v})^2}}")),
    (("({u})^4 + 2*{v}", r"\left({u}\right)^4 + 2{v}"), ("4*({u})^3*({p}) + 2*({q})", r"4\left({u}\right)^3({p}) + 2({q})"), ("2*({q}) + 4*({p})*({u})^3", r"2({q}) + 4({p})\left({u}\right)^{{3}}")),
    (("exp({u} - {v})", r"e^{{{u} - {v}}}"), ("exp({u} - {v})*(({p}) - ({q}))", r"e^{{{u} - {v}}}\cdot\left({p} - ({q})\right)"), ("(({p}) - ({q}))*exp({u} - {v})", r"[{p} - ({q})]e^{{{u} - {v}}}")),
]  # fmt: skip
SLIPS = [(" - ", " + "), (" + ", " - "), ("3", "4"), ("^2", "^3"), ("2", "5")]


def pairs(rng):
    """A solution as text and as LaTeX, right or with the same slip in both, which is in the one line or the other."""
    u, v = rng.sample(sorted(ATOMS), 2)
    texts = {"u": u, "v": v, "p": ATOMS[u][1], "q": ATOMS[v][1]}
    printed = {"u": ATOMS[u][0], "v": ATOMS[v][0], "p": ATOMS[u][2], "q": ATOMS[v][2]}
    rule = [(text.format(**texts), tex.format(**printed)) for text, tex in rng.choice(RULES)]  # fmt: skip
    if rng.random() < 0.6:
        line, (old, new) = rng.choice([1, 2]), rng.choice(SLIPS)
        if all(one.count(old) == rule[line][0].count(old) for one in rule[line]):
            rule[line] = tuple(one.replace(old, new, 1) for one in rule[line])
    (f, f_tex), (one, one_tex), (other, other_tex) = rule
    text = f"f(x) = {f}\nf'(x) = {one}\n      = {other}"
    rows = rf"f'(x) &= {one_tex} \\" + f"\n &= {other_tex}"
    return text, f"Let $f(x) = {f_tex}$.\n\\begin{{align*}}\n{rows}\n\\end{{align*}}"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_a_line_gets_the_same_verdict_in_text_and_in_latex(seed):
    text, latex = pairs(random.Random(seed))
    [own], [printed] = read_work(text), read_work(latex)
    assert [line.status for line in printed.work.lines] == [line.status for line in own.work.lines]  # fmt: skip
    assert printed.work.verdict == own.work.verdict
