// `litmus mcp`, driven by the client of the Model Context Protocol's library:  agent_test.mjs LITMUS FOLDER, where FOLDER has node_modules.
import assert from "node:assert/strict";
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
assert.equal(kernel.verdict, "race");
assert.match(kernel.findings[0], /data race on p/);
assert.ok(kernel.about.length > 0);

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
