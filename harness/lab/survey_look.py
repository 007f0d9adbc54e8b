"""How the page of a survey looks."""

from __future__ import annotations

STYLE = """
:root {
  --told: #d3def4; --never: #f6cfae; --left-alone: #e2f0e2; --interrupted: #eda3a3; --error: #dcdcdc;
}
.stopped { background: hsl(150 50% calc(54% + 32% * var(--share, .3))); }
@media (prefers-color-scheme: dark) {
  :root {
    --told: #2c3f66; --never: #6e3d12; --left-alone: #24382a; --interrupted: #8d2b2b; --error: #4a4a4a;
  }
  .stopped { background: hsl(152 calc(75% - 40% * var(--share, .3)) calc(28% - 12% * var(--share, .3))); }
}
.told { background: var(--told); }
.never { background: var(--never); }
.error { background: var(--error); }
.left-alone { background: var(--left-alone); }
.interrupted { background: var(--interrupted); }
.legend {
  display: flex; flex-wrap: wrap; gap: .3rem 1.5rem; list-style: none; padding: 0; margin: .8rem 0 1rem;
}
body { max-width: none; }  /* a column for each agent */
.swatch { display: inline-block; min-width: 1.7em; text-align: center; border-radius: .25rem; }

.wide { overflow-x: auto; }
.map { border-collapse: separate; border-spacing: 2px; line-height: 1.25; overflow-wrap: normal; }
.map th, .map td { padding: .2rem .3rem; font-size: 13px; border-radius: 3px; }
.map th { text-align: left; vertical-align: bottom; min-width: 4.2rem; font-size: 12px; }
.map th:first-child {
  position: sticky; left: 0; background: var(--paper);
  font-size: 13px; min-width: 11rem; max-width: 17rem;
}
.map tbody th { vertical-align: middle; }
.map small { display: block; font-size: 11px; font-weight: 400; color: var(--soft); }
.map .group > * { padding-top: .9rem; font-weight: 600; vertical-align: bottom; }
.map .none { color: var(--soft); font-size: 11px; }
.map td:has(button) { padding: 0; height: 1px; }
.map td button {
  width: 100%; height: 100%; min-height: 2.7rem; border: 0; border-radius: 3px; background: none;
  padding: .25rem .3rem; text-align: left; white-space: nowrap;
}
.map td button:hover { box-shadow: inset 0 0 0 2px var(--ink); }
.map td small { color: inherit; white-space: normal; }

[popover] {
  color: var(--ink); background: var(--paper); border: 1px solid var(--line); border-radius: .5rem;
  padding: 1rem 1.2rem; max-width: min(44rem, 94vw); max-height: 90vh; overflow: auto;
  box-shadow: 0 .5rem 2rem #0006;
}
[popover]::backdrop { background: #0005; }
[popover] > button { float: right; border: 0; background: none; font-size: 1.1rem; padding: .1rem .5rem; }
[popover] h2 { font-size: 1.05rem; margin: 0 0 .5rem; }
[popover] ul { padding-left: 1.1rem; font-size: 14px; }
blockquote { margin: .6rem 0; padding: .4rem .8rem; border-left: 3px solid var(--line); }
blockquote { font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
@media (max-width: 40rem) {
  .map th:first-child { min-width: 7.5rem; max-width: 7.5rem; }
  .map tbody th small { display: none; }
}
"""
