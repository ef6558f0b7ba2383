#!/usr/bin/python3
"""Measures the page: click_times.py RUN [CLICKS]; LINN is the program.

Prints the size of the first load, and how long it takes in Recommend from a click on "like" to the new list with reasons
on the screen (the next frame after the rows are there), for a history that grows to CLICKS events.
"""

import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from browser import Browser  # noqa: E402
from service import Service  # noqa: E402

CLICK = """const [button, done] = arguments;
    const list = document.querySelector('.column-list');
    const before = document.querySelector('#items')?.firstElementChild;
    const begin = performance.now();
    const watcher = new MutationObserver(() => {
      const first = document.querySelector('#items')?.firstElementChild;
      if (!first || first === before) return;
      watcher.disconnect();
      requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin)));
    });
    watcher.observe(list, {childList: true, subtree: true});
    button.click();"""


def main(run, clicks=20):
    service = Service(f"model={run}", "--quiet")
    with tempfile.TemporaryDirectory() as home:
        browser = Browser(home)
        try:
            browser.open(f"{service.url}/#/recommend/model")
            browser.see(".popular .item")
            loaded = browser.run("return performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation')).map(one => one.encodedBodySize)")
            print(f"first load: {sum(loaded)} bytes in {len(loaded)} answers")
            times = []
            for click in range(int(clicks)):
                selector = ".popular .item .yes" if click == 0 else f"#items .item:nth-child({click % 3 + 1}) .thumbs .{'no' if click % 4 == 3 else 'yes'}"
                times.append(browser.driver.execute_async_script(CLICK, browser.see(selector)))
            times.sort()
            print(f"a click to the new list, {len(times)} clicks: median {statistics.median(times):.0f} ms, longest {times[-1]:.0f} ms")
        finally:
            browser.quit()
            service.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
