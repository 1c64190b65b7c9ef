// What the laboratory's page is made of: the address, the engine in its worker, the editor, the player of an execution, stories. lab.js, which
// comes after it in the same page, puts them together.
"use strict";

const element = (id) => document.getElementById(id);

// make("li", { className: "x" }, "text", other): an element with its children.
function make(kind, properties = {}, ...children) {
  const made = Object.assign(document.createElement(kind), properties);
  made.append(...children);
  return made;
}

const textOf = (id) => element(id).textContent.replaceAll("<\\/", "</");

// ---- the address ----------------------------------------------------------------------------------

// A test in an address is bounded: a longer one is not read and not written.
const mostText = 65536;

// Half of a test would be another test.
function bounded(text) {
  if (text.length > mostText) throw new Error("the test in the address is too long");
  return text;
}

// What a percent sign does not escape stays as it is.
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    return text;
  }
}

async function through(stream, bytes) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > mostText * 64) throw new Error("too long");
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function toBase64(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
}

// `source`: the text in base64url; `packed`: the same, compressed; `example`: the name of one of the page's tests.
const address = {
  read() {
    return Object.fromEntries(location.hash.slice(1).split("&").filter((part) => part.includes("=")).map((part) => {
      const at = part.indexOf("=");
      return [part.slice(0, at), decoded(part.slice(at + 1))];
    }));
  },
  write(choices) {
    const parts = Object.entries(choices).filter(([, value]) => value).map(([name, value]) => name + "=" + encodeURIComponent(value));
    history.replaceState(null, "", parts.length ? "#" + parts.join("&") : location.pathname + location.search);
  },
  async unpack({ packed, source }) {
    if ((packed || source || "").length > mostText * 2) throw new Error("the test in the address is too long");
    if (packed) return bounded(new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), fromBase64(packed))));
    if (source) return bounded(new TextDecoder().decode(fromBase64(source)));
    return null;
  },
  async pack(text) {
    return toBase64(await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text)));
  },
};

// ---- the engine -----------------------------------------------------------------------------------

class Stopped extends Error {}

// The worker, and the requests that it has not answered yet.
class Engine {
  constructor() {
    this.waiting = new Map();
    this.next = 1;
  }

  async start() {
    const packed = fromBase64(textOf("engine-bytes").trim());
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    this.module = await WebAssembly.compile(await new Response(stream).arrayBuffer());
    this.script = URL.createObjectURL(new Blob([textOf("engine"), "\n", textOf("worker")], { type: "text/javascript" }));
    this.restart();
    await this.ready;
  }

  restart() {
    if (this.worker) this.worker.terminate();
    for (const { reject } of this.waiting.values()) reject(new Stopped("stopped"));
    this.waiting.clear();
    this.worker = new Worker(this.script);
    this.ready = new Promise((resolve, reject) => {
      this.worker.onmessage = ({ data }) => {
        if (data.ready) return resolve();
        if (data.failed) return reject(new Error(data.failed));
        const asked = this.waiting.get(data.id);
        this.waiting.delete(data.id);
        if (!asked) return;
        if (!data.broken) return asked.resolve(data.answer);
        asked.reject(new Stopped("too large"));
        this.restart();
      };
    });
    this.worker.postMessage({ module: this.module });
  }

  // Within so many seconds; Stopped where it took longer.
  async ask(request, seconds) {
    await this.ready;
    const id = this.next;
    this.next += 1;
    const answer = new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    this.worker.postMessage({ id, request: { ...request, seconds, megabytes: 1024 } });
    // the engine looks at its clock, too, and then says more than that it was stopped: it gets a moment to do so
    const alarm = setTimeout(() => { if (this.waiting.has(id)) this.restart(); }, seconds * 1000 + 500);
    try {
      return await answer;
    } finally {
      clearTimeout(alarm);
    }
  }

  get busy() { return this.waiting.size > 0; }
}

// ---- the editor -----------------------------------------------------------------------------------

class Highlighter {
  // `kinds`: pairs of a scope's beginning and the class that style.css colours; the first that fits.
  constructor(patterns, kinds) {
    const kindOf = (scope) => (kinds.find(([beginning]) => scope.startsWith(beginning)) || [])[1] || "";
    this.patterns = patterns.map((pattern) => ({
      kind: kindOf(pattern.name),
      start: new RegExp(pattern.begin || pattern.match, "gm"),
      end: pattern.end && new RegExp(pattern.end, "gm"),
    }));
  }

  // [kind, text] of all of it, in order. At each place the pattern that matches first wins, the earlier of two.
  tokens(text) {
    const result = [];
    const found = this.patterns.map(() => undefined);
    let at = 0;
    while (at < text.length) {
      let best = null;
      this.patterns.forEach((pattern, i) => {
        if (found[i] === undefined || (found[i] && found[i].index < at)) {
          pattern.start.lastIndex = at;
          found[i] = pattern.start.exec(text);
        }
        if (found[i] && found[i][0] && (!best || found[i].index < best.match.index)) best = { pattern, match: found[i] };
      });
      if (!best) break;
      let stop = best.match.index + best.match[0].length;
      if (best.pattern.end) {
        best.pattern.end.lastIndex = stop;
        const end = best.pattern.end.exec(text);
        stop = end ? end.index + end[0].length : text.length;
      }
      if (best.match.index > at) result.push(["", text.slice(at, best.match.index)]);
      result.push([best.pattern.kind, text.slice(best.match.index, stop)]);
      at = stop;
    }
    if (at < text.length) result.push(["", text.slice(at)]);
    return result;
  }
}

// A text area with transparent letters above the same text in colours, line numbers beside it and marks below.
class Editor {
  constructor(changed) {
    this.area = element("editor");
    this.highlighter = new Highlighter(JSON.parse(textOf("grammar")), JSON.parse(textOf("scopes")));
    this.lines = [];
    this.area.addEventListener("input", () => { changed(); this.paint(); });
    this.area.addEventListener("scroll", () => this.scroll());
  }

  get text() { return this.area.value; }
  set text(value) {
    this.area.value = value;
    this.area.scrollTop = this.area.scrollLeft = 0;
    this.paint();
  }

  paint() {
    const lines = this.text.split("\n");
    // too long for colours: to look for them would take seconds
    const long = this.text.length > mostText || lines.some((line) => line.length > 4096);
    const colours = document.createDocumentFragment();
    for (const [kind, text] of long ? [["", this.text]] : this.highlighter.tokens(this.text))
      colours.append(kind ? make("span", { className: kind }, text) : text);
    element("colours").replaceChildren(colours, "\n");
    const count = lines.length;
    const gutter = document.createDocumentFragment();
    for (let i = 1; i <= count; i += 1) gutter.append(make("span", { textContent: i }));
    element("gutter").replaceChildren(gutter);
    element("marks").replaceChildren();
    this.area.rows = Math.min(Math.max(count + 1, 14), 34);
    this.scroll();
  }

  scroll() {
    const shift = "translate(" + -this.area.scrollLeft + "px," + -this.area.scrollTop + "px)";
    element("colours").style.transform = element("marks").style.transform = shift;
    element("gutter").style.transform = "translateY(" + -this.area.scrollTop + "px)";
  }

  // Lines that are lit, and wavy lines under what is wrong.
  mark(lit, diagnostics) {
    const place = (line, column, width, className) => {
      const mark = make("div", { className });
      mark.style.setProperty("--line", line - 1);
      mark.style.setProperty("--column", column - 1);
      if (width) mark.style.setProperty("--width", width);
      return mark;
    };
    const wrong = diagnostics.filter((d) => d.line).map((d) => {
      const end = d.end_line === d.line ? Math.max(d.end_column, d.column + 1) : d.column + 1;
      return place(d.line, d.column, end - d.column, "fault " + d.level);
    });
    element("marks").replaceChildren(...lit.filter(Boolean).map((line) => place(line, 1, 0, "lit")), ...wrong);
  }

  goTo(line, column) {
    const before = this.text.split("\n").slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    this.area.focus();
    this.area.setSelectionRange(before + column - 1, before + column - 1);
  }
}

// ---- an execution, step by step -------------------------------------------------------------------

class Player {
  constructor(lit) {
    this.lit = lit;
    const go = (id, where) => element(id).addEventListener("click", () => this.go(where(this.at)));
    go("first", () => 0);
    go("back", (at) => at - 1);
    go("forth", (at) => at + 1);
    go("last", () => this.steps.length);
    element("slider").addEventListener("input", (event) => this.go(Number(event.target.value)));
  }

  show(shown) {
    this.steps = shown.steps || [];
    this.cells = shown.cells || [];
    element("picture").innerHTML = shown.svg || "";
    element("words").textContent = [shown.text, ...(shown.stories || [])].filter(Boolean).join("\n");
    element("slider").max = this.steps.length;
    const row = (step, i) => {
      const button = make("button", { type: "button" }, make("b", {}, step.event), " ", step.words,
        make("span", { className: "who" }, step.thread + (step.line ? " line " + step.line : "") + (step.asynchronous ? ", asynchronous" : "")));
      button.addEventListener("click", () => this.go(i + 1));
      return make("li", { className: step.proxy + (step.asynchronous ? " asynchronous" : "") + (step.notes.length ? " noted" : "") }, button);
    };
    element("steps").replaceChildren(...this.steps.map(row));
    this.setUpEdges();
    this.go(this.steps.length, true);
  }

  setUpEdges() {
    const readout = element("readout");
    const silent = "Point at an edge, or go to it with the Tab key, to see what it means.";
    readout.textContent = silent;
    for (const edge of document.querySelectorAll("#picture .edge")) {
      const { relation, meaning, section, from, to } = edge.dataset;
      const text = meaning + (section ? " (ISA " + section + ")" : "");
      const say = () => readout.replaceChildren(make("b", {}, relation + "  " + from + " \u2192 " + to + ": "), text);
      if (edge.hasAttribute("tabindex")) {
        edge.setAttribute("role", "img");
        edge.setAttribute("aria-label", relation + " from " + from + " to " + to + ": " + text);
      }
      for (const kind of ["mouseenter", "focus", "click"]) edge.addEventListener(kind, say);
      for (const kind of ["mouseleave", "blur"]) edge.addEventListener(kind, () => { readout.textContent = silent; });
    }
  }

  // After so many steps: what happened is as it was, what is to come is faint.
  go(at, all = false) {
    this.at = Math.min(Math.max(at, 0), this.steps.length);
    const current = all ? null : this.steps[this.at - 1];
    const left = new Set(this.steps.slice(this.at).map((step) => step.event));
    for (const event of document.querySelectorAll("#picture .event[data-event]")) {
      event.classList.toggle("to-come", left.has(event.dataset.event));
      event.classList.toggle("now", Boolean(current) && current.event === event.dataset.event);
    }
    for (const card of document.querySelectorAll("#picture .card")) {
      const events = [...card.querySelectorAll(".event[data-event]")];
      card.classList.toggle("to-come", events.length > 0 && events.every((event) => left.has(event.dataset.event)));
    }
    this.bring(document.querySelector("#picture .now"));
    for (const edge of document.querySelectorAll("#picture .edge[data-from]"))
      edge.classList.toggle("to-come", left.has(edge.dataset.from) || left.has(edge.dataset.to));
    for (const state of document.querySelectorAll("#picture .state[data-event]"))
      state.classList.toggle("to-come", left.has(state.dataset.event));
    element("slider").value = this.at;
    element("slider").setAttribute("aria-valuetext", "step " + this.at + " of " + this.steps.length);
    for (const [id, off] of [["first", this.at === 0], ["back", this.at === 0], ["forth", this.at === this.steps.length], ["last", this.at === this.steps.length]])
      element(id).disabled = off;
    [...element("steps").children].forEach((row, i) => {
      row.classList.toggle("to-come", i >= this.at);
      if (!all && i === this.at - 1) row.setAttribute("aria-current", "step");
      else row.removeAttribute("aria-current");
    });
    this.tell(current, all);
    this.fill(current);
    this.lit(current ? [current.line] : []);
  }

  // Scrolls the picture, and not the page, to what happens now.
  bring(event) {
    if (!event) return;
    const canvas = element("picture"), frame = canvas.getBoundingClientRect(), box = event.getBoundingClientRect();
    const beyond = (low, high, least, most) => (low < least ? low - least - 40 : high > most ? high - most + 40 : 0);
    canvas.scrollBy(beyond(box.left, box.right, frame.left, frame.right), beyond(box.top, box.bottom, frame.top, frame.bottom));
  }

  tell(current, all) {
    const count = this.steps.length + (this.steps.length === 1 ? " step" : " steps");
    if (!current) {
      element("step").replaceChildren(all ? count + ". Go through them one by one." : "Before the first of " + count + ".");
      return;
    }
    element("step").replaceChildren(
      make("b", {}, "Step " + this.at + " of " + this.steps.length + ". "), current.thread + ": ", make("code", {}, current.text || current.words),
      ...current.notes.map((note) => make("span", { className: "note" }, "It " + note + ".")));
  }

  fill(current) {
    const holds = this.cells.map((cell) => cell.initial);
    for (const step of this.steps.slice(0, this.at)) if (step.change) holds[step.change.cell] = step.change.value;
    const row = (cell, i) => make("tr", { className: (cell.mbarrier ? "mbarrier " : "") + (current && current.change && current.change.cell === i ? "changed" : "") },
      make("th", { scope: "row" }, cell.name), make("td", {}, make("code", {}, holds[i])));
    element("memory").replaceChildren(...this.cells.map(row));
  }
}

// ---- a story of reasons ---------------------------------------------------------------------------

function storyOf(sentences) {
  return make("ul", {}, ...sentences.map((sentence) => {
    const row = make("li", {}, sentence.text);
    if (sentence.section) row.append(make("span", { className: "section" }, " ISA " + sentence.section));
    if (sentence.because.length) row.append(storyOf(sentence.because));
    return row;
  }));
}

function whyOf(explanation) {
  const parts = explanation.because.map((line) => make("p", {}, line));
  for (const one of explanation.cases)
    for (const way of one.ways)
      parts.push(make("p", { className: "axiom" }, "It would break ", make("b", {}, way.axiom), way.section ? " (ISA " + way.section + ")" : "", ": " + way.meaning),
        storyOf(way.story));
  return parts;
}
