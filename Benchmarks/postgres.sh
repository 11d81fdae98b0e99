#!/bin/sh
# Builds the benchmarks of replication, and runs them with a PostgreSQL server in a temporary folder; see run.sh. The server has the default
# settings, so it syncs each commit to the disk.
set -eu
cd "$(dirname "$0")"
programs=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -t / -k 5 -n | tail -n 1)
PATH=${programs:+$programs:}$PATH
if ! command -v initdb >/dev/null || ! command -v postgres >/dev/null; then
    echo "Replication was not measured because PostgreSQL is not installed (Debian: postgresql, libpq-dev)." >&2
    exit 0
fi
swift build --quiet -c release --traits Postgres --scratch-path .build-replication --product ReplicationBenchmarks

folder=$(mktemp -d)
chmod 755 "$folder"
server=
trap 'trap - EXIT; [ -z "$server" ] || { kill -INT "$server"; wait "$server" || :; }; rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
as=
if [ "$(id -u)" = 0 ]; then
    # PostgreSQL refuses to run as root.
    user=$(id -u postgres 2>/dev/null || echo 65534)
    chown "$user" "$folder"
    as="setpriv --reuid=$user --regid=$user --clear-groups"
fi
$as initdb --auth=trust --username=postgres --encoding=UTF8 --locale=C --pgdata "$folder/data" >/dev/null
$as postgres -D "$folder/data" -c listen_addresses= -c unix_socket_directories="$folder" >"$folder/log" 2>&1 &
server=$!
export LARDER_BENCH_POSTGRES="postgresql:///postgres?host=$folder&user=postgres"
for _ in $(seq 100); do
    if psql -q -c 'SELECT 1' "$LARDER_BENCH_POSTGRES" >/dev/null 2>&1; then break; fi
    sleep 0.1
done
.build-replication/release/ReplicationBenchmarks "$@"
