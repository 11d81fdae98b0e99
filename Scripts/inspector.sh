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

# start ARGUMENT...: starts the inspector, and sets `address` and `token`. The file `headers` has the token for curl, whose arguments others see.
start() {
    : >"$folder/address"
    tries=0
    "$larder" inspect "$@" </dev/null >"$folder/address" &
    inspector=$!
    until [ -s "$folder/address" ]; do
        kill -0 "$inspector" 2>/dev/null || fail "larder inspect $* has ended (see above)."
        tries=$((tries + 1))
        [ $tries -lt 600 ] || fail "larder inspect $* has printed no address within 30 seconds."
        sleep 0.05
    done
    address=$(sed 's|/#.*||' "$folder/address")
    token=$(sed 's|.*token=||' "$folder/address")
    printf 'Larder-Token: %s\n' "$token" >"$folder/headers"
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
LARDER_TOKEN=$token python3 - "$address" <<'END' || fail "An answer of larder inspect --no-trace is wrong (see above)."
# Reads everything of every table, executes every action, follows the events, and demands an answer.
import json, os, sys, time, urllib.error, urllib.parse, urllib.request

asked = set()

def request(path, method="GET"):
    return urllib.request.Request(sys.argv[1] + "/api/" + path, headers={"Larder-Token": os.environ["LARDER_TOKEN"]}, method=method)

def get(path, parameters={}, allowed=(200,), method="GET"):
    query = urllib.parse.urlencode(parameters)
    target = path + ("?" + query if query else "")
    try:
        with urllib.request.urlopen(request(target, method), timeout=60) as answer:
            status, body = answer.status, answer.read()
    except urllib.error.HTTPError as error:
        status, body = error.code, error.read()
    if status not in allowed:
        sys.exit(f"/api/{target} was answered with {status}: {body.decode(errors='replace')}")
    asked.add(path.split("/")[-1])
    return body

def act(instance, action):
    path = "runs/" + json.loads(get(f"instances/{instance['id']}/actions/{action['name']}", allowed=(202,), method="POST"))["run"]
    end = time.monotonic() + 60
    while (run := json.loads(get(path)))["state"] == "running":
        if time.monotonic() > end:
            sys.exit(f"{action['name']} of {instance['name']} does not end.")
        time.sleep(0.02)
    if run["state"] != "done" and "damaged" not in instance["name"]:
        sys.exit(f"{action['name']} of {instance['name']} ended as {run}")
    if run["file"] and not get(path + "/file"):
        sys.exit(f"{action['name']} of {instance['name']} has an empty file.")

# An event stream has no end, so that it is open as long as everything is read.
events = urllib.request.urlopen(request("events"), timeout=60)
if events.readline() != b"event: hello\n" or json.loads(events.readline()[6:])["isLive"]:
    sys.exit("The event stream does not begin with one moment.")
tables = actions = 0
for instance in json.loads(get("instances"))["instances"]:
    path = "instances/" + instance["id"]
    get(path + "/statistics")
    get(path + "/reports")
    details = json.loads(get(path))
    for action in details["actions"]:
        if action["isWriting"]:
            sys.exit(f"{instance['name']} has the action {action['name']}, which writes.")
        actions += 1
        act(instance, action)
    for table in details["tables"]:
        tables += 1
        name = {"table": table["name"]}
        records = json.loads(get(path + "/rows", name))["records"]
        get(path + "/rows", {**name, "text": "a"})
        # Only databases have plans.
        get(path + "/plan", name, (200,) if instance["role"] == "objects" else (404,))
        for form in ("json", "csv"):
            get(path + "/export", {**name, "format": form})
        for record in records[:3]:
            key = {**name, "key": record["key"]}
            get(path + "/record", key)
            for column in table["columns"]:
                get(path + "/value", {**key, "column": column["name"], "reveal": column["name"]})
json.loads(get("issues"))
events.close()
if tables < 5 or actions < 10 or not {"record", "value", "plan", "verify", "backup", "file"} <= asked:
    sys.exit(f"Only {tables} tables were read, {actions} actions executed, and only {sorted(asked)} asked for.")
END
stop TERM
listing "$folder/stores" >"$folder/after"
diff "$folder/before" "$folder/after" || fail "larder inspect --no-trace has changed files (see above)."

say "Encrypted connections"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
    -keyout "$folder/key.pem" -out "$folder/certificate.pem" 2>"$folder/openssl" || { cat "$folder/openssl"; fail "openssl made no certificate."; }
start "$folder/stores" --no-trace --host 0.0.0.0 --allow-network --certificate "$folder/certificate.pem" --private-key "$folder/key.pem"
[ "${address%:*}" = https://localhost ] || fail "The address $address does not have the name in the certificate."
curl -s --fail --cacert "$folder/certificate.pem" -H @"$folder/headers" "$address/api/instances" >"$folder/answer" ||
    fail "A client can't connect by TLS."
[ "$(curl -s -o "$folder/answer" -w '%{http_code}' --cacert "$folder/certificate.pem" "$address/api/instances")" = 401 ] ||
    fail "A client without the token was answered."
stop TERM
"$larder" inspect "$folder/stores" --host 0.0.0.0 </dev/null 2>"$folder/errors" && fail "The network was allowed without a certificate."
grep -q certificate "$folder/errors" || fail "The message says nothing of a certificate: $(cat "$folder/errors")"
say "The inspector passed"
