"""The frame of a page in one file: its head, its style and, if it has one, its script.

    page("a title", "<h1>…</h1>", style="h1{color:$value}")

The page asks for nothing from anywhere, which it also tells the browser; the one script that may run is the
one that it was made with.
"""

from __future__ import annotations

import base64
import hashlib

from exprgrad.pictures.svg import SANS, css, escaped

STYLE = f"""
*{{box-sizing:border-box}}
body{{margin:0 auto;padding:1.2rem;max-width:80rem;font:16px/1.45 {SANS};background:$paper;color:$ink}}
h1{{font-size:1.3rem;font-weight:500;overflow-wrap:anywhere}} h2{{font-size:1rem;margin:1.4rem 0 .4rem}}
math{{font-size:1.15em}}
button{{font:inherit;min-width:2.6rem;padding:.35rem .8rem;border:1px solid $line;border-radius:6px;background:$box;color:$ink}}
:focus-visible{{outline:3px solid $value;outline-offset:1px}} button:disabled{{color:$grey}}
table{{border-collapse:collapse;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums}}
caption{{text-align:left;font-size:1rem;font-weight:600;padding:.2rem 0 .4rem}}
th,td{{text-align:left;padding:.25rem .6rem;border-bottom:1px solid $hair;white-space:nowrap}} th{{color:$soft;font-weight:500}}
summary{{cursor:pointer}}
@media print{{body{{padding:0;max-width:none;font-size:11pt}} button{{display:none}}}}
"""
"""What all pages look like; `$value` stands for the colour of that name."""


def page(title: str, body: str, style: str = "", script: str = "") -> str:
    """A page with a body of HTML, a style of its own after the common one, and a script at its end."""
    allowed = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"  # fmt: skip
    end = ""
    if script:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        allowed += f"; script-src 'sha256-{digest}'"
        end = f"<script>{script}</script>\n"
    return (
        '<!DOCTYPE html>\n<html lang="en" class="exprgrad">\n<head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escaped(allowed)}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escaped(title)}</title>\n"
        f"<style>{css(STYLE + style)}</style></head>\n<body>\n{body}\n{end}</body>\n</html>\n"
    )
