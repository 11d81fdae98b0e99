#!/bin/sh
# Runs the device store's proofs at full volume: crash images, kills, failing calls, flipped bits, truncated files, interrupted repairs and
# backups, random programs compared with SQLite; prints its counts.
# Scripts/torture.sh [IMAGES [KILLS [systemCalls|mapped]]]; the defaults are 5,000,000, 10,000 and both I/O modes.
. "$(dirname -- "$0")/settings.sh"
scratch="$root/.build/torture"
say "Building the torture test (release)"
# LARDER_TESTS with a name that matches no test target excludes all test targets from the build.
LARDER_TESTS=none swift build -c release --traits Encryption --scratch-path "$scratch" --product DeviceStoreHelper </dev/null
LARDER_TESTS=none swift build -c release --traits Encryption --scratch-path "$scratch" --product DeviceStoreTorture </dev/null
say "Torture: crash images, kills, failing calls, flipped bits; 40 minutes on two cores at full volume"
"$scratch/release/DeviceStoreTorture" "$@"
