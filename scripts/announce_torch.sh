#!/bin/sh
# announce_torch.sh PYTHON: before pip installs what checkpoints need, say what it downloads and how
# big that is. Says nothing where all of it is installed already.

if "$1" -c 'import importlib.util as u, sys
sys.exit(not all(map(u.find_spec, ("torch", "transformers", "safetensors"))))'; then
  exit 0
fi

echo
echo "Next: three training checkpoints. They need PyTorch and transformers, which pip downloads now:"
case "$(uname -s) $(uname -m)" in
  "Linux x86_64")
    echo "about 3 GB with the CUDA libraries of PyTorch's standard build (7 GB on disk), or about" \
      "250 MB where pip is set up to find PyTorch's CPU build. Ctrl-C skips this part." ;;
  *)
    echo "about 250 MB (1 GB on disk). Ctrl-C skips this part." ;;
esac
