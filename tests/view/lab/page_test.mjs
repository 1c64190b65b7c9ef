// The laboratory in headless Chromium, from disk.
//
//   node page_test.mjs LABORATORY.html LITMUS TESTS AXE [SCREENSHOTS]
//
// LITMUS makes a site of the folder TESTS, to see that its pages lead to the laboratory; AXE is the file axe.min.js, the accessibility checker,
// if it is there. Prints what was measured, and ends with status 1 where something is not as it should be. Without chromedriver nothing is tried,
// and that is said (status 77); LITMUS_REQUIRE with "lab" forbids it.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { pathToFileURL } from "node:url";
import { Browser } from "../page/driver.mjs";

if (spawnSync("chromedriver", ["--version"]).status !== 0) {
  console.log("skipped: there is no chromedriver to try the laboratory with");
  process.exit((process.env.LITMUS_REQUIRE || "").split(",").includes("lab") ? 1 : 77);
}

const [file, litmus, library, axe, shots] = process.argv.slice(2);
const page = pathToFileURL(file).href;
const browser = await Browser.start();
await browser.size(1400, 1000);

// The value of a function of the page, called with these arguments.
const run = (what, ...args) => browser.run("return (" + what + ").apply(null, arguments)", ...args);

// Waits until the function gives something true.
async function until(what, ...args) {
  const begin = performance.now();
  while (!(await run(what, ...args))) {
    if (performance.now() - begin > 20000) throw new Error("waited in vain for " + what);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function shoot(name) {
  if (shots) writeFileSync(shots + "/" + name + ".png", await browser.screenshot());
}

const state = () => run(() => document.getElementById("state").textContent);
const checked = () => until(() => document.getElementById("state").textContent.startsWith("Checked"));
const verdict = () => run(() => document.querySelector("#verdict strong").textContent);
const verdictIs = (wanted) => until((wanted) => {
  const strong = document.querySelector("#verdict strong");
  return strong && strong.textContent === wanted && !document.getElementById("findings").hidden;
}, wanted);
const ends = () => run(() => [...document.querySelectorAll("#ends button.end")].map((end) => end.innerText.replace(/\s+/g, " ").trim()));
async function open(fragment) {
  await browser.open(page + fragment);
  await checked();
}
function type(text) {
  const editor = document.getElementById("editor");
  editor.value = text;
  editor.dispatchEvent(new Event("input"));
}

const messagePassing = (fence) => `test "mp"
.global .u32 x = 0;
.global .u32 flag = 0;
thread P0 @ cta0 {
  st.relaxed.gpu.u32 [x], 1;
  ${fence}
  st.relaxed.gpu.u32 [flag], 1;
}
thread P1 @ cta1 {
  ld.relaxed.gpu.u32 r0, [flag];
  ${fence}
  ld.relaxed.gpu.u32 r1, [x];
}
~exists (P1:r0 == 1 /\\ P1:r1 == 0)
`;

// Many threads that all write and read everything: more final states and orders than anybody can wait for.
function huge() {
  const names = [...Array(10).keys()];
  const thread = (n) => `thread P${n} @ cta${n} {\n` + names.map((x) =>
    `  atom.relaxed.gpu.add.u32 r${x}, [x${x}], ${n + 1};\n  st.relaxed.gpu.u32 [x${(x + n) % 10}], r${x};\n`).join("") + "}\n";
  return 'test "huge"\n' + names.map((x) => `.global .u32 x${x} = 0;\n`).join("") + names.map(thread).join("");
}

const tests = {
  async "opens from disk, refers to nothing outside, and says nothing on the console"() {
    await open("");
    assert.equal(await verdict(), "Ok");
    const loaded = await run(() => performance.getEntriesByType("resource").map((entry) => entry.name).filter((name) => !/^(blob|data):/.test(name)));
    assert.deepEqual(loaded, []);
    const text = readFileSync(file, "utf8").replace(/<script type="text\/plain" id="engine-bytes">[^<]*/, "");
    const outside = [...text.matchAll(/(?:src|href|url\(|action)\s*=?\s*["'(]\s*(https?:|\/\/)[^"')]*/g)].map((found) => found[0]);
    assert.deepEqual(outside, []);
    await shoot("start");
  },

  async "an edit has its answer within 0.3 s"() {
    const measure = (text, wanted) => run(async (text, wanted) => {
      const editor = document.getElementById("editor");
      const begin = performance.now();
      editor.value = text;
      editor.dispatchEvent(new Event("input"));
      while (!document.querySelector("#verdict strong") || document.querySelector("#verdict strong").textContent !== wanted || document.getElementById("findings").hidden)
        await new Promise((resolve) => setTimeout(resolve, 1));
      return performance.now() - begin;
    }, text, wanted);
    const times = [];
    for (let i = 0; i < 10; ++i) {
      times.push(await measure(messagePassing("fence.acq_rel.gpu;"), "Ok"));
      times.push(await measure(messagePassing(""), "No"));
    }
    times.sort((a, b) => a - b);
    console.log("an edit of message passing: median " + times[10].toFixed(0) + " ms, longest " + times.at(-1).toFixed(0) + " ms");
    assert.ok(times[10] < 300);  // the longest is as long as the machine is busy
  },

  async "errors stand under the text, with carets, and in it"() {
    await run(type, messagePassing("fence.acq_rell.gpu;"));
    await until(() => document.querySelector(".diagnostic"));
    const told = await run(() => document.querySelector(".diagnostic").textContent);
    assert.match(told, /test\.litmus:6:9: error: unknown qualifier `\.acq_rell`/);
    assert.match(told, /\n +\^~+\n/);
    assert.equal(await run(() => document.querySelectorAll("#marks .fault").length), 2);
    assert.match(await state(), /no test yet: 2 errors/);
    await shoot("errors");
  },

  async "a huge test is stopped, and the page lives on"() {
    await run(() => { document.getElementById("limit").value = 1; });
    const begin = performance.now();
    await run(type, huge());
    await until(() => /Stopped|over before all/.test(document.body.innerText));
    const took = performance.now() - begin;
    console.log("a huge test was stopped after " + (took / 1000).toFixed(1) + " s, with a limit of 1 s");
    assert.ok(took < 4000);
    assert.match(await run(() => document.body.innerText), /litmus check/);
    await shoot("stopped");
    await run(type, messagePassing(""));
    await verdictIs("No");
  },

  async "while a huge test is checked, an edit does not wait for it"() {
    await run(() => { document.getElementById("limit").value = 20; });
    await run(type, huge());
    await until(() => /Checking/.test(document.getElementById("state").textContent));
    const begin = performance.now();
    await run(type, messagePassing("fence.acq_rel.gpu;"));
    await verdictIs("Ok");
    const took = performance.now() - begin;
    console.log("an edit during a huge test: " + took.toFixed(0) + " ms, with another worker");
    assert.ok(took < 2000);
  },

  async "an execution goes step by step"() {
    await open("#example=message-passing");
    await until(() => document.querySelectorAll("#steps li").length === 4);
    await run(() => document.getElementById("first").click());
    assert.deepEqual(await run(() => [...document.querySelectorAll("#memory td")].map((cell) => cell.textContent)), ["0", "0"]);
    assert.equal(await run(() => document.querySelectorAll("#picture .event.to-come").length), 4);
    for (let i = 0; i < 4; ++i) await run(() => document.getElementById("forth").click());
    assert.deepEqual(await run(() => [...document.querySelectorAll("#memory td")].map((cell) => cell.textContent)), ["1", "1"]);
    assert.equal(await run(() => document.querySelectorAll("#picture .event.now").length), 1);
    assert.match(await run(() => document.getElementById("step").textContent), /Step 4 of 4/);
    assert.match(await run(() => document.getElementById("steps").textContent + document.getElementById("step").textContent), /R\.rlx\.gpu data=0/);
    assert.equal(await run(() => document.querySelectorAll("#marks .lit").length), 1);
    await shoot("steps");
  },

  async "of what cannot be it says why"() {
    await run(type, messagePassing("fence.acq_rel.gpu;"));
    await until(() => document.querySelector("#ends .forbidden") && /Why it cannot end/.test(document.getElementById("execution-title").textContent));
    assert.match(await run(() => document.getElementById("why").textContent), /It would break causality \(ISA 8\.10\.6\).*synchronizes with/s);
    assert.ok(await run(() => document.querySelectorAll("#picture .edge.breach, #picture .edge.strong").length));
    await shoot("why");
  },

  async "a test's words are shown, and are no part of the page"() {
    await run(type, messagePassing("").replace('"mp"', '"<img src=x onerror=alert(1)></title></svg><b>"').replace('thread P0', 'doc "<i>&amp;"\nthread P0'));
    await until(() => document.getElementById("state").textContent.startsWith("Checked") && document.querySelector("#picture svg"));
    assert.equal(await run(() => document.querySelectorAll("#picture img, #picture b, main i, main img").length), 0);
  },

  async "readings are switched, and ends that come are marked"() {
    await open("#example=" + encodeURIComponent("readings/fence-cta"));
    assert.equal(await verdict(), "Ok");
    const before = await ends();
    await run(() => document.querySelector(".bases button").click());
    await verdictIs("No");
    await checked();
    const after = await ends();
    assert.equal(after.length, before.length);
    assert.ok(after.some((end) => end.includes("not under the default")));
    assert.match(await run(() => location.hash), /reading=weakest/);
    await shoot("readings");
  },

  async "guess first, then look"() {
    await open("#example=message-passing&guess=first");
    assert.deepEqual(await ends(), []);
    assert.equal(await run(() => getComputedStyle(document.getElementById("verdict").parentElement).display), "none");
    await shoot("guess");
    await run(() => { for (const group of document.querySelectorAll(".guess")) group.children[0].click(); document.querySelector(".reveal button").click(); });
    assert.equal(await run(() => document.getElementById("score").textContent), "You were right about 4 of 4.");
    assert.equal((await ends()).length, 4);
  },

  async "a link carries the test and the readings"() {
    await open("#reading=weakest");
    const text = messagePassing("fence.sc.gpu;");
    await run(type, text);
    await run(() => document.getElementById("link").click());
    await until(() => /packed=/.test(location.hash));
    const link = await run(() => location.hash);
    console.log("the link to message passing has " + link.length + " characters");
    await open(link);
    assert.equal(await run(() => document.getElementById("editor").value), text);
    assert.equal(await run(() => document.querySelector(".bases [aria-pressed=true]").textContent.split(" ")[0]), "weakest");
    await open("#source=" + Buffer.from(text).toString("base64url"));
    assert.equal(await run(() => document.getElementById("editor").value), text);
    // What cannot be read, or is too long, is no other test, and none that is cut; a percent sign that escapes nothing is one.
    for (const bad of ["packed=nothing-of-the-kind&source=A", "source=" + Buffer.from(text + "// " + "n".repeat(65536)).toString("base64url")]) {
      await browser.open(page + "#" + bad);
      await until(() => document.getElementById("state").textContent.startsWith("This is no test yet"));
      assert.match(await run(() => document.getElementById("editor").value), /^\/\/ The address holds no test/);
    }
    await open("#theme=100%&source=" + Buffer.from(text).toString("base64url"));
    assert.equal(await run(() => document.getElementById("editor").value), text);
  },

  async "a site's pages lead to its laboratory, and each takes its test along"() {
    const folder = mkdtempSync(tmpdir() + "/litmus-site-");
    try {
      execFileSync(litmus, ["report", library + "/01-message-passing.litmus", "--lab", "-o", folder + "/site"], { stdio: "ignore" });
      await browser.open(pathToFileURL(folder + "/site/index.html").href);
      await run(() => document.querySelector(".topic li a").click());
      await until(() => document.querySelector(".source .links a"));
      await run(() => document.querySelector(".source .links a").click());
      await until(() => document.getElementById("state") && document.getElementById("state").textContent.startsWith("Checked"));
      assert.equal(await run(() => document.getElementById("editor").value), readFileSync(library + "/01-message-passing.litmus", "utf8"));
    } finally {
      rmSync(folder, { recursive: true });
    }
  },

  async "all examples are checked without errors"() {
    const names = await run(() => [...document.querySelectorAll("#examples option")].map((option) => option.value).filter(Boolean));
    for (const name of names) {
      await run((name) => { const list = document.getElementById("examples"); list.value = name; list.dispatchEvent(new Event("change")); document.getElementById("state").textContent = ""; }, name);
      await until(() => /Checked|Stopped|no test|engine/.test(document.getElementById("state").textContent));
      assert.match(await state(), /^Checked/, name);
    }
    console.log(names.length + " examples");
  },

  async "every control has a name and the keyboard reaches it"() {
    const nameless = await run(() => [...document.querySelectorAll("button, input, select, textarea, a")].filter((one) =>
      !(one.innerText || one.getAttribute("aria-label") || (one.labels && one.labels.length))).map((one) => one.outerHTML));
    assert.deepEqual(nameless, []);
    await open("");
    const reached = new Set();
    for (let i = 0; i < 25; ++i) {
      await browser.press("Tab");
      reached.add(await run(() => document.activeElement.id || document.activeElement.className || document.activeElement.tagName));
    }
    for (const id of ["theme", "examples", "link", "editor", "guess"]) assert.ok(reached.has(id), id + " among " + [...reached]);
  },

  async "the accessibility checker finds nothing"() {
    if (!existsSync(axe)) return console.log("skipped: no axe-core to check the laboratory with");
    for (const fragment of ["#example=message-passing", "#example=message-passing&theme=dark", "#example=message-passing&guess=first"]) {
      await open(fragment);
      await browser.run(readFileSync(axe, "utf8"));
      const found = await browser.runAsync("const done = arguments[arguments.length - 1]; axe.run().then((result) => done(result.violations))");
      assert.deepEqual(found.map((one) => one.id + ": " + one.nodes.map((node) => node.target.join(" ")).join(", ")), [], fragment);
    }
  },

  async "a phone, and the dark"() {
    await browser.size(390, 900);
    await open("#example=message-passing&theme=dark");
    await until(() => document.querySelectorAll("#steps li").length === 4);
    assert.ok(await run(() => document.documentElement.scrollWidth <= innerWidth));
    assert.equal(await run(() => getComputedStyle(document.body).backgroundColor), "rgb(22, 24, 28)");
    await shoot("phone");
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    const said = (await browser.log()).filter((entry) => entry.level === "SEVERE" || entry.level === "WARNING");
    assert.deepEqual(said, [], "on the console");
  } catch (error) {
    failed += 1;
    console.log("failed: " + name + ": " + error.message);
  }
}
await browser.stop();
console.log(Object.keys(tests).length - failed + " of " + Object.keys(tests).length + " tests pass");
process.exit(failed ? 1 : 0);
