// `litmus lsp`, driven by the client library of VS Code:  client_test.mjs LITMUS FOLDER, where FOLDER has node_modules.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [litmus, folder] = process.argv.slice(2);
const protocol = createRequire(join(folder, "x.js"))("vscode-languageserver-protocol/node");

const uri = "file:///tmp/mp.litmus";
const text = readFileSync(new URL("mp.litmus", import.meta.url), "utf8");

// It keeps the checker busy for longer than it may.
const hard = readFileSync(new URL("hard.litmus", import.meta.url), "utf8");
const endless = readFileSync(new URL("endless.litmus", import.meta.url), "utf8");

// What a process has started, and whether that has not ended.
const children = (pid) => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
function lives(pid) {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
async function until(holds, what) {
  for (const before = performance.now(); !holds();) {
    assert.ok(performance.now() - before < 10000, what);
    await new Promise((done) => setTimeout(done, 10));
  }
}

function start(...args) {
  const child = spawn(litmus, ["lsp", ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const connection = protocol.createProtocolConnection(
    new protocol.StreamMessageReader(child.stdout), new protocol.StreamMessageWriter(child.stdin));
  const published = [];
  const waiting = [];
  connection.onNotification(protocol.PublishDiagnosticsNotification.type, (one) => {
    const next = waiting.shift();
    if (next) next(one); else published.push(one);
  });
  connection.listen();
  const diagnostics = () => published.length ? Promise.resolve(published.shift()) : new Promise((done) => waiting.push(done));
  const ended = new Promise((done) => child.on("exit", (status) => done(status)));
  return { child, connection, diagnostics, ended, published,
    async open(options = {}) {
      return connection.sendRequest(protocol.InitializeRequest.type, { processId: process.pid, rootUri: null, capabilities: {}, initializationOptions: options });
    },
    async close() {
      await connection.sendRequest(protocol.ShutdownRequest.type);
      await connection.sendNotification(protocol.ExitNotification.type);
      assert.equal(await ended, 0);
    } };
}

function applied(text, edits) {
  const lines = text.split("\n");
  const at = ({ line, character }) => lines.slice(0, line).reduce((sum, l) => sum + l.length + 1, 0) + character;
  for (const edit of edits) text = text.slice(0, at(edit.range.start)) + edit.newText + text.slice(at(edit.range.end));
  return text;
}

const cases = {
  async "a client opens a test, sees what fails, repairs it, and sees that nothing fails"() {
    const client = start();
    const offered = await client.open();
    assert.equal(offered.capabilities.positionEncoding, "utf-16");
    const textDocument = { uri };
    client.connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: "litmus", version: 1, text } });
    const wrong = await client.diagnostics();
    assert.equal(wrong.version, 1);
    assert.deepEqual(wrong.diagnostics.map((d) => d.code), ["no"]);
    const hover = await client.connection.sendRequest(protocol.HoverRequest.type, { textDocument, position: { line: 7, character: 4 } });
    assert.match(hover.contents.value, /ISA 9\.7\.9\.11/);
    const actions = await client.connection.sendRequest(protocol.CodeActionRequest.type,
      { textDocument, range: wrong.diagnostics[0].range, context: { diagnostics: wrong.diagnostics } });
    assert.ok(actions[0].isPreferred);
    const repaired = applied(text, actions[0].edit.changes[uri]);
    client.connection.sendNotification(protocol.DidChangeTextDocumentNotification.type,
      { textDocument: { uri, version: 2 }, contentChanges: [{ text: repaired }] });
    const right = await client.diagnostics();
    assert.equal(right.version, 2);
    assert.deepEqual(right.diagnostics, []);
    const lenses = await client.connection.sendRequest(protocol.CodeLensRequest.type, { textDocument });
    assert.match(lenses[0].command.title, /^Ok/);
    const report = await client.connection.sendRequest(protocol.ExecuteCommandRequest.type, lenses[0].command);
    assert.match(report, /Test mp Forbidden/);
    const symbols = await client.connection.sendRequest(protocol.DocumentSymbolRequest.type, { textDocument });
    assert.equal(symbols[0].name, "mp");
    await assert.rejects(client.connection.sendRequest("textDocument/rename", { textDocument }), { code: -32601 });
    await assert.rejects(client.connection.sendRequest(protocol.HoverRequest.type, { textDocument: { uri: "file:///no" }, position: { line: 0, character: 0 } }), { code: -32602 });
    await client.close();
  },

  async "what takes long is called back: by the client, and by the next key"() {
    const client = start();
    await client.open({ seconds: 20 });
    const textDocument = { uri };
    client.connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: "litmus", version: 1, text: hard } });
    const source = new protocol.CancellationTokenSource();
    const asked = client.connection.sendRequest(protocol.CodeActionRequest.type,
      { textDocument, range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, context: { diagnostics: [] } }, source.token);
    setTimeout(() => source.cancel(), 100);
    await assert.rejects(asked, { code: -32800 });
    const again = client.connection.sendRequest(protocol.CodeLensRequest.type, { textDocument });
    const changed = assert.rejects(again, { code: -32801 });
    const before = performance.now();
    client.connection.sendNotification(protocol.DidChangeTextDocumentNotification.type, { textDocument: { uri, version: 2 }, contentChanges: [{ text }] });
    await changed;
    const told = await client.diagnostics();
    assert.equal(told.version, 2, "nothing is told of the text before");
    console.log(`  after the change of a text that was being searched: ${(performance.now() - before).toFixed(0)} ms`);
    await client.close();
  },

  async "what ends the server ends what it has sent out"() {
    for (const signal of ["SIGTERM", "SIGKILL"]) {
      const client = start();
      await client.open({ seconds: 60 });
      client.connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: "litmus", version: 1, text: endless } });
      await until(() => children(client.child.pid).length > 0, "nothing was sent out");
      const sent = children(client.child.pid);
      client.child.kill(signal);
      await client.ended;
      await until(() => !sent.some(lives), `${sent} outlived the server (${signal})`);
    }
  },

  async "what is not decided in the time that was given is said at its place"() {
    for (const [args, options] of [[["--seconds", "0.1"], {}], [[], { seconds: 0.1 }]]) {
      const client = start(...args);
      await client.open(options);
      const textDocument = { uri };
      client.connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: "litmus", version: 1, text: endless } });
      const told = await client.diagnostics();
      assert.deepEqual(told.diagnostics.map((d) => d.code), ["unknown"]);
      const lenses = await client.connection.sendRequest(protocol.CodeLensRequest.type, { textDocument });
      assert.match(lenses[0].command.title, /^Unknown/);
      const range = { start: { line: 0, character: 0 }, end: { line: 200, character: 0 } };
      assert.deepEqual(await client.connection.sendRequest(protocol.CodeActionRequest.type, { textDocument, range, context: { diagnostics: [] } }), []);
      await client.close();
    }
  },

  async "what was asked wrongly is told in words, and why a text is not formatted"() {
    const client = start();
    await client.open();
    const commented = text.replace("thread P0", "// mine\nthread P0").replace("  st.weak", "    st.weak");
    const textDocument = { uri };
    client.connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: "litmus", version: 1, text: commented } });
    const report = (number) => client.connection.sendRequest(protocol.ExecuteCommandRequest.type, { command: "litmus.report", arguments: [uri, number] });
    await assert.rejects(report(7), { code: -32602, message: "no test has the number 7: the text has 1, counted from 0" });
    await assert.rejects(report(-1), { code: -32602 });
    for (const position of [{ line: -1, character: 0 }, { line: "a", character: 0 }, {}, null])
      await assert.rejects(client.connection.sendRequest("textDocument/hover", { textDocument, position }), { code: -32602, message: /line and a character/ });
    await assert.rejects(client.connection.sendRequest("textDocument/hover", { textDocument }), { code: -32602 });
    const shown = new Promise((done) => client.connection.onNotification(protocol.ShowMessageNotification.type, done));
    const edits = await client.connection.sendRequest(protocol.DocumentFormattingRequest.type, { textDocument, options: { tabSize: 2, insertSpaces: true } });
    assert.equal(edits, null);
    assert.match((await shown).message, /^not formatted: .*comment/);
    await client.close();
  },

  async "ten thousand edits: each is answered soon, and the memory stays as it is"() {
    const client = start();
    await client.open();
    client.connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: "litmus", version: 0, text } });
    await client.diagnostics();
    // its own: pages of the program's file come and go with what else the machine does
    const memory = () => Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${client.child.pid}/status`, "utf8"))[1]);
    const times = [];
    let early = 0;
    for (let version = 1; version <= 10000; ++version) {
      const start = { line: 6, character: 28 }, end = { line: 6, character: 28 };  // behind the semicolon: a blank comes and goes
      const contentChanges = [version % 2 ? { range: { start, end }, text: " " } : { range: { start, end: { line: 6, character: 29 } }, text: "" }];
      client.connection.sendNotification(protocol.DidChangeTextDocumentNotification.type, { textDocument: { uri, version }, contentChanges });
      if (version % 100 === 0) {
        const before = performance.now();
        let told;
        do told = await client.diagnostics(); while (told.version !== version);
        times.push(performance.now() - before);
      }
      if (version === 2000) early = memory();
    }
    const late = memory();
    times.sort((a, b) => a - b);
    console.log(`  diagnostics after a change: ${times[times.length >> 1].toFixed(0)} ms (median), ${times.at(-1).toFixed(0)} ms (longest); memory after 2,000 and 10,000 edits: ${early}, ${late} kB`);
    assert.ok(late < early + 1024, `${early} kB became ${late} kB`);
    await client.close();
  },

  async "messages that are none do no harm"() {
    const frame = (text) => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
    const request = (id, method, params) => JSON.stringify({ jsonrpc: "2.0", id, method, params });
    let seed = 7;
    const random = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
    const good = [
      request(1, "textDocument/hover", { textDocument: { uri }, position: { line: 7, character: 4 } }),
      request(2, "textDocument/completion", { textDocument: { uri }, position: { line: 7, character: 4 } }),
      JSON.stringify({ jsonrpc: "2.0", method: "textDocument/didOpen", params: { textDocument: { uri, languageId: "litmus", version: 1, text } } }),
      JSON.stringify({ jsonrpc: "2.0", method: "textDocument/didChange", params: { textDocument: { uri, version: 3 }, contentChanges: [{ range: { start: { line: 3, character: 1 }, end: { line: 5, character: 0 } }, text: "é😀" }] } }),
      JSON.stringify({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id: 1 } }),
      request(3, "workspace/executeCommand", { command: "litmus.report", arguments: [uri, 0] }),
      request(4, "textDocument/codeAction", { textDocument: { uri }, range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } } }),
    ];
    const child = spawn(litmus, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
    let heard = "";
    child.stdout.on("data", (data) => (heard += data));
    const send = (message) => child.stdin.write(frame(message));
    send(request(0, "initialize", { capabilities: {} }));
    for (let i = 0; i < 1500; ++i) {
      const bytes = Buffer.from(good[random(good.length)]);
      for (let k = random(4); k > 0; --k) bytes[random(bytes.length)] = 32 + random(96);
      send(bytes.toString().slice(0, random(8) ? undefined : random(bytes.length)));
    }
    send(`{"jsonrpc":"2.0","id":5,"method":"textDocument/hover","params":${"[".repeat(100000)}${"]".repeat(100000)}}`);
    send(request("last", "shutdown"));
    while (!heard.includes('"id":"last"')) {
      assert.equal(child.exitCode, null, "the server ended");
      await new Promise((done) => setTimeout(done, 20));
    }
    assert.match(heard, /nested deeper than 64 levels/);
    child.stdin.write(frame(JSON.stringify({ jsonrpc: "2.0", method: "exit" })));
    assert.equal(await new Promise((done) => child.on("exit", done)), 0);
    for (const head of ["Content-Length: x\r\n\r\n{}", "nothing\r\n\r\n", "Content-Length: 999999999\r\n\r\n{}"]) {
      const broken = spawn(litmus, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
      let said = "";
      broken.stdout.on("data", (data) => (said += data));
      broken.stdin.write(head);
      assert.equal(await new Promise((done) => broken.on("exit", done)), 1);
      assert.match(said, /-32700/);
    }
  },
};

for (const [name, run] of Object.entries(cases)) {
  console.log(name);
  await run();
}
