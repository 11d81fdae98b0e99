#!/usr/bin/env python3
"""Tests the page of the inspector in Chromium, against the mock or against the address that `larder inspect` printed.

python3 run.py [ADDRESS] [--screenshots FOLDER] [--picture FILE] [--change COMMAND] [--only WORDS]
"""
import argparse
import importlib.util
import os
import sys
import tempfile
import time
import traceback

import mock
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
    parser.add_argument("--screenshots", default=os.path.join(tempfile.gettempdir(), "larder-screenshots"), help="folder for screenshots at three widths")
    parser.add_argument("--picture", help="file for the picture of the README (.webp)")
    parser.add_argument("--change", help="shell command that writes the value $2 for the key $1 to the store, as another process")
    parser.add_argument("--only", default="", help="run only tests whose name contains this")
    arguments = parser.parse_args()

    server = None
    address = arguments.address
    if not address:
        server, address = mock.serve()
    failures, left_out, started = [], [], time.monotonic()
    with tempfile.TemporaryDirectory() as downloads:
        browser = Browser(address, downloads)
        try:
            fixture = tests.Fixture(browser, API(address), axe_source(), server is not None, arguments.change, arguments.screenshots, arguments.picture)
            fixture.downloads = downloads
            for test in tests.ALL:
                if arguments.only not in test.__name__:
                    continue
                name, began = test.__name__.replace("_", " "), time.monotonic()
                fixture.notes = []
                try:
                    browser.size(1280, 900)
                    browser.scheme("light")
                    test(fixture)
                    mark = "ok  "
                except tests.LeftOut as reason:
                    left_out.append(f"{name}: {reason}")
                    mark = "out "
                    fixture.notes = [str(reason)]
                except Exception as error:  # One failure should not hide the others.
                    failures.append(name)
                    mark = "FAIL"
                    browser.screenshot(os.path.join(tempfile.gettempdir(), f"larder-failed-{test.__name__}.png"))
                    if not isinstance(error, AssertionError):
                        traceback.print_exc()
                    fixture.notes = [f"{type(error).__name__}: {error}"]
                    browser.reports()
                print(f"{mark} {name} ({time.monotonic() - began:.1f} s){': ' if fixture.notes else ''}{'; '.join(fixture.notes)}", flush=True)
        finally:
            browser.close()
    print(f"{len(failures)} failed, {len(left_out)} left out, {time.monotonic() - started:.0f} s. Screenshots: {arguments.screenshots}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
