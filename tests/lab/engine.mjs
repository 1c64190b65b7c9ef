// The laboratory's engine under node, as the page's worker has it.
import { readFileSync } from "node:fs";
import { webcrypto as crypto } from "node:crypto";
import vm from "node:vm";

// A new instance: a function that answers requests (src/lab/laboratory.h). `folder`: where litmus-lab.js and litmus-lab.wasm are.
export async function makeEngine(folder) {
  // it is built for workers alone, and looks for what tells it that it is in one
  const context = vm.createContext({ importScripts() {}, self: { location: { href: "" } }, WebAssembly, TextDecoder, console, performance, Date, crypto });
  const make = vm.runInContext(readFileSync(folder + "/litmus-lab.js", "utf8") + ";litmusLab", context);
  const engine = await make({ wasmBinary: readFileSync(folder + "/litmus-lab.wasm") });
  const laboratory = engine._laboratory();
  return (request) => {
    const asked = engine.allocateUTF8(JSON.stringify(request));
    const told = engine._laboratory_answer(laboratory, asked);
    engine._free(asked);
    const text = engine.UTF8ToString(told);
    engine._free(told);
    return JSON.parse(text);
  };
}
