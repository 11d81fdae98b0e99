"""Tests of the page. Each takes the fixture; what a server does not have is left out, and said."""
import base64
import datetime
import json
import os
import statistics
import threading
import time

from selenium.webdriver.common.keys import Keys

import mock
import real
import sample_data
from browser import API


class LeftOut(Exception):
    """What a test needs does not exist here."""


class Target:
    """What is tested: a server at an address, or the mock if there is none.

    `change` is a shell command that writes to a store as another process, `program` the running program that is inspected, and `still`
    starts an inspector of the same files with `--no-trace`.
    """

    def __init__(self, address=None, change=None, program=None, still=None):
        self.address, self.change, self.program, self.still = address, change, program, still


class Fixture:
    """A browser, the server, and which of its instances the tests use."""

    def __init__(self, browser, api, target, axe, downloads, arguments):
        self.browser, self.api, self.target, self.axe, self.downloads = browser, api, target, axe, downloads
        self.is_mock, self.change_command, self.program = not target.address, target.change, target.program
        self.screenshots, self.picture, self.notes, self.is_short = arguments.screenshots, arguments.picture, [], arguments.short
        self.large_count = min(arguments.keys, 100_000)
        self.server = api.get("instances")
        self.details = {one["id"]: api.get(f"instances/{one['id']}") for one in self.server["instances"]}

    def find(self, what, condition):
        for one in self.server["instances"]:
            if condition(one, self.details[one["id"]]):
                return one["id"], self.details[one["id"]]
        raise LeftOut(f"no {what}")

    def store(self):
        """The store that the tests change: flags.larder, or another one with entries."""
        for wanted in ("flags.larder", ""):
            try:
                return self.find("store with entries", lambda one, more: one["name"].endswith(wanted) and self.is_small(one, more))
            except LeftOut:
                if not wanted:
                    raise

    def is_small(self, one, more):
        return one["role"] == "store" and more["tables"] and "hostile" not in one["name"] and 3 <= (more["tables"][0]["count"] or 0) < self.large_count

    def large(self):
        return self.find(f"store with {self.large_count:,} keys or more",
                         lambda one, more: one["role"] == "store" and more["tables"] and (more["tables"][0]["count"] or 0) >= self.large_count)

    def hostile(self):
        return self.find("store named hostile", lambda one, more: "hostile" in one["name"] and more["tables"])

    def objects(self):
        return self.find("database of objects", lambda one, more: one["role"] == "objects" and len(more["tables"]) > 1 and any(table["relationships"] for table in more["tables"]))

    def entities(self, instance):
        """A table with a relationship to many records, a record that has some, and the relationship."""
        more = self.details[instance]
        for table in more["tables"]:
            for relation in table["relationships"]:
                if not relation["isToMany"]:
                    continue
                for record in self.api.get(f"instances/{instance}/rows", table=table["name"], limit=50)["records"]:
                    if record["counts"].get(relation["name"], 0) > 0:
                        return table, record, relation
        raise LeftOut("no records with related records")

    def change(self, key, value, instance=None):
        """Another process writes a value to a store."""
        instance = instance or self.store()[0]
        if self.is_mock:
            self.api.control("put", instance=instance, key=key, value=value)
        elif self.change_command:
            if os.spawnvp(os.P_WAIT, "sh", ["sh", "-c", self.change_command, "change", key, value, self.details[instance]["name"]]) != 0:
                raise AssertionError("The command that changes a store failed.")
        else:
            raise LeftOut("no command that changes a store (--change)")

    def within_a_second(self, delays):
        """What another process changes is seen within a second. A machine can be busy for a moment, so slow changes are repeated once."""
        for measured in (delays(), None):
            measured = measured or delays()
            self.notes.append(f"seen after {max(measured) * 1000:.0f} ms at most")
            if max(measured) < 1:
                return
        raise AssertionError(f"Changes were seen after {measured} s, twice.")

    def seen(self, key, value, instance=None):
        """Changes a value, and returns the time until the page shows it."""
        self.change(key, value, instance)
        started = time.monotonic()
        self.browser.until(lambda: value in self.browser.text("tbody"), "the change in the table", 5)
        return time.monotonic() - started

    def places(self):
        """Every view once: of the first instance of each role, and of all instances."""
        result = [("overview", {"view": "overview"}), ("changes", {"view": "changes"}), ("issues", {"view": "issues"})]
        roles = set()
        for one in self.server["instances"]:
            more = self.details[one["id"]]
            if one["role"] in roles or "hostile" in one["name"]:
                continue
            roles.add(one["role"])
            views = ["summary"] + (["table"] if more["tables"] else []) + (["model", "reports"] if one["role"] == "objects" else [])
            if len(roles) == 1:
                # Changes and issues of one instance look like those of all.
                views += ["statistics", "actions"] + ([] if self.is_short else ["changes", "issues"])
            elif one["role"] in ("outbox", "replication"):
                views += ["reports"]
            for view in views:
                result.append((f"{one['role']}-{view}", {"view": view, "instance": one["id"]}))
            if more["tables"]:
                table = more["tables"][0]["name"]
                records = self.api.get(f"instances/{one['id']}/rows", table=table, limit=5)["records"]
                if records and one["role"] in ("store", "objects"):
                    result.append((f"{one['role']}-record", {"view": "table", "instance": one["id"], "table": table, "key": records[-1]["key"]}))
        return result


def is_number(column):
    return column["type"].startswith(("Int", "Double"))


def rows(browser):
    return browser.texts("tbody .row-link")


def assert_quiet(browser):
    found = browser.reports()
    assert not found, f"The page reported: {found[:3]}"


def opens_with_the_token_and_hides_it(f):
    b = f.browser
    b.open()
    assert "token" not in b.driver.current_url, b.driver.current_url
    assert b.run("return sessionStorage.getItem('larder-token')") == f.api.token
    assert b.run("return document.cookie") == ""
    b.until(lambda: len(b.all(".store-card")) == len(f.server["instances"]), "a card for each instance")
    first = b.run("return Math.round(performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0)")
    f.notes.append(f"first content after {first} ms")
    assert "tok" not in json.dumps([entry["name"] for entry in b.run("return performance.getEntriesByType('resource').map(one => ({name: one.name}))") if f.api.token in entry["name"]])
    outside = b.run("return performance.getEntriesByType('resource').map(one => one.name).filter(one => !one.startsWith(location.origin) && !one.startsWith('data:') && !one.startsWith('blob:'))")
    assert outside == [], outside
    assert_quiet(b)


def asks_for_a_token_without_one(f):
    b = f.browser
    b.driver.get("about:blank")
    b.driver.get(f.api.base + "/")
    b.run("sessionStorage.clear()")
    b.driver.refresh()
    b.one("#token").send_keys("not a token", Keys.ENTER)
    assert b.all("#token")
    b.type("#token", "0" * 32)
    b.keys(Keys.ENTER)
    b.until(lambda: "does not accept this token" in b.text("main"), "a wrong token is refused")
    b.type("#token", f.api.base + "/#token=" + f.api.token)
    b.keys(Keys.ENTER)
    b.until(lambda: b.all(".store-card"), "the token is accepted")


def shows_every_view(f):
    b = f.browser
    b.open()
    kinds = set()
    for one in f.server["instances"]:
        if f.is_short and one["kind"] in kinds:
            continue
        kinds.add(one["kind"])
        b.go(view="summary", instance=one["id"])
        views = b.run("return [...document.querySelectorAll('.tab')].map(one => one.dataset.view)")
        for view in views if one["role"] not in ("store",) or one is f.server["instances"][0] else ["table"]:
            if view not in views:
                continue
            b.click(f'.tab[data-view="{view}"]')
            b.settle({"view": view, "instance": one["id"]})
            b.until(lambda: b.run("return document.querySelector('.view')?.innerText.length > 0"), f"{view} of {one['name']} shows something")
            assert not b.all(".view .notice.error"), f"{view} of {one['name']}: {b.text('.view .notice.error')}"
    for view in ("changes", "issues", "overview"):
        b.click(f'#side a[href="#view={view}"]')
        b.settle({"view": view})
    assert_quiet(b)


def searches_a_store_and_keeps_the_place(f):
    b = f.browser
    instance, more = f.store()
    table = more["tables"][0]["name"]
    keys = [one["key"] for one in f.api.get(f"instances/{instance}/rows", table=table, limit=500)["records"]]
    b.open(view="table", instance=instance)
    b.until(lambda: rows(b), "rows")
    wanted = next(key for key in keys if key.isascii() and key.isprintable() and len(key) < 60)
    b.type('[data-field="prefix"]', wanted[:-1])
    expected = [key for key in keys if key.startswith(wanted[:-1])]
    b.until(lambda: len(rows(b)) == len(expected) and b.place().get("prefix") == wanted[:-1], "only keys with the prefix")
    link = b.driver.current_url
    b.type('[data-field="prefix"]', "")
    b.keys("a", Keys.BACKSPACE)
    b.type('[data-field="text"]', wanted[1:].upper())
    b.until(lambda: wanted in rows(b) and b.place().get("text"), "text search without regard to case")
    b.type('[data-field="text"]', "no such text anywhere")
    b.until(lambda: "No matches" in b.text('[data-state="rows"]'), "no matches")
    b.driver.get("about:blank")
    b.driver.get(link)
    b.until(lambda: len(rows(b)) == len(expected), "the link keeps its place")
    b.click("tbody .row-link")
    b.until(lambda: b.place().get("key") and b.all(".record"), "the record")
    b.driver.back()
    b.until(lambda: not b.all(".record") and b.place().get("prefix") == wanted[:-1], "the back button closes the record")
    assert_quiet(b)


def pages_through_a_million_keys(f):
    b = f.browser
    instance, more = f.large()
    count = more["tables"][0]["count"]
    began = lambda name: b.run("return performance.getEntriesByName(arguments[0])[0].startTime", name)
    contents, tables = [], []
    # A busy machine paints late, so the page is opened until it is fast once. What is written down is the median.
    while len(contents) < 5 or min(contents) >= 200 and len(contents) < 20:
        b.open(view="table", instance=instance)
        b.until(lambda: len(rows(b)) == 100, "a page of rows")
        contents.append(began("first-contentful-paint"))
        tables.append(began("rows"))
    f.notes.append(f"{count:,} keys; first content {statistics.median(contents):.0f} ms ({min(contents):.0f} to {max(contents):.0f}) and first rows "
                   f"{statistics.median(tables):.0f} ms ({min(tables):.0f} to {max(tables):.0f}) after the page was opened")
    assert min(contents) < 200, contents
    first = rows(b)
    b.click('[data-tool="next"]')
    b.until(lambda: len(rows(b)) == 100 and rows(b)[0] > first[-1], "the next page")
    second = rows(b)[0]
    b.driver.refresh()
    b.until(lambda: rows(b) and rows(b)[0] == second, "the link of the second page")
    b.driver.back()
    b.until(lambda: rows(b) and rows(b)[0] == first[0], "back to the first page")
    assert f"{count:,}" in b.text('[data-state="rows"]')
    # The sample stores number their keys.
    target = f"user.{count * 2 // 3:07d}"[:10] if first[0].startswith("user.0") else first[50]
    started = time.monotonic()
    b.type('[data-field="prefix"]', target)
    b.until(lambda: rows(b) and all(key.startswith(target) for key in rows(b)), "rows far away")
    f.notes.append(f"rows by prefix {round((time.monotonic() - started) * 1000)} ms after typing began")
    b.driver.execute_script("history.replaceState(null, '', location.hash)")
    b.go(view="table", instance=instance)
    # A search shows its first hits while it goes on, and a new one ends it.
    b.type('[data-field="text"]', "9")
    b.until(lambda: rows(b) and all("9" in one for one in b.texts("tbody tr")), "first hits")
    b.type('[data-field="text"]', "nothing has this text")
    b.until(lambda: "Searching" in b.text('[data-state="rows"]') or "No matches" in b.text('[data-state="rows"]'), "a search that goes on")
    b.type('[data-field="text"]', first[3])
    b.until(lambda: rows(b) == [first[3]], "the new search", 15)
    assert_quiet(b)


def shows_values_by_their_type(f):
    b = f.browser
    instance, more = f.store()
    table = more["tables"][0]["name"]
    records = f.api.get(f"instances/{instance}/rows", table=table, limit=500)["records"]
    b.open(view="table", instance=instance, table=table)
    seen = set()
    for record in records:
        value = record["values"][-1]
        kind = value["type"]
        image = kind == "data" and base64.b64decode(value.get("value", "")).startswith(b"\x89PNG")
        archive = kind == "data" and b"NSKeyedArchiver" in base64.b64decode(value.get("value", ""))
        json_text = kind == "string" and str(value.get("value", "")).startswith("{") and not value.get("isCut")
        mark = "masked" if value.get("isMasked") else "image" if image else "archive" if archive else "json" if json_text else "cut" if value.get("isCut") else kind
        if mark in seen:
            continue
        seen.add(mark)
        b.go(view="table", instance=instance, table=table, key=record["key"])
        b.until(lambda: b.all(".record .whole"), f"the record {record['key']!r}")
        if mark == "image":
            b.until(lambda: b.run("return document.querySelector('.record img.image')?.naturalWidth > 0"), "the image")
        elif mark == "archive":
            assert b.all(".record .tree"), "an archive is a tree"
        elif mark in ("json", "array", "dictionary"):
            assert b.all(".record .tree")
            b.click(".record button", "Expand all")
            b.until(lambda: not b.run("return [...document.querySelectorAll('.record details')].some(one => !one.open)"), "an open tree")
        elif mark == "masked":
            assert "masked" in b.text(".record")
            b.click(".record button", "Reveal")
            b.until(lambda: "masked" not in b.text(".record"), "the revealed value")
            assert b.text(".record .whole").strip()
            b.click(".record button", "Hide")
            b.until(lambda: "masked" in b.text(".record"), "the value is masked again")
        elif mark == "cut":
            assert len(b.text(".record .block")) < 60_000
            b.click(".record button", "Show 20,000 more of " + b.text(".record .whole > .whole-body button").rsplit(" of ", 1)[-1]) if b.all(".record .whole-body button") else None
        elif mark == "data":
            b.click(".record .choice", "Hex") if b.all(".record .choice") else None
            assert b.text(".record .block").startswith("00000000")
        elif mark == "date":
            assert "ago" in b.text(".record") or "in " in b.text(".record")
        if record["expiry"] and mark:
            before = b.text(".record [data-expiry]")
            if record["expiry"] - time.time() < 3600:
                b.until(lambda: b.text(".record [data-expiry]") != before, "the expiry counts down", 65)
    f.notes.append("types: " + ", ".join(sorted(seen)))
    assert_quiet(b)


def reveals_one_column_at_a_time(f):
    b = f.browser
    instance, more = f.store()
    key = "profile.grace"
    if not f.api.get(f"instances/{instance}/rows", prefix=key)["records"]:
        raise LeftOut(f"no key {key}")
    b.open(view="table", instance=instance, table=more["tables"][0]["name"], key=key)
    b.run("navigator.clipboard.writeText = async text => { window.copied = text; }")
    b.click(".record button", "Copy value")
    copied = b.until(lambda: b.run("return window.copied"), "a copy")
    assert copied.count('"(masked)"') == 2 and "9007199254740993" in copied and "cobol" not in copied, copied
    b.click(".record button", "Reveal")
    b.until(lambda: b.all(".record .hide-value"), "the revealed value")
    b.click(".record button", "Copy value")
    copied = b.until(lambda: (text := b.run("return window.copied")) and "masked" not in text and text, "another copy")
    assert json.loads(copied)["login"] == {"user": "grace", "password": "cobol1959"}, copied
    b.click(".record button", "Hide")
    b.until(lambda: "masked" in b.text(".record"), "the value is masked again")
    # A string that contains JSON
    b.go(view="table", instance=instance, table=more["tables"][0]["name"], key="page.settings")
    b.until(lambda: "apiKey" in b.text(".record"), "the settings")
    assert "sk_live" not in b.text(".record")
    b.click(".record button", "Reveal")
    b.until(lambda: "sk_live_0123" in b.text(".record"), "the key")
    if f.is_mock:
        b.go(view="table", instance=f.objects()[0], table="Customer", key="1")
        b.click('.record [data-column="password"] button', "Reveal")
        b.until(lambda: "hunter2" in b.text(".record"), "the password")
        assert "tok_" not in b.text(".record"), "another secret is shown, too"
        b.run("performance.clearResourceTimings()")
        b.click('.record [data-column="apiToken"] button', "Reveal")
        b.until(lambda: "tok_000001" in b.text(".record") and "hunter2" in b.text(".record"), "both secrets")
    assert_quiet(b)


def shares_one_stream_among_tabs(f):
    b = f.browser
    if not f.server["isLive"]:
        raise LeftOut("the server shows one moment")
    instance, _ = f.store()
    is_live = lambda: b.until(lambda: b.text(".connection-text") == "Live", "the event stream")
    b.open()
    is_live()
    first = b.driver.current_window_handle
    try:
        # More than the connections that a browser opens to a host.
        for _ in range(7):
            b.driver.switch_to.new_window("tab")
            b.open(view="changes", instance=instance)
            is_live()
        if f.is_mock:
            b.until(lambda: f.api.control("count")["streams"] == 1, "one stream")
        f.change("browser.test", "for each tab")
        b.until(lambda: "for each tab" in b.text("tbody"), "the change in the last tab")
        last = b.driver.current_window_handle
        b.driver.switch_to.window(first)
        b.driver.get("about:blank")
        b.driver.switch_to.window(last)
        is_live()
        f.change("browser.test", "by another stream")
        b.until(lambda: "by another stream" in b.text("tbody"), "the change by the stream of another tab")
    finally:
        for one in b.driver.window_handles:
            if one != first:
                b.driver.switch_to.window(one)
                b.driver.close()
        b.driver.switch_to.window(first)


def downloads_what_is_shown(f):
    b = f.browser
    instance, more = f.store()
    b.open(view="table", instance=instance)
    for form in ("CSV", "JSON"):
        before = set(os.listdir(f.downloads))
        b.run("document.querySelectorAll('details.menu').forEach(one => { one.open = false; })")
        b.click(".menu > summary", "Export")
        b.click(".menu-box button", form)
        name = b.until(lambda: next((one for one in set(os.listdir(f.downloads)) - before if one.lower().endswith(form.lower())), None), f"a {form} file")
        content = b.until(lambda: open(os.path.join(f.downloads, name), encoding="utf-8").read(), "content")
        if form == "JSON":
            assert json.loads(content)
        else:
            assert content.startswith("key,"), content[:80]
    assert_quiet(b)


def draws_the_model_and_leads_to_rows(f):
    b = f.browser
    instance, more = f.objects()
    b.open(view="model", instance=instance)
    b.until(lambda: len(b.all(".node")) == len(more["tables"]), "a box for each entity")
    boxes = b.run("return [...document.querySelectorAll('.node-box')].map(one => { const r = one.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; })")
    for index, one in enumerate(boxes):
        for other in boxes[index + 1:]:
            assert one[2] <= other[0] + 1 or other[2] <= one[0] + 1 or one[3] <= other[1] + 1 or other[3] <= one[1] + 1, "entities overlap"
    before = b.run("return document.querySelector('.diagram').getAttribute('viewBox')")
    b.click("button", "Zoom in")
    assert b.run("return document.querySelector('.diagram').getAttribute('viewBox')") != before
    b.click("button", "Fit")
    name = next(table["name"] for table in more["tables"] if table["relationships"])
    b.run("document.querySelector(`[data-node=\"${arguments[0]}\"]`).focus()", name)
    assert b.all(".edge.is-lit")
    b.keys(Keys.ENTER)
    b.until(lambda: b.place().get("table") == name and b.place()["view"] == "table", "the rows of the entity")
    assert_quiet(b)


def filters_and_sorts_objects(f):
    b = f.browser
    instance, more = f.objects()
    table = next(one for one in more["tables"] if one["count"] and any(is_number(column) for column in one["columns"]))
    column = next(one["name"] for one in table["columns"] if is_number(one))
    b.open(view="table", instance=instance, table=table["name"])
    b.until(lambda: rows(b), "objects")
    everything = f.api.get(f"instances/{instance}/rows", table=table["name"])["total"] or table["count"]
    text = f"{column} > 2 && nothing.here == 1"
    b.type('[data-field="filter"]', text)
    b.until(lambda: b.text(".field-error"), "an error")
    marked = b.run("return document.querySelector('.filter-mirror mark')?.textContent")
    assert marked and marked in text[len(column):], f"The error is marked at {marked!r}."
    assert b.one('[data-field="filter"]').get_attribute("aria-invalid") == "true"
    b.type('[data-field="filter"]', f"{column} > 2")
    b.until(lambda: not b.text(".field-error") and b.place().get("filter") == f"{column} > 2" and "match" in b.text('[data-state="rows"]'), "filtered objects")
    index = next(number for number, one in enumerate(b.texts("thead th")) if one.split()[0] == column)
    values = [float(one.replace(",", "")) for one in b.texts(f"tbody tr > :nth-child({index + 1})") if one != "null"]
    assert values and all(one > 2 for one in values), values[:5]
    if next(one for one in table["columns"] if one["name"] == column)["isSortable"]:
        for direction in ("ascending", "descending"):
            b.click(f'thead th[data-column="{column}"] button')
            b.until(lambda: b.run("return document.querySelector('th[aria-sort]')?.getAttribute('aria-sort')") == direction, direction)
            b.until(lambda: (found := [float(one.replace(",", "")) for one in b.texts(f"tbody tr > :nth-child({index + 1})")]) and found == sorted(found, reverse=direction == "descending"), f"{direction} values")
    b.click('[data-tool="plan"]')
    b.until(lambda: b.all(".plan .steps li"), "the plan")
    assert "SELECT" in b.text(".plan .sql").upper()
    f.notes.append(f"plan: {len(b.all('.plan .notice.warning'))} pieces of advice; {everything} records in all")
    b.run("performance.clearResourceTimings()")
    b.type('[data-field="text"]', "a")
    b.until(lambda: b.run("return performance.getEntriesByType('resource').some(one => one.name.includes('/plan?') && one.name.includes('text=a'))"), "the plan of the search")
    b.type('[data-field="text"]', "")
    b.keys("a", Keys.BACKSPACE)
    b.click(".menu > summary", "Columns")
    b.click(".menu-box label:first-of-type input")
    hidden = b.until(lambda: b.place().get("hide"), "a hidden column")
    assert hidden not in [one.split()[0] for one in b.texts("thead th") if one]
    # Completion of a name
    b.type('[data-field="filter"]', column[:2])
    b.until(lambda: column in b.texts(".completions li"), "completion")
    b.keys(Keys.ARROW_DOWN, Keys.ENTER)
    assert b.one('[data-field="filter"]').get_attribute("value")
    assert_quiet(b)


def walks_relationships_and_back(f):
    b = f.browser
    instance, _ = f.objects()
    table, record, relation = f.entities(instance)
    b.open(view="table", instance=instance, table=table["name"], key=record["key"])
    b.until(lambda: b.all(".record-relation"), "relationships")
    b.run("for (const one of document.querySelectorAll('.related-box')) one.open = true")
    b.until(lambda: b.all(".related-list a"), "related records")
    b.click(".related-list a")
    b.until(lambda: b.place().get("table") != table["name"] or b.place().get("key") != record["key"], "a related record")
    b.settle(b.place())
    assert record["key"] in b.text(".walk"), "the way back is shown"
    if relation["inverse"]:
        b.until(lambda: b.all(".record .relation-link, .record .related-box"), "the link back")
        if b.run("const link = [...document.querySelectorAll('.record a.relation-link')].find(one => one.innerText.includes(arguments[0])); link?.click(); return Boolean(link)", table["name"]):
            b.until(lambda: b.place()["table"] == table["name"] and b.place()["key"] == record["key"], "back to the first record")
    b.go(view="table", instance=instance, table=relation["destination"], of=record["key"], ofTable=table["name"], relationship=relation["name"])
    b.until(lambda: len(rows(b)) == min(100, record["counts"][relation["name"]]), "all related records")
    assert_quiet(b)


def shows_changes_within_a_second(f):
    b = f.browser
    if not f.server["isLive"]:
        raise LeftOut("the server shows one moment")
    instance, more = f.store()
    b.open(view="table", instance=instance, prefix="browser.")
    b.until(lambda: b.text(".connection-text") == "Live", "the event stream")
    f.within_a_second(lambda: [f.seen("browser.test", f"value {number} {time.time()}") for number in range(3)])
    b.go(view="changes", instance=instance)
    f.within_a_second(lambda: [f.seen("browser.test", f"listed {time.time()}")])
    f.seen("browser.test", "a last value")
    b.click('[data-tool="pause"]')
    f.change("browser.test", "while paused")
    time.sleep(0.4)
    assert "while paused" not in b.text("tbody")
    b.click('[data-tool="pause"]')
    b.until(lambda: "while paused" in b.text("tbody"), "the change after the pause")
    b.type('[data-field="changes"]', "a last value")
    b.until(lambda: (found := b.texts("tbody tr")) and all("a last value" in one for one in found), "filtered changes")
    assert_quiet(b)


def keeps_elements_while_numbers_change(f):
    """A click is lost if its element is replaced between the press and the release."""
    b = f.browser
    name, prefix = ("flags.larder", "app.launch") if f.is_mock else ("service.larder", "requests")
    instance, _ = f.find("store whose numbers change each second", lambda one, more: f.server["isLive"] and one["name"].endswith(name))
    b.open(view="summary", instance=instance)
    b.until(lambda: b.all(".tile"), "numbers")
    tiles = b.text(".tiles")
    b.run("window.kept = [...document.querySelectorAll('.tab, .tile, .side-link')]")
    b.until(lambda: b.text(".tiles") != tiles, "other numbers")
    time.sleep(2.2)  # Counts follow every two seconds.
    assert b.run("return window.kept.every(one => one.isConnected)"), b.run("return window.kept.filter(one => !one.isConnected).map(one => one.outerHTML.slice(0, 200))")
    b.go(view="table", instance=instance, prefix=prefix)
    b.until(lambda: rows(b), "rows")
    row = b.text("tbody")
    b.run("window.kept = [...document.querySelectorAll('tbody .row-link, .pager button')]; document.querySelector('tbody .row-link').focus()")
    b.until(lambda: b.text("tbody") != row, "another value")
    assert b.run("return window.kept.every(one => one.isConnected) && document.activeElement === window.kept[0] && window.kept[0].tabIndex === 0")
    assert_quiet(b)


def survives_a_burst_of_changes(f):
    """10,000 changes a second: of a running program, whose server merges them, or as events of the mock."""
    if not f.is_mock and not f.program:
        raise LeftOut("no program writes 10,000 values a second")
    b = f.browser
    b.open(view="changes")
    b.until(lambda: b.text(".connection-text") == "Live", "the event stream")
    b.run("""window.frames_ = []; let last = performance.now();
        (function frame(now) { frames_.push(now - last); last = now; requestAnimationFrame(frame); })(last);
        gc(); window.heap = performance.memory.usedJSHeapSize;""")
    total = lambda: int(b.text('[data-state="changes"]').split(" change")[0].replace(",", "") or 0)
    before = total()

    def is_settled():
        former = total()
        time.sleep(0.4)
        return total() == former

    def burst(number):
        if f.is_mock:
            f.api.control("burst", total=number, rate=10_000)
            return None
        thread = threading.Thread(target=f.program.tell, args=(f"burst {number} 10000",))
        thread.start()
        return thread

    first = burst(40_000)
    began = time.monotonic()
    if f.is_mock:
        b.until(lambda: total() >= 40_000, "40,000 changes", 20)
    else:
        first.join()
        # A record that changes again before the next event is one change of the list.
        b.until(lambda: total() - before > 10_000 and "burst." in b.text("tbody"), "the changes of a burst")
        # Of one event at most 100 changes are listed, so the next one must not be in an event of the burst.
        b.until(is_settled, "the end of the burst")
        f.program.tell("write burst.last after")
        ended = time.monotonic()
        b.until(lambda: "after" in b.text("tbody"), "the change after the burst")
        f.notes.append(f"{total() - before:,} changes shown in {ended - began - 0.4:.1f} s, the next one {(time.monotonic() - ended) * 1000:.0f} ms later")
    assert len(b.all("tbody tr")) <= 150
    slowest, middle = b.run("const all = frames_.slice(2).sort((a, b) => a - b); return [all.at(-1), all[Math.floor(all.length / 2)]]")
    grown = b.run("gc(); return performance.memory.usedJSHeapSize - window.heap") / 1e6
    f.notes.append(f"frames: median {middle:.0f} ms, slowest {slowest:.0f} ms; heap {grown:+.1f} MB after 40,000 changes")
    assert slowest < 2000 * b.patience and grown < 20, (slowest, grown)
    # The table of that store stays usable meanwhile.
    second = burst(20_000)
    prefix = "user.05" if f.is_mock else "burst.49"
    b.go(view="table", instance=f.large()[0] if f.is_mock else f.find("store", lambda one, more: one["name"].endswith("program.larder") and one["role"] == "store")[0])
    b.type('[data-field="prefix"]', prefix)
    b.until(lambda: rows(b) and all(one.startswith(prefix) for one in rows(b)), "rows during a burst")
    if second:
        second.join()
    assert_quiet(b)


def connects_again(f):
    b = f.browser
    if not f.server["isLive"]:
        raise LeftOut("the server shows one moment")
    # Nothing but the mock cuts its own connections, so a relay does.
    usual, relay = b.address, None if f.is_mock else real.Relay(b.address)
    b.address = relay.address if relay else usual
    try:
        b.open(view="changes")
        b.until(lambda: b.text(".connection-text") == "Live", "the event stream")
        b.size(360, 700)
        if relay:
            relay.cut()
        else:
            f.api.control("drop")
        b.until(lambda: b.text(".connection-text").startswith("Reconnecting"), "the end of the stream")
        assert b.run("return document.scrollingElement.scrollWidth - innerWidth") <= 0, "the state is wider than the page"
        if not relay:
            b.until(lambda: b.text(".connection-text") == "Live", "another stream")
            f.api.control("issue")
            b.go(view="issues")
            b.until(lambda: b.all(".issue"), "the issue")
            assert "Remedy" in b.text(".issue")
            assert_quiet(b)
            return
        relay.mend()
        b.until(lambda: b.text(".connection-text") == "Live", "another stream", 20)
        f.program.tell("write connection again")
        b.until(lambda: "again" in b.text("tbody"), "a change by the other stream")
        b.reports()  # Requests have failed meanwhile.
    finally:
        b.address = usual
        if relay:
            relay.close()


def columns(table):
    return [(one["name"], one["type"]) for one in table["columns"]]


def shows_typed_keys_of_a_program(f):
    b = f.browser
    instance, more = f.find("typed keys", lambda one, more: one["role"] == "typedKeys")
    assert columns(more["tables"][0]) == mock.KEY_COLUMNS, "The mock has other columns."
    b.open(view="table", instance=instance)
    b.until(lambda: len(rows(b)) == more["tables"][0]["count"], "a row for each key")
    assert [one.split()[0].lower() for one in b.texts("thead th")] == [name for name, _ in mock.KEY_COLUMNS]
    if not f.program:
        return
    row = lambda name: next(one.split("\t") for one in b.texts("tbody tr") if one.startswith(name + "\n"))
    assert row("volume")[1:] == ["Double", "0.5", "key default", "0.5"], row("volume")
    assert row("launches")[1:] == ["Int", "12", "stored", "0"], row("launches")
    assert "masked" in row("apiKey")[2] and "sk_live" not in b.text("tbody"), row("apiKey")

    def delays():
        name = f"Ada {time.time()}".replace(" ", "-")
        f.program.tell(f"name {name}")
        started = time.monotonic()
        b.until(lambda: row("userName")[2:] == [name, "stored", "null"], "the new value", 5)
        return [time.monotonic() - started]
    f.within_a_second(delays)
    b.type('[data-field="prefix"]', "laun")
    b.until(lambda: rows(b) == ["launches"], "keys with the prefix")
    b.go(view="table", instance=instance, key="apiKey")
    b.click('.record [data-column="value"] button', "Reveal")
    b.until(lambda: "sk_live_0123" in b.text(".record"), "the revealed value")
    assert_quiet(b)


def counts_reads_of_data_sources(f):
    b = f.browser
    cache, _ = f.find("timed cache", lambda one, more: one["kind"] == "timed cache")
    b.open(view="summary", instance=cache)
    tiles = lambda: dict(one.split("\n") for one in b.texts(".tile"))
    if not f.program:
        b.until(lambda: "held values" in tiles(), "numbers")
        return
    f.program.tell("read")
    b.until(lambda: tiles().get("held values") == "3", "the values in the cache")
    assert {"hits": "4", "misses": "2"}.items() <= {one["name"]: one["value"] for one in f.api.get(f"instances/{cache}")["facts"]}.items()
    repository, _ = f.find("repository", lambda one, more: one["kind"] == "cache repository")
    b.go(view="summary", instance=repository)
    f.program.tell("fetch")
    b.until(lambda: tiles().get("fetches under way") == "1", "the fetch")
    b.go(view="statistics", instance=cache)
    b.until(lambda: {"hits", "age"} <= set(b.text("main").lower().split("\n")), "charts")
    assert_quiet(b)


def sends_what_waits_in_the_outbox(f):
    b = f.browser
    instance, more = f.find("outbox", lambda one, more: one["role"] == "outbox")
    assert all(columns(one) == mock.WRITE_COLUMNS for one in more["tables"]), "The mock has other columns."
    b.open(view="table", instance=instance, table="pending")
    b.until(lambda: len(rows(b)) == more["tables"][0]["count"], "the writes that wait")
    if not f.program:
        return
    first, second = ([one.strip() for one in row.split("\t")] for row in b.texts("tbody tr")[:2])
    assert first[2] == "put" and first[-2:] == ["3", "Offline()"], first
    assert second[-2:] == ["null", "null"], "Later writes must not overtake the first."
    b.click("tbody .row-link")
    b.until(lambda: "order.1" in b.text(".record"), "the write")
    b.go(view="summary", instance=instance)
    tiles = lambda: dict(one.split("\n") for one in b.texts(".tile"))
    b.until(lambda: tiles().get("pending") == "3", "the number of writes")
    assert "Offline()" in b.text("main")
    b.go(view="table", instance=instance, table="pending")
    b.until(lambda: len(rows(b)) == 3, "the writes that wait, again")
    f.program.tell("deliver")
    b.until(lambda: "No records" in b.text('[data-state="rows"]'), "an empty queue in the open view")
    b.go(view="summary", instance=instance)
    b.until(lambda: tiles().get("pending") == "0", "no writes")
    assert_quiet(b)


def replicates_and_shows_what_was_refused(f):
    b = f.browser
    instance, more = f.find("replication", lambda one, more: one["role"] == "replication")
    assert all(columns(one) == mock.COMMIT_COLUMNS for one in more["tables"]), "The mock has other columns."
    b.open(view="table", instance=instance, table="pending")
    b.until(lambda: len(rows(b)) == more["tables"][0]["count"], "commits that wait")
    if not f.program:
        return
    assert all("waits for the cluster" in one for one in b.texts("tbody tr"))
    b.go(view="summary", instance=instance)
    tiles = lambda: dict(one.split("\n") for one in b.texts(".tile"))
    b.until(lambda: tiles().get("pending") == "2" and tiles().get("rejected") == "0", "the numbers of commits")
    assert "never" in b.text("main")
    f.program.tell("replicate")
    b.until(lambda: tiles().get("pending") == "0" and tiles().get("rejected") == "1", "the verdicts of the cluster")
    b.until(lambda: "never" not in b.text("main"), "the contact with the cluster in the open view")
    b.go(view="table", instance=instance, table="rejected")
    b.until(lambda: "refused" in b.text("tbody") and "limit" in b.text("tbody"), "the refused commit")
    replica, _ = f.find("replica", lambda one, more: one["kind"] == "replicated device store")
    b.go(view="table", instance=replica, prefix="limit")
    b.until(lambda: b.texts("tbody tr") and b.texts("tbody tr")[0].endswith("20"), "the value of the cluster")
    b.go(view="issues")
    b.until(lambda: "rolledBack" in b.text(".issue"), "the issue")
    assert "Remedy" in b.text(".issue")
    assert_quiet(b)


def shows_changes_of_property_lists_within_a_second(f):
    b = f.browser
    if not f.server["isLive"]:
        raise LeftOut("the server shows one moment")
    instance, _ = f.find("property list", lambda one, more: "property list" in one["kind"] and one["role"] == "store" and more["tables"])
    b.open(view="table", instance=instance, prefix="browser.")
    b.until(lambda: b.text(".connection-text") == "Live", "the event stream")
    f.within_a_second(lambda: [f.seen("browser.test", f"value {number} {time.time()}", instance) for number in range(2)])
    assert_quiet(b)


def shows_saves_of_objects_within_a_second(f):
    """A program saves objects all the time; the history of the database tells when."""
    b = f.browser

    def saves(instance):
        for report in f.api.get(f"instances/{instance}/reports")["reports"]:
            if report["title"] == "Last saves":
                at = [column["name"] for column in report["columns"]].index("date")
                return [datetime.datetime.fromisoformat(row[at]["value"].replace("Z", "+00:00")).timestamp() for row in report["rows"]]
        return []

    def program():
        return next((one["id"] for one in f.server["instances"] if f.details[one["id"]]["role"] == "objects" and any(time.time() - at < 3 * b.patience for at in saves(one["id"]))), None)

    if f.is_mock:
        raise LeftOut("the mock's objects do not change")
    instance = b.until(program, "a program that saves objects", 5) if f.change_command else program()
    if not instance:
        raise LeftOut("no program saves objects now")
    b.open(view="changes", instance=instance)
    b.until(lambda: b.all("tbody tr"), "changes of objects")
    b.run("window.seen = []; new MutationObserver(() => seen.push(Date.now() / 1000)).observe(document.querySelector('.change-table tbody'), { childList: true })")

    def delays():
        began = time.time()
        known = b.until(lambda: len(found := [at for at in saves(instance) if at > began + 0.1]) >= 2 and found, "saves")
        b.until(lambda: b.run("return Math.max(...seen)") >= max(known), "the last of these saves")
        seen = b.run("return seen")
        return [min(one - at for one in seen if one >= at) for at in known]
    f.within_a_second(delays)
    assert_quiet(b)


def shows_one_moment(f):
    if f.is_mock:
        server, address = mock.serve(is_live=False)
        close = server.shutdown
    elif f.target.still:
        server = f.target.still()
        address, close = server.address, server.close
    else:
        raise LeftOut("no server with --no-trace")
    b = f.browser
    usual, b.address = b.address, address
    try:
        b.open()
        b.until(lambda: b.text(".connection-text") == "One moment", "the state")
        b.go(view="changes")
        assert "one moment" in b.text(".empty-state")
        instance = next(one["id"] for one in API(address).get("instances")["instances"] if one["name"].endswith("flags.larder"))
        b.go(view="table", instance=instance)
        b.until(lambda: rows(b), "rows")
        assert not b.all('[data-tool="live"]'), "nothing can be followed"
        assert_quiet(b)
    finally:
        b.address = usual
        close()


def cancels_verify(f):
    """Cancels a run on the largest store, unless it ends sooner."""
    b = f.browser
    b.open(view="actions", instance=f.large()[0])
    b.click('[data-action="verify"] button')
    b.until(lambda: b.run("[...document.querySelectorAll('.run.is-running button')].find(one => one.innerText === 'Cancel')?.click()") or b.all(".run.is-cancelled, .run.is-done"), "the end of the run", 30)
    f.notes.append("verify was canceled" if b.all(".run.is-cancelled") else "verify ended before it could be canceled")


def runs_actions(f):
    b = f.browser
    instance, more = f.store()
    names = [one["name"] for one in more["actions"]]
    if "verify" not in names:
        raise LeftOut("no action verify")
    b.open(view="actions", instance=instance)
    b.click('[data-action="verify"] button')
    b.until(lambda: b.all(".run"), "a run")
    b.until(lambda: b.all(".run.is-done"), "the end of verify", 30)
    if f.is_mock:
        b.click('[data-action="verify"] button')
        b.click(".run.is-running button", "Cancel")
        b.until(lambda: b.all(".run.is-cancelled"), "a canceled run")
    elif not f.is_short:
        cancels_verify(f)
        b.open(view="actions", instance=instance)
    if "compact" in names:
        before = len(b.all(".run"))
        b.click('[data-action="compact"] button')
        b.click("dialog button", "Cancel")
        b.until(lambda: not b.all("dialog"), "no dialog")
        assert len(b.all(".run")) == before, "a refused confirmation starts nothing"
        b.click('[data-action="compact"] button')
        b.click("dialog button.primary")
        b.until(lambda: len(b.all(".run.is-done")) > len([1]) - 1 and len(b.all(".run")) > before, "compact")
    if "backup" in names:
        files = set(os.listdir(f.downloads))
        b.click('[data-action="backup"] button')
        b.until(lambda: [one for one in b.all(".run.is-done button") if one.text.startswith("Download")], "a backup to download", 30)
        b.run("[...document.querySelectorAll('.run.is-done button')].find(one => one.innerText.startsWith('Download')).click()")
        b.until(lambda: [one for one in set(os.listdir(f.downloads)) - files if not one.endswith(".crdownload") and not one.startswith(".")], "the file")
    assert_quiet(b)


def works_with_the_keyboard_only(f):
    b = f.browser
    instance, more = f.store()
    b.open()
    b.keys(Keys.TAB)
    assert b.active()[3] == "skip", b.active()
    b.keys(Keys.ENTER)
    assert b.active()[0] == "h1", b.active()
    assert "view" not in b.place() or b.place()["view"] == "overview", "the skip link keeps the place"
    for _ in range(60):
        b.keys(Keys.TAB)
        if b.active()[1].endswith(f"instance={instance}") and "card-link" in b.active()[3]:
            break
    assert b.run("const s = getComputedStyle(document.activeElement, '::after'); return s.outlineStyle") == "solid", "the focus is visible"
    b.keys(Keys.ENTER)
    b.until(lambda: b.active()[0] == "h1" and b.place().get("instance") == instance, "the store")
    for _ in range(12):
        b.keys(Keys.TAB)
        if "view=table" in b.active()[1]:
            break
    b.keys(Keys.ENTER)
    b.settle({"view": "table", "instance": instance})
    b.until(lambda: rows(b), "rows")
    for _ in range(30):
        b.keys(Keys.TAB)
        if "row-link" in b.active()[3]:
            break
    assert "row-link" in b.active()[3], b.active()
    keys = rows(b)
    b.keys(Keys.ARROW_DOWN)
    assert b.active()[2] == keys[1], (b.active(), keys[:3])
    b.keys(Keys.END)
    assert b.active()[2] == keys[-1]
    b.keys(Keys.HOME, Keys.ENTER)
    b.until(lambda: b.all(".record .whole"), "the record")
    b.until(lambda: "record-title" in b.active()[3], "the focus is in the record")
    b.keys(Keys.ESCAPE)
    b.until(lambda: not b.all(".record") and "row-link" in b.active()[3], "the focus is in the table again")
    b.chord(Keys.CONTROL, "k")
    b.one("dialog.palette")
    b.keys(*"issues of all", Keys.ENTER)
    b.until(lambda: b.place().get("view") == "issues", "the issues")
    try:
        objects, model = f.objects()
    except LeftOut:
        return
    b.go(view="model", instance=objects)
    for _ in range(40):
        b.keys(Keys.TAB)
        if b.active()[3] == "node":
            break
    assert b.active()[3] == "node", b.active()
    start = b.run("return document.activeElement.dataset.node")
    b.keys(Keys.ARROW_RIGHT)
    if b.run("return document.activeElement.dataset.node") == start:
        b.keys(Keys.ARROW_DOWN)
    assert b.run("return document.activeElement.dataset.node") != start, "arrow keys walk among entities"
    b.keys(Keys.ENTER)
    b.until(lambda: b.place()["view"] == "table", "the objects")
    assert_quiet(b)


def renders_hostile_keys_and_values(f):
    b = f.browser
    instance, more = f.hostile()
    table = more["tables"][0]["name"]
    b.open(view="table", instance=instance, table=table, limit="500")
    seen = 0
    while True:
        b.until(lambda: rows(b) and not b.all("[aria-busy=true]"), "rows")
        seen += len(rows(b))
        if b.run("return document.querySelector('[data-tool=\"next\"]').disabled"):
            break
        page = b.place().get("page", "1")
        b.click('[data-tool="next"]')
        b.until(lambda: b.place().get("page", "1") != page, "the next page")
    assert seen >= 1000, f"only {seen} keys"
    keys = [one["key"] for one in f.api.get(f"instances/{instance}/rows", table=table, limit=1000)["records"]]
    opened = 0
    end = time.monotonic() + (4 if f.is_short else 8)
    for key in [sample_data.BOMB, *keys[::9]]:
        if "\x00" in key or time.monotonic() > end:
            continue
        b.run("location.hash = new URLSearchParams(arguments[0]).toString()", {"view": "table", "instance": instance, "table": table, "limit": "50", "key": key})
        b.until(lambda: b.run("return [...document.querySelectorAll('.record')].some(one => one.querySelector('.whole, .record-line, .notice'))"), "a hostile record")
        assert not b.all(".record .notice.error"), b.text(".record .notice")
        for choice in range(len(b.all(".record .choice"))):
            b.run("document.querySelectorAll('.record .choice')[arguments[0]].click()", choice)
        opened += 1
    made = b.run("""return [...document.querySelectorAll('main script, main iframe, main style, main object, main embed, main base, main meta, main link, main math, main form, main [onerror], main [onload], main [srcdoc], main [style]')]
        .map(one => one.outerHTML.slice(0, 80))""")
    assert made == [], made
    assert b.run("return window.canary") is None, "a hostile value was executed"
    assert b.run("return document.querySelectorAll('main a').length === [...document.querySelectorAll('main a')].filter(one => one.getAttribute('href').startsWith('#')).length"), "only links within the page"
    b.go(view="table", instance=instance, table=table, text="gnp.exe")
    b.until(lambda: rows(b) and all("RLO" in one for one in rows(b)), "a mark for right-to-left override")
    f.notes.append(f"{seen} rows, {opened} records opened in each of their views")
    found = b.reports()
    assert not found, found[:5]


# Everything in the light scheme; with --short, in the dark one only the rules that depend on colors.
EVERY_RULE = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
RULES_OF_COLORS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}


class Audit:
    """What axe finds in the views of the page, in both color schemes."""

    def __init__(self, f):
        self.f, self.problems, self.checked = f, {}, 0

    def check(self, name, has_side=True, without=()):
        """Checks what is shown now, without some rules. The list of instances is the same beside every view."""
        b = self.f.browser
        for scheme in ("light", "dark"):
            b.scheme(scheme, "reduce")
            if not b.run("return typeof axe === 'object'"):
                b.run(self.f.axe)
            found = b.driver.execute_async_script("""
                const done = arguments[arguments.length - 1];
                axe.run(arguments[1] ? document : { exclude: ['#side'] }, { runOnly: arguments[0], rules: Object.fromEntries(arguments[2].map(one => [one, { enabled: false }])), resultTypes: ['violations'] })
                    .then(result => done(result.violations.map(one => [one.id, one.nodes.length, one.nodes[0].html.slice(0, 160), one.nodes[0].failureSummary.slice(0, 240)])), error => done([['axe', 1, String(error), '']]));""",
                                                  RULES_OF_COLORS if scheme == "dark" and self.f.is_short else EVERY_RULE, has_side, list(without))
            self.checked += 1
            for one in found:
                self.problems.setdefault(one[0], []).append((name, scheme, *one[1:]))
        b.scheme("light")

    def assert_clean(self):
        b = self.f.browser
        self.f.notes.append(f"axe {b.run('return axe.version')}: {self.checked} checks without violations" if not self.problems else "")
        assert not self.problems, json.dumps(self.problems, indent=1)[:6000]


def is_accessible(f):
    b = f.browser
    b.open()
    audit = Audit(f)
    for name, place in f.places():
        b.go(**place, **({"limit": "50"} if place["view"] == "table" else {}))  # The other rows are of the same kind.
        b.until(lambda: b.run("return document.querySelector('main').innerText.length > 10"), name)
        if "key" in place:
            b.until(lambda: b.all(".record .whole, .record .record-line"), "the record")
        audit.check(name, not f.is_short or name in ("overview", "objects-table", "store-summary"))
    audit.assert_clean()


def has_accessible_dialogs(f):
    """What opens over the page or instead of it: dialogs, menus, plans, errors of a filter, and the form for the token."""
    b = f.browser
    instance, more = f.store()
    audit = Audit(f)
    b.open(view="table", instance=instance, limit="50")
    b.until(lambda: rows(b), "rows")
    for menu in ("Columns", "Export"):
        b.run("document.querySelectorAll('details.menu').forEach(one => { one.open = false; })")
        if any(one.text == menu for one in b.all(".menu > summary")):
            b.click(".menu > summary", menu)
            b.one(".menu[open] .menu-box")
            audit.check(f"menu {menu}")
    b.chord(Keys.CONTROL, "k")
    b.one("dialog.palette")
    audit.check("Go to")
    b.keys(*"issues")
    audit.check("Go to, with matches")
    b.keys(Keys.ESCAPE)
    b.until(lambda: not b.all("dialog"), "no dialog")
    if any(one["name"] == "compact" for one in more["actions"]):
        b.go(view="actions", instance=instance)
        b.click('[data-action="compact"] button')
        b.one("dialog button.primary")
        audit.check("confirmation")
        b.click("dialog button", "Cancel")
        b.until(lambda: not b.all("dialog"), "no dialog")
        b.click('[data-action="verify"] button')
        b.until(lambda: b.all(".run.is-done"), "the end of verify", 30)
        audit.check("runs")
    try:
        objects, model = f.objects()
        b.go(view="table", instance=objects, limit="50")
        b.until(lambda: rows(b), "objects")
        b.type('[data-field="filter"]', "nothing.here == 1")
        b.until(lambda: b.text(".field-error"), "an error")
        audit.check("error of a filter")
        b.type('[data-field="filter"]', "")
        b.keys("a", Keys.BACKSPACE)
        b.click('[data-tool="plan"]')
        b.until(lambda: b.all(".plan .steps li"), "the plan")
        audit.check("plan")
    except LeftOut as reason:
        f.notes.append(str(reason))
    b.size(360, 760)
    b.go(view="overview")
    b.click(".menu-button")
    b.until(lambda: b.all("body.menu-open"), "the menu")
    # To axe, links to places of the page that are scrolled out of the menu look like skip links.
    audit.check("menu of a narrow page", without=["skip-link"])
    b.size(1280, 900)
    b.driver.get("about:blank")
    b.driver.get(f.api.base + "/")
    b.run("sessionStorage.clear()")
    b.driver.refresh()
    b.one("#token")
    audit.check("form for the token")
    b.type("#token", "0" * 32)
    b.keys(Keys.ENTER)
    b.until(lambda: "does not accept this token" in b.text("main"), "a wrong token is refused")
    audit.check("refused token")
    audit.assert_clean()


def fits_every_width(f):
    b = f.browser
    b.open()
    os.makedirs(f.screenshots, exist_ok=True)
    for width, height in ((360, 760), (1024, 768), (2560, 1380)):
        b.size(width, height)
        scheme = "dark" if width == 1024 else "light"
        for name, place in f.places():
            b.scheme(scheme, "reduce")
            b.go(**place)
            if place["view"] == "statistics":
                time.sleep(1.2)
            else:
                time.sleep(0.05)
            extra = b.run("return [document.scrollingElement.scrollWidth - innerWidth, document.querySelector('main').scrollWidth - document.querySelector('main').clientWidth]")
            assert max(extra) <= 0, f"{name} is {max(extra)} px wider than {width} px"
            small = b.run("""return [...document.querySelectorAll('button, summary, select, input:not([type=checkbox]), .side-link, .tab, .row-link, .relation-link, .card-link')]
                .filter(one => one.checkVisibility() && !one.closest('svg') && !one.closest('.hidden')).map(one => [one.outerHTML.slice(0, 90), one.getBoundingClientRect()])
                .filter(([, r]) => r.width > 0 && (r.height < 23.5 || r.width < 23.5) && r.height > 1).map(([text, r]) => `${text} ${r.width}x${r.height}`)""")
            small = [one for one in small if "card-link" not in one]
            assert not small, f"{name} at {width} px: targets smaller than 24 px: {small[:3]}"
            b.screenshot(os.path.join(f.screenshots, f"{width}-{name}.png"))
    b.size(360, 760)
    b.go(view="overview")
    b.click(".menu-button")
    b.until(lambda: b.all("body.menu-open"), "the menu")
    b.screenshot(os.path.join(f.screenshots, "360-menu.png"))
    b.keys(Keys.ESCAPE)
    b.until(lambda: not b.all("body.menu-open"), "the menu closes")
    b.size(1280, 900)
    b.scheme("light")
    assert_quiet(b)


def respects_reduced_motion_and_the_switch_of_schemes(f):
    b = f.browser
    b.open()
    b.scheme("light", "reduce")
    paper = lambda: b.run("return getComputedStyle(document.body).backgroundColor")
    light = paper()
    b.run("const one = document.querySelector('.scheme select'); one.value = 'dark'; one.dispatchEvent(new Event('change'))")
    assert paper() != light
    b.driver.refresh()
    b.until(lambda: paper() != light, "the scheme is kept")
    b.run("const one = document.querySelector('.scheme select'); one.value = ''; one.dispatchEvent(new Event('change'))")
    assert paper() == light
    b.scheme("light")


def paints_the_picture_for_the_readme(f):
    if not f.picture:
        raise LeftOut("no --picture")
    b = f.browser
    try:
        # The database of `larder inspection-demo`, or that of the mock.
        instance, _ = f.find("database of the demo", lambda one, more: one["role"] == "objects" and any(table["name"] in ("DemoCustomer", "Order") for table in more["tables"]))
        query = {"table": "Order", "filter": 'total > 100 && customer.name == "Ada Lovelace"', "order": "-placed"} if f.is_mock else {"table": "DemoCustomer", "filter": 'number > 20 && city == "Porto"'}
        records = f.api.get(f"instances/{instance}/rows", **query)["records"]
        place = {"view": "table", "instance": instance} | query | {"key": records[3]["key"] if f.is_mock else max(records[:12], key=lambda one: one["counts"]["orders"])["key"]}
    except LeftOut:
        place = {"view": "table", "instance": f.store()[0]}
    b.size(1440, 820)
    b.scheme("light", "reduce")
    b.open(**place)
    b.until(lambda: b.all(".record .record-line, .record .whole, tbody tr"), "the table")
    b.run("document.activeElement.blur()")
    b.until(lambda: b.run("return [...document.querySelectorAll('.related-box[open] .related')].every(one => one.childElementCount)"), "related records")
    time.sleep(0.5)
    data = b.cdp("Page.captureScreenshot", format="webp", quality=88)["data"]
    os.makedirs(os.path.dirname(os.path.abspath(f.picture)), exist_ok=True)
    with open(f.picture, "wb") as file:
        file.write(base64.b64decode(data))
    size = os.path.getsize(f.picture)
    b.size(1280, 900)
    f.notes.append(f"{size / 1000:.0f} kB")
    assert size < 300_000


ALL = [
    opens_with_the_token_and_hides_it, asks_for_a_token_without_one, shows_every_view, searches_a_store_and_keeps_the_place, pages_through_a_million_keys,
    shows_values_by_their_type, reveals_one_column_at_a_time, shares_one_stream_among_tabs, downloads_what_is_shown, draws_the_model_and_leads_to_rows, filters_and_sorts_objects, walks_relationships_and_back,
    shows_changes_within_a_second, shows_changes_of_property_lists_within_a_second, shows_saves_of_objects_within_a_second, shows_one_moment, keeps_elements_while_numbers_change, runs_actions,
    works_with_the_keyboard_only, renders_hostile_keys_and_values, respects_reduced_motion_and_the_switch_of_schemes, is_accessible, has_accessible_dialogs, fits_every_width,
    paints_the_picture_for_the_readme,
]

# What .ci/run tests: each kind of view once, and what only a browser shows.
SHORT = [
    opens_with_the_token_and_hides_it, asks_for_a_token_without_one, shows_every_view, searches_a_store_and_keeps_the_place, shows_values_by_their_type, reveals_one_column_at_a_time, downloads_what_is_shown,
    draws_the_model_and_leads_to_rows, filters_and_sorts_objects, walks_relationships_and_back, shows_changes_within_a_second, shows_changes_of_property_lists_within_a_second,
    shows_saves_of_objects_within_a_second, runs_actions, works_with_the_keyboard_only, renders_hostile_keys_and_values, is_accessible, fits_every_width,
]

# What needs a running program: typed keys, data sources, an outbox, replication, and many changes at once.
PROGRAM = [shows_typed_keys_of_a_program, counts_reads_of_data_sources, sends_what_waits_in_the_outbox, replicates_and_shows_what_was_refused, survives_a_burst_of_changes, connects_again]
PROGRAM_VIEWS = [shows_every_view, is_accessible]

# What only the mock can do, or does at a moment that the test chooses.
MOCK = [
    shows_every_view, reveals_one_column_at_a_time, shares_one_stream_among_tabs, shows_typed_keys_of_a_program, counts_reads_of_data_sources, sends_what_waits_in_the_outbox, replicates_and_shows_what_was_refused,
    shows_one_moment, keeps_elements_while_numbers_change, survives_a_burst_of_changes, connects_again, runs_actions, is_accessible,
]

# These take longest, so they begin first.
LONG = [fits_every_width, is_accessible, has_accessible_dialogs, renders_hostile_keys_and_values, survives_a_burst_of_changes]
