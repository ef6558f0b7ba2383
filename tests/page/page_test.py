#!/usr/bin/python3
"""Drives a real Chromium through every view of the page, as a person would, and fails on any error in its console.

LINN is the program under test. Works in the current folder.
"""

import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from browser import Browser, DESK, Keys, PHONE  # noqa: E402
from service import LINN, Service, linn, linn_json  # noqa: E402

FIRST_LOAD = 300_000  # bytes

service = None
browser = None


def make_models():
    words = {"rain": "T", "umbrella": "F", "sprinkler": "F", "wet": "T", "cold": "T", "sun": "F", "Star Wars (1977)": "T", "late": "F"}
    pathlib.Path("truth.tsv").write_text("variable\tvalue\n" + "".join(f"{name}\t{value}\n" for name, value in words.items()))
    linn("generate", "equations", "--truth", "truth.tsv", "--equations", 400, "--seed", 7, "--out", "weather-data", "--force")
    linn("train", "equations", "--data", "weather-data", "--preset", "authors", "--epochs", 3, "--set", "d=16", "--seed", 1, "--out", "weather", "--force", "--quiet")
    pathlib.Path("facts.txt").write_text("rain -> wet = T\nrain = T\n")
    linn("train", "equations", "--data", "facts.txt", "--model", "exact", "--out", "facts", "--force", "--quiet")
    linn("generate", "interactions", "--users", 300, "--items", 120, "--seed", 7, "--out", "shop", "--force")
    linn("train", "recommend", "--data", "shop", "--epochs", 3, "--set", "d=16", "--seed", 1, "--out", "liked", "--force", "--quiet")
    linn("train", "recommend", "--data", "shop", "--model", "itemknn", "--out", "neighbours", "--force", "--quiet")


def setUpModule():
    global service, browser
    make_models()
    service = Service("weather", "liked", "facts", "neighbours", "--quiet")
    browser = Browser(tempfile.mkdtemp(dir="."))


def tearDownModule():
    if browser:
        browser.quit()
    if service:
        service.stop()


class Page(unittest.TestCase):
    def setUp(self):
        browser.resize(DESK)
        browser.complaints()

    def tearDown(self):
        self.assertEqual(browser.complaints(), [])

    def go(self, hash_):
        browser.open(f"{service.url}/{hash_}")


class Frame(Page):
    def test_first_load_is_small_and_complete(self):
        self.go("")
        browser.see("#expression")
        loaded = browser.run("""return performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))
            .map(one => [new URL(one.name).pathname, one.encodedBodySize, one.responseStatus])""")
        self.assertEqual([one for one in loaded if one[2] != 200], [])
        # What is not named in the first answer comes a round trip later.
        modules = browser.run("return [...document.querySelectorAll('link[rel=modulepreload], script')].map(one => new URL(one.href || one.src).pathname)")
        self.assertEqual(sorted(path for path, _, _ in loaded if path.endswith(".js")), sorted(modules))
        self.assertGreater(len(loaded), 20)
        self.assertLessEqual(sum(size for _, size, _ in loaded), FIRST_LOAD)
        self.assertTrue(all(browser.run("return [...document.querySelectorAll('link, script')].map(one => new URL(one.href || one.src).origin === location.origin)")))

    def test_the_beginning_is_the_first_model(self):
        self.go("")
        browser.see(".examples")
        self.assertEqual(browser.hash, "#/reason/weather")
        browser.click(".nav-link", "Recommend")
        browser.until("the recommender", "location.hash === '#/recommend/liked'")
        browser.see(".popular .item")
        self.assertIn("liked", browser.driver.title)
        browser.driver.back()
        browser.until("back in Reason", "location.hash === '#/reason/weather'")
        browser.see(".examples")
        browser.driver.forward()
        browser.see(".popular .item")

    def test_a_model_is_chosen(self):
        self.go("#/reason/weather")
        browser.see(".examples")
        browser.run("const picker = document.querySelector('#model'); picker.value = 'neighbours'; picker.dispatchEvent(new Event('change'))")
        browser.until("its view", "location.hash === '#/recommend/neighbours'")
        browser.see(".popular .item")
        self.assertEqual(browser.run("return document.querySelector('.nav-link[data-view=try]').hash"), "#/try/neighbours/recommend")

    def test_no_such_model(self):
        self.go("#/reason/nobody")
        browser.see(".state", "“nobody”")
        self.assertEqual(len(browser.texts(".choice")), 4)
        browser.click(".choice", "liked")
        browser.see(".popular .item")

    def test_no_such_view(self):
        self.go("#/nowhere")
        browser.see(".state", "nowhere")
        browser.click(".state a")
        browser.see(".examples")

    def test_theme(self):
        self.go("#/reason/weather")
        browser.see(".examples")
        background = "getComputedStyle(document.documentElement).backgroundColor"
        light = browser.run(f"return {background}")
        browser.click("#theme")
        browser.click("#theme")
        self.assertEqual(browser.run("return document.documentElement.dataset.theme"), "dark")
        dark = browser.until("another background", f"{background} !== '{light}' && {background}")
        self.go("#/reason/weather")
        self.assertEqual(browser.run(f"return {background}"), dark)
        browser.see(".examples")
        browser.click("#theme")
        browser.until("the system's colours again", f"{background} === '{light}'")

    def test_keyboard_reaches_the_content(self):
        self.go("#/reason/weather")
        browser.see(".examples")
        browser.keys(Keys.TAB)
        self.assertEqual(browser.run("return document.activeElement.className"), "skip")
        browser.keys(Keys.ENTER)
        self.assertEqual(browser.run("return document.activeElement.id"), "main")
        browser.keys(Keys.TAB)
        self.assertEqual(browser.run("return document.activeElement.id"), "expression")


class Reason(Page):
    expression = "(rain & !umbrella) | sprinkler"

    def verdict(self):
        return browser.text(".verdict-figure")

    def query(self, expression):
        return f"{linn_json('query', 'weather', expression)['probability']:.4f}"

    def test_answers_as_one_types(self):
        self.go("#/reason/weather")
        browser.type("#expression", self.expression)
        browser.keys(Keys.ESCAPE)
        browser.until("the answer", lambda _: self.verdict() == self.query(self.expression))
        self.assertEqual(browser.text("#normal-form"), linn_json("query", "weather", self.expression)["normal_form"])
        self.assertEqual(sorted(browser.run("return [...document.querySelectorAll('.node-variable')].map(one => one.dataset.name)")), ["rain", "sprinkler", "umbrella"])
        self.assertEqual(sorted(browser.run("return [...document.querySelectorAll('.node:not(.node-variable) .node-label')].map(one => one.textContent)")), ["AND", "NOT", "OR"])
        self.assertEqual(browser.run("return document.querySelector('.node.root .node-label').textContent"), "OR")
        browser.until("it is read out", lambda _: self.verdict()[:3] in browser.text("#live"))
        # One step back leads to where typing began, not one key back.
        browser.driver.back()
        browser.see(".examples")
        self.assertEqual(browser.run("return document.querySelector('#expression').value"), "")

    def test_nodes_do_not_overlap(self):
        self.go("#/reason/weather?e=(rain | wet) %26 (sun | rain | !cold) %26 (late -> umbrella) %26 (\"Star Wars (1977)\" <-> wet)")
        browser.see(".node.root")
        for size in (DESK, PHONE):
            browser.resize(size)
            overlapping = """(() => {
                const boxes = [...document.querySelectorAll('.node rect')].map(one => one.getBoundingClientRect());
                return boxes.length > 12 && !boxes.some((a, i) => boxes.some((b, j) => i < j && a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1));
            })()"""
            browser.until("every node by itself", overlapping)

    def test_completion(self):
        self.go("#/reason/weather")
        browser.type("#expression", "umb")
        browser.see("#completions [role=option]", "umbrella")
        browser.keys(Keys.TAB)
        browser.gone("#completions")
        browser.type("#expression", " | sta")
        browser.see("#completions [role=option]", "Star Wars")
        browser.keys(Keys.ENTER)
        browser.until("the name in quotes", """document.querySelector('#expression').value === 'umbrella | "Star Wars (1977)"'""")
        browser.until("the answer", lambda _: self.verdict() == self.query('umbrella | "Star Wars (1977)"'))

    def test_mistakes_are_marked(self):
        self.go("#/reason/weather?e=rain %26 | umbrella")
        browser.see("#mistake", "Column 8")
        self.assertEqual(browser.texts(".mistake-mark"), ["|"])
        self.assertEqual(browser.run("return document.querySelector('#expression').getAttribute('aria-invalid')"), "true")
        self.go("#/reason/weather?e=rain | (umbrellla %26 wet)")
        browser.see("#mistake", "umbrellla")
        self.assertEqual(browser.texts(".mistake-mark"), ["umbrellla"])
        browser.run("const field = document.querySelector('#expression'); field.focus(); field.setSelectionRange(14, 15)")
        browser.keys(Keys.DELETE)
        browser.until("the mistake is mended", "!document.querySelector('#mistake').textContent")
        browser.see(".node.root")
        self.assertEqual(browser.texts(".mistake-mark"), [])

    def test_a_variable_is_negated_and_assumed(self):
        self.go(f"#/reason/weather?e={self.expression.replace('&', '%26')}")
        browser.until("the answer", lambda _: self.verdict() == self.query(self.expression))
        learned = self.verdict()
        self.choose("rain", "Negate")
        browser.until("negated", "document.querySelector('#expression').value === '(!rain & !umbrella) | sprinkler'")
        browser.until("the answer", lambda _: self.verdict() == self.query("(!rain & !umbrella) | sprinkler"))
        self.choose("rain", "Negate")
        browser.until("as before", lambda _: self.verdict() == learned)

        self.choose("rain", "Assume false")
        browser.see(".node.assumed")
        browser.until("the answer that follows", lambda _: "rain = F" in browser.text(".verdict-note"))
        asked = json.dumps({"expressions": [self.expression], "assume": {"rain": False}, "trace": True}).encode()
        import urllib.request
        request = urllib.request.Request(f"{service.url}/v1/models/weather/query", asked, {"Content-Type": "application/json"})
        answer = json.load(urllib.request.urlopen(request))["results"][0]
        browser.until("its figure", lambda _: self.verdict() == f"{answer['probability']:.4f}")
        self.assertIn("f=rain", browser.hash)
        shared = browser.run("return location.href")
        browser.driver.back()
        browser.until("as learned", lambda _: self.verdict() == learned)
        browser.open(shared)
        browser.until("what was shared", lambda _: self.verdict() == f"{answer['probability']:.4f}")
        browser.click(".variable[data-name=rain] [data-value=true]")
        browser.until("assumed true", lambda _: "rain = T" in browser.text(".verdict-note"))
        browser.click("#release")
        browser.until("as learned", lambda _: self.verdict() == learned)

    def choose(self, name, entry):
        node = browser.until(f"node {name}", f"document.querySelector('.node-variable[data-name={name}]')")
        browser.run("arguments[0].focus()", node)
        browser.keys(Keys.ENTER)
        browser.click(".menu button", entry)
        browser.gone(".menu")

    def test_models_without_a_network(self):
        self.go("#/reason/facts?e=wet | !rain")
        browser.until("the answer", lambda _: self.verdict() == f"{linn_json('query', 'facts', 'wet | !rain')['probability']:.4f}")
        browser.see(".node.root")

    def test_variables_are_in_the_order_of_the_expression(self):
        self.go("#/reason/weather?e=(rain %26 !umbrella) | (sprinkler %26 wet %26 !cold)")
        browser.see(".node.root")
        self.assertEqual(browser.texts(".variable-name"), ["rain", "umbrella", "sprinkler", "wet", "cold"])

    def test_the_result_of_a_wide_network_is_seen(self):
        names = ["rain", "umbrella", "sprinkler", "wet", "cold", "sun", "late"]
        deep = names[0]
        for step in range(14):
            deep = f"({deep} {'&' if step % 2 else '|'} {names[(step + 1) % 7]})"
        for size in (DESK, PHONE):
            browser.resize(size)
            self.go(f"#/reason/weather?e={urllib.parse.quote(' | '.join(names) if size == PHONE else deep)}")
            browser.see(".node.root")
            browser.until("the result inside the frame", """(() => {
                const frame = document.querySelector('.network-frame').getBoundingClientRect();
                const root = document.querySelector('.node.root').getBoundingClientRect();
                return root.left >= frame.left - 1 && root.right <= frame.right + 1;
            })()""")


class Recommend(Page):
    def focused(self):
        return browser.run("return document.activeElement === document.body ? '' : document.activeElement.className + ' ' + document.activeElement.id")

    def test_the_keyboard_keeps_its_place(self):
        self.go("#/recommend/liked")
        browser.see(".popular .item")
        browser.run("document.querySelector('.popular .thumbs .yes').focus()")
        browser.keys(Keys.ENTER)
        browser.see("#items .item")
        browser.until("the focus in the list", "document.querySelector('#items').contains(document.activeElement)")
        browser.run("document.querySelector('#items .thumbs .yes').focus()")
        browser.keys(Keys.ENTER)
        browser.until("two events", "document.querySelectorAll('#history li').length === 2")
        browser.run("document.querySelector('#history [data-action=remove]').focus()")
        browser.keys(Keys.ENTER)
        browser.until("one event", "document.querySelectorAll('#history li').length === 1")
        self.assertEqual(browser.run("return document.activeElement.dataset.action"), "remove")
        browser.until("a new list", "document.querySelector('.column-list').getAttribute('aria-busy') === 'false'")
        browser.run("document.querySelector('#items .item-name').focus()")
        browser.keys(Keys.ENTER)
        browser.until("the item has the focus", "document.activeElement.id === 'detail-title'")
        browser.keys(Keys.ESCAPE)
        browser.until("the list has it back", "document.activeElement.classList.contains('item-name')")
        browser.run("document.querySelector('#clear').focus()")
        browser.keys(Keys.ENTER)
        browser.until("the search has the focus", "document.activeElement.id === 'search-items'")

    def recommended(self, history, *more):
        return [entry["title"] for entry in linn_json("recommend", "liked", "--history", history, *more)["items"]]

    def titles(self):
        return browser.texts("#items .item-name")

    def until_list(self, expected):
        browser.until(f"the list {expected}", lambda _: self.titles() == expected)

    def popular(self):
        return service.get("/v1/models/liked/items?limit=3")["items"]

    def test_likes_and_dislikes(self):
        first, second, third = self.popular()
        self.go("#/recommend/liked")
        browser.see(".popular .item", first["title"])
        browser.click(f".item[data-item='{first['item']}'] .yes")
        self.until_list(self.recommended(f"+{first['item']}"))
        self.assertEqual(browser.hash, f"#/recommend/liked?h=+{first['item']}")
        browser.click("#search-items")
        browser.type("#search-items", second["title"][4:])
        browser.until("the hit", lambda _: (browser.texts(".column-history .option-name") or [""])[0] == second["title"])
        browser.chord(Keys.SHIFT, Keys.ENTER)
        self.until_list(self.recommended(f"+{first['item']},-{second['item']}"))
        self.assertEqual(browser.texts(".event-name"), [second["title"], first["title"]])
        browser.click("h1")
        browser.click(f".event[data-item='{second['item']}'] [data-action=sign]")
        self.until_list(self.recommended(f"+{first['item']},+{second['item']}"))
        browser.click(f".event[data-item='{first['item']}'] [data-action=remove]")
        self.until_list(self.recommended(f"+{second['item']}"))
        for history in (f"+{first['item']},+{second['item']}", f"+{first['item']},-{second['item']}", f"+{first['item']}"):
            browser.driver.back()
            self.until_list(self.recommended(history))
        browser.driver.back()
        browser.see(".popular .item")

    def test_taking_an_event_away_shows_what_moves(self):
        first, second, _ = (entry["item"] for entry in self.popular())
        self.go(f"#/recommend/liked?h=+{first},-{second}")
        both = self.recommended(f"+{first},-{second}")
        self.until_list(both)
        browser.click(f".event[data-item='{second}'] [data-action=off]")
        pathlib.Path("away.txt").write_text(f"{second}\n")
        alone = self.recommended(f"+{first}", "--exclude", "away.txt")
        self.assertNotEqual(both, alone)
        self.until_list(alone)
        self.assertIn(f"off={second}", browser.hash)
        moves = {row: move for row, move in zip(self.titles(), browser.run(
            "return [...document.querySelectorAll('#items .item')].map(one => one.querySelector('.move')?.innerText.replace(/\\s/g, '') ?? '')"))}
        for rank, title in enumerate(alone):
            before = both.index(title) if title in both else None
            if before is None:
                self.assertEqual(moves[title], "new")
            elif before == rank:
                self.assertEqual(moves[title], "")
            else:
                self.assertTrue(moves[title].endswith(str(abs(before - rank))), moves[title])
        browser.click(f".event[data-item='{second}'] [data-action=off]")
        self.until_list(both)

    def test_reasons(self):
        first, second, _ = (entry["item"] for entry in self.popular())
        history = f"+{first},-{second}"
        entry = linn_json("recommend", "liked", "--history", history)["items"][2]
        self.go(f"#/recommend/liked?h={history}")
        browser.click("#items .item-name", entry["title"])
        browser.see("#detail-title", entry["title"])
        self.assertIn(f"item={entry['item']}", browser.hash)
        browser.see(".detail-place", "number 3")
        if entry["words"]:
            browser.see(".words", entry["words"])
        shares = [float(text.replace("−", "-")) for text in browser.texts(".share-figure")]
        self.assertEqual(len(shares), 2)
        self.assertTrue(math.isclose(entry["base"] + sum(shares), entry["score"], abs_tol=0.05))
        similar = linn_json("similar", "liked", "--item", entry["item"], "--top", 8)["items"]
        browser.until("items like it", lambda _: browser.texts(".similar button") == [one["title"] for one in similar])
        browser.click(".similar button", similar[0]["title"])
        browser.see("#detail-title", similar[0]["title"])
        browser.driver.back()
        browser.see("#detail-title", entry["title"])

    def test_why_not(self):
        first, second, _ = (entry["item"] for entry in self.popular())
        history = f"+{first},-{second}"
        listed = {entry["item"] for entry in linn_json("recommend", "liked", "--history", history)["items"]}
        other = next(entry for entry in service.get("/v1/models/liked/items?limit=50")["items"] if entry["item"] not in listed | {first, second})
        why = linn_json("explain", "liked", "--history", history, "--item", other["item"])
        self.go(f"#/recommend/liked?h={history}")
        browser.see("#items .item")
        browser.click("#search-why")
        browser.type("#search-why", other["title"])
        browser.until("the hit", lambda _: other["title"] in browser.texts(".asker .option-name"))
        browser.click(".asker .option-name", other["title"])
        browser.see("#detail-title", other["title"])
        browser.see(".detail-place", f"score {why['score']:.2f}")
        self.assertEqual(len(browser.texts(".share-figure")), 2)

    def test_other_kinds_of_models(self):
        first = self.popular()[0]["item"]
        self.go(f"#/recommend/neighbours?h=+{first}")
        expected = [entry["title"] for entry in linn_json("recommend", "neighbours", "--history", f"+{first}")["items"]]
        self.until_list(expected)
        browser.click("#items .item-name", expected[0])
        browser.see(".share-figure")

    def test_an_unknown_item_in_the_address(self):
        self.go("#/recommend/liked?h=+no-such-item")
        browser.see(".state.error", "no-such-item")
        browser.click("#clear")
        browser.see(".popular .item")


class Look(Page):
    def drawn(self):
        """How many pixels of the map have been painted."""
        return browser.run("""const map = document.querySelector('canvas.map');
            if (!map || map.width < 10) return 0;
            const copy = new OffscreenCanvas(map.width, map.height).getContext('2d', {willReadFrequently: true});
            copy.drawImage(map, 0, 0);
            const pixels = copy.getImageData(0, 0, map.width, map.height).data;
            let count = 0;
            for (let i = 3; i < pixels.length; i += 4) count += pixels[i] > 0;
            return count;""")

    def test_map_of_items(self):
        self.go("#/look/liked/map")
        browser.until("points", lambda _: self.drawn() > 500)
        browser.see("#map-status", "120 items")
        points = service.get("/v1/models/liked/projection")["points"]
        title = points[5]["title"]
        browser.click("#search-map")
        browser.type("#search-map", title)
        browser.click(".map-view .option-name", title)
        browser.see(".map-card h2", title)
        self.assertEqual(len(browser.texts(".near button")), 6)
        # The point is in the middle now, under the pointer.
        canvas = browser.see("canvas.map")
        browser.hover(canvas)
        browser.see(".map-tip", title)
        self.assertIn(f"at={points[5]['name']}", browser.hash)
        before = browser.hash
        browser.click("[aria-label='Zoom in']")
        browser.until("the address knows the zoom", lambda _: browser.hash != before)
        browser.click("[aria-label='Show everything']")
        browser.until("all of it", lambda _: "see=" not in browser.hash)
        browser.click(".map-card .button")
        browser.until("on to Recommend", f"location.hash === '#/recommend/liked?h=+{points[5]['name']}'")
        browser.see("#items .item")

    def test_map_by_keyboard(self):
        self.go("#/look/weather/map")
        browser.until("points", lambda _: self.drawn() > 100)
        browser.run("document.querySelector('canvas.map').focus()")
        browser.keys("+", "+", Keys.ARROW_LEFT)
        browser.until("zoomed and moved", lambda _: "see=1.96" in browser.hash)
        browser.keys("0")
        browser.until("all of it", lambda _: "see=" not in browser.hash)

    def test_laws(self):
        audit = linn_json("audit", "weather")
        self.go("#/look/weather/laws")
        browser.see("#laws")
        self.assertEqual(browser.texts(".law-name"), [law["law"] for law in audit["laws"]])
        self.assertEqual(browser.texts("#laws tbody tr:not(.law-group) td:nth-child(2)"), [f"{law['variables']['agreement']:.3f}" for law in audit["laws"]])

    def test_curves(self):
        self.go("#/look/weather/training")
        browser.see("#epoch-count", "3 epochs")
        epochs = [json.loads(line) for line in pathlib.Path("weather/metrics.jsonl").read_text().splitlines()]
        charts = browser.run("return [...document.querySelectorAll('.chart-card')].map(one => one.dataset.chart)")
        self.assertLessEqual({"Accuracy", "Loss", "RMSE"}, set(charts))
        chart = browser.see("[data-chart=Accuracy] svg")
        browser.run("arguments[0].focus()", chart)
        browser.keys(Keys.HOME)
        browser.until("the first value", lambda _: browser.text("[data-chart=Accuracy] .chart-value").startswith(f"{epochs[0]['validation']['accuracy']:.3g}"))

    def test_models_that_have_less_to_see(self):
        self.go("#/look/facts/map")
        browser.see(".state", "no vectors")
        browser.click(".segments a", "Laws")
        browser.see(".state", "nothing to audit")
        browser.click(".segments a", "Training")
        browser.see(".state", "no epochs")


class Try(Page):
    def answers(self, view):
        """Runs what is shown, as curl and as Python; returns the standard outputs of both."""
        outputs = []
        for language, command in (("curl", ["bash", "-c"]), ("python", [sys.executable, "-c"])):
            self.go(view + ("&" if "?" in view else "?") + f"in={language}")
            browser.see(f"code[data-language={language}]")
            for code in browser.run("return [...document.querySelectorAll('code[data-language]')].map(one => one.textContent)"):
                done = subprocess.run([*command, code], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, f"{code}\n{done.stderr}")
                outputs.append(done.stdout)
        return outputs

    def test_reason(self):
        expression = "rain | \"Star Wars (1977)\" & !wet"
        outputs = self.answers("#/try/weather/reason?e=" + expression.replace("&", "%26"))
        self.assertEqual(len(outputs), 4)
        probability = linn_json("query", "weather", expression)["probability"]
        self.assertEqual(json.loads(outputs[0])["results"][0]["probability"], probability)
        self.assertEqual(float(outputs[2]), probability)

    def test_recommend(self):
        first = service.get("/v1/models/liked/items?limit=1")["items"][0]["item"]
        self.go(f"#/recommend/liked?h=+{first}")
        browser.see("#items .item")
        browser.click(".nav-link", "Try")
        browser.see("code[data-language=curl]")
        outputs = self.answers(browser.hash)
        self.assertEqual(json.loads(outputs[0]), linn_json("recommend", "liked", "--history", f"+{first}"))
        browser.click(".try-lead a", "Recommend")
        browser.until("back where it was", f"location.hash.startsWith('#/recommend/liked?h=+{first}')")

    def test_copy(self):
        self.go("#/try/liked/look")
        browser.driver.execute_cdp_cmd("Browser.grantPermissions", {"origin": service.url, "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
        browser.click(".copy")
        browser.see(".copy", "Copied")
        copied = browser.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0], error => arguments[0](String(error)))")
        self.assertEqual(copied, browser.run("return document.querySelector('code[data-language]').textContent"))


class Words(Page):
    """What the page itself understands of expressions and addresses."""

    def call(self, module, script):
        self.go("#/reason/weather")
        return browser.driver.execute_async_script(
            f"const done = arguments[0]; import('/{module}').then(module => done((({{{script[0]}}}) => {script[1]})(module)), error => done(String(error)))")

    def test_negate(self):
        cases = [("a & b", "a", "!a & b"), ("!a | (a & b)", "a", "a | (!a & b)"), ("not a and b", "a", "a and b"), ('"x y" -> "x y"', "x y", '!"x y" -> !"x y"'),
                 ("~593^924v~29", "593", "593^924v~29"), ("1v2", "2", "1v~2"), ("v1 ^ ~v2", "v2", "v1 ^ v2"), ("T & t", "t", "T & !t"), ('"say ""hi"""', 'say "hi"', '!"say ""hi"""')]
        for text, name, expected in cases:
            with self.subTest(text=text):
                self.assertEqual(self.call("reason/names.js", ("negate", f"negate({json.dumps(text)}, {json.dumps(name)})")), expected)

    def test_names(self):
        cases = [("(rain & !wet) | T", ["rain", "wet"]), ("a AND Not b XOR c", ["a", "b", "c"]), ("593^924v~29", ["593", "924", "29"]), ("1v2 & 3", ["1v2", "3"]),
                 ('"Star Wars (1977)" & "T"', ["Star Wars (1977)", "T"]), ("", [])]
        for text, expected in cases:
            with self.subTest(text=text):
                self.assertEqual(self.call("reason/names.js", ("namesIn", f"namesIn({json.dumps(text)})")), expected)

    def test_addresses(self):
        odd = {"view": "recommend", "model": "a/b c", "part": "", "params": {"h": "+50,-a%2Cb", "off": "ü&=?#", "e": '"x" | y'}}
        self.assertEqual(self.call("shell/address.js", ("parseAddress, formatAddress", f"parseAddress(formatAddress({json.dumps(odd)}))")), odd)
        events = [{"item": "50", "liked": True}, {"item": "a,b +%", "liked": False}]
        self.assertEqual(self.call("recommend/history.js", ("parseHistory, formatHistory", f"parseHistory(formatHistory({json.dumps(events)}))")), events)


class EveryView(Page):
    views = {
        "#/reason/weather": ".examples",
        "#/reason/weather?e=(rain %26 !umbrella) | (sprinkler <-> (wet xor cold)) | \"Star Wars (1977)\"": ".node.root",
        "#/reason/weather?e=rain %26 | wet": ".mistake-mark",
        "#/reason/nobody": ".choice",
        "#/recommend/liked": ".popular .item",
        "#/recommend/liked?h=+1,-2,+3,-4,+5,+6&item=7": ".similar button",
        "#/look/liked/map?at=5": ".map-card h2",
        "#/look/weather/laws": "#laws",
        "#/look/liked/training": ".chart-card",
        "#/try/weather/reason?e=rain": ".answer-block",
        "#/try/liked/recommend?h=+1,-2&item=7&in=python": ".answer-block",
    }

    def test_the_checks_see_what_is_wrong(self):
        self.go("#/reason/weather")
        browser.see(".examples")
        browser.run("""const wrong = document.createElement('p');
            wrong.id = 'main';
            wrong.textContent = 'hardly there';
            wrong.style.color = '#bbb';
            wrong.style.width = '3000px';
            wrong.append(document.createElement('button'));
            document.querySelector('main').append(wrong);""")
        self.assertTrue(browser.run(WIDE))
        self.assertTrue(browser.run(NAMELESS))
        self.assertEqual(browser.run(TWICE), ["main"])
        self.assertEqual(len(browser.run(FAINT)), 1)

    def test_fits_and_can_be_read(self):
        for size in (DESK, PHONE):
            for dark in (False, True):
                browser.resize(size)
                browser.theme(dark)
                for view, sign in self.views.items():
                    with self.subTest(view=view, width=size[0], dark=dark):
                        self.go(view)
                        browser.see(sign)
                        self.assertEqual(browser.run(WIDE), [], "wider than the window")
                        self.assertEqual(browser.run(NAMELESS), [], "controls without a name")
                        self.assertEqual(browser.run(TWICE), [], "ids that are there twice")
                        browser.until("enough contrast", f"JSON.stringify((() => {{ {FAINT} }})()) === '[]'" )
        browser.theme(False)


# What is cut off or makes the page scroll sideways.
WIDE = """const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth > width) return ['the page: ' + document.documentElement.scrollWidth];
    return [...document.querySelectorAll('main *')].filter(one => one.getClientRects().length && !one.closest('svg, pre, .network-frame, .laws-frame, .unseen, thead'))
        .filter(one => { const box = one.getBoundingClientRect(); return box.right > width + 1 || box.left < -1; }).map(one => one.outerHTML.slice(0, 120));"""
NAMELESS = """return [...document.querySelectorAll('button, a, input, textarea, select, [role=button], [tabindex="0"]')]
    .filter(one => !(one.getAttribute('aria-label') || one.textContent.trim())).map(one => one.outerHTML.slice(0, 120));"""
TWICE = "const ids = [...document.querySelectorAll('[id]')].map(one => one.id); return ids.filter((id, i) => ids.indexOf(id) !== i);"
# Text with less than the 4.5 : 1 that WCAG asks for (3 : 1 if large), against the nearest opaque background.
FAINT = """
    const context = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
    const rgba = (colour) => { context.clearRect(0, 0, 1, 1); context.fillStyle = colour; context.fillRect(0, 0, 1, 1); return [...context.getImageData(0, 0, 1, 1).data]; };
    const light = (c) => { const [r, g, b] = c.slice(0, 3).map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const behind = (one) => {
      const layers = [];
      for (let e = one; e; e = e.parentElement) { const c = rgba(getComputedStyle(e).backgroundColor); layers.push(c); if (c[3] === 255) break; }
      return layers.reverse().reduce((under, c) => under.map((v, i) => v + (c[i] - v) * c[3] / 255), [255, 255, 255]);
    };
    return [...document.querySelectorAll('body *')].filter(one => one.getClientRects().length && !one.closest('svg, textarea, .unseen, .stale, .skip, option, .skeleton, [aria-busy=true]')
        && [...one.childNodes].some(node => node.nodeType === 3 && node.textContent.trim())).filter(one => {
      const style = getComputedStyle(one);
      const [a, b] = [light(rgba(style.color)), light(behind(one))].sort((x, y) => y - x);
      const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.6 && style.fontWeight >= 700);
      return (a + 0.05) / (b + 0.05) < (large ? 3 : 4.5);
    }).map(one => one.className + ': ' + one.textContent.slice(0, 30));"""


class Alone(unittest.TestCase):
    """What needs a service of its own."""

    def setUp(self):
        browser.resize(DESK)
        browser.complaints()

    def tearDown(self):
        self.assertEqual(browser.complaints(), [])

    def test_a_server_that_stops_and_starts_again(self):
        own = Service("liked", "--quiet")
        browser.open(f"{own.url}/#/recommend/liked")
        browser.see(".popular .item")
        self.assertEqual(own.stop(), 0)
        browser.click(".popular .item .yes")
        browser.see(".state.error", "does not answer")
        own = Service("liked", "--quiet", port=own.port)
        browser.click(".state.error button")
        browser.see("#items .item")
        own.stop()

    def test_without_a_model_for_a_view(self):
        own = Service("liked", "--quiet")
        browser.open(f"{own.url}/#/reason")
        browser.see(".state", "No model here reasons")
        own.stop()

    def test_a_token(self):
        pathlib.Path("token").write_text("a-token-of-this-test\n")
        own = Service("weather", "--token-file", "token", "--quiet")
        browser.open(own.url)
        browser.type("dialog input", "wrong" + Keys.ENTER)
        browser.see("dialog", "not right")
        browser.type("dialog input", "a-token-of-this-test" + Keys.ENTER)
        browser.see(".examples")
        browser.gone("dialog")
        own.stop()

    def test_look_shows_the_better_model(self):
        """What was computed from a model that was swapped is asked for again."""
        shutil.copytree("weather", "swapped", dirs_exist_ok=True)
        own = Service("swapped", "--watch", "--quiet")
        try:
            browser.open(f"{own.url}/#/look/swapped/laws")
            figures = "[...document.querySelectorAll('#laws .figure')].map(one => one.textContent).join(' ')"
            browser.see("#laws")
            first = browser.run(f"return {figures}")
            linn("train", "equations", "--data", "weather-data", "--preset", "authors", "--epochs", 3, "--set", "d=16", "--seed", 2, "--out", "other", "--force", "--quiet")
            for name in ("config.json", "model.safetensors"):
                shutil.copy(f"other/{name}", f"swapped/.{name}")
                os.replace(f"swapped/.{name}", f"swapped/{name}")
            browser.until("the laws of the other model", f"document.querySelector('#laws') && {figures} !== {json.dumps(first)}")
        finally:
            own.stop()

    def test_a_training_is_seen_live(self):
        training = subprocess.Popen([LINN, "train", "equations", "--data", "weather-data", "--preset", "authors", "--epochs", "1000000", "--patience", "1000000",
                                     "--set", "d=16", "--out", "learning", "--force", "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while not pathlib.Path("learning/model.safetensors").exists():
                self.assertIsNone(training.poll())
            own = Service("learning", "--watch", "--quiet")
            browser.open(f"{own.url}/#/look/learning/training")
            browser.see(".fact.live")
            count = "Number(document.querySelector('#epoch-count strong').textContent)"
            first = browser.until("an epoch", count)
            browser.until("more epochs", f"{count} > {first}")
            training.send_signal(signal.SIGTERM)
            training.wait(60)
            browser.see(".fact", "done")
            browser.gone(".fact.live")
            own.stop()
        finally:
            if training.poll() is None:
                training.kill()
                training.wait()


if __name__ == "__main__":
    unittest.main(verbosity=2)
