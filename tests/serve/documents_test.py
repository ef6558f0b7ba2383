"""Every command of docs/serve.md does what it should, and every request of the service is in it."""
import os
import re
import subprocess
import unittest

from support import PATIENCE, Served, make_runs

SOURCE = os.environ["LINN_SOURCE_DIR"]


class Documents(unittest.TestCase):
    def test_curl(self):
        make_runs()
        with open(f"{SOURCE}/docs/serve.md", encoding="utf-8") as file:
            blocks = re.findall(r"^```sh\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
        commands = [command for block in blocks for command in re.split(r"\n(?=\S)", block.replace("\\\n", " "))
                    if command.startswith("curl ")]
        asked = []
        with Served("linn=runs/logic", "liked=runs/fold") as served:
            for command in commands:
                self.assertIn("http://localhost:8080/", command)
                command = command.strip().replace("curl ", "curl --silent --show-error --fail-with-body --max-time 300 ", 1)
                command = command.replace("http://localhost:8080", f"http://127.0.0.1:{served.port}")
                done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=PATIENCE)
                self.assertEqual(0, done.returncode, f"{command}\n{done.stdout}{done.stderr}")
                self.assertTrue(done.stdout)
                asked.append(re.sub(r"models/\w+", "models/{model}", re.search(r":\d+(/[^\s?']*)", command)[1]))
            paths = set(served.get("/openapi.json").json["paths"])
        self.assertEqual(paths, set(asked))


if __name__ == "__main__":
    unittest.main()
