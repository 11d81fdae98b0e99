#!/usr/bin/env python3
"""Tests the page of the inspector in Chromium: against a mock, a `larder inspect` of sample stores, or an address that `larder inspect` printed.

python3 run.py [ADDRESS | --larder PROGRAM] [--short] [--screenshots FOLDER] [--picture FILE] [--change COMMAND] [--only WORDS]
"""
import argparse
import importlib.util
import os
import sys
import tempfile
import threading
import time
import traceback

import mock
import real
import tests
from browser import API, Browser


def axe_source():
    """The script of axe-core that comes in the package axe-playwright-python."""
    package = os.path.dirname(importlib.util.find_spec("axe_playwright_python").origin)
    with open(os.path.join(package, "axe.min.js"), encoding="utf-8") as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("address", nargs="?", help="the address with its token; without it, the mock is tested")
    parser.add_argument("--larder", help="the program larder, which fills a temporary folder and serves it")
    parser.add_argument("--short", action="store_true", help="what .ci/run tests: less data, and deadlines for a machine that is busy")
    parser.add_argument("--screenshots", default=os.path.join(tempfile.gettempdir(), "larder-screenshots"), help="folder for screenshots at three widths")
    parser.add_argument("--picture", help="file for the picture of the README (.webp)")
    parser.add_argument("--change", help="shell command that writes the value $2 for the key $1 to the store $3, as another process")
    parser.add_argument("--browsers", type=int, default=2, help="number of browsers that share the tests")
    parser.add_argument("--only", default="", help="run only tests whose name contains this")
    arguments = parser.parse_args()

    arguments.keys, arguments.patience = (20_000, 8) if arguments.short else (120_000, 1)
    if not arguments.larder:
        return run_all(arguments, arguments.address, arguments.change)
    larder = os.path.abspath(arguments.larder)
    with tempfile.TemporaryDirectory(prefix="larder-inspected-") as folder:
        began = time.monotonic()
        real.fill(larder, folder, arguments.keys)
        inspector = real.Inspector(larder, folder)
        print(f"The stores are filled ({time.monotonic() - began:.1f} s).", flush=True)
        try:
            return run_all(arguments, inspector.address, f'"{larder}" put --store "$3" "$1" "$2" >/dev/null')
        finally:
            inspector.close()


def run_all(arguments, address, change):
    # Two browsers share the tests. Against the mock, each has a server of its own.
    queue = [test for test in (tests.SHORT if arguments.short else tests.ALL) if arguments.only in test.__name__]
    queue.sort(key=lambda test: test not in tests.LONG)
    failures, left_out, started, lock = [], [], time.monotonic(), threading.Lock()
    os.makedirs(arguments.screenshots, exist_ok=True)
    source = axe_source()

    def work():
        server = address or mock.serve()[1]
        with tempfile.TemporaryDirectory() as downloads:
            browser = Browser(server, downloads, arguments.patience)
            try:
                fixture = tests.Fixture(browser, API(server), source, not address, change, arguments.screenshots, arguments.picture, min(arguments.keys, 100_000), arguments.short)
                fixture.downloads = downloads
                while True:
                    with lock:
                        if not queue:
                            return
                        test = queue.pop(0)
                    run(test, fixture)
            finally:
                browser.close()

    def run(test, fixture):
        name, began = test.__name__.replace("_", " "), time.monotonic()
        fixture.notes, mark = [], "ok  "
        try:
            fixture.browser.size(1280, 900)
            fixture.browser.scheme("light")
            test(fixture)
        except tests.LeftOut as reason:
            left_out.append(name)
            mark, fixture.notes = "out ", [str(reason)]
        except Exception as error:  # One failure must not hide the others.
            failures.append(name)
            mark, fixture.notes = "FAIL", [f"{type(error).__name__}: {error}"]
            fixture.browser.screenshot(os.path.join(arguments.screenshots, f"failed-{test.__name__}.png"))
            if not isinstance(error, AssertionError):
                traceback.print_exc()
            fixture.browser.reports()
        print(f"{mark} {name} ({time.monotonic() - began:.1f} s){': ' if fixture.notes else ''}{'; '.join(fixture.notes)}", flush=True)

    def work_safely():
        try:
            work()
        except Exception:  # The browser did not start, or ended.
            traceback.print_exc()
            failures.append("browser")

    workers = [threading.Thread(target=work_safely) for _ in range(min(arguments.browsers, len(queue)))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print(f"{len(failures)} failed, {len(left_out)} left out, {time.monotonic() - started:.0f} s. Screenshots: {arguments.screenshots}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
