"""What the tests inspect besides the mock: a `larder inspect` of a folder with sample stores, and a running program."""
import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

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


class Server:
    """A process that prints the address of an inspector, and others that end with it."""

    def __init__(self, *command, others=(), takes_commands=False):
        self.others = others
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE if takes_commands else subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)
        self.address = ""
        for line in self.process.stdout:
            if "#token=" in line:
                self.address = next(word for word in line.split() if "#token=" in word)
                break
        if not self.address:
            self.close()
            raise RuntimeError(f"{command[0]} printed no address.")

    def close(self):
        for process in (*self.others, self.process):
            process.terminate()
        for process in (*self.others, self.process):
            process.wait(timeout=20)


class Inspector(Server):
    """A running `larder inspect`, and programs that write to its stores."""

    def __init__(self, larder, folder, *arguments, writers=1):
        writes = [larder, "inspection-demo", folder, "--writes"]
        writing = [subprocess.Popen(writes, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(writers)]
        super().__init__(larder, "inspect", folder, *arguments, others=writing)


class Program(Server):
    """A running program with an inspector: Tests/InspectorHelper."""

    def __init__(self, program, folder):
        super().__init__(program, folder, takes_commands=True)
        self.lock = threading.Lock()

    def tell(self, command):
        """Executes a command, and returns when the program has confirmed it."""
        with self.lock:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
            for line in self.process.stdout:
                if line == command + "\n":
                    return
        raise AssertionError(f"The program ended at the command {command}.")


class Relay:
    """A port that passes on connections to a server, and can cut them."""

    def __init__(self, address):
        parts = urllib.parse.urlsplit(address)
        self.target, self.open, self.is_cut = (parts.hostname, parts.port), set(), False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}/#{parts.fragment}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:  # The relay is closed.
                return
            if self.is_cut:
                client.close()
                continue
            server = socket.create_connection(self.target)
            self.open |= {client, server}
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self.copy, args=(source, sink), daemon=True).start()

    def copy(self, source, sink):
        try:
            while piece := source.recv(1 << 16):
                sink.sendall(piece)
        except OSError:
            pass
        self.end(source, sink)

    def end(self, *sockets):
        for one in sockets:
            self.open.discard(one)
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()

    def cut(self):
        """Ends all connections, and refuses others until `mend` is called."""
        self.is_cut = True
        self.end(*list(self.open))

    def mend(self):
        self.is_cut = False

    def close(self):
        self.end(self.listener, *list(self.open))
