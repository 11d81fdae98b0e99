#!/bin/sh
# Builds `larder` with the inspector, fills a temporary folder with what the tour makes and with the stores of a service, starts a program that
# keeps writing there, and serves the page until it is interrupted. With a command, runs it with the address as its argument instead of waiting.
#
# Scripts/inspect.sh [COMMAND [ARGUMENT...]]
. "$(dirname -- "$0")/settings.sh"
traits=Command,Inspector,Encryption,Replication,Objects
# Only object storage needs SQLite's development files.
"$root/Scripts/require.sh" sqlite3.h ||
    { traits=${traits%,Objects}; say "Without SQLite's development files there are no databases of objects."; }
use_macros
flags="--scratch-path $root/.build/inspect --traits $traits -debug-info-format none $whole --product larder"
say "Building larder in .build/inspect (the first build takes some minutes on two cores)"
# shellcheck disable=SC2086
swift build $flags </dev/null
# shellcheck disable=SC2086
larder="$(swift build $flags --show-bin-path)/larder"

folder=$(mktemp -d)
writer=
inspector=
# shellcheck disable=SC2317
finish() {
    for process in $writer $inspector; do kill "$process" 2>/dev/null || :; done
    for process in $writer $inspector; do wait "$process" 2>/dev/null || :; done
    rm -rf "$folder"
}
trap finish EXIT
trap 'exit 130' INT TERM
mkdir "$folder/stores"
say "Filling $folder/stores"
"$larder" inspection-demo "$folder/stores" </dev/null
"$larder" inspection-demo "$folder/stores" --writes </dev/null &
writer=$!
"$larder" inspect "$folder/stores" </dev/null >"$folder/address" &
inspector=$!
until [ -s "$folder/address" ]; do
    kill -0 "$inspector" 2>/dev/null || fail "The inspector has ended (see above)."
    sleep 0.05
done
address=$(cat "$folder/address")
if [ $# -gt 0 ]; then
    "$@" "$address"
else
    say "Open this address in a browser. Press Control-C to end."
    echo "$address"
    wait "$inspector"
fi
