"""What is served is what the program prints with --json, to the bit."""
import json
import pathlib
import shutil
import struct
import unittest
import urllib.parse

from support import Served, ServiceTest, linn, linn_json

RECOMMENDERS = ["fold", "dnf", "factored", "bprmf", "itemknn"]
EQUATIONS = ["logic", "ensemble", "exact", "lstm"]
HISTORIES = ["", "+1", "-1", "+3,-7,+20,+21", "+5,+6,+7,-8,+9,+10,-11,+12,+13,+14,+15,-16,+17,+18"]
EXPRESSIONS = ["1", "!1", "1 & !2", "(1 | 2) & (3 | !4)", "1 -> 2 <-> 3 xor 4", "T", "1 & !1", "1^2", "~1^2v3"]


def events(history):
    return [{"item": part[1:], "liked": part[0] == "+"} for part in history.split(",") if part]


class Recommenders(ServiceTest):
    arguments = [f"runs/{name}" for name in RECOMMENDERS] + ["--quiet"]

    def test_recommend(self):
        for model in RECOMMENDERS:
            for history in HISTORIES:
                expected = linn_json("recommend", f"runs/{model}", "--history", history, "--top", "7")
                answer = self.served.post(f"/v1/models/{model}/recommend", {"history": events(history), "n": 7})
                self.assertEqual(expected, answer.json, f"{model} {history}")

    def test_several_histories(self):
        for model in RECOMMENDERS:
            body = {"histories": [events(history) for history in HISTORIES], "n": 5}
            results = self.served.post(f"/v1/models/{model}/recommend", body).json["results"]
            for history, result in zip(HISTORIES, results, strict=True):
                self.assertEqual(linn_json("recommend", f"runs/{model}", "--history", history, "--top", "5"), result)

    def test_filters(self):
        with open("exclude.txt", "w", encoding="utf-8") as file:
            file.write("1\n2\nno such item\n")
        with open("only.txt", "w", encoding="utf-8") as file:
            file.write("1\n2\n3\n4\n30\n31\n")
        for model in RECOMMENDERS:
            answer = self.served.post(
                f"/v1/models/{model}/recommend",
                {"history": events("+3,+40"), "exclude": ["1", "2", "no such item"],
                 "only": ["1", "2", "3", "4", "30", "31"], "include_seen": True})
            self.assertEqual(
                linn_json("recommend", f"runs/{model}", "--history", "+3,+40", "--exclude", "exclude.txt",
                          "--only", "only.txt", "--include-seen"), answer.json)

    def test_unknown_items_are_skipped_on_request(self):
        body = {"history": [{"item": "no such item"}, {"item": "3"}], "unknown": "skip"}
        expected = linn_json("recommend", "runs/fold", "--history", "+no such item,+3", "--unknown", "skip")
        self.assertEqual(expected, self.served.post("/v1/models/fold/recommend", body).json)
        self.assertEqual(["no such item"], expected["skipped"])

    def test_users(self):
        for model in RECOMMENDERS:
            self.assertEqual(linn_json("recommend", f"runs/{model}", "--user", "5"),
                             self.served.post(f"/v1/models/{model}/recommend", {"user": "5"}).json)
            self.assertEqual(
                linn_json("recommend", f"runs/{model}", "--user", "5", "--history", "+7"),
                self.served.post(f"/v1/models/{model}/recommend", {"user": "5", "history": events("+7")}).json)

    def test_without_reasons_the_rest_is_the_same(self):
        body = {"history": events(HISTORIES[3])}
        with_reasons = self.served.post("/v1/models/fold/recommend", body).json["items"]
        without = self.served.post("/v1/models/fold/recommend", {**body, "explain": False}).json["items"]
        self.assertEqual(len(with_reasons), len(without))
        for explained, plain in zip(with_reasons, without):
            self.assertNotIn("because", plain)
            self.assertEqual(plain, {key: explained[key] for key in plain})

    def test_explain(self):
        for model in RECOMMENDERS:
            for history in HISTORIES:
                answer = self.served.post(f"/v1/models/{model}/explain", {"history": events(history), "item": "2"})
                self.assertEqual(linn_json("explain", f"runs/{model}", "--history", history, "--item", "2"), answer.json)

    def test_similar(self):
        for model in RECOMMENDERS:
            answer = self.served.get(f"/v1/models/{model}/similar?item=9&limit=6")
            self.assertEqual(linn_json("similar", f"runs/{model}", "--item", "9", "--top", "6"), answer.json)

    def test_audit(self):
        for model in ["fold", "dnf"]:
            expected = linn_json("audit", f"runs/{model}")
            self.assertEqual(expected, self.served.get(f"/v1/models/{model}/audit").json)
            self.assertEqual(expected, self.served.get(f"/v1/models/{model}/audit").json)
        self.refused(409, "is no LINN", self.served.get("/v1/models/bprmf/audit"))

    def test_items(self):
        total = self.served.get("/v1/models/fold").json["items"]
        everything = self.served.get("/v1/models/fold/items?limit=1000").json
        self.assertEqual(total, everything["total"])
        self.assertEqual(total, len({entry["item"] for entry in everything["items"]}))
        # What a new user is recommended is what is popular.
        popular = [entry["item"] for entry in linn_json("recommend", "runs/fold", "--history", "")["items"]]
        self.assertEqual(popular, [entry["item"] for entry in everything["items"][:10]])
        found = self.served.get("/v1/models/fold/items?q=1&limit=1000").json
        self.assertEqual([entry for entry in everything["items"] if "1" in entry["item"] + entry["title"]],
                         found["items"])
        self.assertEqual(found["items"][3:5],
                         self.served.get("/v1/models/fold/items?q=1&limit=2&offset=3").json["items"])
        picked = self.served.get("/v1/models/fold/items?id=7,nothing,3").json
        self.assertEqual(["7", "3"], [entry["item"] for entry in picked["items"]])
        quoted = self.served.get("/v1/models/fold/items?id=%227%22,%22a,b%22,3").json
        self.assertEqual(["7", "3"], [entry["item"] for entry in quoted["items"]])
        self.assertEqual(0, self.served.get("/v1/models/fold/items?q=nothing+like+this").json["total"])
        self.assertIsNone(self.served.get("/v1/models/itemknn/items").json["items"][0]["likes"])

    def test_titles_are_found_in_any_case(self):
        folder = pathlib.Path("titled")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree("data/shop", folder)
        names = [entry["item"] for entry in self.served.get("/v1/models/fold/items?limit=1000").json["items"]]
        titles = {"3": "Émile ÅNGSTRÖM", "9": "ΣΊΣΥΦΟΣ", "12": "Straße ЖУК"}
        (folder / "items.tsv").write_text("item\ttitle\n" + "".join(f"{name}\t{titles.get(name, 'Film ' + name)}\n" for name in names))
        linn("train", "recommend", "--data", "titled", "--model", "itemknn", "--quiet", "--force", "--out", "titled-run")
        with Served("titled-run", "--quiet") as served:
            for text, item in {"émile": "3", "ångström": "3", "Σίσυ": "9", "жук": "12", "STRA": "12", "straße": "12"}.items():
                found = served.get(f"/v1/models/titled-run/items?q={urllib.parse.quote(text)}").json["items"]
                self.assertIn(item, [entry["item"] for entry in found], text)

    def test_vectors(self):
        description = self.served.get("/v1/models/fold").json
        vectors = self.served.get("/v1/models/fold/vectors.tsv")
        self.assertTrue(vectors.headers["content-type"].startswith("text/tab-separated-values"))
        rows = vectors.text.splitlines()
        self.assertEqual(description["items"], len(rows))
        self.assertEqual({description["d"]}, {len(row.split("\t")) for row in rows})
        # Written so that they read back as the same floats.
        stored = stored_rows("runs/fold/model.safetensors", "items", description["d"], len(rows))
        for row, floats in zip(rows, stored, strict=True):
            self.assertEqual(struct.pack(f"<{len(floats)}f", *floats),
                             struct.pack(f"<{len(floats)}f", *map(float, row.split("\t"))))
        metadata = self.served.get("/v1/models/fold/metadata.tsv").text.splitlines()
        self.assertEqual("item\ttitle\tlikes", metadata[0])
        self.assertEqual(len(rows), len(metadata) - 1)
        self.refused(409, "is no LINN", self.served.get("/v1/models/bprmf/vectors.tsv"))
        self.refused(409, "is no LINN", self.served.get("/v1/models/bprmf/metadata.tsv"))
        self.refused(409, "is no LINN", self.served.get("/v1/models/bprmf/projection"))

    def test_projection_is_made_once(self):
        first = self.served.get("/v1/models/fold/projection")
        self.assertEqual(200, first.status)
        self.assertEqual(first.body, self.served.get("/v1/models/fold/projection").body)
        points = first.json["points"]
        self.assertEqual(60, len({point["name"] for point in points}))
        self.assertEqual(60, len({(point["x"], point["y"]) for point in points}))

    def test_equations_are_none_of_its_business(self):
        self.refused(409, "is a recommender", self.served.post("/v1/models/fold/query", {"expressions": ["1"]}))
        self.refused(409, "is a recommender", self.served.get("/v1/models/fold/variables"))


def stored_rows(file, tensor, columns, rows):
    """The first rows of a tensor of floats in a safetensors file."""
    with open(file, "rb") as data:
        size = struct.unpack("<Q", data.read(8))[0]
        header = json.loads(data.read(size))
        data.seek(8 + size + header[tensor]["data_offsets"][0])
        return [struct.unpack(f"<{columns}f", data.read(4 * columns)) for _ in range(rows)]


class Equations(ServiceTest):
    arguments = [f"runs/{name}" for name in EQUATIONS] + ["--quiet"]

    def test_query(self):
        for model in EQUATIONS:
            answers = self.served.post(f"/v1/models/{model}/query", {"expressions": EXPRESSIONS}).json["results"]
            for expression, answer in zip(EXPRESSIONS, answers, strict=True):
                self.assertEqual(linn_json("query", f"runs/{model}", expression), answer, f"{model} {expression}")

    def test_a_trace_has_the_same_answer_and_every_node(self):
        for model in EQUATIONS:
            body = {"expressions": EXPRESSIONS, "trace": True}
            answers = self.served.post(f"/v1/models/{model}/query", body).json["results"]
            for expression, answer in zip(EXPRESSIONS, answers, strict=True):
                plain = linn_json("query", f"runs/{model}", expression)
                self.assertEqual(plain, {key: answer[key] for key in plain}, f"{model} {expression}")
                nodes = answer["nodes"]
                self.assertEqual(plain["probability"], nodes[answer["root"]]["truth"])
                for place, node in enumerate(nodes):
                    self.assertEqual(place, node["id"])
                    self.assertIn(node["kind"], ["true", "false", "variable", "not", "and", "or"])
                    self.assertTrue(0 <= node["truth"] <= 1)
                    self.assertEqual({"and": 2, "or": 2, "not": 1}.get(node["kind"], 0) if node["kind"] != "false"
                                     else len(node.get("inputs", [])), len(node.get("inputs", [])))
                    self.assertTrue(all(before < place for before in node.get("inputs", [])))
                # Each node is used, and each exists once.
                used = {before for node in nodes for before in node.get("inputs", [])} | {answer["root"]}
                self.assertEqual(set(range(len(nodes))), used)
                shapes = [(node["kind"], node.get("name"), tuple(node.get("inputs", []))) for node in nodes]
                self.assertEqual(len(shapes), len(set(shapes)))

    def test_the_nodes_of_an_expression(self):
        body = {"expressions": ["(1 & !2) | 3"], "trace": True}
        for model in EQUATIONS:
            answer = self.served.post(f"/v1/models/{model}/query", body).json["results"][0]
            nodes = answer["nodes"]

            def text(place):
                node = nodes[place]
                inputs = [text(before) for before in node.get("inputs", [])]
                if node["kind"] == "variable":
                    return node["name"]
                return f"{node['kind']}({', '.join(inputs)})"

            self.assertEqual("or(and(1, not(2)), 3)", text(answer["root"]))
            # The truth of a part is what the model says of it; a variable of a network is as true as it resembles T.
            for part, expression in {"not(2)": "!2", "and(1, not(2))": "1 & !2", "3": "3"}.items():
                place = next(i for i in range(len(nodes)) if text(i) == part)
                self.assertEqual(linn_json("query", f"runs/{model}", expression)["probability"], nodes[place]["truth"])

    def test_assumptions(self):
        for model in EQUATIONS:
            def ask(expression, assumed):
                body = {"expressions": [expression], "trace": True, "assume": assumed}
                answer = self.served.post(f"/v1/models/{model}/query", body).json["results"][0]
                plain = self.served.post(f"/v1/models/{model}/query", {**body, "trace": False}).json["results"][0]
                self.assertEqual(plain, {key: answer[key] for key in plain})
                return answer

            free = linn_json("query", f"runs/{model}", "1 | 2")
            self.assertEqual(free["probability"], ask("1 | 2", {})["probability"])
            self.assertEqual(free["probability"], ask("1 | 2", {"3": True})["probability"])
            for value in [True, False]:
                answer = ask("1 | 2", {"1": value})
                node = next(node for node in answer["nodes"] if node.get("name") == "1")
                self.assertEqual(value, node["assumed"])
                self.assertEqual(free["normal_form"], answer["normal_form"])
                self.assertNotIn("assumed", next(node for node in answer["nodes"] if node.get("name") == "2"))
            if model == "lstm":
                continue  # it has not learned what true means
            self.assertGreater(ask("1", {"1": True})["probability"], ask("1", {"1": False})["probability"])

    def test_variables(self):
        for model in EQUATIONS:
            solved = linn_json("solve", f"runs/{model}")["variables"]
            answer = self.served.get(f"/v1/models/{model}/variables?limit=1000").json
            self.assertEqual(len(solved), answer["total"])
            self.assertEqual({name: (entry["value"], entry["probability"]) for name, entry in solved.items()},
                             {entry["name"]: (entry["value"], entry["probability"]) for entry in answer["variables"]})
        found = self.served.get("/v1/models/logic/variables?q=5&limit=1000").json["variables"]
        names = [entry["name"] for entry in found]
        self.assertEqual("5", names[0])
        self.assertEqual(sorted(names, key=lambda name: not name.startswith("5")), names)
        self.assertEqual({name for name in solved if "5" in name}, set(names))
        part = self.served.get("/v1/models/logic/variables?q=5&limit=2&offset=1").json
        self.assertEqual(found[1:3], part["variables"])

    def test_audit_and_projection(self):
        self.assertEqual(linn_json("audit", "runs/logic"), self.served.get("/v1/models/logic/audit").json)
        points = self.served.get("/v1/models/logic/projection").json["points"]
        truths = {entry["name"]: entry["probability"]
                  for entry in self.served.get("/v1/models/logic/variables?limit=1000").json["variables"]}
        self.assertEqual(truths, {point["name"]: point["probability"] for point in points})
        self.refused(409, "is no LINN", self.served.get("/v1/models/exact/audit"))

    def test_epochs(self):
        answer = self.served.get("/v1/models/logic/epochs").json
        with open("runs/logic/metrics.jsonl", encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        self.assertEqual(lines, answer["epochs"])
        self.assertEqual((len(lines), False), (answer["total"], answer["training"]))
        later = self.served.get("/v1/models/logic/epochs?after=1").json
        self.assertEqual((lines[1:], len(lines)), (later["epochs"], later["total"]))
        self.assertEqual([], self.served.get("/v1/models/logic/epochs?after=99").json["epochs"])
        self.assertEqual([], self.served.get("/v1/models/exact/epochs").json["epochs"])
        description = self.served.get("/v1/models/logic").json
        self.assertEqual(lines[answer["best"] - 1], description["metrics"])

    def test_models(self):
        models = self.served.get("/v1/models").json["models"]
        self.assertEqual(EQUATIONS, [model["name"] for model in models])
        logic = models[0]
        self.assertEqual(("equations", "linn", 16, 60, True, True),
                         tuple(logic[key] for key in ["task", "model", "d", "variables", "vectors", "ready"]))
        self.assertEqual(logic, self.served.get("/v1/models/logic").json)
        self.assertIsNone(models[2]["d"])

    def test_recommendations_are_none_of_its_business(self):
        self.refused(409, "is one of equations", self.served.post("/v1/models/logic/recommend", {"history": []}))
        self.refused(409, "is one of equations", self.served.get("/v1/models/logic/items"))


if __name__ == "__main__":
    unittest.main()
