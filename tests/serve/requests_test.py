"""Mistakes of every kind, the HTTP around them, tokens, limits, and the files of the page."""
import http.client
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from support import LINN, Served, ServiceTest, linn

EVENT = {"item": "3", "liked": True}
RECOMMEND = "/v1/models/fold/recommend"
QUERY = "/v1/models/logic/query"


class Mistakes(ServiceTest):
    arguments = ["runs/fold", "runs/logic", "--quiet", "--max-list", "20", "--max-expression", "100",
                 "--max-literals", "64", "--max-body", "4000"]

    def refused_post(self, path, body, detail, field=None, status=400):
        return self.refused(status, detail, self.served.post(path, body), field)

    def test_bodies_that_are_not_json(self):
        for text, detail in {
            "": "column 1: this is not JSON",
            "{": "column 2: this is not JSON",
            '{"history": [}': "column 14: this is not JSON",
            '{"n": 01}': "this is not JSON",
            '{"n": 1,}': "this is not JSON",
            "{'n': 1}": "column 2: this is not JSON",
            '{"n": NaN}': "this is not JSON",
            '{"n": 1} {}': "column 10: this is not JSON",
            '{"n": 1e999}': "this number is too large",
            '{"n": 1, "n": 2}': "the name 'n' occurs twice",
            "[" * 40: "nested deeper than 16 levels",
            '{"a\u0000": 1}': "this is not JSON",
        }.items():
            self.refused_post(RECOMMEND, text, detail)
        self.refused_post(RECOMMEND, b'{"user": "\xff\xfe"}', "this is not JSON")
        problem = self.refused_post(RECOMMEND, '{\n  "n": 1,\n  "m" 2}', "line 3, column 7")
        self.assertEqual((3, 7), (problem["line"], problem["column"]))

    def test_fields_of_recommend(self):
        for body, detail, field in [
            ([], "expected an object, not a list", None),
            (7, "expected an object, not the number 7", None),
            (None, "expected an object, not null", None),
            ({"histroy": []}, "unknown field 'histroy', did you mean 'history'?", None),
            ({}, "expected a history, or a user", "history"),
            ({"history": "3"}, "expected a list or null, not the text '3'", "history"),
            ({"history": [EVENT, 3]}, "expected an object, not the number 3", "history[1]"),
            ({"history": [EVENT, {}]}, "the field 'item' is missing", "history[1]"),
            ({"history": [EVENT, {"item": 3}]}, "history[1].item: expected text, not the number 3", "history[1].item"),
            ({"history": [{"item": "3", "liked": 1}]}, "expected true or false", "history[0].liked"),
            ({"history": [{"item": "3", "like": True}]}, "unknown field 'like', did you mean 'liked'?", "history[0]"),
            ({"history": [EVENT, EVENT, {"item": "no"}]}, "history[2].item: the model does not know the item 'no'",
             "history[2].item"),
            ({"history": [EVENT] * 21}, "this list has 21 entries; at most 20 are allowed", "history"),
            ({"history": [], "n": 0}, "expected a whole number from 1 to 20, not the number 0", "n"),
            ({"history": [], "n": 21}, "a whole number from 1 to 20", "n"),
            ({"history": [], "n": -1}, "not the number -1", "n"),
            ({"history": [], "n": 1.5}, "not the number 1.5", "n"),
            ({"history": [], "n": "1"}, "not the text '1'", "n"),
            ({"history": [], "n": None}, "not null", "n"),
            ({"history": [], "user": 3}, "expected text or null", "user"),
            ({"history": [], "user": "x" * 1001}, "this text has 1001 bytes; at most 1000", "user"),
            ({"user": "no such user"}, "the data has no user 'no such user'", "user"),
            ({"history": [], "exclude": None}, "expected a list, not null", "exclude"),
            ({"history": [], "exclude": [1]}, "expected text", "exclude[0]"),
            ({"history": [], "only": ["3", "no"]}, "only[1]: the model does not know the item 'no'", "only[1]"),
            ({"history": [], "explain": "yes"}, "expected true or false, not the text 'yes'", "explain"),
            ({"history": [], "unknown": "skp"}, "expected one of 'refuse', 'skip', not the text 'skp', did you mean "
                                                "'skip'?", "unknown"),
            ({"history": [], "histories": []}, "either a history or histories", "histories"),
            ({"histories": [], "user": "3"}, "a user goes with one history", "user"),
            ({"histories": [[], [EVENT, {"item": "no"}]]}, "does not know the item 'no'", "histories[1][1].item"),
            ({"histories": [[]] * 21}, "this list has 21 entries", "histories"),
        ]:
            problem = self.refused_post(RECOMMEND, body if body is not None else "null", detail)
            if field is not None:
                self.assertEqual(field, problem["field"])

    def test_fields_of_query(self):
        for body, detail, field in [
            ({}, "the field 'expressions' is missing", None),
            ({"expressions": "1"}, "expected a list", "expressions"),
            ({"expressions": [1]}, "expected text, not the number 1", "expressions[0]"),
            ({"expressions": ["1"], "trace": 1}, "expected true or false", "trace"),
            ({"expressions": ["1", "1 &"]}, "expressions[1]: column 4:", "expressions[1]"),
            ({"expressions": ["nobody"]}, "expressions[0]: column 1: the model does not know", "expressions[0]"),
            ({"expressions": ["1 & 99999"]}, "column 5: the model does not know", "expressions[0]"),
            ({"expressions": [""]}, "expressions[0]", "expressions[0]"),
            ({"expressions": ["1 = T"]}, "column 3", "expressions[0]"),
            ({"expressions": ["1" * 101]}, "this text has 101 bytes; at most 100 are allowed", "expressions[0]"),
            ({"expressions": ["1"] * 21}, "this list has 21 entries", "expressions"),
            # 2^6 clauses of six literals
            ({"expressions": ["&".join(f"({i}|{i + 1})" for i in range(1, 12, 2))]}, "", "expressions[0]"),
            ({"expressions": ["1"], "assume": {"nobody": True}}, "does not know the variable", "assume"),
            ({"expressions": ["1"], "assume": {"1": 1}}, "expected true or false", "assume.1"),
            ({"expressions": ["1"], "assume": []}, "expected an object or null", "assume"),
        ]:
            problem = self.refused_post(QUERY, body, detail)
            if field is not None:
                self.assertEqual(field, problem["field"])
        problem = self.refused_post(QUERY, {"expressions": ["1 |\n (2"]}, "line 2")
        self.assertEqual((2, 4), (problem["line"], problem["column"]))

    def test_parameters(self):
        for path, detail in {
            "/v1/models/fold/similar": "the field 'item' is missing",
            "/v1/models/fold/similar?item=no": "item: the model does not know the item 'no'",
            "/v1/models/fold/similar?item=3&limit=0": "limit: expected a whole number from 1 to 20, not the number 0",
            "/v1/models/fold/similar?item=3&limit=x": "limit: expected a whole number",
            "/v1/models/fold/similar?item=3&limit=-1": "limit: expected a whole number",
            "/v1/models/fold/similar?item=3&limit=18446744073709551616": "limit: expected a whole number",
            "/v1/models/fold/similar?item=3&item=4": "item: given twice",
            "/v1/models/fold/similar?itm=3": "unknown parameter 'itm', did you mean 'item'?",
            "/v1/models/fold/items?q=%zz": "two hexadecimal digits",
            "/v1/models/fold/items?q=%f": "two hexadecimal digits",
            "/v1/models/fold/items?q=%ff": "not UTF-8",
            "/v1/models/fold/items?q=%00": "not UTF-8",
            "/v1/models/fold/items?q=" + "x" * 1001: "this text has 1001 bytes",
            "/v1/models/fold/items?id=" + ",".join("1" * 21): "this list has 21 entries",
            "/v1/models/fold/epochs?after=x": "after: expected a whole number",
            "/v1/models/fold?x=1": "unknown parameter 'x'",
            "/health/live?x": "unknown parameter 'x'",
        }.items():
            self.refused(400, detail, self.served.get(path))

    def test_addresses(self):
        for path, detail in {
            "/v1/models/fol/items": "there is no model 'fol', did you mean 'fold'?",
            "/v1/models/nothing-like-it": "there is no model 'nothing-like-it'",
            "/v1/models/fold/nothing": "there is nothing at /v1/models/fold/nothing",
            "/v1/models/": "there is no model ''",
            "/nothing.html": "there is nothing at /nothing.html",
            "/../../../../etc/passwd": "there is nothing at",
            "/%2e%2e/%2e%2e/etc/passwd": "there is nothing at",
            "/v1/models/..%2f..%2f..%2fetc/vectors.tsv": "there is no model",
            "/runs/fold/model.safetensors": "there is nothing at",
            "//": "there is nothing at",
        }.items():
            self.refused(404, detail, self.served.get(path))
        answer = self.served.get(RECOMMEND)
        self.refused(405, "takes POST, not GET", answer)
        self.assertEqual("POST", answer.headers["allow"])
        for path in ["/v1/models", "/", "/health/live"]:
            answer = self.served.post(path, {})
            self.refused(405, "takes GET, HEAD, not POST", answer)
            self.assertEqual("GET, HEAD", answer.headers["allow"])
        for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"]:
            self.assertEqual(405, self.served.ask(method, "/v1/models").status)

    def test_bodies(self):
        self.refused(413, "larger than 4000 bytes", self.served.post(RECOMMEND, "x" * 4001))
        self.refused(415, "expected application/json, not text/plain",
                     self.served.post(RECOMMEND, "{}", headers={"Content-Type": "text/plain"}))
        typed = {"Content-Type": "application/json; charset=utf-8"}
        self.assertEqual(200, self.served.post(RECOMMEND, {"history": []}, headers=typed).status)
        self.refused(400, "takes no body", self.served.ask("GET", "/v1/models", {}))
        zero = self.served.post(RECOMMEND, '{"history": [{"item": "a\x00b"}]}')
        self.assertEqual(400, zero.status, zero.text)

    def test_http(self):
        say = self.served.say
        self.assertTrue(say("nonsense\r\n\r\n").startswith("HTTP/1.1 400 Bad Request"))
        self.assertTrue(say("GET /health/live HTTP/9.9\r\n\r\n").startswith("HTTP/1.1 400 "))
        self.assertTrue(say("GET health HTTP/1.1\r\nHost: localhost\r\n\r\n").startswith("HTTP/1.1 400 "))
        self.assertTrue(say("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n")
                        .startswith("HTTP/1.1 400 "))
        self.assertTrue(say("GET /health/live HTTP/1.1\r\nHost: localhost\r\nX: " + "x" * 20000 + "\r\n\r\n")
                        .startswith("HTTP/1.1 431 "))
        self.assertTrue(say("GET /" + "x" * 20000 + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                        .startswith("HTTP/1.1 431 "))
        # HTTP/1.1 wants exactly one Host; a proxy may send the whole address.
        for hosts in ["", "Host: localhost\r\nHost: localhost\r\n"]:
            answer = say(f"GET /health/live HTTP/1.1\r\n{hosts}\r\n")
            self.assertTrue(answer.startswith("HTTP/1.1 400 "), answer)
            self.assertIn("one Host", answer)
        for target in ["http://localhost/health/live", "http://localhost:80/health/live?"]:
            answer = say(f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            self.assertTrue(answer.startswith("HTTP/1.1 200 OK"), answer)
        self.assertEqual("", say(""))
        self.assertEqual("", say("GET /health/live HTTP/1.1\r\nHo"))
        old = say("GET /health/live HTTP/1.0\r\n\r\n")
        self.assertTrue(old.startswith("HTTP/1.1 200 OK"))
        self.assertIn("Connection: close", old)
        self.assertIn("Connection: keep-alive",
                      say("GET /health/live HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"))
        two = say("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
                  "GET /v1/nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        self.assertEqual(["200", "404"], re.findall(r"HTTP/1\.1 (\d+)", two))
        body = json.dumps({"history": []})
        chunked = say(f"POST {RECOMMEND} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                      f"5\r\n{body[:5]}\r\n{len(body) - 5:x}\r\n{body[5:]}\r\n0\r\n\r\n")
        self.assertTrue(chunked.startswith("HTTP/1.1 200 OK"), chunked)
        waiting = say(f"POST {RECOMMEND} HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                      f"Content-Length: {len(body)}\r\n\r\n{body}")
        self.assertTrue(waiting.startswith("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK"), waiting)
        large = say(f"POST {RECOMMEND} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                    "2000\r\n" + "x" * 0x2000 + "\r\n0\r\n\r\n")
        self.assertTrue(large.startswith("HTTP/1.1 413 "), large)

    def test_one_connection_serves_many_requests(self):
        connection = self.served.connect()
        for _ in range(50):
            self.assertEqual(200, self.served.get("/health/live", connection=connection).status)
            self.assertEqual(404, self.served.get("/nothing", connection=connection).status)
            self.assertEqual(200, self.served.post(RECOMMEND, {"history": []}, connection=connection).status)
        connection.close()

    def test_head(self):
        for path in ["/", "/v1/models", "/openapi.json"]:
            whole, head = self.served.get(path), self.served.ask("HEAD", path)
            self.assertEqual((200, b""), (head.status, head.body))
            self.assertEqual(whole.headers, head.headers)

    def test_page(self):
        page = self.served.get("/")
        self.assertEqual("text/html; charset=utf-8", page.headers["content-type"])
        self.assertEqual("nosniff", page.headers["x-content-type-options"])
        self.assertIn("default-src 'none'", page.headers["content-security-policy"])
        self.assertIn("frame-ancestors 'none'", page.headers["content-security-policy"])
        self.assertNotIn("access-control-allow-origin", page.headers)
        self.assertEqual(page.body, self.served.get("/index.html").body)
        again = self.served.get("/", headers={"If-None-Match": page.headers["etag"]})
        self.assertEqual((304, b""), (again.status, again.body))

    def test_only_this_machine_is_answered(self):
        for host in ["localhost", "localhost:8080", "127.0.0.1:1", "[::1]:8080"]:
            self.assertEqual(200, self.served.get("/v1/models", headers={"Host": host}).status)
        for host in ["example.org", "127.evil.example", "localhost.example.org:8080"]:
            answer = self.served.get("/v1/models", headers={"Host": host})
            self.refused(403, "ask localhost", answer)

    def test_metrics(self):
        self.served.get("/nothing")
        text = self.served.get("/metrics").text
        sample = re.compile(r'[a-z_]+(\{([a-z]+="[^"]*",?)+\})? [0-9.e+-]+$')
        for line in text.splitlines():
            self.assertTrue(line.startswith("# HELP ") or line.startswith("# TYPE ") or sample.match(line), line)
        values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
        self.assertGreater(int(values['linn_requests_total{route="none",status="404"}']), 0)
        self.assertEqual(2, int(values["linn_models"]))
        self.assertEqual(2, int(values["linn_model_loads_total"]))
        before = int(values.get('linn_requests_total{route="live",status="200"}', 0))
        for _ in range(3):
            self.served.get("/health/live")
        values = dict(line.rsplit(" ", 1) for line in self.served.get("/metrics").text.splitlines())
        self.assertEqual(before + 3, int(values['linn_requests_total{route="live",status="200"}']))
        self.assertEqual(values['linn_request_seconds_count{route="live"}'],
                         values['linn_request_seconds_bucket{route="live",le="+Inf"}'])


class Access(unittest.TestCase):
    def test_tokens(self):
        with open("token.txt", "w", encoding="utf-8") as file:
            file.write("a secret of some length".replace(" ", "-") + "\n")
        token = {"Authorization": "Bearer a-secret-of-some-length"}
        with Served("runs/exact", "--token-file", "token.txt", "--quiet") as served:
            for path in ["/", "/health/live", "/health/ready", "/openapi.json"]:
                self.assertEqual(200, served.get(path).status)
            for path in ["/v1/models", "/v1/models/exact/variables", "/metrics"]:
                for headers in [{}, {"Authorization": "Bearer a-secret-of-some-lengtH"}, {"Authorization": "Bearer "},
                                {"Authorization": "a-secret-of-some-length"},
                                {"Authorization": "Bearer a-secret-of-some-length-and-more"}]:
                    answer = served.get(path, headers=headers)
                    self.assertEqual(401, answer.status)
                    self.assertEqual("Bearer", answer.headers["www-authenticate"])
                self.assertEqual(200, served.get(path, headers=token).status)
                for scheme in ["bearer", "BEARER"]:
                    cased = {"Authorization": f"{scheme} a-secret-of-some-length"}
                    self.assertEqual(200, served.get(path, headers=cased).status)
            # Whoever has the token may use another name.
            self.assertEqual(200, served.get("/v1/models", headers={**token, "Host": "example.org"}).status)

    def test_other_origins(self):
        origin = {"Origin": "https://example.org"}
        with Served("runs/exact", "--quiet") as served:
            self.assertNotIn("access-control-allow-origin", served.get("/v1/models", headers=origin).headers)
            self.assertEqual(405, served.ask("OPTIONS", "/v1/models/exact/query", headers=origin).status)
        with Served("runs/exact", "--quiet", "--cors", "https://example.org") as served:
            answer = served.get("/v1/models", headers=origin)
            self.assertEqual("https://example.org", answer.headers["access-control-allow-origin"])
            other = served.get("/v1/models", headers={"Origin": "https://example.com"})
            self.assertNotIn("access-control-allow-origin", other.headers)
            preflight = served.ask("OPTIONS", "/v1/models/exact/query", headers=origin)
            self.assertEqual((204, "POST"), (preflight.status, preflight.headers["access-control-allow-methods"]))

    def test_the_log_has_a_line_for_each_request(self):
        with Served("runs/exact") as served:
            served.get("/health/live")
            served.get("/nothing%0Anothing")
            self.assertEqual(0, served.stop())
            log = [line for line in served.log if "HTTP" not in line and '"' in line]
            self.assertEqual(2, len(log), served.log)
            self.assertRegex(log[0], r'^\S+Z 127\.0\.0\.1 "GET /health/live" 200 \d+ [0-9.]+ms\n$')
            self.assertRegex(log[1], r'"GET /nothing%0Anothing" 404 ')
        with Served("runs/exact", "--quiet") as served:
            served.get("/health/live")
            self.assertEqual(0, served.stop())
            self.assertEqual(1, len(served.log), served.log)


    def test_reasons_are_limited(self):
        body = {"history": [{"item": "3"}, {"item": "9"}, {"item": "12"}], "n": 5}
        with Served("runs/fold", "--quiet", "--max-reasons", "14") as served:
            answer = served.post("/v1/models/fold/recommend", body)
            self.assertEqual(400, answer.status, answer.text)
            self.assertIn("reasons", answer.json["detail"])
            self.assertEqual(200, served.post("/v1/models/fold/recommend", {**body, "n": 4}).status)
            self.assertEqual(200, served.post("/v1/models/fold/recommend", {**body, "explain": False}).status)

    def test_what_goes_missing_while_it_serves(self):
        """The loaded model answers; what must be read anew is not there, and no path of this machine is told."""
        shutil.rmtree("moved", ignore_errors=True)
        shutil.copytree("runs/fold", "moved")
        shutil.copytree("data/shop", "shop", dirs_exist_ok=True)
        config = json.loads(pathlib.Path("moved/config.json").read_text())
        self.assertIn("data", config)
        config["data"] = os.path.abspath("shop")
        pathlib.Path("moved/config.json").write_text(json.dumps(config))
        with Served("moved", "--quiet") as served:
            os.remove("moved/model.safetensors")
            shutil.rmtree("shop")
            self.assertEqual(200, served.get("/v1/models/moved/audit").status)
            answer = served.post("/v1/models/moved/recommend", {"user": "5"})
            self.assertEqual(409, answer.status, answer.text)
            self.assertNotIn(os.path.abspath("."), answer.text)

    def test_a_log_that_nobody_reads_holds_up_nobody(self):
        process = subprocess.Popen([LINN, "serve", "--port", "0", "runs/exact"], stderr=subprocess.PIPE)
        try:
            address = b""
            while b"\n" not in address:
                address += os.read(process.stderr.fileno(), 1)
            port = int(re.search(rb":(\d+)$", address.splitlines()[0])[1])
            # More lines than any pipe holds.
            for _ in range(20):
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
                for _ in range(100):
                    connection.request("GET", "/nothing" + "x" * 400)
                    response = connection.getresponse()
                    response.read()
                    self.assertEqual(404, response.status)
                connection.close()
        finally:
            process.kill()
            process.wait()
            process.stderr.close()


class CommandLine(unittest.TestCase):
    def refuses(self, message, *arguments):
        import subprocess
        done = subprocess.run([LINN, "serve", *arguments], capture_output=True, text=True, timeout=300)
        self.assertEqual((2, ""), (done.returncode, done.stdout), done.stderr)
        self.assertIn(message, done.stderr.splitlines()[0])

    def test_mistakes(self):
        self.refuses("runs is required")
        self.refuses("two runs have the name 'fold'", "runs/fold", "fold=runs/dnf")
        self.refuses("cannot be the name of a model", "a/b=runs/fold")
        self.refuses("expected NAME=RUN", "=runs/fold")
        self.refuses("nowhere", "runs/nowhere")
        self.refuses("nowhere", "runs/nowhere", "--watch")
        self.refuses("needs an IP address or localhost", "runs/fold", "--host", "example.org")
        self.refuses("--token-file FILE asks them for a token", "runs/fold", "--host", "0.0.0.0")
        self.refuses("--token-file FILE asks them for a token", "runs/fold", "--host", "::")
        self.refuses("no-such-file", "runs/fold", "--token-file", "no-such-file")
        with open("short.txt", "w", encoding="utf-8") as file:
            file.write("short\n")
        self.refuses("short.txt: expected a token of at least 16", "runs/fold", "--token-file", "short.txt")
        self.refuses("must be a whole number from 0 to 65535", "runs/fold", "--port", "70000")
        for origin in ["example.org", "https://", "https://example.org/", "https://Example.org", "https://a.org b.org"]:
            self.refuses("--cors needs an origin such as https://example.org", "runs/fold", "--cors", origin)
        self.refuses("unknown option '--prot' for 'linn serve', did you mean '--port'?", "runs/fold", "--prot", "1")

    def test_names(self):
        with Served("a=runs/fold", "runs/logic/", "--quiet", "--host", "::1") as served:
            self.assertEqual(["a", "logic"], [model["name"] for model in served.get("/v1/models").json["models"]])

    def test_a_port_that_is_taken(self):
        with Served("runs/exact", "--quiet") as served:
            self.assertEqual("", linn("serve", "runs/exact", "--port", str(served.port), status=1))


if __name__ == "__main__":
    from support import make_runs
    make_runs()
    unittest.main()
