#!/usr/bin/env node
// `npx litmus-ptx FILE...`: checks tests, and ends with 1 where one is not ok, with 2 where one is none.
"use strict";
const { readFileSync } = require("node:fs");
const { create } = require("./litmus.js");

const files = process.argv.slice(2);
if (files.length === 0 || files.includes("--help")) {
  console.log("usage: litmus-ptx FILE...   checks litmus tests of the PTX memory model (- for standard input)");
  process.exit(files.length === 0 ? 2 : 0);
}
create().then((litmus) => {
  let status = 0;
  for (const file of files) {
    try {
      const result = litmus.check(readFileSync(file === "-" ? 0 : file, "utf8"));
      process.stdout.write(result.report);
      if (result.verdict !== "ok") status = Math.max(status, 1);
    } catch (error) {
      console.error(`${file}: ${error.message}`);
      status = 2;
    }
  }
  process.exit(status);
});
