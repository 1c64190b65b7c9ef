// The laboratory's engine under node, run by the page's own worker script.
import { readFileSync } from "node:fs";
import { webcrypto as crypto } from "node:crypto";
import vm from "node:vm";

// A new instance: a function that answers requests (src/view/lab/laboratory.h). `folder`: where litmus-lab.js and litmus-lab.wasm are.
export async function makeEngine(folder) {
  // it is built for workers alone, and looks for what tells it that it is in one
  const self = { location: { href: "" } };
  const context = vm.createContext({ importScripts() {}, self, WebAssembly, TextDecoder, console, performance, Date, crypto });
  vm.runInContext(readFileSync(folder + "/litmus-lab.js", "utf8"), context);
  vm.runInContext(readFileSync(new URL("../../../src/view/lab/worker.js", import.meta.url), "utf8"), context);
  await context.start(new WebAssembly.Module(readFileSync(folder + "/litmus-lab.wasm")));
  return context.answer;
}
