#!/usr/bin/env python3
"""A mock of `larder inspect`: implements the JSON API with sample data, for work on the page and for fast tests of it.

python3 mock.py [--port N] [--assets FOLDER] [--still]   prints the address with its token
"""
import argparse
import base64
import csv
import datetime
import functools
import io
import json
import math
import os
import queue
import re
import secrets
import sys
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import sample_data
from sample_data import MODEL, typed

ASSETS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Sources/LarderInspector/Page/Assets")
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
SECRET = re.compile(r"token|secret|password|credential|apikey|api-key|cookie|session|private", re.I)
MILLION = 1_000_000
VERSION = "0.1.0"


class Refusal(Exception):
    def __init__(self, status, code, message, place=None):
        super().__init__(message)
        self.status, self.body = status, {"code": code, "message": message, "place": place}


def size_of(value):
    content = value["value"]
    if value["type"] in ("string", "url"):
        return len(content.encode("utf-8", "surrogatepass"))
    if value["type"] == "data":
        return len(base64.b64decode(content))
    return len(content) if value["type"] in ("array", "dictionary") else 0


def shown(value, name, limit, reveal):
    """A value as tables and records contain it: cut and masked, also what it contains."""
    if SECRET.search(name) and not reveal and value["type"] != "null":
        return {"type": value["type"], "size": size_of(value), "isMasked": True}
    if value["type"] == "dictionary":
        return value | {"value": {key: shown(typed(one), key, limit, reveal) for key, one in value["value"].items()}}
    if value["type"] == "array":
        return value | {"value": [shown(typed(one), "", limit, reveal) for one in value["value"]]}
    if value["type"] == "string" and not reveal and value["value"].startswith("{") and SECRET.search(value["value"][:limit]):
        masked = re.sub(r'("[^"]*"):"[^"]*"', lambda match: match[1] + ':"(masked)"' if SECRET.search(match[1]) else match[0], value["value"])
        if masked != value["value"]:
            return value | {"value": masked, "hasMasked": True}
    if value["type"] in ("string", "url") and len(value["value"]) > limit:
        return value | {"value": value["value"][:limit], "size": size_of(value), "isCut": True}
    if value["type"] == "data" and size_of(value) > limit:
        return value | {"value": base64.b64encode(base64.b64decode(value["value"])[:limit]).decode(), "size": size_of(value), "isCut": True}
    return value


def page(keys, after, limit):
    start = 0
    if after:
        try:
            start = int(after)
        except ValueError:
            raise Refusal(400, "invalidCursor", "The parameter \"after\" is not a cursor of this table. Begin with the first page.") from None
    chosen = keys[start:start + limit]
    return chosen, str(start + limit) if start + limit < len(keys) else None


class Store:
    """A store of entries: key -> (value, expiry)."""
    role, health, reports_changes = "store", "good", True

    def __init__(self, number, name, kind, entries, facts=(), actions=("verify", "compact", "backup")):
        self.id, self.name, self.kind, self.entries, self.extra = str(number), name, kind, entries, list(facts)
        self.lock = threading.Lock()
        self.action_names = actions
        self.commits = 10_000

    def keys(self):
        with self.lock:
            return sorted(self.entries, key=lambda key: key.encode("utf-8", "surrogatepass"))

    def facts(self):
        return [("entries", f"{len(self.entries)}"), ("live bytes", "1201448"), ("dead bytes", "212004"), ("file bytes", "1413452"), ("generation", "7"), ("health", self.health),
                ("open in processes", "4711, 4802"), ("guarantees", "survives crashes; synced on request; changes of other processes are seen"), *self.extra]

    def tables(self):
        return [{"name": "entries", "count": len(self.entries), "bytes": None, "relationships": [], "indexes": [], "columns": [
            {"name": "key", "type": "String", "isSortable": True}, {"name": "type", "type": "String", "isSortable": False}, {"name": "value", "type": "any", "isSortable": False}]}]

    def record(self, key, limit, reveal=()):
        value, expiry = self.entries[key]
        value = typed(value)
        return {"key": key, "values": [typed(key), typed(value["type"]), shown(value, key, limit, "value" in reveal)], "related": {}, "counts": {}, "expiry": expiry, "problem": None}

    def value(self, key, column):
        return typed(self.entries[key][0])

    def rows(self, query, limit):
        keys = [key for key in self.keys() if key.startswith(query.get("prefix", ""))]
        text = query.get("text", "").lower()
        if text:
            keys = [key for key in keys if text in key.lower() or text in json.dumps(typed(self.entries[key][0]), ensure_ascii=False).lower()]
        if query.get("order") == "-key":
            keys.reverse()
        chosen, following = page(keys, query.get("after"), limit)
        return {"records": [self.record(key, 1000) for key in chosen], "next": following, "total": len(keys)}

    def has(self, key):
        return key in self.entries

    def statistics(self):
        moment = time.time()
        wave = (1 + math.sin(moment / 9)) / 2
        self.commits += int(40 + 60 * wave)
        return [("reads", self.commits * 21, "counter", "count"), ("commits", self.commits, "counter", "count"),
                ("commit, median", 180e-6 + 60e-6 * wave, "gauge", "seconds"), ("commit, 95th percentile", 900e-6 + 500e-6 * wave, "gauge", "seconds"),
                ("commit, 99th percentile", 2.4e-3 + 2e-3 * wave, "gauge", "seconds"), ("file bytes", 1_400_000 + 90_000 * (moment % 60) / 60, "gauge", "bytes"),
                ("dead bytes", 212_000 * ((moment % 60) / 60), "gauge", "bytes")]

    def reports(self):
        return []

    def plan(self, query):
        raise Refusal(404, "noPlan", "This instance executes queries without a plan.")

    def put(self, key, value):
        with self.lock:
            old = self.entries.get(key)
            self.entries[key] = (value, None)
            self.commits += 1
        return {"table": "entries", "key": key, "kind": "updated" if old else "inserted", "old": shown(typed(old[0]), key, 200, False) if old else None,
                "new": shown(typed(value), key, 200, False), "columns": []}


class Damaged(Store):
    """A store that needs attention."""
    health = "2 damaged entries at 18,224. Repair the store with larder repair."


class MillionStore(Store):
    """A million keys that are computed when they are asked for."""

    def __init__(self, number, name):
        super().__init__(number, name, "device store", {})
        self.changed = {}

    def key(self, index):
        return f"user.{index:07d}.{('cart', 'profile', 'visits')[index % 3]}"

    def index(self, key):
        match = re.fullmatch(r"user\.(\d{7})\.(cart|profile|visits)", key)
        return int(match[1]) if match and self.key(int(match[1])) == key and int(match[1]) < MILLION else None

    def has(self, key):
        return self.index(key) is not None

    def raw(self, index):
        key = self.key(index)
        if key in self.changed:
            return self.changed[key]
        return ([f"product {index % 977}", index % 7], {"name": f"{sample_data.FIRST[index % 12]} {sample_data.LAST[index % 11]}", "city": sample_data.CITIES[index % 8]}, index % 5003)[index % 3]

    def facts(self):
        return [("entries", str(MILLION)), ("live bytes", "114880410"), ("dead bytes", "3104388"), ("file bytes", "117984798"), ("generation", "2"), ("health", "good"), ("open in processes", "4711")]

    def tables(self):
        table = super().tables()[0]
        return [table | {"count": MILLION}]

    def record(self, key, limit, reveal=()):
        value = typed(self.raw(self.index(key)))
        return {"key": key, "values": [typed(key), typed(value["type"]), value], "related": {}, "counts": {}, "expiry": None, "problem": None}

    def value(self, key, column):
        return typed(self.raw(self.index(key)))

    def rows(self, query, limit):
        prefix, text = query.get("prefix", ""), query.get("text", "").lower()
        low, high = self.bound(prefix), self.bound(prefix + "\U0010ffff")
        start = max(low, int(query.get("after") or 0))
        found, index = [], start
        patience = start + 60_000
        while index < high and len(found) < limit and index < patience:
            key = self.key(index)
            if not text or text in key or text in str(self.raw(index)).lower():
                found.append(self.record(key, 1000))
            index += 1
        return {"records": found, "next": str(index) if index < high else None, "total": None if text else high - low}

    def bound(self, text):
        low, high = 0, MILLION
        while low < high:
            middle = (low + high) // 2
            if self.key(middle) < text:
                low = middle + 1
            else:
                high = middle
        return low

    def put(self, key, value):
        old = self.raw(self.index(key))
        self.changed[key] = value
        return {"table": "entries", "key": key, "kind": "updated", "old": typed(old), "new": typed(value), "columns": []}


class Filter:
    """Conditions such as `total > 100 && customer.name == "Ada"`."""
    TOKEN = re.compile(r'\s*(?:(?P<name>[A-Za-z_][\w.]*)|(?P<number>-?\d+(?:\.\d+)?)|(?P<string>"(?:[^"\\]|\\.)*")|(?P<operator>==|!=|<=|>=|<|>|&&))')

    def __init__(self, text, objects, table):
        self.conditions, position, tokens = [], 0, []
        while text[position:].strip():
            match = self.TOKEN.match(text, position)
            if not match:
                start = position + len(text[position:]) - len(text[position:].lstrip())
                raise Refusal(400, "invalidFilter", f"Unexpected {text[start]!r}. Compare an attribute with a value, such as total > 100.", [start, start + 1])
            tokens.append((match.lastgroup, match[match.lastgroup], match.start(match.lastgroup), match.end(match.lastgroup)))
            position = match.end()
        while tokens:
            name, operator, value = (tokens + [(None, "", len(text), len(text))] * 3)[:3]
            if name[0] != "name":
                raise Refusal(400, "invalidFilter", "Expected the name of an attribute.", [name[2], name[3]])
            path, current = name[1].split("."), table
            for step, part in enumerate(path):
                columns, relations, _ = MODEL[current]
                destination = next((one["destination"] for one in relations if one["name"] == part), None)
                if step == len(path) - 1 and any(part == column for column, _ in columns):
                    break
                if destination is None or step == len(path) - 1:
                    begin = name[2] + sum(len(one) + 1 for one in path[:step])
                    known = ", ".join(column for column, _ in columns)
                    raise Refusal(400, "invalidFilter", f"{current} has no attribute \"{part}\". Use one of {known}.", [begin, begin + len(part)])
                current = destination
            if operator[0] != "operator" or operator[1] == "&&":
                raise Refusal(400, "invalidFilter", "Expected ==, !=, <, <=, > or >= here.", [operator[2], operator[3]])
            if value[0] not in ("number", "string", "name"):
                raise Refusal(400, "invalidFilter", "Expected a number, a string in quotation marks, true or false here.", [value[2], value[3]])
            literal = {"number": float, "string": json.loads, "name": lambda word: {"true": True, "false": False, "nil": None}.get(word)}[value[0]](value[1])
            self.conditions.append((path, operator[1], literal))
            tokens = tokens[3:]
            if tokens:
                if tokens[0][1] != "&&" or len(tokens) == 1:
                    raise Refusal(400, "invalidFilter", "Join conditions with &&.", [tokens[0][2], tokens[0][3]])
                tokens = tokens[1:]
        self.objects, self.table = objects, table

    def matches(self, record):
        for path, operator, literal in self.conditions:
            current, table = record, self.table
            for part in path[:-1]:
                destination = next(one["destination"] for one in MODEL[table][1] if one["name"] == part)
                related = current.get(part)
                current, table = (self.objects[destination].get(related, {}) if isinstance(related, str) else {}), destination
            value = current.get(path[-1])
            try:
                if not {"==": value == literal, "!=": value != literal}.get(operator, None if operator in ("==", "!=") else
                                                                              (value is not None and eval_order(value, operator, literal))):
                    return False
            except TypeError:
                return False
        return True


def eval_order(value, operator, literal):
    return {"<": value < literal, "<=": value <= literal, ">": value > literal, ">=": value >= literal}[operator]


class Objects:
    role, kind, reports_changes = "objects", "object database", True

    def __init__(self, number, name):
        self.id, self.name, self.objects = str(number), name, sample_data.database()
        self.action_names = ("verify", "compact", "backup")
        self.saves = 500

    def facts(self):
        return [("file", self.name), ("file bytes", "2301952"), ("log bytes", "49152"), ("page bytes", "4096"), ("free pages", "12"), ("SQLite", "3.45.1"), ("format", "5"), ("model version", "4"),
                ("fingerprint", "5f1c02d9a4"), ("entities", "8"), ("health", "good"), ("processes", "4711 shop"), ("history", "1,204 saves")]

    def tables(self):
        result = []
        for name, (columns, relations, indexes) in MODEL.items():
            count = len(self.objects[name])
            result.append({"name": name, "count": count, "bytes": 4096 + count * 190, "relationships": relations,
                           "columns": [{"name": column, "type": kind, "isSortable": kind != "Data?"} for column, kind in columns],
                           "indexes": [{"name": index, "columns": names, "isUnique": unique, "bytes": 4096 + count * 24} for index, names, unique in indexes]})
        return result

    def has(self, key):
        return True

    @functools.cached_property
    def inverse(self):
        """Keys of related records: (table, relationship, key) -> keys."""
        result = {}
        for name, (_, relations, _) in MODEL.items():
            for one in relations:
                if one["isToMany"] and one["inverse"]:
                    for key, record in self.objects[one["destination"]].items():
                        owners = record.get(one["inverse"])
                        for owner in owners if isinstance(owners, list) else [owners]:
                            if owner is not None:
                                result.setdefault((name, one["name"], owner), []).append(key)
        return result

    def related(self, table, key, relationship):
        record = self.objects[table][key]
        if relationship in record:
            value = record[relationship]
            return value if isinstance(value, list) else [value] if value else []
        if (table, relationship, key) in self.inverse:
            return self.inverse[table, relationship, key]
        one = next(one for one in MODEL[table][1] if one["name"] == relationship)
        return [] if one["isToMany"] else [other for other, record in self.objects[one["destination"]].items() if record.get(one["inverse"]) == key][:1]

    def record_of(self, table, key, limit, reveal=()):
        if key not in self.objects.get(table, {}):
            raise Refusal(404, "notFound", "The table has no record with this key any more. Read the table again.")
        record = self.objects[table][key]
        columns, relations, _ = MODEL[table]
        related, counts = {}, {}
        for one in relations:
            keys = self.related(table, key, one["name"])
            if one["isToMany"]:
                counts[one["name"]] = len(keys)
            elif keys:
                related[one["name"]] = keys[0]
        return {"key": key, "values": [shown(typed(record.get(name)), name, limit, name in reveal) for name, _ in columns], "related": related, "counts": counts, "expiry": None, "problem": None}

    def rows(self, query, limit):
        table = query.get("table") or "Category"
        if table not in self.objects:
            raise Refusal(404, "notFound", "There is no such table. Use one of the tables of this instance.")
        keys = list(self.objects[table])
        if query.get("of"):
            keys = self.related(query["ofTable"], query["of"], query["relationship"])
        if query.get("filter"):
            condition = Filter(query["filter"], self.objects, table)
            keys = [key for key in keys if condition.matches(self.objects[table][key])]
        text = query.get("text", "").lower()
        if text:
            keys = [key for key in keys if any(text in str(self.objects[table][key].get(name)).lower() for name, _ in MODEL[table][0])]
        for part in reversed([one for one in query.get("order", "").split(",") if one]):
            name = part.lstrip("-")
            keys = sorted(keys, key=lambda key: ((value := self.objects[table][key].get(name)) is not None, value), reverse=part.startswith("-"))
        chosen, following = page(keys, query.get("after"), limit)
        return {"records": [self.record_of(table, key, 1000) for key in chosen], "next": following, "total": len(keys)}

    def statistics(self):
        self.saves += 3
        wave = (1 + math.sin(time.time() / 7)) / 2
        return [("file bytes", 2_301_952, "gauge", "bytes"), ("log bytes", 49_152 * wave, "gauge", "bytes"), ("free pages", 12, "gauge", "count"), ("saves of this program", self.saves, "counter", "count"),
                ("queries", self.saves * 17, "counter", "count"), ("save, median", 220e-6 + 80e-6 * wave, "gauge", "seconds"), ("save, 99th percentile", 4e-3 + 9e-3 * wave, "gauge", "seconds")]

    def reports(self):
        def columns(*names):
            return [{"name": name, "type": "any", "isSortable": False} for name in names]
        slow = 'SELECT id, number, placed, status, total, note, customer FROM "Order" WHERE total > ? AND status = ? ORDER BY placed DESC LIMIT ?'
        return [
            {"title": "Slow queries", "note": None, "columns": columns("statement", "count", "longest", "mean"),
             "rows": [[typed(slow), typed(41), typed("48 ms"), typed("12 ms")], [typed('SELECT id FROM "Product" WHERE name LIKE ?'), typed(9), typed("21 ms"), typed("8.4 ms")]]},
            {"title": "Repeated queries", "note": "A relationship that is read for each object of a list can be prefetched.", "columns": columns("statement", "count"),
             "rows": [[typed('SELECT id, name FROM "Customer" WHERE id = ?'), typed(1204)]]},
            {"title": "Migrations", "note": None, "columns": columns("from", "to", "date", "duration"),
             "rows": [[typed(3), typed(4), typed(sample_data.EPOCH), typed("210 ms")], [typed(2), typed(3), typed(sample_data.EPOCH - datetime.timedelta(days=80)), typed("1.1 s")]]},
            {"title": "Conflicts", "note": "No save had a conflict.", "columns": columns("entity", "key"), "rows": []},
        ]

    def plan(self, query):
        table = query.get("table") or "Category"
        if query.get("filter"):
            condition = Filter(query["filter"], self.objects, table).conditions
            where = " AND ".join(f"{'.'.join(path)} {'=' if operator == '==' else operator} ?" for path, operator, _ in condition)
            names = ", ".join(path[-1] for path, *_ in condition)
            return {"statement": f'SELECT * FROM "{table}"\nWHERE {where}\nORDER BY id LIMIT ?', "steps": [f"SCAN {table}", "USE TEMP B-TREE FOR ORDER BY"],
                    "advice": [f"An index of {table} on {names} would avoid reading all {len(self.objects[table])} records. Add #Index<{table}>([\\.{names}]) to the model."]}
        return {"statement": f'SELECT * FROM "{table}"\nORDER BY id LIMIT ?', "steps": [f"SEARCH {table} USING INTEGER PRIMARY KEY"], "advice": []}


# The columns of Inspected... in Sources, which a test compares with those of a running program.
KEY_COLUMNS = [("name", "String"), ("type", "String"), ("value", "any"), ("origin", "String"), ("default", "any")]
WRITE_COLUMNS = [("number", "Int"), ("verb", "String"), ("keys", "[String]"), ("values", "any"), ("written", "Date"), ("attempts", "Int?"), ("error", "String?")]
COMMIT_COLUMNS = [("number", "Int"), ("state", "String"), ("keys", "[String]"), ("values", "[String: any]")]


class Listing(Store):
    """An instance whose tables have columns of their own, such as typed keys or an outbox: table -> (columns, key -> values)."""

    def __init__(self, number, name, kind, role, listed, facts, statistics=()):
        super().__init__(number, name, kind, {}, actions=())
        self.role, self.listed, self.fact_list, self.statistic_list = role, listed, facts, statistics
        self.reports_changes = role == "typedKeys"

    def facts(self):
        return self.fact_list

    def tables(self):
        return [{"name": table, "count": len(rows), "bytes": None, "relationships": [], "indexes": [], "columns": [{"name": name, "type": kind, "isSortable": False} for name, kind in columns]}
                for table, (columns, rows) in self.listed.items()]

    def table(self, name):
        if name not in self.listed:
            raise Refusal(404, "notFound", "There is no such table. Use one of the tables of this instance.")
        return self.listed[name]

    def has(self, key):
        return any(key in rows for _, rows in self.listed.values())

    def record_of(self, table, key, limit, reveal=()):
        columns, rows = self.table(table)
        if key not in rows:
            raise Refusal(404, "notFound", "The table has no record with this key any more. Read the table again.")
        # The values of typed keys are masked by the names of the keys.
        name_of = lambda name: f"{key} {name}" if name in ("value", "default") else name
        return {"key": key, "values": [shown(typed(one), name_of(name), limit, name in reveal) for one, (name, _) in zip(rows[key], columns)], "related": {}, "counts": {}, "expiry": None, "problem": None}

    def rows(self, query, limit):
        table = query.get("table") or next(iter(self.listed), "")
        _, rows = self.table(table)
        keys = [key for key in rows if key.startswith(query.get("prefix", "")) and query.get("text", "").lower() in f"{key} {rows[key]}".lower()]
        chosen, following = page(keys, query.get("after"), limit)
        return {"records": [self.record_of(table, key, 1000) for key in chosen], "next": following, "total": len(keys)}

    def value_of(self, table, key, column):
        columns, rows = self.table(table)
        return typed(rows[key][[name for name, _ in columns].index(column)])

    def statistics(self):
        moment = time.time()
        return [(name, number(moment), kind, unit) for name, number, kind, unit in self.statistic_list]


def instances():
    moment = time.time()
    typed_keys = {name: [name, kind, value, "key default" if value == default else "stored", default] for name, kind, value, default in (
        ("app.launchCount", "Int", 1_284, 0), ("app.theme", "Theme", "dark", "system"), ("checkout.isEnabled", "Bool", True, False), ("checkout.taxRate", "Double", 0.081, 0.077),
        ("device.apiKey", "String?", "3f9a77c1e0b64d52", None), ("feature.search", "Bool", True, True))}
    written = lambda number: sample_data.EPOCH + datetime.timedelta(seconds=number)
    # Only the first write has attempts, because later ones must not overtake it.
    waiting = {str(number): [number, "put", [f"order.{number}"], {f"order.{number}": b'{"total":%d}' % number}, written(number), 3 if number == 1 else None, "status 503" if number == 1 else None] for number in range(1, 38)}
    refused = {"0": [0, "delete", ["order.0"], [], written(0), None, None]}
    pending = {str(number): [number, "waits for the cluster", [f"flag.{number}"], {f"flag.{number}": number % 2 == 0}] for number in range(90, 93)}
    rejected = {str(number): [number, reason, ["limit"], {"limit": number}] for number, reason in ((71, "refused"), (84, "expired"))}
    return [
        Store(1, "/srv/shop/flags.larder", "device store", sample_data.flags(moment)),
        MillionStore(2, "/srv/shop/visitors.larder"),
        Store(3, "/srv/shop/hostile.larder", "device store", sample_data.hostile()),
        Store(4, "/srv/shop/preferences.plist", "binary property list", {key: value for key, value in sample_data.flags(moment).items() if key[0] < "d"}, actions=("verify", "backup")),
        Damaged(5, "/srv/shop/vault.larder", "encrypted device store", {f"card.{number}": (f"4000 0000 0000 {number:04d}", None) for number in range(40)}, [("encryption", "AES-GCM, 256 bits")]),
        Objects(6, "/srv/shop/orders.sqlite"),
        Listing(7, "ShopKeys in /srv/shop/flags.larder", "typed keys", "typedKeys", {"keys": (KEY_COLUMNS, typed_keys)}, [("keys", "6"), ("keys with a value", "5")]),
        Listing(8, "exchange rates", "timed cache", "dataSource", {}, [("hits", "31"), ("misses", "4"), ("held values", "4"), ("age, oldest", "12.5 s")],
                [("hits", lambda moment: int(moment * 31) % 10**7, "counter", "count"), ("misses", lambda moment: int(moment * 2) % 10**7, "counter", "count"),
                 ("held values", lambda moment: 4, "gauge", "count"), ("age, oldest", lambda moment: moment % 60, "gauge", "seconds")]),
        Listing(9, "orders in /srv/shop/flags.larder", "outbox", "outbox", {"pending": (WRITE_COLUMNS, waiting), "rejected": (WRITE_COLUMNS, refused)},
                [("pending", "37"), ("rejected", "1"), ("attempts since the last success", "3"), ("last error", "status 503")],
                [("pending", lambda moment: 37, "gauge", "count"), ("rejected", lambda moment: 1, "gauge", "count"), ("attempts", lambda moment: int(moment * 3) % 10**6, "counter", "count")]),
        Listing(10, "/srv/shop/replica.larder", "replication", "replication", {"pending": (COMMIT_COLUMNS, pending), "rejected": (COMMIT_COLUMNS, rejected)},
                [("cluster", "PostgreSQL"), ("replicating", "by this instance"), ("last contact", "2026-11-28T09:00:00Z"), ("position", "88213"), ("pending", "3"), ("rejected", "2")],
                [("pending", lambda moment: 3, "gauge", "count"), ("rejected", lambda moment: 2, "gauge", "count"), ("since contact", lambda moment: moment % 2, "gauge", "seconds")]),
    ]


EXPLANATIONS = {
    "verify": ("Reads the whole file and checks every entry. Changes nothing.", None, False),
    "compact": ("Rewrites the file with its current values only.", None, True),
    "backup": ("Copies a consistent snapshot to a file that you download.", "backup", False),
}


class World:
    """The state of the mock: instances, runs, issues and streams."""

    def __init__(self, is_live):
        self.instances = {one.id: one for one in instances()}
        self.issues, self.runs, self.streams, self.is_live = sample_data.issues(), {}, set(), is_live
        self.token, self.lock, self.next_run = secrets.token_hex(16), threading.Lock(), 0
        if is_live:
            threading.Thread(target=self.tick, daemon=True).start()
            threading.Thread(target=self.write, daemon=True).start()

    def send(self, name, data):
        block = f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode("utf-8", "surrogatepass")
        with self.lock:
            for stream in list(self.streams):
                try:
                    stream.put_nowait(block)
                except queue.Full:
                    pass

    def change(self, one, changes, origin="process 4802", omitted=0):
        date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
        self.send("changes", {"instance": one.id, "origin": origin, "date": date, "changes": changes, "omitted": omitted, "isMissed": False})

    def tick(self):
        while True:
            time.sleep(1)
            for one in self.instances.values():
                if self.streams and (values := one.statistics()):
                    self.send("statistics", {"instance": one.id, "statistics": statistics(values)})

    def write(self):
        number = 0
        while True:
            time.sleep(0.7)
            number += 1
            store = self.instances["1"]
            self.change(store, [store.put("app.launchCount", 1_284 + number)], "this process" if number % 2 else "process 4802")

    def burst(self, total, rate):
        """Changes as a program makes that writes without pause: ten events a second, each with 100 of them."""
        store = self.instances["2"]
        each = max(1, rate // 10)
        for start in range(0, total, each):
            began = time.time()
            listed = [store.put(store.key((start + step) * 3 % MILLION), start + step) for step in range(min(100, each))]
            self.change(store, listed, "process 4900", max(0, each - len(listed)))
            time.sleep(max(0, 0.1 - (time.time() - began)))

    def start(self, one, action):
        with self.lock:
            self.next_run += 1
            run = {"run": str(self.next_run), "action": action, "instance": one.id, "completed": 0, "total": 40, "state": "running", "facts": [], "message": None, "file": None}
            self.runs[run["run"]] = run

        def work():
            for step in range(1, 41):
                time.sleep(0.04)
                if run["state"] != "running":
                    break
                run["completed"] = step
                if step % 5 == 0:
                    self.send("run", run)
            if run["state"] == "running":
                name = os.path.basename(one.name)
                run.update(state="done", facts=[{"name": "problems", "value": "none"}, {"name": "duration", "value": "1.6 s"}], file=name if action == "backup" else None)
            self.send("run", run)
        threading.Thread(target=work, daemon=True).start()
        return run


def statistics(values):
    return [{"name": name, "number": number, "kind": kind, "unit": unit} for name, number, kind, unit in values]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    world = None
    assets = ASSETS

    def log_message(self, *_):
        pass

    def answer(self, status, body, kind="application/json; charset=utf-8", headers=()):
        self.send_response(status)
        for name, value in [("Content-Type", kind), ("Content-Length", str(len(body))), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
                            ("Referrer-Policy", "no-referrer"), ("Content-Security-Policy", POLICY), *headers]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def json(self, data, status=200):
        self.answer(status, json.dumps(data, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass"))

    def do_GET(self):
        self.route("GET")

    def do_POST(self):
        self.route("POST")

    def do_DELETE(self):
        self.route("DELETE")

    def route(self, method):
        parts = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(parts.query, keep_blank_values=True))
        path = [urllib.parse.unquote(one) for one in parts.path.strip("/").split("/")]
        try:
            if path[0] == "mock":
                self.control(path[1], query)
            elif path[0] != "api":
                self.asset(parts.path)
            elif self.headers.get("Larder-Token") != self.world.token:
                raise Refusal(401, "unauthorized", "Open the address that larder inspect printed.")
            else:
                self.api(method, path[1:], query)
        except Refusal as refusal:
            self.json(refusal.body, refusal.status)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def asset(self, path):
        name = {"/": "inspector.html"}.get(path, path[1:])
        file = os.path.join(self.assets, name)
        if not re.fullmatch(r"[a-z]+\.(html|css|js)", name) or not os.path.exists(file):
            raise Refusal(404, "notFound", "There is no such path.")
        with open(file, "rb") as source:
            content = source.read()
        if name.endswith(".html"):
            content = content.replace(b"{{title}}", b"Larder").replace(b"{{version}}", VERSION.encode())
        self.answer(200, content, {"html": "text/html", "css": "text/css", "js": "text/javascript"}[name.rsplit(".", 1)[1]] + "; charset=utf-8")

    def control(self, action, query):
        """Routes of the mock for tests: changes by "another process"."""
        world = self.world
        if action == "put":
            store = world.instances[query.get("instance", "1")]
            world.change(store, [store.put(query["key"], query["value"])], "another process")
        elif action == "burst":
            threading.Thread(target=world.burst, args=(int(query["total"]), int(query["rate"])), daemon=True).start()
        elif action == "drop":
            with world.lock:
                for stream in world.streams:
                    stream.put_nowait(None)
        elif action == "issue":
            issue = sample_data.issues()[0] | {"date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")}
            world.issues.insert(0, issue)
            world.send("issue", issue)
        self.json({"streams": len(world.streams)})

    def api(self, method, path, query):
        world = self.world
        if path == ["instances"]:
            return self.json({"instances": [self.summary(one) for one in world.instances.values()], "isProgram": True, "isLive": world.is_live, "version": VERSION,
                              "notes": ["Live: the control files, -shm and -wal of the stores are touched, nothing else. Looking with --no-trace touches nothing."]})
        if path == ["issues"]:
            return self.json({"issues": world.issues})
        if path == ["events"]:
            return self.events()
        if path[0] == "runs" and len(path) >= 2:
            return self.run(method, path)
        if path[0] != "instances" or path[1] not in world.instances:
            raise Refusal(404, "notFound", "There is no such instance. Read the list of instances again.")
        one = world.instances[path[1]]
        rest = path[2] if len(path) > 2 else ""
        limit = int(query.get("limit") or 100)
        if rest == "":
            actions = [{"name": name, "explanation": EXPLANATIONS[name][0], "fileName": EXPLANATIONS[name][1] and os.path.basename(one.name), "isWriting": EXPLANATIONS[name][2]} for name in one.action_names]
            return self.json({"id": one.id, "name": one.name, "kind": one.kind, "role": one.role, "isProgram": True, "reportsChanges": one.reports_changes, "facts": [{"name": name, "value": value} for name, value in one.facts()], "tables": one.tables(), "actions": actions, "problem": None})
        if rest == "rows":
            return self.json(one.rows(query, limit))
        if rest in ("record", "value"):
            key, table = query.get("key", ""), query.get("table") or "entries"
            if not one.has(key):
                raise Refusal(404, "notFound", "The table has no record with this key any more. Read the table again.")
            reveal = query.get("reveal", "").split(",")
            if rest == "record":
                return self.json(one.record_of(table, key, 1_000_000, reveal) if hasattr(one, "record_of") else one.record(key, 1_000_000, reveal))
            return self.value(one, table, key, query.get("column"), reveal)
        if rest == "plan":
            return self.json(one.plan(query))
        if rest == "statistics":
            return self.json({"statistics": statistics(one.statistics())})
        if rest == "reports":
            return self.json({"reports": one.reports()})
        if rest == "export":
            return self.export(one, query)
        if rest == "actions" and method == "POST":
            return self.json({"run": world.start(one, path[3])["run"]}, 202)
        raise Refusal(404, "notFound", "There is no such path.")

    def summary(self, one):
        count = sum(issue["instance"] == one.id for issue in self.world.issues)
        return {"id": one.id, "name": one.name, "kind": one.kind, "role": one.role, "isProgram": True, "reportsChanges": one.reports_changes, "issues": count}

    def value(self, one, table, key, column, reveal):
        value = typed(one.objects[table][key].get(column)) if one.role == "objects" else one.value_of(table, key, column) if isinstance(one, Listing) else one.value(key, column)
        if SECRET.search(f"{key} {column}") and column not in reveal:
            raise Refusal(400, "masked", "The value may be a secret. Add its column to reveal to download it.")
        content = base64.b64decode(value["value"]) if value["type"] == "data" else value["value"].encode() if value["type"] in ("string", "url") else json.dumps(value).encode()
        self.answer(200, content, "application/octet-stream", [("Content-Disposition", 'attachment; filename="value"')])

    def export(self, one, query):
        records = one.rows(query, 5000)["records"]
        if query.get("format") == "json":
            return self.answer(200, json.dumps(records).encode(), headers=[("Content-Disposition", 'attachment; filename="records.json"')])
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(["key", *[column["name"] for column in one.tables()[0]["columns"]]])
        for record in records:
            writer.writerow([record["key"], *[str(value.get("value", "(masked)")) for value in record["values"]]])
        self.answer(200, text.getvalue().encode("utf-8", "replace"), "text/csv; charset=utf-8", [("Content-Disposition", 'attachment; filename="records.csv"')])

    def run(self, method, path):
        run = self.world.runs.get(path[1])
        if not run:
            raise Refusal(404, "notFound", "There is no such run.")
        if method == "DELETE":
            if run["state"] == "running":
                run.update(state="cancelled", message="The action was canceled. Nothing was changed.")
            return self.json(run)
        if len(path) > 2:
            return self.answer(200, b"larder" * 4096, "application/octet-stream", [("Content-Disposition", f'attachment; filename="{run["file"]}"')])
        return self.json(run)

    def events(self):
        stream = queue.Queue(maxsize=400)
        self.send_response(200)
        for name, value in [("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"), ("Connection", "close"), ("Content-Security-Policy", POLICY)]:
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = True
        with self.world.lock:
            self.world.streams.add(stream)
        try:
            self.wfile.write(f'event: hello\ndata: {json.dumps({"isLive": self.world.is_live, "version": VERSION})}\n\n'.encode())
            while True:
                try:
                    block = stream.get(timeout=15)
                except queue.Empty:
                    block = b": still here\n\n"
                if block is None:
                    return
                self.wfile.write(block)
                self.wfile.flush()
        finally:
            with self.world.lock:
                self.world.streams.discard(stream)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        """A browser that goes to another page closes its connections, which is no error."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def serve(port=0, assets=ASSETS, is_live=True):
    """Starts the mock in a thread, and returns (server, address with token)."""
    world = World(is_live)
    handler = type("MockHandler", (Handler,), {"world": world, "assets": assets})
    server = Server(("127.0.0.1", port), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_address[1]}/#token={world.token}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--assets", default=ASSETS)
    parser.add_argument("--still", action="store_true", help="one moment, without changes")
    arguments = parser.parse_args()
    _, address = serve(arguments.port, arguments.assets, not arguments.still)
    print(address, flush=True)
    threading.Event().wait()
