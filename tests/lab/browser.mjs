// A headless Chromium, driven by Debian's chromedriver over its HTTP protocol (W3C WebDriver).
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";

export class Browser {
  // `width`, `height`: of the window, in pixels.
  static async open({ width = 1400, height = 1000, dark = false } = {}) {
    const browser = new Browser();
    browser.driver = spawn("chromedriver", ["--port=0"], { stdio: ["ignore", "pipe", "inherit"] });
    const port = await new Promise((resolve, reject) => {
      let told = "";
      browser.driver.on("error", reject);
      browser.driver.stdout.on("data", (text) => {
        told += text;
        const found = /started successfully on port (\d+)/.exec(told);
        if (found) resolve(found[1]);
      });
    });
    browser.base = "http://127.0.0.1:" + port;
    const args = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=" + width + "," + height];
    if (dark) args.push("--force-dark-mode", "--blink-settings=preferredColorScheme=0");
    const made = await browser.call("POST", "/session", {
      capabilities: { alwaysMatch: { browserName: "chrome", "goog:chromeOptions": { args }, "goog:loggingPrefs": { browser: "ALL" } } } });
    browser.base += "/session/" + made.sessionId;
    return browser;
  }

  async call(method, path, body) {
    const answer = await fetch(this.base + path, { method, body: body && JSON.stringify(body), headers: { "Content-Type": "application/json" } });
    const { value } = await answer.json();
    if (value && value.error) throw new Error(value.error + ": " + value.message);
    return value;
  }

  go(url) { return this.call("POST", "/url", { url }); }
  // The value of a JavaScript function of the page, called with these arguments.
  run(what, ...args) { return this.call("POST", "/execute/sync", { script: "return (" + what + ").apply(null, arguments)", args }); }
  // What the page's console has said since the last call.
  console() { return this.call("POST", "/se/log", { type: "browser" }); }
  async screenshot(path) { writeFileSync(path, Buffer.from(await this.call("GET", "/screenshot"), "base64")); }
  resize(width, height) { return this.call("POST", "/window/rect", { width, height }); }

  // Waits until the function gives something true, and gives that. Throws after so many milliseconds.
  async until(what, ...args) {
    const most = 15000, begin = performance.now();
    for (;;) {
      const value = await this.run(what, ...args);
      if (value) return value;
      if (performance.now() - begin > most) throw new Error("waited in vain for " + what);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  // Keys to whatever has the focus.
  async press(...keys) {
    const actions = keys.flatMap((value) => [{ type: "keyDown", value }, { type: "keyUp", value }]);
    await this.call("POST", "/actions", { actions: [{ type: "key", id: "keys", actions }] });
  }

  async close() {
    await this.call("DELETE", "").catch(() => {});
    this.driver.kill();
  }
}
