#!/bin/sh
# Tests the inspector's page in Chromium. Arguments are those of `Tests/Browser/run.py`: `--larder PROGRAM` fills a temporary folder and serves
# it with `larder inspect`, `--program PROGRAM` starts InspectorHelper, which is a program with an inspector, an address tests an inspector that
# runs already, and without all of these a mock is tested. `--short` tests what .ci/run tests. Screenshots at three widths are written to
# .build/browser/screenshots. Installs Chromium and its driver with apt if it may, and Selenium and axe-core in .build/browser.
#
# Scripts/browser.sh --memory --larder PROGRAM [--minutes N]: measures memory for an hour instead, by `Tests/Browser/memory.py`.
. "$(dirname -- "$0")/settings.sh"
folder="$root/.build/browser"
mkdir -p "$folder"

# left_out REASON: in CI a missing requirement is an error, elsewhere the tests are left out.
left_out() {
    [ -z "${CI-}" ] || fail "The page of the inspector can't be tested. $1"
    say "Left out: the tests of the inspector's page in a browser. $1"
    exit 0
}
Scripts/require.sh venv chromium chromedriver >"$folder/requirements" 2>&1 ||
    { cat "$folder/requirements" >&2; left_out "Install Chromium, its driver and Python's venv (see above)."; }

# The packages are pinned by version and hash. They are installed once for each list.
wanted=$(cksum <Tests/Browser/requirements.txt)
if [ "$(cat "$folder/installed" 2>/dev/null)" != "$wanted" ]; then
    say "Installing Selenium and axe-core in .build/browser"
    rm -rf "$folder/venv"
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary :all: \
        -r Tests/Browser/requirements.txt </dev/null ||
        left_out "The packages of Tests/Browser/requirements.txt can't be installed; check the network."
    echo "$wanted" >"$folder/installed"
fi
say "Testing the inspector's page in Chromium"
# A program of the coverage build would leave profiles here.
export LLVM_PROFILE_FILE=/dev/null
export PYTHONDONTWRITEBYTECODE=1
if [ "${1-}" = --memory ]; then
    shift
    exec "$folder/venv/bin/python" Tests/Browser/memory.py "$@"
fi
exec "$folder/venv/bin/python" Tests/Browser/run.py --screenshots "$folder/screenshots" "$@"
