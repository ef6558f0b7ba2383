"""What the tests of the service share: the program, small trained runs, and a served port to ask."""
import contextlib
import fcntl
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import threading
import unittest

LINN = os.environ["LINN"]
# Machines that run tests are loaded, and sanitizers slow: nothing is tested by time, and this only ends what hangs.
PATIENCE = 300


def linn(*arguments, status=0):
    """Runs the program; what it printed."""
    done = subprocess.run([LINN, *arguments], capture_output=True, text=True, timeout=PATIENCE)
    if done.returncode != status:
        raise AssertionError(f"linn {' '.join(arguments)}: status {done.returncode}: {done.stderr}")
    return done.stdout


def linn_json(*arguments):
    return json.loads(linn(*arguments, "--json"))


def make_runs():
    """Trains small models of each sort, once for all tests, and links them into the working directory."""
    shared = os.path.abspath("../trained")
    os.makedirs(shared, exist_ok=True)
    with open(f"{shared}/lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = f"{shared}/done"
        if not os.path.exists(done) or os.path.getmtime(done) < os.path.getmtime(LINN):
            train_all(shared)
            with open(done, "w", encoding="utf-8"):
                pass
    for name in ["runs", "data"]:
        if not os.path.lexists(name):
            os.symlink(f"{shared}/{name}", name)


def train_all(folder):
    runs, data = f"{folder}/runs", f"{folder}/data"
    subprocess.run(["rm", "-rf", runs, data], check=True)
    linn("generate", "equations", "--variables", "60", "--equations", "300", "--seed", "3", "--out", f"{data}/equations")
    linn("generate", "interactions", "--users", "150", "--items", "60", "--ratings", "3000", "--seed", "3",
         "--out", f"{data}/shop")
    equations = ["train", "equations", "--data", f"{data}/equations", "--seed", "1", "--quiet"]
    small = ["--set", "d=16", "--set", "pretrain_steps=300"]
    linn(*equations, *small, "--epochs", "2", "--out", f"{runs}/logic")
    linn(*equations, *small, "--epochs", "1", "--ensemble", "2", "--out", f"{runs}/ensemble")
    linn(*equations, "--model", "exact", "--label-noise", "0", "--out", f"{runs}/exact")
    linn(*equations, "--model", "bi-lstm", "--epochs", "1", "--set", "d=8", "--out", f"{runs}/lstm")
    likes = ["train", "recommend", "--data", f"{data}/shop", "--quiet"]
    for form in ["fold", "dnf", "factored"]:
        linn(*likes, "--seed", "1", "--form", form, "--epochs", "2", "--set", "d=16", "--out", f"{runs}/{form}")
    # Of the same kind as fold.
    linn(*likes, "--seed", "2", "--form", "fold", "--epochs", "1", "--set", "d=16", "--out", f"{runs}/other")
    linn(*likes, "--seed", "1", "--model", "bprmf", "--epochs", "1", "--set", "d=8", "--out", f"{runs}/bprmf")
    linn(*likes, "--model", "itemknn", "--out", f"{runs}/itemknn")


class Answer:
    """A response: its status, headers (names in lower case) and body."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def text(self):
        return self.body.decode()


class Served:
    """A running service."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([LINN, "serve", "--port", "0", *arguments], stderr=subprocess.PIPE, text=True)
        self.log = []
        listening = threading.Event()

        def read():
            for line in self.process.stderr:
                self.log.append(line)
                if line.startswith("listening on "):
                    listening.set()
            listening.set()

        self.reader = threading.Thread(target=read, daemon=True)
        self.reader.start()
        assert listening.wait(PATIENCE), "the service does not begin"
        address = [line for line in self.log if line.startswith("listening on ")]
        if not address:
            raise AssertionError(f"the service ended: {self.log}")
        found = re.fullmatch(r"listening on http://(.*):(\d+)\n", address[0])
        self.host, self.port = found[1].strip("[]"), int(found[2])

    def connect(self):
        return http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)

    def socket(self):
        return socket.create_connection((self.host, self.port), timeout=PATIENCE)

    def ask(self, method, path, body=None, headers=None, connection=None):
        """Sends a request; a body that is not bytes or text goes as JSON."""
        own = connection or self.connect()
        headers = dict(headers or {})
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        if body is not None and "Content-Type" not in headers:
            headers["Content-Type"] = "application/json"
        own.request(method, path, body, headers)
        response = own.getresponse()
        answer = Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        if connection is None:
            own.close()
        return answer

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def post(self, path, body, **more):
        return self.ask("POST", path, body, **more)

    def say(self, text):
        """Sends bytes as they are; everything that comes back until the service closes."""
        with self.socket() as sock:
            sock.sendall(text if isinstance(text, bytes) else text.encode())
            sock.shutdown(socket.SHUT_WR)
            back = b""
            with contextlib.suppress(ConnectionResetError):
                while piece := sock.recv(65536):
                    back += piece
            return back.decode()

    def stop(self, how=signal.SIGTERM):
        """Ends it, unless it is ending; its exit status."""
        if how is not None and self.process.poll() is None:
            self.process.send_signal(how)
        status = self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)
        self.process.stderr.close()
        return status

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.stop(signal.SIGKILL if self.process.poll() is None else signal.SIGTERM) not in (0, -signal.SIGKILL):
            raise AssertionError(f"the service failed: {self.log[-20:]}")


class ServiceTest(unittest.TestCase):
    """Has a service over some runs for all tests of a class."""

    arguments: list = []

    @classmethod
    def setUpClass(cls):
        make_runs()
        cls.served = Served(*cls.arguments)

    @classmethod
    def tearDownClass(cls):
        status = cls.served.stop()
        assert status == 0, f"the service ended with {status}: {cls.served.log[-20:]}"

    def refused(self, status, detail, answer, field=None):
        """It is a problem as RFC 9457 has it, with this text in its detail."""
        self.assertEqual(status, answer.status, answer.text)
        self.assertEqual("application/problem+json", answer.headers["content-type"])
        problem = answer.json
        self.assertEqual(status, problem["status"])
        self.assertTrue(problem["title"])
        self.assertIn(detail, problem["detail"])
        self.assertNotIn("\n", problem["detail"])
        if field is not None:
            self.assertEqual(field, problem.get("field"))
        return problem
