// The extension out of its package, with the client library that is in it, in the place of an editor:  vscode_test.mjs EXTENSION LITMUS.
// EXTENSION is the unpacked folder. A test is open when the extension starts; then its mistakes are asked for, the line above its claim,
// and what a click on that shows, which is printed. The editor's interface is here as far as that needs it: all else is there and does nothing.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [extension, litmus] = process.argv.slice(2).map((path) => resolve(path));
const manifest = JSON.parse(readFileSync(join(extension, "package.json"), "utf8"));
const text = readFileSync(new URL("mp.litmus", import.meta.url), "utf8");
const seconds = 10;

const nothing = () => ({ dispose() {} });
class Position { constructor(line, character) { Object.assign(this, { line, character }); } }
class Range { constructor(a, b, c, d) { Object.assign(this, c === undefined ? { start: a, end: b } : { start: new Position(a, b), end: new Position(c, d) }); } }
class Diagnostic { constructor(range, message, severity) { Object.assign(this, { range, message, severity }); } }
class CodeLens { constructor(range, command) { Object.assign(this, { range, command }); } }
class EventEmitter {
  heard = [];
  event = (listener) => { this.heard.push(listener); return nothing(); };
  fire = (what) => this.heard.forEach((listener) => listener(what));
  dispose = () => {};
}
class CancellationTokenSource {
  token = { isCancellationRequested: false, onCancellationRequested: nothing };
  cancel() {}
  dispose() {}
}
const uri = { scheme: "file", path: "/mp.litmus", toString: () => "file:///mp.litmus" };
const document = { uri, languageId: "litmus", version: 1, isClosed: false, getText: () => text };

// What the extension and its client give to the editor.
const commands = new Map();
let lenses, told;
const mistakes = new Promise((done) => { told = done; });
let shown = "";

function anything(known = {}) {
  const kept = Object.assign(function () {}, known);
  return new Proxy(kept, {
    get(target, name) {
      if (name in target || typeof name === "symbol" || name === "then") return target[name];
      return (target[name] = anything());
    },
    apply: nothing,
  });
}
const vscode = anything({
  version: /\d+\.\d+\.\d+/.exec(manifest.engines.vscode)[0],  // the oldest editor that may install it
  Position, Range, Diagnostic, CodeLens, EventEmitter, CancellationTokenSource,
  Uri: { parse: () => uri, file: () => uri },
  workspace: anything({
    getConfiguration: () => ({ get: (name) => ({ path: litmus, reading: "", seconds })[name] }),
    textDocuments: [document],
    workspaceFolders: undefined,
    openTextDocument: async ({ content }) => { shown = content; },
  }),
  window: anything({
    showErrorMessage: (message) => { throw new Error(message); },
    createOutputChannel: () => anything({ append: (line) => process.stderr.write(line), appendLine: (line) => console.error(line) }),
    showTextDocument: async () => {},
    visibleTextEditors: [],
    tabGroups: undefined,
  }),
  languages: anything({
    match: (selector, { languageId }) => ([selector].flat().some((one) => one.language === languageId) ? 10 : 0),
    createDiagnosticCollection: () => anything({ set: (_, list) => told(list), delete() {}, dispose() {} }),
    registerCodeLensProvider: (_, provider) => { lenses = provider; return nothing(); },
  }),
  commands: anything({ registerCommand: (name, run) => { commands.set(name, run); return nothing(); } }),
});
const load = Module._load;
Module._load = (name, ...more) => (name === "vscode" ? vscode : load(name, ...more));

setTimeout(() => assert.fail(`no answer within ${3 * seconds} s`), 3000 * seconds);
const main = createRequire(import.meta.url)(join(extension, manifest.main));
const { languages, grammars } = manifest.contributes;
for (const { configuration } of languages) readFileSync(join(extension, configuration));
for (const { path } of grammars) readFileSync(join(extension, path));
await main.activate({ subscriptions: [] });
assert.deepEqual((await mistakes).map((one) => one.code), ["no"]);
const [above] = await lenses.provideCodeLenses(document, new CancellationTokenSource().token);
await commands.get(above.command.command)(...above.command.arguments);
await main.deactivate();
process.stdout.write(shown, () => process.exit());  // the client has a timer for a server that does not end
