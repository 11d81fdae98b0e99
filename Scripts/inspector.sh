#!/bin/sh
# Tests the running command `larder inspect` from outside: Schemathesis compares its answers with its OpenAPI document, a client speaks TLS with
# it, `--no-trace` leaves every file as it was, and the command ends cleanly when it is interrupted. Takes seconds. Needs the command, which
# Scripts/build.sh builds; installs Schemathesis in .build.
#
# Scripts/inspector.sh [PATH-OF-LARDER]
. "$(dirname -- "$0")/settings.sh"
larder=${1:-$checks/debug/larder}
Scripts/require.sh venv curl openssl
[ -x "$larder" ] || fail "There is no program at $larder. Run Scripts/build.sh."

# The packages are pinned by version and hash. They are installed once for each list.
tools="$root/.build/schemathesis"
schemathesis="$tools/bin/schemathesis"
wanted=$(cksum <Tests/Schemathesis/requirements.txt)
if [ "$(cat "$tools/installed" 2>/dev/null)" != "$wanted" ]; then
    say "Installing Schemathesis in .build/schemathesis"
    rm -rf "$tools"
    if python3 -m venv "$tools" && "$tools/bin/pip" install --quiet --disable-pip-version-check --no-deps --require-hashes \
        --only-binary :all: -r Tests/Schemathesis/requirements.txt </dev/null; then
        echo "$wanted" >"$tools/installed"
    else
        [ -z "${CI-}" ] || fail "Cannot install the packages of Tests/Schemathesis/requirements.txt. Check the network."
        schemathesis=
    fi
fi

folder=$(mktemp -d)
inspector=
# shellcheck disable=SC2317
finish() {
    [ -z "$inspector" ] || kill "$inspector" 2>/dev/null || :
    rm -rf "$folder"
}
trap finish EXIT
trap 'exit 130' INT TERM

# start ARGUMENT...: starts the inspector, and sets `address` and `token`.
start() {
    : >"$folder/address"
    "$larder" inspect "$@" </dev/null >"$folder/address" &
    inspector=$!
    until [ -s "$folder/address" ]; do
        kill -0 "$inspector" 2>/dev/null || fail "larder inspect $* has ended (see above)."
        sleep 0.05
    done
    address=$(sed 's|/#.*||' "$folder/address")
    token=$(sed 's|.*token=||' "$folder/address")
}

# stop SIGNAL: interrupts the inspector, which must end without an error.
stop() {
    kill -s "$1" "$inspector"
    wait "$inspector" || fail "larder inspect ended with status $? after SIG$1."
    inspector=
}

# listing FOLDER: prints the names, sizes, times and checksums of all files.
listing() { (cd "$1" && find . -printf '%p %s %T@ %m\n' | LC_ALL=C sort && find . -type f -exec cksum {} + | LC_ALL=C sort); }

mkdir "$folder/stores"
"$larder" inspection-demo "$folder/stores" </dev/null

say "Answers compared with the OpenAPI document"
start "$folder/stores"
[ -n "$schemathesis" ] || say "Left out: Schemathesis, which can't be installed"
# Event streams do not end.
[ -z "$schemathesis" ] || (cd "$folder" && "$schemathesis" run "$address/openapi.json" --header "Larder-Token: $token" \
    --exclude-path /api/events --max-examples 15 --phases coverage,fuzzing --warnings off --seed 20261128 --suppress-health-check all --exclude-checks positive_data_acceptance) ||
    fail "The inspector's answers differ from its document (see above)."
stop INT

say "One moment without a trace"
listing "$folder/stores" >"$folder/before"
start "$folder/stores" --no-trace
for instance in $(curl -s -H "Larder-Token: $token" "$address/api/instances" | grep -o '"id":"[0-9]*"' | grep -o '[0-9]*'); do
    for path in "" /rows /statistics /reports "/export?format=json"; do
        status=$(curl -s -o "$folder/answer" -w '%{http_code}' -H "Larder-Token: $token" "$address/api/instances/$instance$path")
        case $status in
            200 | 400 | 404) ;;
            *) cat "$folder/answer" && fail "/api/instances/$instance$path was answered with $status." ;;
        esac
    done
done
stop TERM
listing "$folder/stores" >"$folder/after"
diff "$folder/before" "$folder/after" || fail "larder inspect --no-trace has changed files (see above)."

say "Encrypted connections"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
    -keyout "$folder/key.pem" -out "$folder/certificate.pem" 2>"$folder/openssl" || { cat "$folder/openssl"; fail "openssl made no certificate."; }
start "$folder/stores" --no-trace --host 0.0.0.0 --allow-network --certificate "$folder/certificate.pem" --private-key "$folder/key.pem"
address="https://localhost:${address##*:}"
curl -s --fail --cacert "$folder/certificate.pem" -H "Larder-Token: $token" "$address/api/instances" >"$folder/answer" ||
    fail "A client can't connect by TLS."
[ "$(curl -s -o "$folder/answer" -w '%{http_code}' --cacert "$folder/certificate.pem" "$address/api/instances")" = 401 ] ||
    fail "A client without the token was answered."
stop TERM
"$larder" inspect "$folder/stores" --host 0.0.0.0 </dev/null 2>"$folder/errors" && fail "The network was allowed without a certificate."
grep -q certificate "$folder/errors" || fail "The message says nothing of a certificate: $(cat "$folder/errors")"
say "The inspector passed"
