"""What a person needs of a page: text that stands out from its ground, large enough, and no sideways scrolling."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

LEAST_CONTRAST = 4.5  # WCAG 2.2, success criterion 1.4.3
LEAST_PX = 11

# Every element with visible text of its own: its words, size, ink, and the grounds below it up to an opaque one.
_TEXTS = """
() => {
  const channels = color => {
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const known = new Map();
  const rgba = color => known.get(color) ?? known.set(color, channels(color)).get(color);
  const found = [];
  for (const element of document.body.querySelectorAll("*")) {
    const own = [...element.childNodes].filter(n => n.nodeType === 3).map(n => n.data).join("").trim();
    if (!own || !element.checkVisibility() || !element.getClientRects().length) continue;
    if (["SCRIPT", "STYLE"].includes(element.tagName)) continue;
    const look = getComputedStyle(element);
    const grounds = [];
    for (let at = element; at; at = at.parentElement) {
      const ground = rgba(getComputedStyle(at).backgroundColor);
      grounds.push(ground);
      if (ground[3] === 255) break;
    }
    found.push({text: own.slice(0, 60), px: parseFloat(look.fontSize), ink: rgba(look.color), grounds});
  }
  return found;
}
"""


def unreadable(page: Page) -> list[str]:
    """The visible texts that are too small or too faint, each with its figures."""
    texts = page.evaluate(_TEXTS)
    assert texts, "the page shows no text at all"
    return [fault for text in texts for fault in _faults(text)]


def scrolls_sideways(page: Page) -> bool:
    """Whether the page as a whole is wider than its window."""
    wider: bool = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    return wider


def contrast(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """How much two colours differ in light, from 1 to 21.

    >>> contrast((0, 0, 0), (255, 255, 255))
    21.0
    """
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _faults(text: dict[str, Any]) -> list[str]:
    ground: tuple[float, ...] = (255, 255, 255)
    for layer in reversed(text["grounds"]):
        ground = _over(layer, ground)
    ratio = contrast(_over(text["ink"], ground), ground)
    faint = [f"{text['text']!r}: contrast {ratio:.2f}"] if ratio < LEAST_CONTRAST else []
    small = [f"{text['text']!r}: {text['px']} px"] if text["px"] < LEAST_PX else []
    return faint + small


def _over(layer: list[int], ground: tuple[float, ...]) -> tuple[float, ...]:
    share = layer[3] / 255
    return tuple(share * top + (1 - share) * below for top, below in zip(layer[:3], ground, strict=True))


def _luminance(color: tuple[float, ...]) -> float:
    """Relative luminance as WCAG defines it."""
    red, green, blue = (
        part / 12.92 if (part := channel / 255) <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for channel in color
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
