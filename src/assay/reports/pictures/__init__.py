"""Pictures as SVG text that stands alone: no script, no link, no font of its own."""
