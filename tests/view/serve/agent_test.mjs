// `litmus mcp`, driven by the client of the Model Context Protocol's library:  agent_test.mjs LITMUS FOLDER, where FOLDER has node_modules.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [litmus, folder] = process.argv.slice(2);
const sdk = (file) => import(pathToFileURL(join(folder, "node_modules/@modelcontextprotocol/sdk/dist/esm", file)).href);
const { Client } = await sdk("client/index.js");
const { StdioClientTransport } = await sdk("client/stdio.js");

const test = readFileSync(new URL("mp.litmus", import.meta.url), "utf8");
const client = new Client({ name: "test", version: "1" });
await client.connect(new StdioClientTransport({ command: litmus, args: ["mcp", "--seconds", "5"] }));
assert.match(client.getInstructions(), /Ask it before you rule on a fence/);

// The library holds each answer against the tool's outputSchema.
const { tools } = await client.listTools();
assert.deepEqual(tools.map((tool) => tool.name), ["check", "explain", "repair", "judge_kernel", "instruction"]);
const ask = async (name, args) => {
  const answer = await client.callTool({ name, arguments: args });
  assert.ok(!answer.isError, answer.content[0].text);
  return answer.structuredContent;
};
const refused = async (name, args) => {
  const answer = await client.callTool({ name, arguments: args });
  assert.ok(answer.isError);
  return answer.content[0].text;
};

const wrong = await ask("check", { test });
assert.equal(wrong.verdict, "no");
assert.equal(wrong.outcomes.length, 4);
assert.deepEqual(wrong.outcomes.filter((o) => o.endsWith("*")), ["P1:r0=1; P1:r1=0; *"]);
assert.match(wrong.missing[0], /^acquire-missing: P1 line 11/);

const repairs = await ask("repair", { test });
assert.equal(repairs.status, "repaired");
for (const repair of repairs.repairs) assert.match(repair.patch, /^--- a\/test\.litmus\n/);
const repaired = test.replace("ld.relaxed", "ld.acquire");
assert.equal((await ask("check", { test: repaired })).verdict, "ok");
assert.equal((await ask("repair", { test: repaired })).status, "nothing_to_repair");

assert.equal((await ask("explain", { test })).possible, true);
const why = await ask("explain", { test: repaired, outcome: "P1:r0=1; P1:r1=0" });
assert.equal(why.possible, false);
assert.match(why.because, /causality \(ISA 8\.10\.6\)/);

assert.match((await ask("instruction", { name: "red.async" })).text, /hint|red\.async/);
assert.equal((await ask("instruction", { name: "ld.acquire.gpu.global.u32" })).known, true);
assert.equal((await ask("instruction", { name: "ld.acquire.grid.u32" })).known, false);

const cuda = await ask("instruction", { name: "__syncthreads" });
assert.equal(cuda.known, false);
assert.match(cuda.text, /^that is CUDA: `__syncthreads\(\)` is `bar.sync 0` in PTX/);
assert.match((await ask("instruction", { name: "bar.arrive_and_wait()" })).text, /`mbarrier\.arrive/);

const ptx = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
.reg .b32 %r<4>;
.reg .b64 %rd<4>;
ld.param.u64 %rd1, [p];
mov.u32 %r1, %ctaid.x;
st.global.u32 [%rd1], %r1;
ret;
}
`;
const kernel = await ask("judge_kernel", { ptx, grid: "2", block: "1", arguments: ["p=u32[1]"] });
assert.equal(kernel.verdict, "wrong");
assert.equal(kernel.meaning, "wrong: 1 finding");
assert.match(kernel.findings[0], /race on `p` at byte 0.*thread 0 of block 0.*thread 0 of block 1/);

// Dynamic shared memory has the size of the launch; what is missing is asked for in the tool's own words.
const dynamic = ptx.replace(".visible", ".extern .shared .align 16 .b8 dyn[];\n.visible").replace("mov.u32 %r1, %ctaid.x;",
  "mov.u32 %r1, 7;\nst.shared.u32 [dyn+4], %r1;\nld.shared.u32 %r2, [dyn+4];").replace("[%rd1], %r1", "[%rd1], %r2");
const launch = { ptx: dynamic, grid: "1", block: "1", arguments: ["p=u32[1]"] };
assert.match(await refused("judge_kernel", launch), /dynamic shared memory: `shared` says/);
const sized = await ask("judge_kernel", { ...launch, shared: 8 });
assert.equal(sized.verdict, "right");
assert.equal(sized.meaning, "right in every order of this launch");
assert.deepEqual([sized.findings, sized.open], [[], []]);
assert.match(await refused("judge_kernel", { ...launch, shared: 4 }), /which has 4 bytes/);
for (const shared of ["8", -1, 1.5, 2 ** 32]) assert.match(await refused("judge_kernel", { ...launch, shared }), /`shared` is no whole number/);
for (const wrong of ["p=u32[1]", { p: "u32[1]" }, [5]]) assert.match(await refused("judge_kernel", { ...launch, arguments: wrong }), /`arguments` is no list of strings/);
assert.match(await refused("judge_kernel", { ...launch, grid: 1 }), /`grid` is no string/);
for (const changed of [{ arguments: [] }, { arguments: ["p=nothing"] }, { grid: "" }, { block: "" }, { grid: "2", cluster: "3" }, { entry: "l" }])
  assert.doesNotMatch(await refused("judge_kernel", { ...launch, shared: 8, ...changed }), /--(shared|arg|grid|block|cluster|entry)|@FILE/);
assert.match(await refused("judge_kernel", { ...launch, block: "" }), /say it with `block`, as in `block`: "64"/);

assert.match(await refused("check", { test: "no test" }), /this is no litmus test/);
assert.match(await refused("check", { test, tests: 1 }), /no argument `tests`/);
assert.match(await refused("check", { test: 7 }), /no string/);
assert.match(await refused("explain", { test, outcome: "P1:r9=1" }), /nothing writes the register P1:r9/);
assert.match(await refused("judge_kernel", { ptx, grid: "2", block: "1", arguments: ["p=@/etc/passwd"] }), /arguments name none here/);
await assert.rejects(client.callTool({ name: "no-such-tool", arguments: {} }));

// What the skill says of its test.
const skill = readFileSync(new URL("../../../src/editors/agents/litmus/SKILL.md", import.meta.url), "utf8");
const epilogue = /```litmus\n([^]*?)```/.exec(skill)[1].replace(/^ {3}/gm, "");
assert.equal((await ask("check", { test: epilogue })).verdict, "no");
const places = (await ask("repair", { test: epilogue })).repairs.filter((r) => r.what[0].endsWith("`fence.proxy.async.shared::cta`"));
assert.deepEqual(places.map((r) => [/P\d before line \d+/.exec(r.what[0])[0], r.holds_under_weakest]), [["P0 before line 6", true], ["P1 before line 10", false]]);

// What is no message is told so, and the server goes on; lists of messages belong to a version that it does not agree to.
const child = spawn(litmus, ["mcp"], { stdio: ["pipe", "pipe", "inherit"] });
let heard = "";
child.stdout.on("data", (data) => (heard += data));
const say = async (message) => {
  const lines = heard.split("\n").length;
  child.stdin.write(message + "\n");
  while (heard.split("\n").length === lines) {
    assert.equal(child.exitCode ?? child.signalCode, null, "the server ended");
    await new Promise((done) => setTimeout(done, 10));
  }
  return JSON.parse(heard.trim().split("\n").at(-1));
};
const speak = async (protocolVersion) =>
  (await say(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion } }))).result.protocolVersion;
assert.equal(await speak("2025-06-18"), "2025-06-18");
assert.equal(await speak("2025-03-26"), "2025-06-18");
assert.equal(await speak("2024-11-05"), "2024-11-05");
assert.equal((await say('[{"jsonrpc":"2.0","id":2,"method":"ping"}]')).error.code, -32600);
const deep = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"check","arguments":{"test":${"[".repeat(100000)}${"]".repeat(100000)}}}}`;
assert.equal((await say(deep)).error.code, -32700);
assert.deepEqual((await say('{"jsonrpc":"2.0","id":4,"method":"ping"}')).result, {});
child.stdin.end();
assert.equal(await new Promise((done) => child.on("exit", done)), 0);

// A question that takes too long ends, and the server answers others meanwhile.
const hasty = new Client({ name: "test", version: "1" });
await hasty.connect(new StdioClientTransport({ command: litmus, args: ["mcp", "--seconds", "0.1"] }));
const long = hasty.callTool({ name: "check", arguments: { test: readFileSync(new URL("hard.litmus", import.meta.url), "utf8") } });
const short = await hasty.callTool({ name: "check", arguments: { test: repaired } });
assert.equal(short.structuredContent.verdict, "ok");
const answer = await long;
assert.ok(answer.isError || answer.structuredContent.verdict === "unknown", JSON.stringify(answer));
await hasty.close();
await client.close();
console.log("the client of the Model Context Protocol: every tool, what they refuse, and a question that takes too long");
