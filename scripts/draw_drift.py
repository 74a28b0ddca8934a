"""Draws divergence by size, from the document of `assay drift BASE OTHER... --gate FILE --json`.

python scripts/draw_drift.py drift.json "SmolLM2-135M-Instruct" > docs/pictures/drift.svg
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 600, 50, 330
DECADES = -3, 0  # powers of ten of the divergences shown
SIZES = 80, 280  # MB of weights
INK, LIMIT = "#246", "#b00"


def draw(found: dict[str, Any], name: str) -> str:
    sizes = {spec: float(said.split()[-2]) for spec, said in found["weights"].items()}
    told = ", ".join(
        f"{label(each['model'])} {sizes[each['model']]:.0f} MB {each['kl']['value']:.3g}"
        for each in found["models"]
    )
    said = f"Mean divergence from {label(found['base'])} by size of the weights: {told}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{said}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        text(LEFT, 26, f"{name}: what quantising changed", "start", size=14),
    ]
    for power in range(DECADES[0], DECADES[1] + 1):
        height = y(10.0**power)
        lines += [across(height, "#ddd"), text(LEFT - 6, height + 4, f"{10.0**power:g}", "end")]
    for size in range(100, SIZES[1], 50):
        lines.append(text(x(size), BOTTOM + 36, f"{size}"))
    lines.append(text((LEFT + RIGHT) / 2, BOTTOM + 58, "MB of weights"))
    lines.append(
        f'<g transform="translate(18 {(TOP + BOTTOM) / 2}) rotate(-90)">'
        f"{text(0, 0, 'mean divergence, nats per token (log scale)')}</g>"
    )
    limit = found["limits"]["max_kl"]
    lines.append(across(y(limit), LIMIT, ' stroke-dasharray="5 4"'))
    lines.append(text(RIGHT, y(limit) - 6, f"gate: max_kl = {limit:g}", "end", LIMIT))
    lines += [point(each, sizes[each["model"]]) for each in found["models"]]
    base = x(sizes[found["base"]])
    lines.append(f'<path d="M{base:.1f} {BOTTOM + 14} l-5 9 l10 0 z" fill="{INK}"/>')
    lines.append(text(base - 10, BOTTOM + 22, f"{label(found['base'])}: the base", "end"))
    return "\n".join([*lines, "</svg>\n"])


def point(each: dict[str, Any], size: float) -> str:
    kl, at = each["kl"], x(size)
    high, middle, low = (y(kl[key]) for key in ("high", "value", "low"))
    said = f"{label(each['model'])}: {kl['value']:.3g}, same top token "
    said += f"{100 * each['same_top']['value']:.1f} %"
    return (
        f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{high:.1f}" y2="{low:.1f}" stroke="{INK}" '
        f'stroke-width="2"/><circle cx="{at:.1f}" cy="{middle:.1f}" r="5" fill="{INK}"/>'
        + text(at + 12, middle + 4, said, "start")
    )


def across(height: float, colour: str, more: str = "") -> str:
    ends = f'x1="{LEFT}" x2="{RIGHT}" y1="{height:.1f}" y2="{height:.1f}"'
    return f'<line {ends} stroke="{colour}"{more}/>'


def text(
    at: float,
    height: float,
    said: str,
    anchor: str = "middle",
    colour: str = "#000",
    size: int = 12,
) -> str:
    place = f'x="{at:.1f}" y="{height:.1f}" text-anchor="{anchor}"'
    return f'<text {place} fill="{colour}" font-size="{size}">{said}</text>'


def x(size: float) -> float:
    return LEFT + (RIGHT - LEFT) * (size - SIZES[0]) / (SIZES[1] - SIZES[0])


def y(kl: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * (math.log10(kl) - DECADES[0]) / (DECADES[1] - DECADES[0])


def label(spec: str) -> str:
    return spec.removeprefix("gguf:").removesuffix(".gguf")


if __name__ == "__main__":
    sys.stdout.write(draw(json.loads(Path(sys.argv[1]).read_text("utf-8")), sys.argv[2]))
