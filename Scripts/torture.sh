#!/bin/sh
# The long form of the proofs of the device store: crash images, kills, failing calls, flipped bits, cut files,
# repairs and backups cut short, random programs beside SQLite; prints its counts.
# Scripts/torture.sh [IMAGES [KILLS [systemCalls|mapped]]]: 5,000,000, 10,000 and both ways of writing unless told otherwise.
. "$(dirname -- "$0")/settings.sh"
scratch="$root/.build/torture"
say "Building the torture (release)"
# The tests' targets are not built; naming one that is not there leaves them out.
LARDER_TESTS=none swift build -c release --traits Encryption --scratch-path "$scratch" --product DeviceStoreHelper </dev/null
LARDER_TESTS=none swift build -c release --traits Encryption --scratch-path "$scratch" --product DeviceStoreTorture </dev/null
say "Torture: crash images, kills, failing calls, flipped bits; 40 minutes on two cores, unless fewer images and kills are asked for"
"$scratch/release/DeviceStoreTorture" "$@"
