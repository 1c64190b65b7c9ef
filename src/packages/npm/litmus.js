// The engine of the laboratory behind three functions. The requests and answers are those of src/view/lab/laboratory.h.
"use strict";
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const vm = require("node:vm");

// An engine, which takes 64 MB and answers one question after the other.
async function makeEngine(folder = __dirname) {
  const script = readFileSync(join(folder, "litmus-lab.js"), "utf8");
  const module = await WebAssembly.compile(readFileSync(join(folder, "litmus-lab.wasm")));
  const scope = { self: { location: { href: "" } }, WebAssembly, TextDecoder, performance, console, setTimeout };  // as in a worker
  vm.createContext(scope);
  vm.runInContext(script, scope);
  const engine = await scope.litmusLab({
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(module, imports).then(done);
      return {};
    },
  });
  const laboratory = engine._laboratory();
  return (request) => {
    const asked = engine.allocateUTF8(JSON.stringify(request));
    const told = engine._laboratory_answer(laboratory, asked);
    engine._free(asked);
    const answer = JSON.parse(engine.UTF8ToString(told));
    engine._free(told);
    return answer;
  };
}

class LitmusError extends Error {}

class Litmus {
  constructor(ask) {
    this.ask = ask;
  }
  // Every outcome of a test; throws LitmusError where the text is none.
  check(text, { reading = "", seconds = 10 } = {}) {
    const answer = this.ask({ ask: "check", text, reading, seconds, megabytes: 1024 });
    if (answer.error) throw new LitmusError(answer.error);
    if (!answer.result) throw new LitmusError(answer.diagnostics.map((one) => one.rendered).join("\n"));
    return { ...answer.result, report: answer.report };
  }
  // Why an outcome of the test that was checked last ("P1:r0=1; P1:r1=0") cannot be.
  explain(outcome, { seconds = 10 } = {}) {
    const answer = this.ask({ ask: "explain", outcome, seconds, megabytes: 1024 });
    if (answer.error) throw new LitmusError(answer.error);
    return answer;
  }
}

module.exports = { LitmusError, create: async () => new Litmus(await makeEngine()) };
