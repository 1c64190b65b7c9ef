// What runs in the worker, behind the engine's own script: it takes the compiled engine once, then answers requests in their order.
"use strict";

let engine = null;
let laboratory = 0;

function start(module) {
  const instantiateWasm = (imports, done) => {
    WebAssembly.instantiate(module, imports).then(done);
    return {};
  };
  return litmusLab({ instantiateWasm }).then((made) => {
    engine = made;
    laboratory = engine._laboratory();
  });
}

function answer(request) {
  const asked = engine.allocateUTF8(JSON.stringify(request));
  const told = engine._laboratory_answer(laboratory, asked);
  engine._free(asked);
  const text = engine.UTF8ToString(told);
  engine._free(told);
  return JSON.parse(text);
}

self.onmessage = ({ data }) => {
  if (data.module) {
    start(data.module).then(
      () => self.postMessage({ ready: true }),
      (error) => self.postMessage({ failed: String(error) }));
    return;
  }
  try {
    self.postMessage({ id: data.id, answer: answer(data.request) });
  } catch (error) {
    // the engine is beyond repair (no memory, no stack): the page starts another
    self.postMessage({ id: data.id, broken: String(error) });
  }
};
