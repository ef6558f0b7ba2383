"""How the service begins, swaps models, bears slow clients, and ends."""
import contextlib
import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest

from support import LINN, PATIENCE, Served, linn_json, make_runs

HISTORY = {"history": [{"item": "3"}, {"item": "7", "liked": False}, {"item": "20"}], "n": 5}
SLOW_CLIENTS = int(os.environ.get("LINN_SLOW_CLIENTS", "1000"))


def until(condition, what):
    """Waits for what must come about, however long a loaded machine takes."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"never: {what}")
        time.sleep(0.05)


def put_model(source, run):
    """Gives a run another model, as a training does: the file appears whole."""
    shutil.copy(f"{source}/model.safetensors", f"{run}/model.new")
    os.rename(f"{run}/model.new", f"{run}/model.safetensors")


def folder_state(folder):
    """The name, content and time of every file."""
    state = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                state[path] = (hashlib.sha256(file.read()).hexdigest(), os.stat(path).st_mtime_ns)
    return state


class Lifecycle(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        make_runs()

    def test_a_better_model_takes_over_without_a_failed_request(self):
        shutil.rmtree("swapped", ignore_errors=True)
        shutil.copytree("runs/fold", "swapped")
        history = "+3,-7,+20"
        answers = {run: linn_json("recommend", f"runs/{run}", "--history", history, "--top", "5")
                   for run in ["fold", "other"]}
        self.assertNotEqual(answers["fold"], answers["other"])
        failures, counts, done = [], [0, 0, 0], threading.Event()
        with Served("swapped", "--watch", "--quiet") as served:
            def ask(number):
                try:
                    connection = served.connect()
                    while not done.is_set():
                        answer = served.post("/v1/models/swapped/recommend", HISTORY, connection=connection)
                        counts[number] += 1
                        # Never a mixture of both.
                        if answer.status != 200 or answer.json not in answers.values():
                            failures.append(answer.text)
                    connection.close()
                except Exception as error:  # pylint: disable=broad-except
                    failures.append(repr(error))

            def version():
                return served.get("/v1/models/swapped").json["version"]

            threads = [threading.Thread(target=ask, args=[number]) for number in range(3)]
            for thread in threads:
                thread.start()
            for expected, source in enumerate(["other", "fold", "other"], 2):
                before = list(counts)
                put_model(f"runs/{source}", "swapped")
                until(lambda at=expected: version() == at, "a new version")
                until(lambda: all(now > then for now, then in zip(counts, before)) or failures, "more answers")
                self.assertEqual(answers[source], served.post("/v1/models/swapped/recommend", HISTORY).json)
            # What is no model leaves the old one in place.
            with open("swapped/model.new", "w", encoding="utf-8") as file:
                file.write("no model")
            os.rename("swapped/model.new", "swapped/model.safetensors")
            until(lambda: "linn_model_load_failures_total 0" not in served.get("/metrics").text, "a failed load")
            self.assertEqual(answers["other"], served.post("/v1/models/swapped/recommend", HISTORY).json)
            put_model("runs/fold", "swapped")
            until(lambda: version() == 5, "a new version")
            done.set()
            for thread in threads:
                thread.join(PATIENCE)
            self.assertEqual([], failures)
            self.assertEqual(answers["fold"], served.post("/v1/models/swapped/recommend", HISTORY).json)

    def test_without_watching_nothing_is_swapped(self):
        shutil.rmtree("kept", ignore_errors=True)
        shutil.copytree("runs/fold", "kept")
        with Served("kept", "--quiet") as served:
            before = served.post("/v1/models/kept/recommend", HISTORY).body
            put_model("runs/other", "kept")
            self.assertEqual(before, served.post("/v1/models/kept/recommend", HISTORY).body)
            os.remove("kept/model.safetensors")
            self.assertEqual(before, served.post("/v1/models/kept/recommend", HISTORY).body)

    def test_a_run_without_a_model_gets_one(self):
        shutil.rmtree("young", ignore_errors=True)
        shutil.copytree("runs/fold", "young")
        os.remove("young/model.safetensors")
        refused = subprocess.run([LINN, "serve", "young"], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(2, refused.returncode)
        self.assertIn("has no model yet", refused.stderr)
        with Served("young", "--watch", "--quiet") as served:
            self.assertEqual(200, served.get("/health/ready").status)
            answer = served.post("/v1/models/young/recommend", HISTORY)
            self.assertEqual((503, "1"), (answer.status, answer.headers["retry-after"]))
            self.assertIn("has no model yet", answer.json["detail"])
            description = served.get("/v1/models/young").json
            self.assertEqual((False, "recommend", "linn"), tuple(description[k] for k in ["ready", "task", "model"]))
            self.assertEqual(2, served.get("/v1/models/young/epochs").json["total"])
            put_model("runs/fold", "young")
            until(lambda: served.get("/v1/models/young").json["ready"], "a model")
            self.assertEqual(200, served.post("/v1/models/young/recommend", HISTORY).status)

    def test_a_training_is_seen_while_it_goes_on(self):
        shutil.rmtree("live", ignore_errors=True)
        training = subprocess.Popen(
            [LINN, "train", "equations", "--data", "data/equations", "--epochs", "100000", "--patience", "100000",
             "--set", "d=16", "--set", "pretrain_steps=0", "--quiet", "--out", "live"], stderr=subprocess.PIPE)
        try:
            until(lambda: os.path.exists("live/metrics.jsonl") and os.path.exists("live/model.safetensors"), "a model")
            with Served("live", "--watch", "--quiet") as served:
                def epochs():
                    return served.get("/v1/models/live/epochs").json
                first = epochs()
                self.assertTrue(first["training"])
                self.assertTrue(served.get("/v1/models/live").json["training"])
                until(lambda: epochs()["total"] > first["total"], "another epoch")
                training.send_signal(signal.SIGINT)
                training.wait(PATIENCE)
                until(lambda: not epochs()["training"], "the end of the training")
                answer = epochs()
                with open("live/metrics.jsonl", encoding="utf-8") as file:
                    self.assertEqual([json.loads(line) for line in file], answer["epochs"])
        finally:
            training.kill()
            training.wait()
            training.stderr.close()

    def test_slow_clients_keep_nobody_waiting(self):
        with Served("runs/fold", "--quiet", "--header-seconds", "86400", "--body-seconds", "86400") as served:
            with contextlib.ExitStack() as open_sockets:
                for number in range(SLOW_CLIENTS):
                    slow = open_sockets.enter_context(served.socket())
                    slow.sendall([b"GET /v1/mod", b"POST /v1/models/fold/recommend HTTP/1.1\r\nHost: localhost\r\n"
                                  b"Content-Length: 100\r\n\r\n{", b""][number % 3])
                for _ in range(20):
                    self.assertEqual(200, served.post("/v1/models/fold/recommend", HISTORY).status)
                open_now = [line for line in served.get("/metrics").text.splitlines()
                            if line.startswith("linn_connections ")]
                self.assertGreater(int(open_now[0].split()[1]), SLOW_CLIENTS)

    def test_slow_clients_are_cut_off(self):
        with Served("runs/fold", "--quiet", "--header-seconds", "1", "--body-seconds", "1", "--idle-seconds", "1",
                    "--write-seconds", "1") as served:
            for beginning in [b"GET /v1/mod", b"POST /v1/models/fold/recommend HTTP/1.1\r\nHost: localhost\r\n"
                              b"Content-Length: 100\r\n\r\n{", b""]:
                with served.socket() as slow:
                    slow.sendall(beginning)
                    self.assertEqual(b"", slow.recv(1000), "the service ends the connection")
            # Asks for much, and reads nothing of it.
            with socket.socket() as deaf:
                deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
                deaf.settimeout(PATIENCE)
                deaf.connect((served.host, served.port))
                request = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
                with contextlib.suppress(OSError):  # once it is cut off
                    while True:
                        deaf.sendall(request * 100)
            until(lambda: "linn_connections 1\n" in served.get("/metrics").text, "all of them are gone")

    def test_connections_are_limited(self):
        with Served("runs/fold", "--quiet", "--max-connections", "5") as served:
            held = [served.connect() for _ in range(5)]
            for connection in held:
                self.assertEqual(200, served.get("/health/live", connection=connection).status)
            answer = served.get("/health/live")
            self.assertEqual((503, "too many connections"), (answer.status, answer.json["detail"]))
            for connection in held:
                self.assertEqual(200, served.get("/health/live", connection=connection).status)
            held.pop().close()
            until(lambda: served.get("/health/live").status == 200, "room for another one")
            for connection in held:
                connection.close()

    def test_what_takes_too_long_is_given_up(self):
        # A projection takes longer than a second for a model of this size under sanitizers, but perhaps not without;
        # a hundred long histories do.
        history = [{"item": str(item)} for item in range(1, 60)]
        with Served("runs/dnf", "--quiet", "--request-seconds", "1", "--max-list", "100000", "--max-body",
                    "100000000") as served:
            answer = served.post("/v1/models/dnf/recommend", {"histories": [history] * 20000, "n": 50})
            self.assertEqual(503, answer.status, answer.text[:200])
            self.assertIn("takes too long", answer.json["detail"])
            self.assertEqual(200, served.post("/v1/models/dnf/recommend", HISTORY).status)

    def test_work_ends_when_its_time_is_up(self):
        """The threads that computed for a request that was given up are free again, so the next one is answered."""
        expression = " | ".join(f"({a} & !{a % 59 + 2})" for a in range(1, 60))
        with Served("runs/lstm", "--quiet", "--request-seconds", "4", "--threads", "1", "--max-list", "100000", "--max-body",
                    "100000000") as served:
            body = {"expressions": [expression] * 60000}  # four times as long as a request may take
            answer = served.post("/v1/models/lstm/query", body)
            self.assertEqual(503, answer.status, answer.text[:200])
            self.assertEqual(200, served.post("/v1/models/lstm/query", {"expressions": ["1"]}).status)

    def test_requests_under_way_are_finished(self):
        served = Served("runs/fold", "--quiet")
        with served.socket() as sock:
            body = json.dumps(HISTORY).encode()
            head = (f"POST /v1/models/fold/recommend HTTP/1.1\r\nHost: localhost\r\n"
                    f"Content-Length: {len(body)}\r\n\r\n").encode()
            sock.sendall(head + body[:10])
            idle = served.connect()
            self.assertEqual(200, served.get("/health/live", connection=idle).status)
            served.process.send_signal(signal.SIGTERM)
            # No new connections; the one under way is answered all the same, and then closed.
            until(lambda: not can_connect(served), "the end of listening")
            sock.sendall(body[10:])
            back = b""
            while piece := sock.recv(65536):
                back += piece
            self.assertTrue(back.startswith(b"HTTP/1.1 200 OK"), back)
            self.assertIn(b"Connection: close", back)
        self.assertEqual(0, served.stop(None))
        idle.close()
        served = Served("runs/fold", "--quiet")
        self.assertEqual(0, served.stop(signal.SIGINT))

    def test_killing_it_leaves_the_runs_alone(self):
        before = folder_state("runs")
        for _ in range(3):
            served = Served("runs/fold", "runs/logic", "--watch", "--quiet")
            connection = served.connect()
            for _ in range(5):
                served.post("/v1/models/fold/recommend", HISTORY, connection=connection)
            served.get("/v1/models/fold/projection", connection=connection)
            self.assertEqual(-signal.SIGKILL, served.stop(signal.SIGKILL))
            connection.close()
        self.assertEqual(before, folder_state("runs"))


def can_connect(served):
    try:
        served.socket().close()
        return True
    except OSError:
        return False


if __name__ == "__main__":
    unittest.main()
