#!/usr/bin/env python3
"""Measures the memory of a `larder inspect` and of its page while programs change a store about 100 times a second.

python3 memory.py --larder PROGRAM [--minutes 60] [--writers 4] [--table FILE]

Fails if the last quarter of the time needs more memory than the second one, with some tolerance: the first quarter fills caches and lists.
"""
import argparse
import os
import statistics
import sys
import tempfile
import time

import real
from browser import API, Browser

# The views in which the page stays, in turn. Each of them follows the changes.
TURNS = [{"view": "changes"}, {"view": "table"}, {"view": "statistics"}, {"view": "summary"}]


def server_memory(process):
    """The resident and the anonymous memory of a process in MB, and the number of its open files."""
    with open(f"/proc/{process}/status", encoding="utf-8") as file:
        fields = dict(line.split(":", 1) for line in file)
    return int(fields["VmRSS"].split()[0]) / 1e3, int(fields["RssAnon"].split()[0]) / 1e3, len(os.listdir(f"/proc/{process}/fd"))


def page_memory(browser):
    """The JavaScript heap in MB after collecting garbage, and the numbers of nodes and listeners."""
    browser.cdp("HeapProfiler.collectGarbage")
    metrics = {one["name"]: one["value"] for one in browser.cdp("Performance.getMetrics")["metrics"]}
    return metrics["JSHeapUsedSize"] / 1e6, int(metrics["Nodes"]), int(metrics["JSEventListeners"])


def changes(browser):
    """The number of changes that the page has received."""
    return int(browser.text('[data-state="changes"]').split(" change")[0].replace(",", "") or 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--larder", required=True, help="the program larder")
    parser.add_argument("--minutes", type=int, default=60)
    parser.add_argument("--writers", type=int, default=4, help="number of programs that write, each about 32 times a second")
    parser.add_argument("--table", help="file for the figures, as Markdown")
    arguments = parser.parse_args()

    larder, lines, measured = os.path.abspath(arguments.larder), [], []
    with tempfile.TemporaryDirectory(prefix="larder-memory-") as folder, tempfile.TemporaryDirectory() as downloads:
        real.fill(larder, folder, 1_000)
        inspector = real.Inspector(larder, folder, writers=arguments.writers)
        browser = Browser(inspector.address, downloads)
        try:
            api = API(inspector.address)
            instance = next(one["id"] for one in api.get("instances")["instances"] if one["name"].endswith("service.larder"))
            browser.cdp("Performance.enable")
            browser.open(view="changes", instance=instance)
            browser.until(lambda: browser.text(".connection-text") == "Live", "the event stream")
            # The page must not be loaded anew, or the measurement would begin again.
            browser.run("window.isFirst = true; window.seenChanges = 0")
            header = "minute | changes | server, resident MB | anonymous MB | open files | page, heap MB | nodes | listeners | file of the store, MB"
            for line in (f"| {header} |", "|" + "---:|" * header.count("|") + "---:|"):
                print(line, flush=True)
                lines.append(line)
            began = time.monotonic()
            for minute in range(arguments.minutes + 1):
                while time.monotonic() < began + minute * 60:
                    turn = int(time.monotonic() // 15) % len(TURNS)
                    browser.go(**TURNS[turn], instance=instance)
                    time.sleep(max(0, min(15, began + minute * 60 - time.monotonic())))
                # Always measured in the same view.
                browser.go(view="changes", instance=instance)
                row = (*server_memory(inspector.process.pid), *page_memory(browser), os.path.getsize(os.path.join(folder, "service.larder")) / 1e6)
                measured.append(row)
                line = "| {} | {:,} | {:.1f} | {:.1f} | {} | {:.2f} | {:,} | {:,} | {:.1f} |".format(minute, changes(browser), *row)
                print(line, flush=True)
                lines.append(line)
                for process in (inspector.process, *inspector.others):
                    assert process.poll() is None, f"The process {process.args} has ended with status {process.returncode}."
            assert browser.run("return window.isFirst"), "the page was loaded anew"
            found = browser.reports()
            assert not found, found[:3]
        finally:
            browser.close()
            inspector.close()
            if arguments.table:
                with open(arguments.table, "w", encoding="utf-8") as file:
                    file.write("\n".join(lines) + "\n")
    quarter = len(measured) // 4
    if quarter == 0:
        return 0
    failed = False
    for index, name, tolerance in ((1, "anonymous memory of the server in MB", 5), (3, "heap of the page in MB", 1), (2, "open files", 2), (4, "nodes", 500), (5, "listeners", 100)):
        second, last = (statistics.median(row[index] for row in rows) for rows in (measured[quarter:2 * quarter], measured[-quarter:]))
        is_flat = last <= second * 1.05 + tolerance
        failed = failed or not is_flat
        print(f"{'flat ' if is_flat else 'GROWS'} {name}: {second:.1f} in the second quarter, {last:.1f} in the last")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
