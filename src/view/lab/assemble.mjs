// Puts the laboratory together: one HTML file with everything in it.
//
//   node assemble.mjs OUT SOURCE_DIR ENGINE_DIR
//
// Of the template src/view/lab/lab.html each {{name}} is replaced by what the name stands for. The engine is compressed, as the page can
// undo by itself (DecompressionStream), and written in base64.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const [out, sources, engine] = process.argv.slice(2);
const read = (path) => readFileSync(path, "utf8");

// Text that stands in a <script> or <style> element must not end it.
const inside = (text) => text.replaceAll("</", "<\\/");
const json = (value) => JSON.stringify(value).replaceAll("<", "\\u003c");

// The first line of a lesson is its title.
function lessonTests() {
  const folder = sources + "/litmus/lessons/";
  const files = readdirSync(folder).sort();
  const tests = [];
  for (const file of files.filter((name) => /^\d\d-.*\.md$/.test(name))) {
    const stem = file.replace(/\.md$/, "");
    const title = read(folder + file).split("\n")[0].replace(/^# */, "");
    const group = Number(stem.slice(0, 2)) + ". " + title;
    const others = files.filter((name) => name.startsWith(stem + "-") && name.endsWith(".litmus") && !name.endsWith("-solved.litmus"));
    for (const test of [stem + ".litmus", ...others])
      tests.push({ group, name: test.replace(/\.litmus$/, "").replace(/^\d\d-/, ""), text: read(folder + test) });
  }
  return tests;
}

// Those of the library that src/view/lab/examples.txt lists.
function chosenTests() {
  const lines = read(sources + "/src/view/lab/examples.txt").split("\n").filter((line) => line && !line.startsWith("#"));
  return lines.map((path) => ({ group: "From the library", name: path, text: read(sources + "/litmus/" + path + ".litmus") }));
}

const parts = {
  "style.css": read(sources + "/src/view/page/style.css"),
  "lab.css": read(sources + "/src/view/lab/lab.css"),
  "parts.js": inside(read(sources + "/src/view/lab/parts.js")),
  "lab.js": inside(read(sources + "/src/view/lab/lab.js")),
  "worker.js": inside(read(sources + "/src/view/lab/worker.js")),
  engine: inside(read(engine + "/litmus-lab.js")),
  bytes: gzipSync(readFileSync(engine + "/litmus-lab.wasm"), { level: 9 }).toString("base64"),
  grammar: json(JSON.parse(read(sources + "/src/view/page/litmus.tmLanguage.json")).patterns),
  scopes: json(JSON.parse(read(sources + "/src/view/page/scopes.json"))),
  tests: json([...lessonTests(), ...chosenTests()]),
};

const page = read(sources + "/src/view/lab/lab.html").replace(/\{\{([a-z.]+)\}\}/g, (_, name) => {
  if (!(name in parts)) throw new Error("lab.html names " + name + ", and nothing is called so");
  return parts[name];
});
writeFileSync(out, page);
console.log(out + ": " + Math.round(page.length / 1024) + " KiB");
