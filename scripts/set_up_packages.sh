#!/bin/sh
# What the tests use beyond Python: bubblewrap (bwrap) for code that models write
# (docs/explanation/sandbox.md), and Chromium with its driver for the pages people look at.
# Installs them where that takes nobody's password, else says what to do. Never fails: tests that
# need what is missing are skipped.

[ "$(uname -s)" = Linux ] || exit 0

missing=""
command -v bwrap >/dev/null 2>&1 || missing="bubblewrap"
command -v chromedriver >/dev/null 2>&1 || missing="$missing chromium chromium-driver"
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "installing $missing"
  export DEBIAN_FRONTEND=noninteractive
  get="timeout 240 apt-get -qq -o DPkg::Lock::Timeout=60"
  for package in $missing; do
    # A fresh container has no lists of packages yet; a machine without a network gets none.
    $get install --no-install-recommends -y "$package" >/dev/null 2>&1 ||
      { $get update >/dev/null 2>&1 &&
        $get install --no-install-recommends -y "$package" >/dev/null 2>&1; } || break
  done
fi

if ! command -v bwrap >/dev/null 2>&1 || ! command -v chromedriver >/dev/null 2>&1; then
  echo "some of these are not installed; tests that need them are skipped." \
    "Install the packages $missing, for example: sudo apt-get install $missing"
fi
exit 0
