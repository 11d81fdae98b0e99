#!/bin/sh
# Scripts/require.sh NAME... [--optional NAME...]: checks that the named requirements are installed, and installs missing ones if possible.
# If an optional one can't be installed, prints what is left out, and succeeds.
#
# Installs with apt on Debian and Ubuntu, as root or if sudo needs no password. Otherwise prints what to install.
. "$(dirname -- "$0")/settings.sh"

# `debian_package NAME`: prints the name of the package on Debian and Ubuntu, or nothing if apt has none.
debian_package() {
    case $1 in
        git | curl | openssl | valgrind | chromium) echo "$1" ;;
        aspell) echo aspell-en ;;
        sqlite3.h) echo libsqlite3-dev ;;
        libpq-fe.h) echo libpq-dev ;;
        postgres) echo postgresql ;;
        venv) echo python3-venv ;;
        chromedriver) echo chromium-driver ;;
        *) echo "" ;;
    esac
}

present() {
    case $1 in
        swift) command -v swift >/dev/null 2>&1 ;;
        sqlite3.h) echo '#include <sqlite3.h>' | "$(toolchain_program clang)" -E - >/dev/null 2>&1 ;;
        # Debian keeps these headers and programs in folders of their own.
        libpq-fe.h) echo '#include <libpq-fe.h>' | "$(toolchain_program clang)" -I/usr/include/postgresql -E - >/dev/null 2>&1 ;;
        postgres) command -v initdb >/dev/null 2>&1 || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 ;;
        venv) python3 -c 'import ensurepip, venv' 2>/dev/null ;;
        chromium) { command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null 2>&1 ;;
        docc | llvm-cov | llvm-profdata) [ -x "$(toolchain_program "$1" 2>/dev/null)" ] ;;
        *) command -v "$1" >/dev/null 2>&1 ;;
    esac
}

advice() {
    case $1 in
        swift) echo "Swift 6.2 or later: https://www.swift.org/install" ;;
        docc | llvm-cov | llvm-profdata) echo "$1, which is part of the full Swift toolchain: https://www.swift.org/install" ;;
        sqlite3.h) echo "SQLite's development files (sqlite3.h), with your system's package manager" ;;
        libpq-fe.h) echo "the development files of PostgreSQL's libpq (libpq-fe.h), with your system's package manager" ;;
        chromium | chromedriver) echo "Chromium and its driver (chromedriver), with your system's package manager" ;;
        venv) echo "Python 3 with its modules venv and ensurepip, with your system's package manager" ;;
        postgres) echo "the server of PostgreSQL (initdb, pg_ctl), with your system's package manager" ;;
        *) echo "$1, with your system's package manager" ;;
    esac
}

install_by_apt() {
    command -v apt-get >/dev/null 2>&1 || return 1
    sudo=
    if [ "$(id -u)" -ne 0 ]; then
        sudo -n true 2>/dev/null || return 1
        sudo="sudo -n"
    fi
    say "Installing $* (apt)"
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" </dev/null ||
        { $sudo apt-get update </dev/null && $sudo env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y --no-install-recommends "$@" </dev/null; }
}

missing=
is_optional=
for name in "$@"; do
    if [ "$name" = --optional ]; then
        is_optional=yes
        continue
    fi
    present "$name" && continue
    package=$(debian_package "$name")
    if [ -n "$package" ] && install_by_apt "$package" && present "$name"; then continue; fi
    if [ -n "$is_optional" ]; then
        echo "Left out: what needs $name. To include it, install $(advice "$name")."
        continue
    fi
    missing="$missing
  - $(advice "$name")"
done
[ -z "$missing" ] || fail "Requirements are missing. Install them and run the same command again:$missing"

if [ "${1-}" = swift ]; then
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
    # shellcheck disable=SC2086
    set -- $version
    if [ "${1:-0}" -lt 6 ] || { [ "$1" -eq 6 ] && [ "${2:-0}" -lt 2 ]; }; then
        fail "Swift 6.2 or later is required, but this is ${1:-?}.${2:-?}: https://www.swift.org/install"
    fi
fi
