"""How the page of a review looks, and its few lines of script."""

from __future__ import annotations

STYLE = """
:root { --old: #ffebe9; --old-word: #ffb3ad; --new: #e2f6e6; --new-word: #98dca8; --frame: #f6f6f6; }
@media (prefers-color-scheme: dark) {
  :root { --old: #3b1d1e; --old-word: #8a2f2c; --new: #15321f; --new-word: #1f6b37; --frame: #202020; }
}
nav table { border-collapse: collapse; margin: 1rem 0; }
nav td { padding: .15rem 1.2rem .15rem 0; }
nav td:not(:first-child) { white-space: nowrap; color: var(--soft); }
.state { font-size: .8rem; border: 1px solid var(--line); border-radius: 1rem; padding: .05rem .55rem; }
.minus, .plus { color: var(--ink); border-radius: .2rem; padding: 0 .35rem; white-space: nowrap; }
.minus, .old { background: var(--old); }
.plus, .new { background: var(--new); }

details { border: 1px solid var(--line); border-radius: .5rem; margin: 1rem 0; }
summary { cursor: pointer; padding: .6rem 1rem; background: var(--frame); border-radius: .5rem; }
summary h2 { display: inline; font-size: 1.05rem; margin: 0 .5rem 0 .2rem; }
.inner { padding: .5rem 1rem 1rem; }
.about { color: var(--soft); font-size: .9rem; margin: .25rem 0 .75rem; }
.views { display: inline-flex; border: 1px solid var(--line); border-radius: .4rem; overflow: hidden; }
.views button { border: 0; background: none; padding: .25rem .9rem; }
.views button + button { border-left: 1px solid var(--line); }
.views button[aria-pressed=true] { background: var(--ink); color: var(--paper); }
pre { font-size: 13px; line-height: 1.45; margin: .75rem 0 0; white-space: pre-wrap; }

.diff { border-collapse: collapse; width: 100%; table-layout: fixed; margin-top: .75rem; }
.diff td {
  font: 13px/1.45 ui-monospace, "DejaVu Sans Mono", monospace; white-space: pre-wrap; vertical-align: top;
  width: 50%; padding: .05rem .5rem .05rem 1.6rem; text-indent: -1.1rem;
}
.diff td::before { content: "  "; }
.diff .old::before { content: "- "; }
.diff .new::before { content: "+ "; }
.diff .gap { color: var(--soft); border-top: 1px solid var(--line); }
.diff .gap::before { content: "… "; }
.only-after td:first-child { display: none; }
del, ins { text-decoration: none; border-radius: 2px; }
del { background: var(--old-word); }
ins { background: var(--new-word); }

.screens { display: flex; flex-wrap: wrap; gap: 1rem; }
figure { margin: .75rem 0 0; max-width: 100%; min-width: 0; }
figcaption { color: var(--soft); font-size: .9rem; }
pre.screen {
  background: #111; color: #ddd; padding: .6rem .8rem; border-radius: .4rem; margin: .2rem 0 0;
  font-size: 11.5px; line-height: 1.3; white-space: pre; overflow-x: auto;
}
.screen span { display: block; min-width: max-content; padding-left: .4rem; border-left: 3px solid #111; }
.screen .old { background: #4b1d1e; border-color: #ff7b72; }
.screen .new { background: #143d24; border-color: #56d364; }
@media (max-width: 52rem) {
  .diff, .diff tbody, .diff tr, .diff td { display: block; width: 100%; }
  .diff .same td:first-child, .diff td:empty, .only-after td:first-child { display: none; }
  .inner { padding: .5rem .6rem .8rem; }
  summary { padding: .6rem; }
}
"""
SCRIPT = """
for (const change of document.querySelectorAll("details")) {
  const buttons = change.querySelectorAll("[data-show]");
  const show = name => {
    for (const part of change.querySelectorAll("[data-part]")) part.hidden = part.dataset.part !== name;
    for (const button of buttons) button.setAttribute("aria-pressed", button.dataset.show === name);
  };
  for (const button of buttons) button.addEventListener("click", () => show(button.dataset.show));
  show("diff");
}
const unfold = () => {
  const change = document.getElementById(location.hash.slice(1));
  if (change) change.open = true;
};
addEventListener("hashchange", unfold);
unfold();
"""
