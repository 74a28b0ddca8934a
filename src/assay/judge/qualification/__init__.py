"""Whether a judge may be trusted: gold answers, injections, and the marks of its card."""
