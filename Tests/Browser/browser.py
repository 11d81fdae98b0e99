"""A headless Chromium for the tests, and what they ask the page and the API for."""
import json
import os
import shutil
import time
import urllib.parse
import urllib.request

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

# Records violations of the policy, errors and dialogs from the first script on.
WATCH = """
window.reports = [];
addEventListener('securitypolicyviolation', event => reports.push('policy: ' + event.violatedDirective + ' ' + event.blockedURI));
addEventListener('error', event => reports.push('error: ' + event.message));
addEventListener('unhandledrejection', event => reports.push('rejection: ' + event.reason));
window.alert = window.confirm = window.prompt = () => { reports.push('dialog'); };
"""


class API:
    """The JSON API, called beside the page."""

    def __init__(self, address):
        parts = urllib.parse.urlsplit(address)
        self.base = f"{parts.scheme}://{parts.netloc}"
        self.token = urllib.parse.parse_qs(parts.fragment)["token"][0]

    def get(self, path, **query):
        target = f"{self.base}/api/{path}" + (f"?{urllib.parse.urlencode(query)}" if query else "")
        with urllib.request.urlopen(urllib.request.Request(target, headers={"Larder-Token": self.token}), timeout=20) as answer:
            return json.load(answer)

    def control(self, action, **query):
        """A route that only the mock has."""
        with urllib.request.urlopen(f"{self.base}/mock/{action}?{urllib.parse.urlencode(query)}", timeout=20) as answer:
            return json.load(answer)


class Browser:
    """The page in Chromium."""

    def __init__(self, address, downloads, patience=1):
        self.patience = patience
        options = Options()
        for argument in ("--headless=new", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run",
                         "--js-flags=--expose-gc", "--enable-precise-memory-info", *(["--no-sandbox"] if os.geteuid() == 0 else [])):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        options.binary_location = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), "")
        self.driver = webdriver.Chrome(options=options, service=Service(os.environ.get("CHROMEDRIVER") or shutil.which("chromedriver")))
        self.driver.set_script_timeout(60 * patience)
        self.address = address
        self.cdp("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        self.cdp("Browser.setDownloadBehavior", behavior="allow", downloadPath=downloads)
        self.cdp("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        self.size(1280, 900)
        self.scheme("light")

    def cdp(self, command, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

    def close(self):
        self.driver.quit()

    def size(self, width, height):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name, motion="no-preference"):
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}, {"name": "prefers-reduced-motion", "value": motion}])

    def run(self, script, *values):
        return self.driver.execute_script(script, *values)

    def open(self, **place):
        """Loads the page anew with the token, at a place."""
        fragment = urllib.parse.urlsplit(self.address).fragment
        self.driver.get("about:blank")
        self.driver.get(self.address.split("#")[0] + "#" + fragment + ("&" + urllib.parse.urlencode(place) if place else ""))
        self.until(lambda: self.run("return document.documentElement.dataset.ready"), "the page is ready")

    def go(self, **place):
        """Follows a link to a place."""
        self.run("location.hash = arguments[0]", urllib.parse.urlencode(place, quote_via=urllib.parse.quote))
        self.settle(place)

    def settle(self, place):
        """Waits until the view of a place is shown and nothing is being read."""
        tab = place["view"] if place.get("instance") else None
        self.until(lambda: self.run("""
            const [tab, instance] = arguments;
            if (document.querySelector('[aria-busy=true]')) return false;
            const current = document.querySelector('.tab[aria-current]');
            if (!tab) return !current && Boolean(document.querySelector('main h1'));
            return current?.dataset.view === tab && current.getAttribute('href').includes(`instance=${instance}`);""", tab, place.get("instance")), f"the view {place}")

    def until(self, condition, what, timeout=10):
        """Polls a condition, and returns its result. On a slow machine, `timeout` is longer."""
        timeout *= self.patience
        end = time.monotonic() + timeout
        while True:
            try:
                if result := condition():
                    return result
            except Exception as error:  # An element was replaced meanwhile.
                if "stale element" not in str(error).lower() or time.monotonic() > end:
                    raise
            if time.monotonic() > end:
                raise AssertionError(f"Within {timeout} s: {what}. The page says: {self.text('main')[:600]!r}")
            time.sleep(0.02)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.until(lambda: (self.all(selector) or [None])[0], f"{selector} exists")

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def texts(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])].map(one => one.innerText)", selector)

    def click(self, selector, label=None):
        """Clicks the first element, or the first with a label or name."""
        def found():
            for one in self.all(selector):
                if one.is_displayed() and (label is None or label in (one.text, one.get_attribute("aria-label"))):
                    one.click()
                    return True
            return False
        self.until(found, f"{selector} {label or ''} exists")

    def type(self, selector, text):
        element = self.one(selector)
        element.clear()
        element.send_keys(text)

    def keys(self, *keys):
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def chord(self, modifier, key):
        ActionChains(self.driver).key_down(modifier).send_keys(key).key_up(modifier).perform()

    def active(self):
        return self.run("const e = document.activeElement; return [e.tagName.toLowerCase(), e.getAttribute('href') ?? '', e.innerText ?? '', e.className?.baseVal ?? e.className]")

    def place(self):
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.driver.current_url).fragment))

    def reports(self):
        """Violations, errors and messages of the console since the last call."""
        found = self.run("const all = window.reports ?? []; window.reports = []; return all")
        # Answers with 400 and 404 that a test causes are in the log too.
        found += [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE" and "Failed to load resource" not in entry["message"]]
        return found

    def screenshot(self, file):
        self.driver.save_screenshot(file)
