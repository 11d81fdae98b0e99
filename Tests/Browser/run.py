#!/usr/bin/env python3
"""Tests the page of the inspector in Chromium: against a `larder inspect` of sample stores, a running program, a mock, or an address.

python3 run.py [ADDRESS | [--larder PROGRAM] [--program PROGRAM]] [--short] [--keys N] [--screenshots FOLDER] [--picture FILE] [--change COMMAND] [--only WORDS]

With `--larder`, but not `--short`, the mock is tested too, with what only it makes possible. With neither programs nor an address, all tests
run against the mock.
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
    parser.add_argument("--program", help="the program InspectorHelper, which runs with an inspector of its own")
    parser.add_argument("--short", action="store_true", help="what .ci/run tests: less data, and more patience with a machine that is busy")
    parser.add_argument("--keys", type=int, help="number of keys in the large store (20,000 with --short, otherwise 120,000)")
    parser.add_argument("--screenshots", default=os.path.join(tempfile.gettempdir(), "larder-screenshots"), help="folder for screenshots at three widths")
    parser.add_argument("--picture", help="file for the picture of the README (.webp)")
    parser.add_argument("--change", help="shell command that writes the value $2 for the key $1 to the store $3, as another process")
    parser.add_argument("--browsers", type=int, default=2, help="number of browsers that share the tests")
    parser.add_argument("--only", default="", help="run only tests whose name contains this")
    arguments = parser.parse_args()

    arguments.keys = arguments.keys or (20_000 if arguments.short else 120_000)
    arguments.patience = 8 if arguments.short else 1
    all_tests = tests.SHORT if arguments.short else tests.ALL if arguments.larder else [*tests.ALL, *(one for one in tests.MOCK if one not in tests.ALL)]
    began = time.monotonic()
    results = []
    if arguments.larder:
        larder = os.path.abspath(arguments.larder)
        with tempfile.TemporaryDirectory(prefix="larder-inspected-") as folder:
            real.fill(larder, folder, arguments.keys)
            inspector = real.Inspector(larder, folder)
            print(f"The stores are filled ({time.monotonic() - began:.1f} s).", flush=True)
            try:
                target = tests.Target(inspector.address, f'"{larder}" put --store "$3" "$1" "$2" >/dev/null', still=lambda: real.Inspector(larder, folder, "--no-trace", writers=0))
                results.append(run_all(arguments, target, all_tests))
            finally:
                inspector.close()
    if arguments.program:
        with tempfile.TemporaryDirectory(prefix="larder-program-") as folder:
            program = real.Program(os.path.abspath(arguments.program), folder)
            print("A running program", flush=True)
            try:
                results.append(run_all(arguments, tests.Target(program.address, program=program), tests.PROGRAM + ([] if arguments.short else tests.PROGRAM_VIEWS)))
            finally:
                program.close()
    if arguments.larder and not arguments.short:
        print("The mock", flush=True)
        results.append(run_all(arguments, tests.Target(), tests.MOCK))
    if not results:
        results.append(run_all(arguments, tests.Target(arguments.address, arguments.change), all_tests))
    failed, left_out, run = (sum(one) for one in zip(*results))
    print(f"{run} tests, {failed} failed, {left_out} left out, {time.monotonic() - began:.0f} s. Screenshots: {arguments.screenshots}")
    return 1 if failed or not run else 0


def run_all(arguments, target, wanted):
    """Runs tests, and returns the numbers of those that failed, of those that were left out, and of all."""
    # Two browsers share the tests. Against the mock, each has a server of its own.
    queue = [test for test in wanted if arguments.only in test.__name__]
    queue.sort(key=lambda test: test not in tests.LONG)
    failures, left_out, count, lock = [], [], len(queue), threading.Lock()
    os.makedirs(arguments.screenshots, exist_ok=True)
    source = axe_source()

    def work():
        server = target.address or mock.serve()[1]
        with tempfile.TemporaryDirectory() as downloads:
            browser = Browser(server, downloads, arguments.patience)
            try:
                fixture = tests.Fixture(browser, API(server), target, source, downloads, arguments)
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
    return len(failures), len(left_out), count


if __name__ == "__main__":
    sys.exit(main())
