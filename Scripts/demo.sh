#!/bin/sh
# Builds `larder` and runs its tour. Nothing outside a temporary folder is touched.
. "$(dirname -- "$0")/settings.sh"
say "Building larder (the first time takes a minute or two)"
swift build --product larder --traits Command </dev/null
"$(swift build --product larder --traits Command --show-bin-path)/larder" tour </dev/null
