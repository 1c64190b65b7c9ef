// A browser for tests: WebDriver (https://www.w3.org/TR/webdriver2/) through Debian's chromedriver, with nothing but node's own fetch.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const element = "element-6066-11e4-a52e-4f735466cecf";  // the key by which WebDriver names an element

const free = () => new Promise((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});

export class Browser {
  // Starts chromedriver and a headless browser with a profile of its own.
  static async start() {
    const browser = new Browser();
    const port = await free();
    browser.base = `http://127.0.0.1:${port}`;
    browser.profile = mkdtempSync(join(tmpdir(), "litmus-page-"));
    browser.driver = spawn("chromedriver", [`--port=${port}`], { stdio: "ignore" });
    for (let tries = 0; ; ++tries) {
      try {
        if ((await (await fetch(browser.base + "/status")).json()).value.ready) break;
      } catch (error) {
        if (tries > 100) throw new Error("chromedriver does not answer: " + error.message);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const args = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb",
      "--force-device-scale-factor=1", "--font-render-hinting=none", "--disable-lcd-text", `--user-data-dir=${browser.profile}`];
    const session = await browser.call("POST", "/session", {
      capabilities: { alwaysMatch: { browserName: "chrome", "goog:chromeOptions": { args }, "goog:loggingPrefs": { browser: "ALL" } } },
    });
    browser.session = "/session/" + session.sessionId;
    return browser;
  }

  async stop() {
    if (this.session) await this.call("DELETE", this.session).catch(() => {});
    this.driver.kill();
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }

  async call(method, path, body) {
    const response = await fetch(this.base + path, {
      method,
      headers: { "Content-Type": "application/json" },
      body: method === "POST" ? JSON.stringify(body ?? {}) : undefined,
    });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`${path}: ${value.error}: ${value.message}`);
    return value;
  }

  post(path, body) { return this.call("POST", this.session + path, body); }

  // The same page with another fragment is loaded anew, too.
  async open(url) {
    await this.post("/url", { url: "about:blank" });
    await this.post("/url", { url });
    const drawn = "return !document.getElementById('pictures') || document.documentElement.dataset.drawn === 'yes'";
    for (let tries = 0; tries < 200 && !(await this.run(drawn)); ++tries) await new Promise((resolve) => setTimeout(resolve, 10));
  }
  // The size of the page, whatever the browser's frame takes.
  async size(width, height) {
    await this.command("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
  }
  command(cmd, params) { return this.post("/goog/cdp/execute", { cmd, params }); }
  async dark(on) {
    await this.command("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: on ? "dark" : "light" }] });
  }

  // What the body of a function returns in the page.
  run(script, ...args) { return this.post("/execute/sync", { script, args }); }
  runAsync(script, ...args) { return this.post("/execute/async", { script, args }); }
  async find(css) { return (await this.post("/element", { using: "css selector", value: css }))[element]; }
  async click(css) { await this.post(`/element/${await this.find(css)}/click`); }
  async type(css, text) { await this.post(`/element/${await this.find(css)}/value`, { text }); }
  // Keys to whatever has the focus: "/", or a name such as "Tab".
  async press(...names) {
    const codes = { Tab: "\uE004", Enter: "\uE007", Escape: "\uE00C", ArrowUp: "\uE013", ArrowDown: "\uE015", Space: " " };
    const actions = names.flatMap((name) => ["keyDown", "keyUp"].map((type) => ({ type, value: codes[name] ?? name })));
    await this.post("/actions", { actions: [{ type: "key", id: "keyboard", actions }] });
  }
  // The pointer to a place of the window.
  async point(x, y) {
    const actions = [{ type: "pointerMove", duration: 0, x: Math.round(x), y: Math.round(y), origin: "viewport" }];
    await this.post("/actions", { actions: [{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions }] });
  }
  async screenshot() { return Buffer.from(await this.call("GET", this.session + "/screenshot"), "base64"); }
  // What the console got since it was asked last.
  log() { return this.post("/se/log", { type: "browser" }); }
}
