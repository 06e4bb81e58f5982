#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""HTML reports in a headless Chromium: test_page.py DIRECTORY [SCREENSHOTS]

DIRECTORY holds the pages that run.sh made. With SCREENSHOTS, pictures are left there.
"""
import json
import os
import sys
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

PAGES = sys.argv[1]
SCREENSHOTS = sys.argv[2] if len(sys.argv) > 2 else None

# Visits every state by the buttons of explore mode; returns how many, and what they end in.
WALK = """
const section = arguments[0], visited = new Set(), ends = new Set();
const undo = [...section.querySelectorAll("button")].find((b) => b.textContent === "Undo");
(function walk() {
    if (visited.has(section.dataset.state)) return;
    visited.add(section.dataset.state);
    const count = section.querySelectorAll(".choices button").length;
    if (!count) ends.add(section.querySelector(".outcome").textContent);
    for (let n = 0; n < count; n++) {
        section.querySelectorAll(".choices button")[n].click();
        walk();
        undo.click();
    }
})();
return [visited.size, [...ends]];
"""

# Text that is hard to read: the colours of an element and of what is behind it.
CONTRAST = """
function light(color) {
    const part = color.match(/[\\d.]+/g).map(Number).slice(0, 3).map((c) => {
        c /= 255;
        return c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4;
    });
    return .2126 * part[0] + .7152 * part[1] + .0722 * part[2];
}
function behind(element) {
    for (; element; element = element.parentElement) {
        const color = getComputedStyle(element).backgroundColor;
        if (/^rgb\\(/.test(color)) return color;
    }
    return "rgb(255, 255, 255)";
}
const bad = [];
for (const element of document.querySelectorAll("main *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !element.getClientRects().length || element.closest("svg, [aria-disabled=true], .hidden, script")) continue;
    const [a, b] = [light(getComputedStyle(element).color), light(behind(element))].sort((x, y) => y - x);
    const ratio = (a + .05) / (b + .05);
    if (ratio < 4.5) bad.push(element.className + " " + element.textContent.slice(0, 30) + " " + ratio.toFixed(2));
}
return bad;
"""

OPEN_ALL = 'document.querySelectorAll("details").forEach((details) => { details.open = true; })'


def start_browser():
    options = Options()
    for argument in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage",
                     "hide-scrollbars", "force-device-scale-factor=1"):
        options.add_argument("--" + argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = start_browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()

    def command(self, name, **arguments):
        return self.browser.execute_cdp_cmd(name, arguments)

    def setUp(self):
        self.look()

    def tearDown(self):
        """Nothing was complained about, and nothing but the page itself was fetched."""
        self.command("Emulation.setScriptExecutionDisabled", value=False)
        self.assertEqual([entry["message"] for entry in self.browser.get_log("browser")], [])
        for entry in self.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                self.assertTrue(message["params"]["request"]["url"].startswith("file://" + PAGES + "/"),
                                message["params"]["request"]["url"])

    def look(self, width=1280, height=900, dark=False):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height,
                     deviceScaleFactor=1, mobile=width < 500)
        self.command("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, page):
        self.browser.get("about:blank")
        self.browser.get_log("performance")
        self.browser.get("file://%s/%s.html" % (PAGES, page))

    def run_script(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def find(self, selector, within=None):
        return (within or self.browser).find_element(By.CSS_SELECTOR, selector)

    def find_all(self, selector, within=None):
        return (within or self.browser).find_elements(By.CSS_SELECTOR, selector)

    def press(self, *keys):
        ActionChains(self.browser).send_keys(*keys).perform()

    def shot(self, name):
        if SCREENSHOTS:
            self.browser.save_screenshot(os.path.join(SCREENSHOTS, "html-%s.png" % name))

    def open_run(self, number):
        self.run_script('document.querySelector("[data-run=\\"%d\\"]").open = true' % number)
        return self.find('[data-run="%d"] .explore' % number)

    # ---- what is seen first ----

    def test_verdict_comes_first(self):
        self.open("sb")
        banner = self.find(".banner")
        self.assertIn("violation", banner.text)
        self.assertIn("P0:eax=0 P1:eax=0 can happen", banner.text)
        self.assertLess(banner.rect["y"] + banner.rect["height"], 300)
        self.shot("light")

    # ---- stepping ----

    def step(self):
        rows = self.find_all(".lanes tbody tr")
        now = [n for n, row in enumerate(rows) if row.get_attribute("class") == "now"]
        self.assertEqual(len(now), 1)
        self.assertEqual(rows[now[0]].get_attribute("aria-current"), "step")
        self.assertEqual(len(self.find_all(".lanes tr.later")), len(rows) - 1 - now[0])
        return now[0]

    def test_steps_by_keyboard(self):
        self.open("sb")
        self.assertEqual(self.step(), 0)
        self.press(Keys.ARROW_RIGHT)
        self.assertEqual(self.step(), 1)
        say = self.find(".witness .say")
        self.assertEqual(say.get_attribute("aria-live"), "polite")
        self.assertIn("mov dword ptr [x], 1: x <- 1, buffered. P0's buffer: x=1. Memory: x=0, y=0", say.text)
        self.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.assertEqual(self.step(), 3)
        self.press(Keys.ARROW_LEFT)
        self.assertEqual(self.step(), 2)
        self.press(Keys.END)
        self.assertEqual(self.step(), 6)
        self.assertIn("Memory: x=1, y=1", say.text)
        self.assertTrue(self.find(".ends").is_displayed())
        self.press(Keys.ARROW_RIGHT)
        self.assertEqual(self.step(), 6)
        self.press(Keys.HOME)
        self.assertEqual(self.step(), 0)
        self.press(Keys.ARROW_LEFT)
        self.assertEqual(self.step(), 0)

    def test_steps_by_buttons_keep_the_focus(self):
        self.open("sb")
        forward = self.find('button[aria-label="One step forward"]')
        for step in range(1, 7):
            forward.click()
            self.assertEqual(self.step(), step)
        self.assertEqual(forward.get_attribute("aria-disabled"), "true")
        self.assertEqual(self.run_script("return document.activeElement"), forward)
        self.find('button[aria-label="One step back"]').click()
        self.assertEqual(self.step(), 5)

    # ---- exploring ----

    def choose(self, section, text):
        for button in self.find_all(".choices button", section):
            if text in button.text:
                button.click()
                return
        self.fail("no choice " + text)

    def test_reaches_the_relaxed_outcome(self):
        self.open("sb")
        section = self.find(".explore")
        for text in ("mov dword ptr [x], 1", "mov dword ptr [y], 1", "mov eax, dword ptr [y]",
                     "mov eax, dword ptr [x]", "x <- 1", "y <- 1"):
            self.choose(section, text)
        end = self.find(".outcome", section).text
        self.assertIn("P0:eax=0 P1:eax=0", end)
        self.assertIn("relaxed", end)
        self.assertIn("breaks never P0:eax == 0 && P1:eax == 0 (line 17)", end)
        self.assertIn("violation", self.find(".outcome", section).get_attribute("class"))
        self.run_script("arguments[0].scrollIntoView()", section)
        self.shot("explore-end")

    def test_undo_restart_and_history(self):
        self.open("sb")
        section = self.find(".explore")
        start = self.find(".machine", section).text
        undo = next(b for b in self.find_all("button", section) if b.text == "Undo")
        restart = next(b for b in self.find_all("button", section) if b.text == "Restart")
        self.assertEqual(undo.get_attribute("aria-disabled"), "true")
        self.choose(section, "mov dword ptr [x], 1")
        self.assertIn("x=1", self.find('.unit[aria-label="P0"]', section).text)
        after_one = self.find(".machine", section).text
        self.choose(section, "x <- 1")
        self.assertIn("x=1", self.find('.unit[aria-label="Memory"]', section).text)
        self.assertEqual(len(self.find_all(".history li", section)), 2)
        undo.click()
        self.assertEqual(self.find(".machine", section).text, after_one)
        self.choose(section, "mov eax, dword ptr [y]")
        self.find_all(".history button", section)[0].click()
        self.assertEqual(self.find(".machine", section).text, after_one)
        restart.click()
        self.assertEqual(self.find(".machine", section).text, start)
        self.assertEqual(self.find_all(".history li", section), [])

    def test_explores_by_keyboard(self):
        self.open("sb")
        section = self.find(".explore")
        self.run_script('arguments[0].querySelector(".choices button").focus()', section)
        self.press("1")
        self.assertEqual(len(self.find_all(".history li", section)), 1)
        self.press("1")
        self.press("2")
        self.assertEqual(len(self.find_all(".history li", section)), 3)
        self.press("u")
        self.press(Keys.ARROW_LEFT)
        self.assertEqual(len(self.find_all(".history li", section)), 1)
        self.press(Keys.ENTER)  # the focus is on a choice
        self.assertEqual(len(self.find_all(".history li", section)), 2)
        self.press(Keys.HOME)
        self.assertEqual(len(self.find_all(".history li", section)), 0)
        self.assertEqual(self.step(), 0)

    def test_hint(self):
        self.open("sb")
        section = self.find(".explore")
        answer = self.find(".hint-answer", section)
        self.assertEqual(answer.text, "")
        next(b for b in self.find_all("button", section) if "Can it" in b.text).click()
        self.assertIn("Yes", answer.text)
        self.assertEqual(len(self.find_all(".choices .leads", section)), 2)
        self.choose(section, "mov dword ptr [x], 1")
        leads = [b.text for b in self.find_all(".choices button.leads", section)]
        self.assertEqual(len(leads), 2)  # not when x drains now: P1 must not see it
        self.assertFalse(any("drain" in text for text in leads))
        self.run_script("arguments[0].scrollIntoView()", section)
        self.shot("explore")
        self.choose(section, "drain")
        self.assertIn("No: from here it can no longer be reached", answer.text)

    def test_whole_graph_without_fence(self):
        self.open("sb")
        section = self.open_run(1)
        visited, ends = self.run_script(WALK, section)
        self.assertIn("All %d states" % visited, section.text)
        self.assertEqual(len(ends), 4)
        self.assertEqual(sum("P0:eax=0 P1:eax=0" in end for end in ends), 1)

    def test_whole_graph_with_mfence(self):
        self.open("sb")
        section = self.open_run(2)
        next(b for b in self.find_all("button", section) if "Can it" in b.text).click()
        self.assertIn("No: none of the", self.find(".hint-answer", section).text)
        self.assertEqual(self.find_all(".choices .leads", section), [])
        visited, ends = self.run_script(WALK, section)
        self.assertIn("All %d states" % visited, section.text)
        self.assertEqual(len(ends), 3)
        self.assertFalse(any("P0:eax=0 P1:eax=0" in end or "breaks" in end for end in ends))

    def test_blocked_fence_is_explained(self):
        self.open("sb")
        section = self.open_run(2)
        self.choose(section, "mov dword ptr [x], 1")
        self.assertIn("mfence has to wait", self.find('.unit[aria-label="P0"]', section).text)

    def test_along_witnesses_when_too_large(self):
        self.open("large")
        section = self.find(".explore")
        self.assertIn("more than 4000 states", section.text)
        for _ in range(500):
            buttons = self.find_all(".choices button", section)
            if not buttons:
                break
            buttons[0].click()
        self.assertIn("The end:", self.find(".outcome", section).text)

    def test_power_cut(self):
        self.open("persist")
        section = self.find(".explore")
        self.assertTrue(self.run_script(WALK, section)[0] > 3)
        self.assertIn("durable", self.find('.unit[aria-label="Memory"]', section).text)
        self.assertIn("If the power failed now", section.text)

    # ---- how it looks ----

    def test_dark(self):
        self.look(dark=True)
        self.open("sb")
        background = self.run_script("return getComputedStyle(document.body).backgroundColor")
        self.assertLess(max(int(part) for part in background[4:-1].split(",")), 64)
        self.shot("dark")

    def test_contrast(self):
        for dark in (False, True):
            self.look(dark=dark)
            for page in ("sb", "cost", "hostile", "persist"):
                self.open(page)
                self.run_script(OPEN_ALL)
                self.run_script('document.querySelectorAll(".explore .choices button").forEach((b) => b.click());'
                                'document.querySelectorAll("[aria-pressed]").forEach((b) => b.click())')
                self.assertEqual(self.run_script(CONTRAST), [], (page, dark))

    def test_phone(self):
        self.look(360, 740)
        for page in ("sb", "cost", "many", "hostile", "large", "persist"):
            self.open(page)
            self.run_script(OPEN_ALL)
            self.assertLessEqual(self.run_script("return document.documentElement.scrollWidth"), 360, page)
        self.open("sb")
        self.shot("phone")
        self.run_script('document.querySelector(".explore").scrollIntoView()')
        self.shot("phone-explore")

    # ---- for everybody ----

    def test_without_scripts(self):
        self.command("Emulation.setScriptExecutionDisabled", value=True)
        self.open("sb")
        text = self.find("body").text
        for part in ("violation", "P0:eax=0 P1:eax=0 can happen", "mov dword ptr [x], 1", "4 outcomes",
                     "drain y <- 1, visible to all CPUs", "This needs scripts"):
            self.assertIn(part, text)
        self.assertEqual(self.find_all("button"), [])

    def test_names(self):
        for page in ("sb", "cost", "many"):
            self.open(page)
            self.run_script(OPEN_ALL)
            nameless = self.run_script(
                'return [...document.querySelectorAll("button, select, [role=region], [role=group], [role=img], section")]'
                '.filter((e) => !(e.getAttribute("aria-label") || e.getAttribute("aria-labelledby") || e.textContent.trim()))'
                '.map((e) => e.outerHTML)')
            self.assertEqual(nameless, [])
            self.assertEqual(len(self.find_all("main")), 1)
            self.assertEqual(len(self.find_all("h1")), 1)

    def test_skip_link_is_first(self):
        self.open("sb")
        self.press(Keys.TAB)
        self.assertEqual(self.run_script("return document.activeElement.className"), "skip")

    # ---- the rest ----

    def test_hostile_text_is_text(self):
        self.open("hostile")
        self.run_script(OPEN_ALL)
        self.assertEqual(self.find_all("img"), [])
        self.assertEqual(self.run_script("return window.owned"), None)
        self.assertIn("</script><img src=x onerror=", self.find("h1").text)
        section = self.find(".explore")
        self.assertGreater(self.run_script(WALK, section)[0], 1)

    def test_costs(self):
        self.open("cost")
        bars = {row.find_element(By.TAG_NAME, "th").text: float(self.find("rect", row).get_attribute("width")[:-1])
                for row in self.find_all(".bars tbody tr")}
        self.assertEqual(max(bars.values()), 100)
        self.assertLess(bars["none"], bars["mfence"])
        self.assertGreater(len(self.find_all(".timeline rect")), 3)
        self.assertGreater(len(self.find_all(".stalls rect")), 0)
        self.run_script('document.querySelector(".time").scrollIntoView()')
        self.shot("cycles")

    def test_relations(self):
        self.open("sb")
        self.assertIn("no execution has this outcome", self.find(".prose").text)
        self.assertEqual(len(self.find_all(".relations path.cycle")), 4)
        self.assertEqual(len(self.find_all(".relations path.po.relaxed")), 2)
        self.run_script('document.querySelector(".prose").scrollIntoView()')
        self.shot("why")

    def test_several_traces(self):
        self.open("many")
        links = self.find_all(".index a")
        self.assertGreater(len(links), 10)
        links[-1].click()
        heading = self.find("#" + links[-1].get_attribute("href").split("#")[1])
        self.assertLess(abs(self.run_script("return arguments[0].getBoundingClientRect().top", heading)), 900)
        link = self.find_all(".runs a")[-1]
        link.click()
        number = link.get_attribute("href").split("-")[-1]
        self.assertTrue(self.find("#run-" + number).is_displayed())
        self.shot("many")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
