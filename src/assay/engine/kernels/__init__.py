"""How attention and the head are computed: on processors, on GPUs, and the plain way."""
