#!/bin/sh
# Tests the inspector's page in Chromium. Arguments are those of `Tests/Browser/run.py`: `--larder PROGRAM` fills a temporary folder and serves
# it with `larder inspect`, an address tests an inspector that runs already, and without both a mock is tested. Screenshots at three widths
# are written to .build/browser/screenshots.
. "$(dirname -- "$0")/settings.sh"
folder="$root/.build/browser"
mkdir -p "$folder"

missing=
for program in python3 chromedriver; do command -v "$program" >/dev/null 2>&1 || missing="$missing $program"; done
command -v chromium >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || missing="$missing chromium"
python3 -c 'import ensurepip, venv' 2>/dev/null || missing="$missing python3-venv"
if [ -n "$missing" ] && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
    say "Installing a browser (apt)"
    packages="python3 python3-venv chromium chromium-driver"
    # shellcheck disable=SC2086 # The names are separate arguments.
    if DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $packages </dev/null >"$folder/apt.log" 2>&1 ||
        { apt-get update </dev/null >>"$folder/apt.log" 2>&1 && DEBIAN_FRONTEND=noninteractive \
            apt-get install -y --no-install-recommends $packages </dev/null >>"$folder/apt.log" 2>&1; }; then missing=; fi
fi
if [ -n "$missing" ]; then
    [ -z "${CI-}" ] || fail "The tests of the inspector's page need$missing. Install them: apt-get install chromium chromium-driver python3-venv"
    say "Left out: the tests of the inspector's page in a browser, because$missing is missing (apt-get install chromium chromium-driver python3-venv)"
    exit 0
fi

# The packages are pinned by version and hash. They are installed once for each list.
wanted=$(cksum <Tests/Browser/requirements.txt)
if [ "$(cat "$folder/installed" 2>/dev/null)" != "$wanted" ]; then
    say "Installing Selenium and axe-core in .build/browser"
    rm -rf "$folder/venv"
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary :all: \
        -r Tests/Browser/requirements.txt </dev/null || fail "Cannot install the packages of Tests/Browser/requirements.txt. Check the network."
    echo "$wanted" >"$folder/installed"
fi
say "Testing the inspector's page in Chromium"
PYTHONDONTWRITEBYTECODE=1 exec "$folder/venv/bin/python" Tests/Browser/run.py --screenshots "$folder/screenshots" "$@"
