"""`linn serve` for a test: started on a free port, stopped at the end."""

import json
import os
import re
import signal
import subprocess
import threading
import urllib.request

LINN = os.environ.get("LINN", "build/linn")


def linn(*arguments):
    """Runs the program; returns its standard output."""
    done = subprocess.run([LINN, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"linn {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def linn_json(*arguments):
    return json.loads(linn(*arguments, "--json"))


class Service:
    def __init__(self, *arguments, port=0):
        self.process = subprocess.Popen([LINN, "serve", *map(str, arguments), "--port", str(port)],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.log = []
        for line in self.process.stderr:
            self.log.append(line)
            found = re.search(r"listening on (http://\S+)", line)
            if found:
                self.url = found.group(1).rstrip("/")
                break
        else:
            raise RuntimeError(f"the service did not start: {''.join(self.log)}")
        self.port = int(self.url.rsplit(":", 1)[1])
        # Read on, so that the service never waits for a full pipe.
        self.reader = threading.Thread(target=self.process.stderr.read, daemon=True)
        self.reader.start()

    def get(self, path):
        with urllib.request.urlopen(f"{self.url}{path}") as response:
            return json.load(response)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(60)
        self.reader.join(60)
        self.process.stderr.close()
        return status
