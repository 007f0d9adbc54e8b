"""One HTML page that is a single file, loads nothing, and is read in light, in dark and on a phone."""

from __future__ import annotations

from html import escape

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
_STYLE = """
:root {
  color-scheme: light dark;
  --ink: #1c1c1c; --paper: #fff; --line: #d0d0d0; --soft: #5c5c5c; --link: #0a58b8;
}
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --paper: #161616; --line: #444; --soft: #a8a8a8; --link: #8ab8ff; }
}
* { box-sizing: border-box; }
body {
  font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  margin: 0 auto; padding: 1.5rem; max-width: 84rem; overflow-wrap: anywhere;
}
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .3rem; }
p { margin: .3rem 0; }
a { color: var(--link); }
.lead { color: var(--soft); max-width: 62rem; }
code, pre { font-family: ui-monospace, "DejaVu Sans Mono", monospace; }
button { font: inherit; color: inherit; cursor: pointer; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 1px; }
@media (max-width: 40rem) {
  body { padding: 1rem .75rem; }
  h1 { font-size: 1.25rem; }
}
"""


def html_page(title: str, body: str, style: str, script: str = "") -> str:
    """The whole page.

    Its own policy forbids every address; only the style and the script that stand in it are used.

    Args:
        title: As plain text.
        body: As HTML, with all foreign text escaped.
        style: More CSS, after that of every page.
        script: JavaScript that runs at the end, if any.
    """
    end = f"<script>{script}</script>\n" if script else ""
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<link rel="icon" href="data:,">
<style>{_STYLE}{style}</style>
<body>
{body}
{end}</body>
</html>
"""
