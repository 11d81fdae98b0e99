"""A real `larder inspect` for the tests: fills a folder with sample stores, and serves it."""
import json
import os
import subprocess
import sys
import time

import sample_data
from sample_data import typed


def plain(value):
    """A typed value in the form that `larder import` reads."""
    value = {"type": value["type"], "value": value["value"]}
    if value["type"] == "array":
        value["value"] = [plain(one) for one in value["value"]]
    elif value["type"] == "dictionary":
        value["value"] = {key: plain(one) for key, one in value["value"].items()}
    return value


def write(larder, folder, name, entries):
    source = os.path.join(folder, name + ".json")
    with open(source, "w", encoding="utf-8", errors="replace") as file:
        json.dump([{"key": key, "value": plain(typed(value))} for key, value in entries], file, ensure_ascii=True)
    subprocess.run([larder, "import", source, "--store", os.path.join(folder, name)], check=True, stdout=subprocess.DEVNULL)
    os.remove(source)


def fill(larder, folder, count):
    """Writes the stores. The demo of `make inspect` adds a database of objects and a store with expiring entries."""
    demo = subprocess.run([larder, "inspection-demo", folder], capture_output=True, text=True, check=False)
    if demo.returncode != 0:
        print(f"The demo failed, so there are no objects: {demo.stderr[:300]}", file=sys.stderr)
    write(larder, folder, "flags.larder", [(key, value) for key, (value, _) in sample_data.flags(time.time()).items()])
    write(larder, folder, "hostile.larder", [(key, value) for key, (value, _) in sample_data.hostile().items()])
    write(larder, folder, "visitors.larder", [
        (f"user.{index:07d}", f"{sample_data.FIRST[index % 12]} {sample_data.LAST[index % 11]}, {sample_data.CITIES[index % 8]}") for index in range(count)])


class Inspector:
    """A running `larder inspect`, and a program that writes to its stores."""

    def __init__(self, larder, folder):
        self.writer = subprocess.Popen([larder, "inspection-demo", folder, "--writes"], stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.process = subprocess.Popen([larder, "inspect", folder], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)
        self.address = ""
        for line in self.process.stdout:
            if "#token=" in line:
                self.address = next(word for word in line.split() if "#token=" in word)
                break
        if not self.address:
            self.close()
            raise RuntimeError("larder inspect printed no address.")

    def close(self):
        for process in (self.writer, self.process):
            process.terminate()
        for process in (self.writer, self.process):
            process.wait(timeout=20)
