"""Tests of the page. Each takes the fixture; what a server does not have is left out, and said."""
import base64
import datetime
import json
import os
import time

from selenium.webdriver.common.keys import Keys

import sample_data


class LeftOut(Exception):
    """What a test needs does not exist here."""


class Fixture:
    """A browser, the server, and which of its instances the tests use."""

    def __init__(self, browser, api, axe, is_mock, change, screenshots, picture, large=100_000, is_short=False):
        self.browser, self.api, self.axe, self.is_mock, self.change_command = browser, api, axe, is_mock, change
        self.screenshots, self.picture, self.notes, self.large_count = screenshots, picture, [], large
        self.is_short = is_short
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

    def assert_soon(self, delays):
        """What another process changes is seen within a second, on a machine that is not busy."""
        self.notes.append(f"seen after {max(delays) * 1000:.0f} ms at most")
        assert max(delays) < self.browser.patience, delays

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
    b.open(view="table", instance=instance)
    b.until(lambda: len(rows(b)) == 100, "a page of rows")
    f.notes.append(f"first rows {b.run('return Math.round(performance.getEntriesByName(arguments[0])[0].startTime)', 'rows')} ms after the page was opened")
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
    delays = []
    for number in range(3):
        value = f"value {number} {time.time()}"
        f.change("browser.test", value)
        started = time.monotonic()
        b.until(lambda: value in b.text("tbody"), "the change in the table", 5)
        delays.append(time.monotonic() - started)
    f.assert_soon(delays)
    b.go(view="changes", instance=instance)
    f.change("browser.test", "a last value")
    started = time.monotonic()
    b.until(lambda: "a last value" in b.text("tbody"), "the change in the list", 5)
    f.assert_soon([time.monotonic() - started])
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
    if not f.is_mock:
        raise LeftOut("the numbers of the mock change each second")
    b.open(view="summary", instance="1")
    b.until(lambda: b.all(".tile"), "numbers")
    tiles = b.text(".tiles")
    b.run("window.kept = [...document.querySelectorAll('.tab, .tile, .side-link')]")
    b.until(lambda: b.text(".tiles") != tiles, "other numbers")
    time.sleep(2.2)  # Counts follow every two seconds.
    assert b.run("return window.kept.every(one => one.isConnected)"), b.run("return window.kept.filter(one => !one.isConnected).map(one => one.outerHTML.slice(0, 200))")
    b.go(view="table", instance="1", prefix="app.launch")
    b.until(lambda: rows(b), "rows")
    row = b.text("tbody")
    b.run("window.kept = [...document.querySelectorAll('tbody .row-link, .pager button')]; document.querySelector('tbody .row-link').focus()")
    b.until(lambda: b.text("tbody") != row, "another value")
    assert b.run("return window.kept.every(one => one.isConnected) && document.activeElement === window.kept[0] && window.kept[0].tabIndex === 0")
    assert_quiet(b)


def survives_a_burst_of_changes(f):
    if not f.is_mock:
        raise LeftOut("a burst of 10,000 changes a second comes only from the mock")
    b = f.browser
    b.open(view="changes")
    b.until(lambda: b.text(".connection-text") == "Live", "the event stream")
    b.run("""window.frames_ = []; let last = performance.now();
        (function frame(now) { frames_.push(now - last); last = now; requestAnimationFrame(frame); })(last);
        gc(); window.heap = performance.memory.usedJSHeapSize;""")
    f.api.control("burst", total=40_000, rate=10_000)
    total = lambda: int(b.text('[data-state="changes"]').split(" change")[0].replace(",", "") or 0)
    b.until(lambda: total() >= 40_000, "40,000 changes", 20)
    assert len(b.all("tbody tr")) <= 150
    slowest, middle = b.run("const all = frames_.slice(2).sort((a, b) => a - b); return [all.at(-1), all[Math.floor(all.length / 2)]]")
    grown = b.run("gc(); return performance.memory.usedJSHeapSize - window.heap") / 1e6
    f.notes.append(f"frames: median {middle:.0f} ms, slowest {slowest:.0f} ms; heap {grown:+.1f} MB after 40,000 changes in 4 s")
    assert slowest < 1000 and grown < 20, (slowest, grown)
    # The table of that store stays usable meanwhile.
    f.api.control("burst", total=20_000, rate=10_000)
    b.go(view="table", instance=f.large()[0])
    b.type('[data-field="prefix"]', "user.05")
    b.until(lambda: rows(b) and rows(b)[0].startswith("user.05"), "rows during a burst")
    assert_quiet(b)


def connects_again(f):
    if not f.is_mock:
        raise LeftOut("only the mock can end its streams")
    b = f.browser
    b.open(view="changes")
    b.until(lambda: b.text(".connection-text") == "Live", "the event stream")
    b.size(360, 700)
    f.api.control("drop")
    b.until(lambda: b.text(".connection-text").startswith("Reconnecting"), "the end of the stream")
    assert b.run("return document.scrollingElement.scrollWidth - innerWidth") <= 0, "the state is wider than the page"
    b.until(lambda: b.text(".connection-text") == "Live", "another stream")
    f.api.control("issue")
    b.go(view="issues")
    b.until(lambda: b.all(".issue"), "the issue")
    assert "Remedy" in b.text(".issue")
    assert_quiet(b)


def shows_changes_of_property_lists_within_a_second(f):
    b = f.browser
    if not f.server["isLive"]:
        raise LeftOut("the server shows one moment")
    instance, _ = f.find("property list", lambda one, more: "property list" in one["kind"] and one["role"] == "store" and more["tables"])
    b.open(view="table", instance=instance, prefix="browser.")
    b.until(lambda: b.text(".connection-text") == "Live", "the event stream")
    delays = []
    for number in range(2):
        value = f"value {number} {time.time()}"
        f.change("browser.test", value, instance)
        started = time.monotonic()
        b.until(lambda: value in b.text("tbody"), "the change in the table", 5)
        delays.append(time.monotonic() - started)
    f.assert_soon(delays)
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
    began = time.time()
    known = b.until(lambda: len(found := [at for at in saves(instance) if at > began + 0.1]) >= 2 and found, "saves")
    b.until(lambda: b.run("return Math.max(...seen)") >= max(known), "the last of these saves")
    seen = b.run("return seen")
    f.assert_soon([min(one - at for one in seen if one >= at) for at in known])
    assert_quiet(b)


def shows_one_moment(f):
    if not f.is_mock:
        raise LeftOut("the server is asked with --no-trace in other tests")
    import mock
    server, address = mock.serve(is_live=False)
    b = f.browser
    usual, b.address = b.address, address
    try:
        b.open()
        b.until(lambda: b.text(".connection-text") == "One moment", "the state")
        b.go(view="changes")
        assert "one moment" in b.text(".empty-state")
        b.go(view="table", instance="1")
        b.until(lambda: rows(b), "rows")
        assert not b.all('[data-tool="live"]'), "nothing can be followed"
        assert_quiet(b)
    finally:
        b.address = usual
        server.shutdown()


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


def is_accessible(f):
    b = f.browser
    b.open()
    b.run(f.axe)
    # Everything in the light scheme; in the dark one only the rules that depend on colors, because nothing else differs.
    rules = {"light": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]},
             "dark": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
    # The list of instances is the same beside every view, so it is checked with three of them.
    problems, checked = {}, 0
    for name, place in f.places():
        for scheme in ("light", "dark"):
            b.scheme(scheme, "reduce")
            if scheme == "light":
                b.go(**place, **({"limit": "50"} if place["view"] == "table" else {}))  # The other rows are of the same kind.
                b.until(lambda: b.run("return document.querySelector('main').innerText.length > 10"), name)
                if "key" in place:
                    b.until(lambda: b.all(".record .whole, .record .record-line"), "the record")
            b.until(lambda: b.run("return typeof axe") == "object", "axe")
            result = b.driver.execute_async_script("""
                const done = arguments[arguments.length - 1];
                axe.run(arguments[1] ? document : { exclude: ['#side'] }, { runOnly: arguments[0], resultTypes: ['violations'] })
                    .then(result => done(result.violations.map(one => [one.id, one.nodes.length, one.nodes[0].html.slice(0, 160), one.nodes[0].failureSummary.slice(0, 240)])), error => done([['axe', 1, String(error), '']]));""", rules[scheme], name in ("overview", "objects-table", "store-summary"))
            checked += 1
            for one in result:
                problems.setdefault(one[0], []).append((name, scheme, *one[1:]))
    b.scheme("light")
    f.notes.append(f"axe {b.run('return axe.version')}: {checked} views without violations" if not problems else "")
    assert not problems, json.dumps(problems, indent=1)[:6000]


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
        instance, _ = f.objects()
        table, record, _ = f.entities(instance)
        place = {"view": "table", "instance": instance, "table": table["name"], "key": record["key"]}
        if f.is_mock:
            query = {"table": "Order", "filter": 'total > 100 && customer.name == "Ada Lovelace"', "order": "-placed"}
            place |= query | {"key": f.api.get(f"instances/{instance}/rows", **query)["records"][3]["key"]}
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
    shows_changes_within_a_second, shows_changes_of_property_lists_within_a_second, shows_saves_of_objects_within_a_second, shows_one_moment, keeps_elements_while_numbers_change, survives_a_burst_of_changes, connects_again, runs_actions, works_with_the_keyboard_only, renders_hostile_keys_and_values,
    respects_reduced_motion_and_the_switch_of_schemes, is_accessible, fits_every_width, paints_the_picture_for_the_readme,
]

# What .ci/run tests: each kind of view once, and what only a browser shows.
SHORT = [
    opens_with_the_token_and_hides_it, shows_every_view, searches_a_store_and_keeps_the_place, reveals_one_column_at_a_time, draws_the_model_and_leads_to_rows, filters_and_sorts_objects,
    walks_relationships_and_back, shows_changes_within_a_second, shows_changes_of_property_lists_within_a_second, shows_saves_of_objects_within_a_second, works_with_the_keyboard_only,
    renders_hostile_keys_and_values, is_accessible, fits_every_width,
]

# These take longest, so they begin first.
LONG = [fits_every_width, is_accessible, renders_hostile_keys_and_values]
