#!/bin/sh
# Builds `larder` with object storage and runs its tour. Nothing outside this folder and a temporary one is touched.
. "$(dirname -- "$0")/settings.sh"
traits=Command,Objects
# Object storage needs SQLite's development files; the rest of the tour does without.
"$root/Scripts/require.sh" sqlite3.h || { traits=Command; say "The tour leaves out object storage."; }
use_macros
# A scratch folder and flags of its own: nobody debugs what is built here, and no editor looks into it.
flags="--scratch-path $root/.build/demo --traits $traits -debug-info-format none --disable-index-store --product larder"
say "Building larder in .build/demo: a minute on two cores the first time"
# shellcheck disable=SC2086
swift build $flags </dev/null
# shellcheck disable=SC2086
"$(swift build $flags --show-bin-path)/larder" tour </dev/null
