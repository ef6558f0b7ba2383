"""Mixed load on a service whose models are swapped: see tests/soak/serve.sh."""
import os
import random
import shutil
import threading
import time

from support import Served, make_runs

SECONDS = int(os.environ.get("LINN_SOAK_SECONDS", "1800"))
SWAP_SECONDS = 10
CLIENTS = 8
EXPRESSIONS = ["1", "(1 & !2) | 3", "1 -> 2 <-> 3 xor 4", "(1 | 2) & (3 | !4) & (5 | 6)"]


def resident(process):
    """The memory of a process in MiB."""
    with open(f"/proc/{process.pid}/status", encoding="utf-8") as file:
        line = next(line for line in file if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024


def put_model(source, run):
    shutil.copy(f"{source}/model.safetensors", f"{run}/model.new")
    os.rename(f"{run}/model.new", f"{run}/model.safetensors")


def ask_at_random(served, chance, failures, counts, end):
    """A client: requests of every kind, now and then a wrong one or a connection that is left."""
    connection = served.connect()

    def history():
        return [{"item": str(item), "liked": chance.random() < 0.7} for item in chance.sample(range(1, 61), 20)]

    def ask():
        kind = chance.randrange(12)
        if kind < 5:
            return 200, served.post("/v1/models/liked/recommend", {"history": history()}, connection=connection)
        if kind < 8:
            body = {"expressions": [chance.choice(EXPRESSIONS)], "trace": chance.random() < 0.5}
            return 200, served.post("/v1/models/logic/query", body, connection=connection)
        if kind == 8:
            return 200, served.get(f"/v1/models/liked/similar?item={chance.randint(1, 60)}", connection=connection)
        if kind == 9:
            path = chance.choice(["/", "/v1/models", "/metrics", "/v1/models/liked/items?q=1", "/openapi.json",
                                  "/v1/models/logic/variables?q=1", "/v1/models/liked/epochs",
                                  "/v1/models/liked/vectors.tsv", "/v1/models/liked/projection"])
            return 200, served.get(path, connection=connection)
        if kind == 10:
            return 400, served.post("/v1/models/liked/recommend", {"history": "wrong"}, connection=connection)
        with served.socket() as left:
            left.sendall(b"POST /v1/models/liked/recommend HTTP/1.1\r\nHost: localhost\r\nContent-Le")
        return 200, served.get("/health/live")

    while time.monotonic() < end:
        try:
            expected, answer = ask()
            if answer.status != expected:
                failures.append(answer.text)
        except Exception as error:  # pylint: disable=broad-except
            failures.append(repr(error))
            connection = served.connect()
        counts.append(1)
    connection.close()


def main():
    make_runs()
    for name in ["liked", "logic"]:
        shutil.rmtree(name, ignore_errors=True)
        shutil.copytree("runs/fold" if name == "liked" else "runs/logic", name)
    failures, counts = [], []
    with Served("liked", "logic", "--watch", "--quiet") as served:
        begin = time.monotonic()
        end = begin + SECONDS
        clients = [threading.Thread(target=ask_at_random,
                                    args=(served, random.Random(number), failures, counts, end))
                   for number in range(CLIENTS)]
        for client in clients:
            client.start()
        swaps, memory = 0, []
        while time.monotonic() < end and not failures:
            time.sleep(min(SWAP_SECONDS, max(0.0, end - time.monotonic())))
            put_model("runs/other" if swaps % 2 == 0 else "runs/fold", "liked")
            put_model("runs/logic", "logic")
            swaps += 1
            memory.append(resident(served.process))
        for client in clients:
            client.join()
        version = served.get("/v1/models/liked").json["version"]
        status = served.stop()
    print(f"{len(counts)} requests in {SECONDS} s, {len(failures)} failed; {swaps} swaps, version {version}; "
          f"memory {memory[0]:.0f} MiB at first, {max(memory):.0f} MiB at most, {memory[-1]:.0f} MiB at last")
    assert not failures, failures[:5]
    assert status == 0, status
    assert version > swaps // 2, "swaps were not noticed"
    # Level: the last third takes no more than the first one, but for what allocators keep.
    third = max(1, len(memory) // 3)
    assert max(memory[-third:]) < 1.25 * max(memory[:third]) + 16, memory


if __name__ == "__main__":
    main()
