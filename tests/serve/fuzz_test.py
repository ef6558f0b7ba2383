"""Random requests, made from /openapi.json and then damaged: each gets an answer that is no failure of the service.

  LINN_FUZZED_REQUESTS   how many (10,000)
  LINN_FUZZ_SEED         which
"""
import http.client
import json
import os
import random
import unittest
import urllib.parse

from support import Served, make_runs

REQUESTS = int(os.environ.get("LINN_FUZZED_REQUESTS", "10000"))
SEED = int(os.environ.get("LINN_FUZZ_SEED", "1"))
MODELS = ["fold", "dnf", "itemknn", "logic", "exact"]
WORDS = ["1", "2", "3", "59", "60", "no", "", " ", "é", "日本", "\u0000", "\ud7ff", "a" * 300, "1 & 2", "!1 | (2 -> 3)",
         "1 xor 2 <-> 3", "((((1))))", "1 &", "T", "F", "~1^2v3", '"', "\\", "../..", "null", "refuse", "skip", "-1", "1e9"]


class Generator:
    """Values that fit a schema, mostly."""

    def __init__(self, chance):
        self.chance = chance

    def value(self, schema, depth=0):
        chance = self.chance
        if chance.random() < 0.03:
            return self.anything(depth)
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        kind = chance.choice(kinds)
        if kind == "null":
            return None
        if kind == "boolean":
            return chance.random() < 0.5
        if kind == "integer":
            return chance.choice([schema["minimum"], schema["maximum"], schema["minimum"] - 1, schema["maximum"] + 1,
                                  chance.randint(1, 20), chance.randint(1, 20), chance.randint(1, 20)])
        if kind == "string":
            return chance.choice(schema["enum"]) if "enum" in schema else self.word()
        if kind == "array":
            return [self.value(schema["items"], depth + 1) for _ in range(chance.choice([0, 1, 1, 2, 3, 8]))]
        if "additionalProperties" in schema and schema["additionalProperties"]:
            return {self.word(): self.value(schema["additionalProperties"], depth + 1)
                    for _ in range(chance.randint(0, 3))}
        made = {}
        for name, part in schema.get("properties", {}).items():
            likely = 0.97 if name in schema.get("required", []) or name == "history" else 0.25
            if chance.random() < likely:
                made[name] = self.value(part, depth + 1)
        if chance.random() < 0.02:
            made[self.word()] = self.anything(depth)
        return made

    def word(self):
        if self.chance.random() < 0.6:
            return str(self.chance.randint(1, 60))
        return self.chance.choice(WORDS)

    def anything(self, depth):
        chance = self.chance
        return chance.choice([None, True, -1, 0, 2**64, 1.5, -0.0, 1e300, self.word(), [], {},
                              [[]] * chance.randint(0, 3), {"item": "3"}, "x" * chance.choice([1, 1000, 30000])])


def damaged(chance, data):
    """Some bytes lost, doubled, changed or added."""
    data = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data) + 1)
        way = chance.randrange(4)
        if way == 0:
            del data[at:at + chance.randint(1, 10)]
        elif way == 1:
            data[at:at] = data[at:at + chance.randint(1, 10)]
        elif way == 2 and at < len(data):
            data[at] = chance.randrange(256)
        else:
            data[at:at] = chance.choice([b"\xff", b"\0", b"{", b"[", b"]", b"}", b'"', b",", b"1e999", b"\\u0000", b"[" * 50])
    return bytes(data)


class Fuzz(unittest.TestCase):
    def test_random_requests(self):
        make_runs()
        chance = random.Random(SEED)
        generator = Generator(chance)
        counts = {}
        with Served(*(f"runs/{name}" for name in MODELS), "--quiet", "--watch", "--request-seconds", "3600") as served:
            document = served.get("/openapi.json").json
            operations = [(path, method, operation) for path, methods in document["paths"].items()
                          for method, operation in methods.items()]
            connection = served.connect()
            for number in range(REQUESTS):
                path, method, operation = chance.choice(operations)
                if "requestBody" in operation and chance.random() < 0.5:
                    path, method, operation = chance.choice([o for o in operations if "requestBody" in o[2]])
                query = []
                for parameter in operation.get("parameters", []):
                    if parameter["in"] == "path":
                        name = chance.choice(MODELS) if chance.random() < 0.97 else chance.choice(WORDS)
                        path = path.replace("{model}", urllib.parse.quote(name, safe=""))
                    elif chance.random() < (0.97 if parameter["required"] else 0.4):
                        value = generator.value(parameter["schema"])
                        query.append((parameter["name"], ",".join(map(str, value)) if isinstance(value, list) else value))
                target = path + ("?" + urllib.parse.urlencode(query) if query else "")
                body = None
                if "requestBody" in operation:
                    schema = operation["requestBody"]["content"]["application/json"]["schema"]
                    body = json.dumps(generator.value(schema), ensure_ascii=chance.random() < 0.5).encode("utf-8", "replace")
                    if chance.random() < 0.2:
                        body = damaged(chance, body)
                if chance.random() < 0.03:
                    target = urllib.parse.quote(damaged(chance, target.encode()), safe="/?=&%+,.{}[]\"'")
                if chance.random() < 0.02:
                    method = chance.choice(["get", "post", "put", "head", "options", "nonsense"])
                what = f"request {number} of seed {SEED}: {method} {target} {body}"
                if chance.random() < 0.01:
                    # Bytes as they come, on a connection of their own.
                    answer = served.say(damaged(chance, f"{method.upper()} {target} HTTP/1.1\r\nHost: localhost\r\n"
                                                        f"Content-Length: {len(body or b'')}\r\n\r\n".encode()
                                                + (body or b"")))
                    statuses = [int(answer[9:12])] if answer.startswith("HTTP/1.1 ") else []
                else:
                    headers = {"Content-Type": "application/json"} if body is not None else {}
                    connection.request(method.upper(), target or "/", body, headers)
                    try:
                        response = connection.getresponse()
                    except http.client.HTTPException as error:
                        raise AssertionError(what) from error
                    content = response.read()
                    statuses = [response.status]
                    if method != "head" and response.getheader("Content-Type", "").endswith("json"):
                        answer = json.loads(content)
                        if response.status >= 400:
                            self.assertEqual(response.status, answer["status"], what)
                for status in statuses:
                    counts[status] = counts.get(status, 0) + 1
                    self.assertLess(status, 500, what)
                if served.process.poll() is not None:
                    raise AssertionError(f"the service ended at {what}: {served.log[-20:]}")
            connection.close()
            self.assertEqual(200, served.get("/health/ready").status)
            self.assertEqual(0, served.stop())
        print(f"answers by status: {dict(sorted(counts.items()))}")
        # Not everything is refused, so the insides are reached too.
        self.assertGreater(counts.get(200, 0), REQUESTS // 4)


if __name__ == "__main__":
    unittest.main()
