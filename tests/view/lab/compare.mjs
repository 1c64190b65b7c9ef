// The laboratory's engine against the native program, on every test of a folder: the same verdicts, outcomes, hazards and readings.
//
//   node compare.mjs ENGINE_FOLDER LITMUS FOLDER [--seconds S] [--every N]
//   node compare.mjs ENGINE_FOLDER LITMUS FOLDER --turn N
//
// A test that takes the engine longer than S seconds (default 5) does not fit in the page, and is counted and named; everything else has to
// be the same. --every takes each N-th test; --turn does, too, of others each day, or all with
// LITMUS_ALL=1 (tests/turn.h). Ends with status 1 where anything differs.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { makeEngine } from "./engine.mjs";

const [engineFolder, litmus, folder, ...options] = process.argv.slice(2);
const option = (name, usual) => (options.includes(name) ? Number(options[options.indexOf(name) + 1]) : usual);
const seconds = option("--seconds", 5), turn = process.env.LITMUS_ALL ? 1 : option("--turn", 1);
const every = Math.max(turn, option("--every", 1)), first = Math.floor(Date.now() / 86400000) % turn;

// What has to be the same. Of hazards not the executions that show them: there are several, and each solver finds its own.
function said(result) {
  const sorted = (list) => list.map((value) => JSON.stringify(value)).sort();
  return {
    verdict: result.verdict, holds: result.claim.holds, outcomes: sorted(result.outcomes), complete: result.complete,
    satisfying: result.satisfying, races: sorted(result.races.map((race) => [race.location, race.first.line, race.second.line])), flags: result.flags,
    hazards: sorted(result.hazards.map((hazard) => [hazard.kind, hazard.what])), depends: sorted(result.depends || []), rests_on: sorted(result.rests_on || []),
    verdicts: result.verdicts, types: result.types, never_ends: result.never_ends, unrolled: result.unrolled,
  };
}

let lines;
try {
  lines = execFileSync(litmus, ["check", folder, "--format", "json", "--no-time"], { encoding: "utf8", maxBuffer: 1 << 30 });
} catch (error) {
  if (error.status !== 1) throw error;  // 1: some claim of a test does not hold
  lines = error.stdout;
}
const native = lines.trim().split("\n").map((line) => JSON.parse(line));

const times = [], tooLarge = [], different = [];
const numbers = new Map();  // of the next test in a file
let ask = await makeEngine(engineFolder);
for (const [i, expected] of native.entries()) {
  const test = numbers.get(expected.file) || 0;
  numbers.set(expected.file, test + 1);
  if (i % every !== first) continue;
  const begin = performance.now();
  let answer;
  try {
    answer = ask({ ask: "check", text: readFileSync(expected.file, "utf8"), test, seconds, megabytes: 1024 });
  } catch (error) {
    answer = { error: String(error) };
    ask = await makeEngine(engineFolder);
  }
  const took = performance.now() - begin;
  const name = expected.file + (test > 0 ? ", test " + (test + 1) : "");
  if (answer.too_large || (answer.result && answer.result.partial)) {
    tooLarge.push(name);
    continue;
  }
  times.push([took, name]);
  if (!answer.result) {
    different.push(name + ": " + (answer.error || answer.diagnostics[0].rendered));
    continue;
  }
  const here = said(answer.result), there = said(expected);
  const keys = Object.keys(there).filter((key) => JSON.stringify(here[key]) !== JSON.stringify(there[key]));
  if (keys.length) different.push(name + ": " + keys.map((key) => key + " " + JSON.stringify(here[key]) + " and not " + JSON.stringify(there[key])).join("; "));
}

times.sort((a, b) => a[0] - b[0]);
const at = (share) => times[Math.min(times.length - 1, Math.floor(share * times.length))];
const shown = (time) => time[0].toFixed(0) + " ms";
console.log(times.length + " tests: median " + shown(at(0.5)) + ", 95% within " + shown(at(0.95)) + ", longest " + shown(at(1)) + " (" + at(1)[1] + ")");
console.log(tooLarge.length + " take longer than " + seconds + " s" + (tooLarge.length ? ": " + tooLarge.join(", ") : ""));
for (const one of different) console.log("differs: " + one);
if (different.length || !times.length) process.exit(1);
