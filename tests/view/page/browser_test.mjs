// The pages of `litmus report` in a browser, opened from disk: what a reader does with them, and that nothing is amiss while he does.
//
//     node browser_test.mjs LITMUS SOURCE AXE
//
// LITMUS is the executable, SOURCE the root of the repository, AXE the file axe.min.js, the accessibility checker; where it is not
// there, its test is skipped, and said to be, unless LITMUS_REQUIRE names "axe". With LITMUS_PROMOTE set the screenshots in
// tests/view/page/golden are taken anew.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Browser } from "./driver.mjs";
import { decode, difference, encode, halved } from "./png.mjs";
import { measure } from "./sideways.mjs";

const [litmus, source, axe] = process.argv.slice(2);
const golden = join(source, "tests/view/page/golden");
const folder = mkdtempSync(join(tmpdir(), "litmus-site-"));
const site = join(folder, "site");
const inputs = ["lessons", "classic/mp", "async/wait-group", "async/proxy-raw/raw-one-thread-unfenced.litmus",
  "async/proxy-raw/raw-one-thread-fenced.litmus", "async/proxy-raw/raw-bar-issuer-fences.litmus", "async/phases/full-empty-two-rounds.litmus"];
execFileSync(litmus, ["report", ...inputs.map((name) => join(source, "litmus", name)), "--observed", join(source, "litmus/observed/h100-async.json"),
  join(source, "litmus/observed/h100-classic.json"), join(source, "litmus/observed/h200-new.json"), "-o", site], { stdio: ["ignore", "ignore", "inherit"] });

const url = (path) => "file://" + join(site, path);
const index = "index.html", readings = "readings.html", lesson = "lessons/01-message-passing.html";
const relaxed = "tests/classic/mp/mp-relaxed.html";
const fenced = "tests/async/proxy-raw/raw-bar-issuer-fences.html";
const rounds = "tests/async/phases/full-empty-two-rounds.html";
const kernel = "kernel.html";  // of a ring that gives its slots back before they are read
spawnSync(litmus, ["kernel", join(source, "tests/kernel/cuda/ring.EARLY.ptx"), "--grid", "1", "--block", "64", "--arg", "in=s32[96]:iota",
  "--arg", "out=s32[96]", "--arg", "tiles=3", "--html", join(site, kernel)], { stdio: ["ignore", "ignore", "inherit"] });
const pages = [index, readings, "lessons.html", lesson, relaxed, fenced, rounds, kernel];

const browser = await Browser.start();
let failed = 0;

// Runs one case on a fresh page of the usual size; whatever the console says is an error.
async function test(name, page, body) {
  try {
    await browser.size(1280, 900);
    await browser.dark(false);
    await browser.log();
    await browser.open(url(page));
    await body();
    assert.deepEqual((await browser.log()).filter((entry) => entry.level !== "INFO").map((entry) => entry.message), []);
    console.log("ok      " + name);
  } catch (error) {
    failed += 1;
    console.log("FAILED  " + name + "\n" + error.stack);
  }
}

const visible = (css) => browser.run("return [...document.querySelectorAll(arguments[0])].filter(e => e.checkVisibility()).length", css);
const text = (css) => browser.run("return document.querySelector(arguments[0]).textContent", css);
const focused = (what) => browser.run(`return document.activeElement.${what}`);

// ---- files, without a browser ---------------------------------------------------------------------

function files(inside = site) {
  return readdirSync(inside, { withFileTypes: true }).flatMap((entry) => entry.isDirectory() ? files(join(inside, entry.name)) : [join(inside, entry.name)]);
}

async function plain(name, body) {
  try {
    await body();
    console.log("ok      " + name);
  } catch (error) {
    failed += 1;
    console.log("FAILED  " + name + "\n" + error.stack);
  }
}

const html = files().filter((file) => file.endsWith(".html"));

await plain("nothing is loaded from elsewhere, and every link leads to a file of the site", () => {
  for (const file of files().filter((name) => /\.(html|css|js)$/.test(name)))
    assert.doesNotMatch(readFileSync(file, "utf8").replaceAll('xmlns="http://www.w3.org/2000/svg"', ""), /https?:\/\/|@import|url\(/, file);
  for (const file of html) {
    const page = readFileSync(file, "utf8");
    for (const [, target] of page.matchAll(/ (?:href|src)="([^"]*)"/g)) {
      const [path, place] = target.split("#");
      const there = path ? join(file, "..", path) : file;
      assert.ok(existsSync(there), `${file}: ${target}`);
      if (place && !place.includes("=")) assert.ok(readFileSync(there, "utf8").includes(`id="${place}"`), `${file}: no place ${target}`);
    }
  }
});

await plain("no page says where on this machine the tests are, nor counts runs that were none", () => {
  for (const file of files()) {
    const page = readFileSync(file, "utf8");
    for (const words of [source, folder, "0 times", "never in 0"]) assert.ok(!page.includes(" " + words) && !page.includes(">" + words) && !page.includes("/" + words), `${file}: ${words}`);
  }
});

await plain("tidy finds nothing wrong", () => {
  // tidy 5.6 knows neither the content model of <summary> nor SVG's own attributes and elements in full
  const harmless = /found <style> tag in <body>|<svg> attribute "(width|height)" has invalid value|proprietary attribute|<summary>|lacks "summary" attribute|trimming empty/;
  const checked = spawnSync("tidy", ["-e", "-q", "--show-info", "no", "--drop-empty-elements", "no", "--fix-style-tags", "no", ...html], { encoding: "utf8", maxBuffer: 1 << 28 });
  assert.deepEqual(checked.stderr.split("\n").filter((line) => line && !harmless.test(line)).slice(0, 10), []);
});

await plain("the same tests give the same bytes, and a folder of others is refused", () => {
  const again = join(folder, "again");
  const one = join(source, "litmus/classic/mp/mp-relaxed.litmus");
  execFileSync(litmus, ["report", one, "-o", again]);
  const before = files(again).map((file) => readFileSync(file, "utf8")).join("");
  execFileSync(litmus, ["report", one, "-o", again]);
  assert.equal(files(again).map((file) => readFileSync(file, "utf8")).join(""), before);
  const foreign = join(folder, "foreign");
  mkdirSync(foreign);
  writeFileSync(join(foreign, "mine.txt"), "kept");
  const refused = spawnSync(litmus, ["report", one, "-o", foreign], { encoding: "utf8" });
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /holds files that `litmus report` did not write/);
  assert.deepEqual(readdirSync(foreign), ["mine.txt"]);
});

// ---- the index ------------------------------------------------------------------------------------

await test("search narrows the tests, the address keeps it, and the way back restores it", index, async () => {
  const all = await visible(".topic li");
  assert.ok(all > 100);
  await browser.type("#words", "flag acquire");
  const found = await visible(".topic li");
  assert.ok(found > 0 && found < all);
  assert.match(await text("#found"), new RegExp(`^${found} test`));
  assert.match(await browser.run("return location.hash"), /words=flag%20acquire/);
  await browser.open(await browser.run("return location.href"));
  assert.equal(await browser.run("return document.getElementById('words').value"), "flag acquire");
  assert.equal(await visible(".topic li"), found);
});

await test("each filter leaves the tests that it names", index + "#topic=classic%2Fmp", async () => {
  assert.equal(await visible(".topic"), 1);
  await browser.run("for (const id of ['instruction']) { const s = document.getElementById(id); s.value = 'fence'; s.dispatchEvent(new Event('input', {bubbles: true})); }");
  const withFence = await visible(".topic li");
  assert.ok(withFence > 0 && withFence < 31);
  assert.ok(await browser.run("return [...document.querySelectorAll('.topic li')].filter(e => e.checkVisibility()).some(e => e.textContent.includes('mp-fence-acq-rel'))"));
  await browser.click("#search button[type=reset]");
  await browser.click("#rests");
  const resting = await visible(".topic li");
  assert.ok(resting > 0 && resting < 20, String(resting));
  await browser.click("#observed");
  assert.ok(await visible(".topic li") <= resting);
});

await test("a name of CUDA leads to its row, and that to the tests with its PTX", index + "#theme=dark", async () => {
  const search = (words) => browser.run("const field = document.getElementById('words'); field.value = arguments[0]; field.dispatchEvent(new Event('input', {bubbles: true}))", words);
  assert.equal(await visible(".cuda li"), 0);  // closed, until one searches
  for (const [words, ptx] of [["__syncthreads", "bar.sync"], ["memcpy_async", "cp.async"], ["tma_store_wait", "cp.async.bulk.wait_group.read"]]) {
    await search(words);
    assert.ok(await visible(".cuda li") > 0, words);
    assert.match(await text("#found"), /^[1-9].* tests?, .*lines? of CUDA$/);
    assert.ok((await text(".cuda")).includes(ptx), words);
  }
  await search("__syncthreads()");
  assert.equal(await visible(".cuda li"), 1);
  const found = await visible(".topic li");
  assert.ok(found > 5);
  await browser.run("[...document.querySelectorAll('.cuda li')].find(e => e.checkVisibility()).querySelector('a').click()");
  assert.match(await browser.run("return location.hash"), /^#instruction=bar.sync&theme=dark$/);
  assert.equal(await visible(".cuda li"), 0);
  assert.equal(await visible(".topic li"), found);
});

await test("a name of CUDA finds the tests with its PTX, and those that have the word", index, async () => {
  await browser.run("[...document.querySelectorAll('.topic .d')].find(e => e.closest('li').textContent.includes('mp-relaxed')).textContent += ' unlike __syncthreads'");
  await browser.run("new Search(document.getElementById('search'))");  // which reads the rows anew
  await browser.run("const field = document.getElementById('words'); field.value = '__syncthreads()'; field.dispatchEvent(new Event('input', {bubbles: true}))");
  const withPtx = await visible(".topic li");
  assert.ok(withPtx > 5);
  await browser.run("const field = document.getElementById('words'); field.value = '__syncthreads'; field.dispatchEvent(new Event('input', {bubbles: true}))");
  assert.equal(await visible(".topic li"), withPtx + 1);
});

await test("tests are found by what their programs do", index, async () => {
  const choose = (value) => browser.run("const field = document.getElementById('program'); field.value = arguments[0]; field.dispatchEvent(new Event('input', {bubbles: true}))", value);
  const all = await visible(".topic li");
  let sum = 0;
  for (const [value, words] of [["goes-wrong", "goes wrong"], ["can-happen", "can happen"], ["races", "races"], ["safe", "safe"]]) {
    await choose(value);
    const shown = await browser.run("return [...document.querySelectorAll('.topic li')].filter(e => e.checkVisibility()).map(e => e.querySelector('.v').textContent.replace('*', ''))");
    assert.deepEqual([...new Set(shown)], [words]);
    sum += shown.length;
  }
  assert.equal(sum, all);
  const colour = (css) => browser.run("return getComputedStyle(document.querySelector(arguments[0])).color", css);
  assert.notEqual(await colour(".v.goes-wrong"), await colour(".v.safe"));
});

await test("who is new is led to the first lesson", index, async () => {
  await browser.click(".start a");
  assert.match(await browser.run("return location.pathname"), /lessons\/01-message-passing\.html$/);
});

await test("a question leads to its tests", index, async () => {
  assert.ok(await visible(".questions li") > 5);
  await browser.run("document.querySelector('.questions li a').click()");
  assert.match(await browser.run("return location.pathname"), /\/tests\//);
  assert.match(await text("main"), /It answers:/);
});

await test("the keyboard alone: / to the search, arrows through what it leaves, Enter opens", index, async () => {
  await browser.press("Tab");
  assert.equal(await focused("className"), "skip");
  await browser.press("/");
  assert.equal(await focused("id"), "words");
  await browser.press(..."mp-relaxed");
  await browser.press("ArrowDown");
  assert.equal(await focused("textContent"), "mp-relaxed");
  assert.notEqual(await browser.run("return getComputedStyle(document.activeElement).outlineStyle"), "none");
  await browser.press("ArrowDown", "ArrowUp", "Enter");
  assert.match(await browser.run("return location.pathname"), /mp-relaxed\.html$/);
});

// ---- a test ---------------------------------------------------------------------------------------

await test("an edge that is pointed at says what it means, and lights its lines", relaxed, async () => {
  assert.match(await text(".outcome[open] .readout"), /^Point at an edge/);
  const place = await browser.run(`const edge = document.querySelector(".outcome[open] .edge.rf path, .outcome[open] .edge.rf line");
    edge.scrollIntoView({block: "center"});
    const at = edge.getPointAtLength(edge.getTotalLength() / 4).matrixTransform(edge.getScreenCTM());
    return [at.x, at.y];`);
  await browser.point(...place);
  assert.match(await text(".outcome[open] .readout"), /^rf .*reads from.*ISA 8\.9\.7/);
  assert.equal(await visible(".source .line.lit"), 2);
  await browser.point(2, 2);
  assert.match(await text(".outcome[open] .readout"), /^Point at an edge/);
});

await test("the same by the keyboard", relaxed, async () => {
  await browser.run("document.querySelector('.outcome[open] .edge').focus()");
  assert.match(await text(".outcome[open] .readout"), /^\w+ /);
  await browser.press("Tab");
  assert.match(await browser.run("return document.activeElement.getAttribute('class')"), /edge/);
  assert.match(await text(".outcome[open] .readout"), /ISA/);
});

await test("guess first: nothing tells until all is guessed; the address keeps the wish, and links carry it", relaxed, async () => {
  assert.equal(await visible(".standing"), 4);
  await browser.click("#guess");
  assert.equal(await visible(".standing"), 0);
  assert.equal(await visible(".verdict, .doc, .claim, .seen"), 0);
  assert.match(await browser.run("return location.hash"), /guess/);
  assert.match(await browser.run("return document.querySelector('a[rel=next]').getAttribute('href')"), /#guess=first/);
  assert.equal(await browser.run("return document.querySelector('.reveal').disabled"), true);
  await browser.run("document.querySelectorAll('.guesses .guess').forEach((box, i) => box.children[i === 0 ? 1 : 0].click())");
  await browser.click(".reveal");
  assert.match(await text(".score"), /right about 3 of 4/);
  assert.equal(await visible(".standing"), 4);
  assert.equal(await visible(".outcome.wrong"), 1);
  await browser.click("#guess");
  assert.equal(await visible(".score, .guesses"), 0);
});

await test("a forbidden outcome has its reason, what it rests on, and what GPUs did", fenced, async () => {
  const shown = await text(".outcome.forbidden");
  for (const words of ["Why it cannot happen", "causality", "fence-cta", "H100", "never in"]) assert.ok(shown.includes(words), words);
  assert.match(await text(".verdict"), /rests on fence-cta/);
});

await test("each mbarrier has its story", rounds, async () => {
  assert.ok(await browser.run("return document.querySelectorAll('.mbarrier').length") >= 2);
  assert.ok(await browser.run("return [...document.querySelectorAll('.mbarrier li')].some(e => /phase 0 completes/.test(e.textContent))"));
});

await test("a repair shows what it changes", "tests/async/proxy-raw/raw-one-thread-unfenced.html", async () => {
  if (await browser.run("return !document.querySelector('.repairs')")) await browser.open(url("tests/async/wait-group/wg-overwrite-too-early.html"));
  assert.ok(await browser.run("return document.querySelectorAll('.patch ins').length") > 0);
});

// ---- a lesson -------------------------------------------------------------------------------------

await test("a lesson asks, and opens its answer for who has guessed", lesson, async () => {
  assert.equal(await visible(".answer .outcome"), 0);
  assert.equal(await browser.run("return document.querySelectorAll('.predict .guess').length"), 4);
  await browser.run("document.querySelectorAll('.predict .guess').forEach((box) => box.children[0].click())");
  await browser.run("document.querySelector('.predict').nextElementSibling.click()");
  assert.match(await text(".score"), /right about 4 of 4/);
  assert.ok(await visible(".answer .outcome") >= 4);
});

await test("what GPUs showed has the same colour in a lesson as on the page of a test", "lessons/12-slots.html", async () => {
  const colour = () => browser.run(`document.querySelectorAll("details").forEach((closed) => { closed.open = true; });
    return getComputedStyle(document.querySelector(".outcome.allowed .seen .yes")).color`);
  const inLesson = await colour();
  await browser.open(url(relaxed));
  assert.equal(inLesson, await colour());
});

await test("the list of lessons shows which are done, until one forgets", "lessons.html", async () => {
  assert.equal(await visible(".lessons .about"), readdirSync(join(source, "litmus/lessons")).filter((name) => /^\d\d-.*\.md$/.test(name)).length);
  await browser.run("localStorage.clear()");  // of what came before
  await browser.open(url("lessons.html"));
  assert.equal(await visible(".lessons .done, .lessons + button"), 0);
  await browser.open(url(lesson));
  await browser.run("document.querySelector('details.answer').open = true");
  await browser.open(url("lessons/03-scopes.html"));  // looked at, and not done
  await browser.run("window.dispatchEvent(new Event('beforeprint'))");  // nor is it by printing
  await browser.run("window.dispatchEvent(new Event('afterprint'))");
  await browser.open(url("lessons.html"));
  assert.deepEqual(await browser.run("return [...document.querySelectorAll('.lessons .done')].map(e => e.closest('li').dataset.lesson)"), ["01-message-passing"]);
  await browser.click(".lessons + button");
  assert.equal(await visible(".lessons .done, .lessons + button"), 0);
  await browser.open(url("lessons.html"));
  assert.equal(await visible(".lessons .done"), 0);
});

await test("a handout has no answer, a teacher's copy has them, and afterwards the page is as it was", lesson, async () => {
  const answers = "details.answer h2, .answer .outcome, .solution .source";
  const printed = async (body) => {
    await browser.command("Emulation.setEmulatedMedia", { media: "print" });
    await browser.run("window.dispatchEvent(new Event('beforeprint'))");
    await body();
    await browser.run("window.dispatchEvent(new Event('afterprint'))");
    await browser.command("Emulation.setEmulatedMedia", { media: "" });
  };
  const choose = (value) => browser.run("const copy = document.getElementById('copy'); copy.value = arguments[0]; copy.dispatchEvent(new Event('change'))", value);
  assert.equal(await visible("#print"), 1);
  await printed(async () => {
    assert.equal(await visible(answers), 0);
    assert.equal(await visible("details.answer, details.solution, #print"), 0);
    assert.ok(await visible(".predict li") === 4 && await visible(".lesson > .source") >= 2);  // the question and the exercise
  });
  await choose("teacher");
  await printed(async () => assert.ok(await visible(answers) > 5));
  assert.equal(await visible(answers), 0);  // on the screen they are closed again
  await choose("");
  await printed(async () => assert.equal(await visible(answers), 0));
});

await test("a picture that is too small to read has its full size on request", "lessons/10-completion.html", async () => {
  await browser.size(400, 800);
  await browser.run("document.querySelectorAll('details').forEach((closed) => { closed.open = true; })");
  await browser.runAsync("requestAnimationFrame(() => setTimeout(arguments[0], 50))");
  const wide = () => browser.run("return document.querySelector('.answer .canvas svg').getBoundingClientRect().width");
  assert.ok(await wide() <= 400);
  await browser.run("document.querySelector('.answer .size').click()");
  assert.ok(await wide() > 700);
  assert.equal(await browser.run("return document.documentElement.scrollWidth"), 400);  // it scrolls in its place
  await browser.run("document.querySelector('.answer .size').click()");
  assert.ok(await wide() <= 400);
});

// ---- on every page --------------------------------------------------------------------------------

// The lessons and what leads to tests each day; of the tests a third, another one each day (tests/turn.h).
const parts = process.env.LITMUS_ALL ? 1 : 3, turn = Math.floor(Date.now() / 86400000) % parts;
const measured = html.map((file) => file.slice(site.length + 1)).filter((page, i) => !page.startsWith("tests/") || i % parts === turn);
await plain(`nothing is cut and nothing scrolls sideways on ${measured.length} pages, at 1600, 1280 and 400 px`, async () => {
  const amiss = [];
  for (const page of measured) amiss.push(...(await measure(browser, url(page))).amiss);
  assert.deepEqual(amiss.slice(0, 20), []);
});

await test("dark by the system, light by choice, and the choice goes along", relaxed, async () => {
  const ground = () => browser.run("return getComputedStyle(document.body).backgroundColor");
  const light = await ground();
  await browser.dark(true);
  const dark = await ground();
  assert.notEqual(dark, light);
  await browser.click("#theme");
  assert.equal(await ground(), light);
  assert.match(await browser.run("return document.querySelector('.brand').getAttribute('href')"), /#theme=light/);
  await browser.dark(false);
  await browser.click("#theme");
  assert.equal(await ground(), dark);
});

for (const page of pages) {
  await test("no page scrolls sideways at 360 px: " + page, page, async () => {
    await browser.size(360, 640);
    await browser.run("document.querySelectorAll('details').forEach((closed) => { closed.open = true; })");
    assert.equal(await browser.run("return document.documentElement.scrollWidth"), 360);
  });
  for (const theme of existsSync(axe) ? ["light", "dark"] : [])
    await test(`axe finds nothing: ${page}, ${theme}`, page + "#theme=" + theme, async () => {
      await browser.run("document.querySelectorAll('details').forEach((closed) => { closed.open = true; })");
      await browser.run(readFileSync(axe, "utf8"));
      const found = await browser.runAsync(`const done = arguments[arguments.length - 1];
        axe.run(document, {resultTypes: ["violations"], preload: false}).then((result) => done(result.violations.map((v) =>
          v.id + ": " + v.help + " " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200) + " " + n.failureSummary).join(" | "))));`);
      assert.deepEqual(found, []);
    });
}

if (!existsSync(axe)) {
  console.log("skipped: accessibility, for want of axe-core (npm ci)");
  if ((process.env.LITMUS_REQUIRE ?? "").split(",").includes("axe")) failed += 1;
}

// ---- the page of a kernel -------------------------------------------------------------------------

await test("a kernel's page has what goes wrong, when, and the findings with what would mend them under their lines of CUDA", kernel, async () => {
  assert.deepEqual(await browser.run("return [...document.querySelectorAll('h2')].map((title) => title.textContent)"),
    ["What can go wrong", "When it happens", "ring.cu", "ring.EARLY.litmus"]);
  const lines = await browser.run(`return [...document.querySelectorAll(".source .line.lit")].map((line) => [line.dataset.line,
    line.nextElementSibling.className, line.textContent.split("// ").pop().trim()])`);
  assert.deepEqual(lines, [["29", "finding", "@copy"], ["42", "finding", "@read"]]);
  assert.ok((await browser.run("return document.body.textContent")).includes("behind ring.cu:42, which stores what is read"));
  assert.equal(await visible("svg.chart .contested"), 2);  // where two colours meet is the race: the slot, in both colours
  const width = await browser.run("return document.querySelector('svg.chart').getBoundingClientRect().right - document.documentElement.clientWidth");
  assert.ok(width <= 0, "the chart is cut by " + width + " px");
});

// ---- what it looks like ---------------------------------------------------------------------------

const shots = [
  { name: "index-phone", page: index, width: 360, height: 720 },
  { name: "test-desktop", page: relaxed, width: 1680, height: 900 },
  { name: "test-dark", page: fenced + "#theme=dark", width: 1280, height: 900 },
  { name: "lesson-phone", page: lesson, width: 360, height: 720 },
];
for (const { name, page, width, height } of shots)
  await test("it looks as it did: " + name, page, async () => {
    await browser.size(width, height);
    const now = halved(decode(await browser.screenshot()));
    const file = join(golden, name + ".png");
    if (process.env.LITMUS_PROMOTE) return writeFileSync(file, encode(now));
    const share = difference(decode(readFileSync(file)), now, 48);
    if (share > 0.03) writeFileSync(join(tmpdir(), name + ".png"), encode(now));
    assert.ok(share <= 0.03, `${(100 * share).toFixed(1)} % of the pixels differ; what is shown now is ${join(tmpdir(), name + ".png")}`);
  });

await browser.stop();
rmSync(folder, { recursive: true, force: true });
console.log(failed === 0 ? "all passed" : failed + " failed");
process.exit(failed === 0 ? 0 : 1);
