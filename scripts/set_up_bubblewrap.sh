#!/bin/sh
# Bubblewrap (bwrap) is the first choice for running code that models write: docs/sandbox.md.
# Installs it where that takes nobody's password, else says what to do. Never fails: without it
# Assay uses the kernel's namespaces, and tests that need bubblewrap are skipped.

if command -v bwrap >/dev/null 2>&1 || [ "$(uname -s)" != Linux ]; then
  exit 0
fi

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "installing bubblewrap"
  export DEBIAN_FRONTEND=noninteractive
  # A fresh container has no lists of packages yet; a machine without a network gets none.
  get="timeout 120 apt-get -qq -o DPkg::Lock::Timeout=60"
  $get install --no-install-recommends -y bubblewrap >/dev/null 2>&1 ||
    { $get update >/dev/null 2>&1 &&
      $get install --no-install-recommends -y bubblewrap >/dev/null 2>&1; }
fi

if ! command -v bwrap >/dev/null 2>&1; then
  echo "bubblewrap is not installed; tests that need it are skipped." \
    "Install the package bubblewrap, for example: sudo apt-get install bubblewrap"
fi
exit 0
