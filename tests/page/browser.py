"""A real Chromium that looks at the page, and waits for what should be seen instead of for a time."""

import json
import os
import shutil
import time

from selenium import webdriver
from selenium.common.exceptions import JavascriptException, NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

PATIENCE = float(os.environ.get("LINN_PATIENCE", 120))  # seconds; only a machine that is very busy, or a mistake, needs more than one

DESK = (1280, 860)
PHONE = (390, 844)

# What a test asks of a server that was stopped, and what a browser says of a refused request, are no mistakes of scripts.
EXPECTED = ("Failed to load resource",)


class Browser:
    def __init__(self, home, size=DESK, dark=False, scale=1):
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                         "--no-first-run", "--disable-extensions", "--disable-background-networking", f"--user-data-dir={home}"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        driver = shutil.which("chromedriver")
        if driver is None:
            raise RuntimeError("chromedriver is missing: apt-get install chromium-driver")
        self.driver = webdriver.Chrome(service=Service(driver), options=options)
        self.driver.set_script_timeout(PATIENCE)
        self.scale = scale
        self.resize(size)
        self.theme(dark)

    def quit(self):
        self.driver.quit()

    def resize(self, size):
        width, height = size
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": self.scale, "mobile": width < 600})

    def theme(self, dark):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def open(self, address):
        """Loads the page anew at the address."""
        self.driver.get("about:blank")
        self.driver.get(address)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def until(self, what, condition):
        """Waits until the JavaScript expression, or the function of this browser, is true, and gives its value."""
        end = time.monotonic() + PATIENCE
        last = None
        while True:
            try:
                last = condition(self) if callable(condition) else self.run(f"return {condition}")
                if last:
                    return last
            except (NoSuchElementException, StaleElementReferenceException, JavascriptException) as error:
                last = error
            if time.monotonic() > end:
                raise AssertionError(f"never seen: {what} (last: {last})\n{self.text('main')}")
            time.sleep(0.02)

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def texts(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])].map(one => one.innerText.trim())", selector)

    def see(self, selector, text=None):
        """Waits for a visible element, with the text in it where one is given."""
        found = self.until(f"{selector} {text or ''}", lambda _: self.run(
            "return [...document.querySelectorAll(arguments[0])].find(one => one.getClientRects().length > 0"
            " && (arguments[1] === null || one.textContent.includes(arguments[1])))", selector, text))
        return found

    def gone(self, selector):
        self.until(f"no {selector}", lambda _: self.run(
            "return ![...document.querySelectorAll(arguments[0])].some(one => one.getClientRects().length > 0)", selector))

    def click(self, selector, text=None):
        def attempt(_):
            self.see(selector, text).click()
            return True
        self.until(f"a click on {selector}", attempt)

    def type(self, selector, text):
        self.see(selector).send_keys(text)

    def keys(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def chord(self, held, key):
        ActionChains(self.driver).key_down(held).send_keys(key).key_up(held).perform()

    def hover(self, element, x=0, y=0):
        ActionChains(self.driver).move_to_element_with_offset(element, x, y).perform()

    @property
    def hash(self):
        return self.run("return location.hash")

    def complaints(self):
        """What the console has to complain of since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] in ("SEVERE", "WARNING") and not any(words in entry["message"] for words in EXPECTED)]

    def picture(self, path):
        self.driver.save_screenshot(str(path))


__all__ = ["Browser", "By", "Keys", "DESK", "PHONE", "json"]
