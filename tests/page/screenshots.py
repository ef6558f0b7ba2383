#!/usr/bin/python3
"""Takes pictures of Reason and Recommend: screenshots.py REASONER RECOMMENDER FOLDER; LINN is the program."""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from browser import Browser  # noqa: E402
from service import Service  # noqa: E402

LARGEST = 200_000  # bytes

# Name, address, what has to be there first, and the height of the picture.
PICTURES = [
    ("reason", "#/reason/garden?e=(rain %26 !umbrella) | sprinkler -> wet&f=umbrella", ".node.root", 765),
    ("recommend", "#/recommend/films?h=+270,-35&item=19", ".similar button", 750),
]


def main(reasoner, recommender, folder):
    service = Service(f"garden={reasoner}", f"films={recommender}", "--quiet")
    with tempfile.TemporaryDirectory() as home:
        browser = Browser(home, scale=1.2)
        try:
            for name, address, sign, height in PICTURES:
                browser.resize((1240, height))
                browser.open(f"{service.url}/{address}")
                browser.see(sign)
                browser.until("nothing moves", "document.getAnimations().length === 0")
                path = pathlib.Path(folder) / f"{name}.png"
                browser.picture(path)
                size = path.stat().st_size
                print(f"{path}: {size} bytes")
                if size > LARGEST:
                    raise SystemExit(f"{path} is larger than {LARGEST} bytes")
        finally:
            browser.quit()
            service.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
