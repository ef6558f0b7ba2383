"""/openapi.json is valid, and Schemathesis finds nothing that it does not describe: see scripts/test-serve."""
import os
import subprocess
import sys

from support import PATIENCE, Served, make_runs

# Left out: that whatever fits the description is accepted. It cannot say which items and variables a model knows, nor
# what an expression is.
CHECKS = ["not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
          "response_schema_conformance", "negative_data_rejection", "unsupported_method", "missing_required_header"]


def run(*command):
    """Runs a module of Python; its output, cut to what can be read."""
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, timeout=2 * PATIENCE)
    output = "\n".join(line[:300] for line in (done.stdout + done.stderr).splitlines() if line.strip())
    if done.returncode != 0:
        sys.exit(output[-20000:])
    return output


def main():
    make_runs()
    models = ["fold", "itemknn", "logic", "exact"]
    with Served(*(f"runs/{model}" for model in models), "--quiet", "--max-list", "20", "--max-expression", "200") as served:
        with open("openapi.json", "wb") as file:
            file.write(served.get("/openapi.json").body)
        print(run("openapi_spec_validator", "openapi.json"))
        output = run("schemathesis.cli", "run", f"http://127.0.0.1:{served.port}/openapi.json", "--max-examples", "30",
                     "--seed", os.environ.get("LINN_FUZZ_SEED", "1"), "--checks", ",".join(CHECKS),
                     "--phases", "examples,coverage,fuzzing", "--no-color")
        print("\n".join(line for line in output.splitlines() if " passed" in line))
        assert served.stop() == 0


if __name__ == "__main__":
    main()
