#!/bin/sh
# Builds `larder` with object storage and runs its tour. Writes only to this folder and a temporary one.
. "$(dirname -- "$0")/settings.sh"
traits=Command,Objects
# Only object storage needs SQLite's development files.
"$root/Scripts/require.sh" sqlite3.h || { traits=Command; say "Without SQLite's development files the tour skips object storage."; }
use_macros
# Its own scratch folder and flags: this build needs no debug information and no index for editors.
flags="--scratch-path $root/.build/demo --traits $traits -debug-info-format none $whole --product larder"
say "Building larder in .build/demo (the first build takes a minute on two cores)"
# shellcheck disable=SC2086
swift build $flags </dev/null
# shellcheck disable=SC2086
"$(swift build $flags --show-bin-path)/larder" tour </dev/null
