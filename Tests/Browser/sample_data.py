"""Sample data of the mock server: stores, a database of objects, and what surrounds them."""
import base64
import datetime
import math
import plistlib
import random
import struct
import time
import zlib

EPOCH = datetime.datetime(2026, 11, 28, 9, 0, 0, tzinfo=datetime.timezone.utc)


def typed(value):
    """A value with its type, as the API writes it."""
    if value is None:
        return {"type": "null", "value": None}
    if isinstance(value, dict) and "type" in value and ("value" in value or "isMasked" in value):
        return value
    if isinstance(value, bool):
        return {"type": "bool", "value": value}
    if isinstance(value, int):
        kind = "unsigned" if value > 2**63 - 1 else "int"
        return {"type": kind, "value": value} | ({"text": str(value)} if abs(value) > 2**53 - 1 else {})
    if isinstance(value, float):
        return {"type": "double", "value": value if math.isfinite(value) else str(value)}
    if isinstance(value, str):
        return {"type": "string", "value": value}
    if isinstance(value, bytes):
        return {"type": "data", "value": base64.b64encode(value).decode()}
    if isinstance(value, datetime.datetime):
        return {"type": "date", "value": value.strftime("%Y-%m-%dT%H:%M:%S") + (f".{value.microsecond:06d}".rstrip("0") if value.microsecond else "") + "Z"}
    if isinstance(value, list):
        return {"type": "array", "value": [typed(one) for one in value]}
    if isinstance(value, dict):
        return {"type": "dictionary", "value": {key: typed(one) for key, one in value.items()}}
    raise TypeError(type(value))


def png(width, height, color):
    """A small PNG image with a gradient."""
    rows = b"".join(
        b"\0" + b"".join(bytes(min(255, int(c * (0.55 + 0.45 * (x + y) / (width + height)))) for c in color) for x in range(width))
        for y in range(height))

    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def archive():
    """An archive as NSKeyedArchiver writes it."""
    return plistlib.dumps({
        "$version": 100000, "$archiver": "NSKeyedArchiver", "$top": {"root": plistlib.UID(1)},
        "$objects": ["$null", {"$class": plistlib.UID(4), "title": plistlib.UID(2), "frame": plistlib.UID(3)}, "Orders today",
                     {"$class": plistlib.UID(5), "width": 960.0, "height": 640.0}, {"$classname": "ShopWindowState", "$classes": ["ShopWindowState", "NSObject"]},
                     {"$classname": "NSSizeBox", "$classes": ["NSSizeBox", "NSObject"]}],
    }, fmt=plistlib.FMT_BINARY)


def flags(now):
    """The entries of a store with every type: key -> (value, expiry)."""
    return {
        "app.launchCount": (1_284, None),
        "app.theme": ("dark", None),
        "app.lastOpened": (EPOCH, None),
        "app.icon": (png(48, 48, (11, 110, 79)), None),
        "app.homepage": ({"type": "url", "value": "https://shop.example/start?from=app"}, None),
        "cache.exchangeRates": ({"EUR": 1.0, "USD": 1.0871, "CHF": 0.9312, "JPY": 163.44, "updated": EPOCH}, now + 3_600),
        "cache.weather": ('{"city":"Zürich","temperature":4.5,"hours":[{"at":9,"rain":0.1},{"at":10,"rain":0.4},{"at":11,"rain":0}],"alerts":[]}', now + 55),
        "cache.thumbnail.4711": (png(64, 40, (170, 90, 20)), now + 86_400),
        "checkout.maximumItems": (50, None),
        "checkout.isEnabled": (True, None),
        "checkout.taxRate": (0.081, None),
        "counter.everything": (18_446_744_073_709_551_615, None),
        "counter.smallest": (-9_223_372_036_854_775_808, None),
        "device.api-token": ("3f9a77c1e0b64d52", None),
        "device.password": ("correct horse battery staple", None),
        "device.settings": (plistlib.dumps({"volume": 0.7, "languages": ["de-CH", "en"], "paired": True, "since": datetime.datetime(2025, 1, 2, 3, 4, 5)}, fmt=plistlib.FMT_BINARY), None),
        "device.window": (archive(), None),
        "feature.newCheckout": ({"rollout": 25, "groups": ["beta", "staff"], "owner": {"team": "payments", "mail": "payments@shop.example"}}, None),
        "feature.search": (False, None),
        "measure.notANumber": (math.nan, None),
        "measure.small": (1.5e-9, None),
        "note.empty": ("", None),
        "note.long": ("The quick brown fox jumps over the lazy dog.\n" * 240_000, None),
        "note.welcome": ("Welcome to the shop!\nEverything is fresh.\n\n\tEnjoy.", None),
        "page.settings": ('{"theme":"dark","columns":["name","date"],"apiKey":"sk_live_0123"}', None),
        "profile.ada": ({"name": "Ada Lovelace", "born": datetime.datetime(1815, 12, 10, tzinfo=datetime.timezone.utc), "languages": ["en", "fr"], "admin": True}, None),
        "profile.chen": ({"name": "陳大文", "languages": ["zh-Hant"], "admin": False}, None),
        "profile.grace": ({"name": "Grace Hopper", "login": {"user": "grace", "password": "cobol1959"}, "apiToken": "tok_7f3a90", "visits": 9_007_199_254_740_993}, None),
        "profile.dana": ({"name": "דנה כהן", "languages": ["he", "en"], "admin": False}, None),
        "queue.binary": (bytes(range(256)) * 4, None),
        "temperature.float": ({"type": "float", "value": 21.7}, None),
        "uuid.device": ("6F9619FF-8B86-D011-B42D-00C04FC964FF", None),
    }


def hostile():
    """1,000 keys and values that try to leave their place."""
    canary = "window.canary=(window.canary||0)+1"
    patterns = [
        f"<script>{canary}</script>", f"<img src=x onerror={canary}>", f"\"><svg/onload={canary}>", f"'-{canary}-'", f"javascript:{canary}",
        f"</td></tr></table><iframe srcdoc='<script>parent.{canary}</script>'>", f"{{{{constructor.constructor('{canary}')()}}}}", "&lt;b&gt;&amp;amp;",
        f"<style onload={canary}>*{{display:none}}</style>", f"<a href='javascript:{canary}' autofocus onfocus={canary}>x</a>",
        "\u202egnp.exe", "\u2066a\u2067b\u2069", "zero\u200bwidth\u200djoiner\ufeff", "a\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307" * 12, "\x00\x01\x1b[31mred\x7f\x9b",
        "line\nbreak\r\ttab", "\u2028\u2029", " leading and trailing ", "__proto__", "constructor", "../../../../etc/passwd", "%2e%2e%2f", "#view=actions&token=0",
        "?table=x&after=", "\U000e0041\U000e0042tags", "\ue000private", "\U0001f468\u200d\U0001f469\u200d\U0001f467 family", "W" * 3000, "ﷺ" * 40, "<!--", "]]>", "\\u003cscript\\u003e",
        f"data:text/html,<script>{canary}</script>", "‮א ב ג", "${alert(1)}", "<base href=//evil.example>", "<meta http-equiv=refresh content=0;url=//evil.example>",
        f"<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror={canary}&gt;\">",
    ]
    result = {}
    for index in range(1000):
        text = patterns[index % len(patterns)]
        key = f"{index:04d}{text}" if index % 3 else f"{text}{index}"
        value = [text, {text: text, "nested": [text]}, [text, text], text.encode("utf-8", "surrogatepass"), {"type": "url", "value": text}, f'{{"{index}": "<img src=x onerror={canary}>"}}'][index % 6]
        result[key] = (value, None)
    # A parser that is quadratic in the length needs minutes for this.
    result[BOMB] = (b'<?xml version="1.0"?><plist' + b"<a" * 400_000, None)
    return result


BOMB = "9999 property list without an end"

CITIES = ["Zürich", "Genève", "Basel", "Bern", "Lausanne", "Lugano", "Winterthur", "St. Gallen"]
FIRST = ["Ada", "Grace", "Alan", "Edsger", "Barbara", "Donald", "Margaret", "Tony", "Radia", "Leslie", "Frances", "Niklaus"]
LAST = ["Lovelace", "Hopper", "Turing", "Dijkstra", "Liskov", "Knuth", "Hamilton", "Hoare", "Perlman", "Lamport", "Allen", "Wirth"]
GOODS = ["Bread", "Milk", "Apples", "Cheese", "Coffee", "Pasta", "Rice", "Honey", "Lentils", "Olive oil", "Tomatoes", "Butter", "Salt", "Walnuts"]


def database():
    """Objects of a shop: table -> {key: {attributes and relationships}}."""
    chance = random.Random(23)
    tables = {name: {} for name in ("Customer", "Order", "OrderLine", "Product", "Category", "Tag", "Address", "AuditEntry")}
    for number in range(1, 9):
        tables["Category"][str(number)] = {"name": ["Food", "Bakery", "Dairy", "Drinks", "Fruit", "Pantry", "Organic", "Offers"][number - 1], "parent": None if number == 1 else "1"}
    for number in range(1, 13):
        tables["Tag"][str(number)] = {"label": f"tag {number}"}
    for number in range(1, 121):
        tables["Product"][str(number)] = {
            "name": f"{GOODS[number % len(GOODS)]} {number}", "price": round(chance.uniform(0.8, 40), 2), "stock": chance.randrange(0, 400), "isActive": number % 11 != 0,
            "photo": png(40, 40, tuple(chance.randrange(60, 255) for _ in range(3))), "category": str(2 + number % 7), "tags": [str(1 + (number + step) % 12) for step in range(number % 3)],
        }
    for number in range(1, 301):
        tables["Customer"][str(number)] = {
            "name": f"{FIRST[number % 12]} {LAST[(number * 7) % 12]}", "email": f"customer{number}@shop.example", "joined": EPOCH - datetime.timedelta(days=chance.randrange(1, 2000)),
            "points": chance.randrange(0, 9000), "nickname": None if number % 4 else FIRST[number % 12].lower(), "password": "hunter2", "apiToken": f"tok_{number:06d}", "address": str(number),
        }
        tables["Address"][str(number)] = {"street": f"Main Street {number}", "city": CITIES[number % 8], "postcode": str(1000 + number * 7)}
    line = 0
    for number in range(1, 1201):
        tables["Order"][str(number)] = {
            "number": 100_000 + number, "placed": EPOCH - datetime.timedelta(minutes=chance.randrange(1, 600_000)), "status": chance.choice(["open", "packed", "sent", "paid", "returned"]),
            "total": 0.0, "note": None if number % 5 else "Leave at the door.", "customer": str(1 + chance.randrange(300)),
        }
        for _ in range(chance.randrange(1, 5)):
            line += 1
            product = str(1 + chance.randrange(120))
            amount = chance.randrange(1, 7)
            price = tables["Product"][product]["price"]
            tables["OrderLine"][str(line)] = {"quantity": amount, "price": price, "order": str(number), "product": product}
            tables["Order"][str(number)]["total"] = round(tables["Order"][str(number)]["total"] + amount * price, 2)
    for number in range(1, 41):
        tables["AuditEntry"][str(number)] = {"date": EPOCH - datetime.timedelta(hours=number), "text": f"Prices were imported ({number} changes)."}
    return tables


def relation(name, destination, many, inverse, rule=None, ordered=False):
    return {"name": name, "destination": destination, "isToMany": many, "isOrdered": ordered, "inverse": inverse, "deletionRule": rule}


MODEL = {
    "Category": ([("name", "String")], [relation("parent", "Category", False, "children"), relation("children", "Category", True, "parent", "nullify"), relation("products", "Product", True, "category", "deny")], []),
    "Product": ([("name", "String"), ("price", "Double"), ("stock", "Int"), ("isActive", "Bool"), ("photo", "Data?")],
                [relation("category", "Category", False, "products"), relation("tags", "Tag", True, "products"), relation("lines", "OrderLine", True, "product", "deny")], [("Product_name", ["name"], True)]),
    "Tag": ([("label", "String")], [relation("products", "Product", True, "tags")], []),
    "Customer": ([("name", "String"), ("email", "String"), ("joined", "Date"), ("points", "Int"), ("nickname", "String?"), ("password", "String"), ("apiToken", "String")],
                 [relation("address", "Address", False, "customer", "cascade"), relation("orders", "Order", True, "customer", "cascade", True)], [("Customer_email", ["email"], True), ("Customer_name", ["name"], False)]),
    "Address": ([("street", "String"), ("city", "String"), ("postcode", "String")], [relation("customer", "Customer", False, "address")], []),
    "Order": ([("number", "Int"), ("placed", "Date"), ("status", "String"), ("total", "Double"), ("note", "String?")],
              [relation("customer", "Customer", False, "orders"), relation("lines", "OrderLine", True, "order", "cascade", True)], [("Order_placed", ["placed"], False)]),
    "OrderLine": ([("quantity", "Int"), ("price", "Double")], [relation("order", "Order", False, "lines"), relation("product", "Product", False, "lines")], []),
    "AuditEntry": ([("date", "Date"), ("text", "String")], [], []),
}


def issues():
    now = datetime.datetime.now(datetime.timezone.utc)
    return [
        {"date": (now - datetime.timedelta(minutes=4)).strftime("%Y-%m-%dT%H:%M:%SZ"), "instance": "1", "name": "/srv/shop/flags.larder", "code": "storeFull",
         "message": "Cannot write 4,096 bytes to flags.larder (no space left on device). The commit was not made; free space and repeat it.", "cause": "write(2): ENOSPC",
         "remedy": "Free space on the disk, or compact the store."},
        {"date": (now - datetime.timedelta(hours=3)).strftime("%Y-%m-%dT%H:%M:%SZ"), "instance": "9", "name": "orders outbox", "code": "sendFailed",
         "message": "Cannot send 1 write to https://api.shop.example (status 503). The write stays in the outbox and is retried with exponential backoff.", "cause": None,
         "remedy": "Check that the server is reachable. No write is lost."},
    ]


def now():
    return time.time()
