"""Pictures as SVG, on one small plotting module."""
