// What a page does beyond showing its text: themes, the meaning of an edge that is pointed at, guessing before looking, and the search of
// the index, printing a lesson. Nothing is sent: what a reader chose stands in the address behind the `#` and goes along with every
// link inside the site, as in `index.html#words=fence&theme=dark`. One thing is stored, by the reader's browser: which lessons he has
// done. Without this script every page is readable, and every link works.
"use strict";

// ---- the address: a place on the page, then choices ----------------------------------------------

const choices = new Map();
let place = "";

// What a percent sign does not escape stays as it is.
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    return text;
  }
}

function readAddress() {
  choices.clear();
  place = "";
  for (const part of location.hash.slice(1).split("&")) {
    const at = part.indexOf("=");
    if (at > 0) choices.set(part.slice(0, at), decoded(part.slice(at + 1)));
    else if (part) place = decoded(part);
  }
}

function fragment(target, names) {
  const parts = target ? [encodeURIComponent(target)] : [];
  for (const name of names) if (choices.has(name)) parts.push(name + "=" + encodeURIComponent(choices.get(name)));
  return parts.length ? "#" + parts.join("&") : "";
}

// Puts a choice into the address; an empty one goes.
function choose(name, value) {
  if (value) choices.set(name, value);
  else choices.delete(name);
  const kept = fragment(place, [...choices.keys()]);
  history.replaceState(null, "", kept || location.pathname + location.search);
  tellLinks();
}

// The choices that hold on every page go along with its links.
const everywhere = ["theme", "guess"];

function tellLinks() {
  for (const link of document.querySelectorAll('a[href]:not([href^="#"])')) {
    const [page, target] = link.getAttribute("href").split("#");
    if (target && target.startsWith("source=")) continue;  // a test, for the laboratory
    const [inside] = (target || "").split("&");
    link.setAttribute("href", page + fragment(decoded(inside.includes("=") ? "" : inside), everywhere));
  }
}

// A link to a place on the same page loses no choice.
function goWithin(event) {
  const link = event.target.closest && event.target.closest('a[href^="#"]');
  if (!link) return;
  event.preventDefault();
  const target = link.getAttribute("href").slice(1);
  if (target.includes("=")) {  // what to search for: in place of what was searched
    location.hash = target + fragment("", everywhere).replace("#", "&");
    return;
  }
  place = decoded(target);
  history.pushState(null, "", fragment(place, [...choices.keys()]));
  goToPlace();
}

function goToPlace() {
  const there = place && document.getElementById(place);
  if (!there) return;
  const closed = there.closest("details");
  if (closed) closed.open = true;
  there.scrollIntoView();
  if (there.tabIndex >= -1) there.focus({ preventScroll: true });
}

// ---- light and dark -------------------------------------------------------------------------------

function setUpTheme() {
  const button = document.getElementById("theme");
  const names = { "": "Theme: auto", light: "Theme: light", dark: "Theme: dark" };
  const order = ["", "light", "dark"];
  const show = () => {
    const theme = choices.get("theme") || "";
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    button.textContent = names[theme] || names[""];
  };
  button.hidden = false;
  button.addEventListener("click", () => {
    const now = order.indexOf(choices.get("theme") || "");
    choose("theme", order[(now + 1) % order.length]);
    show();
  });
  window.addEventListener("hashchange", show);
  show();
}

// ---- pictures: how large they are -----------------------------------------------------------------

// A picture is as wide as there is room. Where that makes it too small to read, a button gives it its own size, in which it scrolls.
function setUpSize(figure) {
  const canvas = figure.querySelector(".canvas"), svg = canvas.querySelector("svg");
  const own = parseFloat(getComputedStyle(figure).getPropertyValue("--width"));
  const button = document.createElement("button");
  button.type = "button";
  button.className = "size";
  const show = () => {
    const large = canvas.classList.contains("large");
    button.textContent = large ? "Fit to the page" : "Full size";
    const shown = svg.getBoundingClientRect().width;
    button.hidden = !large && (shown === 0 || shown >= 0.68 * own);
  };
  button.addEventListener("click", () => {
    canvas.classList.toggle("large");
    show();
  });
  canvas.after(button);
  new ResizeObserver(show).observe(canvas);  // it is closed at first, or its window changes
  show();
}

// ---- pictures: what an edge means -----------------------------------------------------------------

function setUpFigure(figure) {
  setUpSize(figure);
  const readout = figure.querySelector(".readout");
  const silent = readout.textContent;
  const nodes = new Map();
  for (const event of figure.querySelectorAll(".event")) nodes.set(event.dataset.event, event);

  const source = document.querySelector(".test .source");
  const light = (events) => {
    for (const line of document.querySelectorAll(".source .lit")) line.classList.remove("lit");
    for (const event of figure.querySelectorAll(".event.lit")) event.classList.remove("lit");
    for (const event of events) {
      event.classList.add("lit");
      const line = source && source.querySelector(`[data-line="${event.dataset.line}"]`);
      if (line) line.classList.add("lit");
    }
  };
  const say = (head, text, events) => {
    readout.classList.add("says");
    readout.replaceChildren();
    const strong = document.createElement("b");
    strong.textContent = head;
    readout.append(strong, " " + text);
    light(events);
  };
  const hush = () => {
    readout.classList.remove("says");
    readout.textContent = silent;
    light([]);
  };

  for (const edge of figure.querySelectorAll(".edge[data-relation]")) {
    const { relation, meaning, section, from, to } = edge.dataset;
    const text = meaning + (section ? " (ISA " + section + ")" : "");
    const show = () => say(relation + "  " + from + " \u2192 " + to + ":", text, [nodes.get(from), nodes.get(to)].filter(Boolean));
    for (const kind of ["mouseenter", "focus", "click"]) edge.addEventListener(kind, show);
    for (const kind of ["mouseleave", "blur"]) edge.addEventListener(kind, hush);
  }
  for (const event of nodes.values()) {
    event.addEventListener("mouseenter", () => light([event]));
    event.addEventListener("mouseleave", () => light([]));
  }
}

// ---- guess first ----------------------------------------------------------------------------------

// "can be" and "cannot be", of which one is chosen; `choose` is told whether it is the first.
function guessButtons(what, choose) {
  const box = document.createElement("span");
  box.className = "guess";
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", "Can this be? " + what);
  for (const word of ["can be", "cannot be"]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = word;
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      for (const other of box.children) other.setAttribute("aria-pressed", String(other === button));
      choose(word === "can be");
    });
    box.append(button);
  }
  return box;
}

class Guessing {
  constructor(button) {
    this.button = button;
    this.outcomes = [...document.querySelectorAll(".outcome")];
    this.open = this.outcomes.map((outcome) => outcome.open);
    button.hidden = false;
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      choose("guess", choices.has("guess") ? "" : "first");
      this.show();
    });
    this.show();
  }

  show() {
    const on = choices.has("guess");
    this.button.setAttribute("aria-pressed", String(on));
    this.clear();
    document.body.classList.toggle("guessing", on);
    if (on) this.ask();
  }

  clear() {
    for (const made of document.querySelectorAll(".guesses, .score")) made.remove();
    this.outcomes.forEach((outcome, i) => {
      outcome.classList.remove("right", "wrong");
      outcome.open = this.open[i];
      outcome.hidden = false;
    });
  }

  // In the place of the outcomes stands a list of them, to choose in.
  ask() {
    this.guesses = new Map();
    const box = document.createElement("div");
    box.className = "guesses";
    const list = document.createElement("ul");
    list.className = "predict";
    const reveal = document.createElement("button");
    for (const outcome of this.outcomes) {
      const row = document.createElement("li");
      const name = document.createElement("code");
      name.textContent = outcome.querySelector(".values").textContent.trim();
      row.append(name, guessButtons(name.textContent, (can) => {
        this.guesses.set(outcome, can);
        reveal.disabled = this.guesses.size < this.outcomes.length;
      }));
      list.append(row);
      outcome.hidden = true;
    }
    reveal.type = "button";
    reveal.className = "reveal";
    reveal.textContent = "Reveal";
    reveal.disabled = true;
    reveal.addEventListener("click", () => this.tell());
    box.append(list, reveal);
    this.outcomes[0].before(box);
  }

  tell() {
    let right = 0;
    this.clear();
    for (const [outcome, can] of this.guesses) {
      const so = can === (outcome.dataset.standing !== "forbidden");
      outcome.classList.add(so ? "right" : "wrong");
      if (so) right += 1;
    }
    document.body.classList.remove("guessing");
    const score = document.createElement("p");
    score.className = "score";
    score.setAttribute("role", "status");
    score.tabIndex = -1;
    score.textContent = "You were right about " + right + " of " + this.outcomes.length + ".";
    document.querySelector(".outcomes .title").after(score);
    score.focus();
  }
}

// ---- a question of a lesson -----------------------------------------------------------------------

class Prediction {
  constructor(list) {
    this.list = list;
    this.rows = [...list.children];
    this.guesses = new Map();
    this.answer = document.querySelector("details.answer");
    for (const row of this.rows) {
      const buttons = guessButtons(row.textContent.trim(), (can) => {
        this.guesses.set(row, can);
        this.reveal.disabled = this.guesses.size < this.rows.length;
      });
      row.append(" ", buttons);
    }
    this.reveal = document.createElement("button");
    this.reveal.type = "button";
    this.reveal.className = "reveal";
    this.reveal.textContent = "Was I right?";
    this.reveal.disabled = true;
    this.reveal.addEventListener("click", () => this.tell());
    list.after(this.reveal);
  }

  tell() {
    let right = 0;
    for (const [row, can] of this.guesses) {
      const so = can === (row.dataset.can === "yes");
      row.classList.remove("right", "wrong");
      row.classList.add(so ? "right" : "wrong");
      if (so) right += 1;
    }
    const score = this.list.parentElement.querySelector(".score") || document.createElement("p");
    score.className = "score";
    score.setAttribute("role", "status");
    score.textContent = "You were right about " + right + " of " + this.rows.length + ".";
    this.reveal.after(score);
    this.answer.open = true;
  }
}

// ---- lessons: which are done, and how they are printed ---------------------------------------------

// The names of the lessons that are done, in the reader's browser. Where that keeps nothing (a private window, a browser that forbids
// it to files), none is done.
const doneLessons = {
  key: "litmus.lessons",
  read() {
    try {
      const names = JSON.parse(localStorage.getItem(this.key));
      return Array.isArray(names) ? names : [];
    } catch (error) {
      return [];
    }
  },
  write(names) {
    try {
      if (names.length) localStorage.setItem(this.key, JSON.stringify(names));
      else localStorage.removeItem(this.key);
    } catch (error) {
      // it is not remembered, and nothing else is lost
    }
  },
};

// A lesson is done when its answer has been opened. A printer opens it, too, and does no lesson.
let printing = false;

function setUpLesson(article) {
  const answer = article.querySelector("details.answer");
  answer.addEventListener("toggle", () => {
    const names = doneLessons.read(), name = article.dataset.lesson;
    if (answer.open && !printing && !names.includes(name)) doneLessons.write([...names, name]);
  });
  const copy = document.getElementById("copy");
  copy.closest("p").hidden = false;
  copy.addEventListener("change", () => document.body.classList.toggle("teacher", copy.value === "teacher"));
  document.getElementById("print").addEventListener("click", () => window.print());
}

function setUpLessons(list) {
  const forget = document.createElement("button");
  forget.type = "button";
  forget.textContent = "Forget what I have done";
  forget.addEventListener("click", () => {
    doneLessons.write([]);
    show();
  });
  const show = () => {
    const names = doneLessons.read();
    for (const mark of list.querySelectorAll(".done")) mark.remove();
    for (const row of list.children) {
      if (!names.includes(row.dataset.lesson)) continue;
      const mark = document.createElement("span");
      mark.className = "done";
      mark.textContent = "\u2713 done";
      row.querySelector("a").after(" ", mark);
    }
    forget.hidden = names.length === 0;
  };
  list.after(forget);
  show();
}

// Paper has everything open; afterwards what was closed is closed again.
function setUpPaper() {
  let opened = [];
  window.addEventListener("beforeprint", () => {
    printing = true;
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const closed of opened) closed.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const closed of opened) closed.open = false;
    opened = [];
    setTimeout(() => { printing = false; });  // behind the events of opening
  });
}

// ---- the index ------------------------------------------------------------------------------------

class Search {
  constructor(form) {
    this.form = form;
    this.fields = ["words", "topic", "instruction", "program", "verdict"].map((id) => document.getElementById(id));
    this.boxes = ["rests", "observed"].map((id) => document.getElementById(id));
    this.found = document.getElementById("found");
    this.topics = [...document.querySelectorAll(".topic")].map((section) => ({
      section,
      name: section.dataset.topic,
      rows: [...section.querySelectorAll("li")].map((row) => ({
        row,
        text: (section.dataset.topic + " " + row.textContent).toLowerCase(),
        marks: row.dataset.m || "",
        instructions: " " + (row.dataset.i || "") + " ",
      })),
    }));
    this.lists = [".questions", ".cuda"].map((list) => ({
      section: document.querySelector(list),
      groups: [...document.querySelectorAll(list + " details")],
      rows: [...document.querySelectorAll(list + " li")].map((row) => ({ row, text: row.textContent.toLowerCase(), name: (row.dataset.n || "").toLowerCase() })),
    }));
    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => this.changed());
    form.addEventListener("reset", () => setTimeout(() => this.changed()));
    window.addEventListener("hashchange", () => this.read());
    document.addEventListener("keydown", (event) => this.key(event));
    this.read();
  }

  read() {
    for (const field of this.fields) field.value = choices.get(field.id) || "";
    for (const box of this.boxes) box.checked = choices.has(box.id);
    this.filter();
  }

  changed() {
    for (const field of this.fields) choose(field.id, field.value);
    for (const box of this.boxes) choose(box.id, box.checked ? "yes" : "");
    this.filter();
  }

  filter() {
    const [words, topic, instruction, program, verdict] = this.fields.map((field) => field.value);
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    const number = instruction ? " " + (this.fields[2].selectedIndex - 1) + " " : "";
    const marks = [this.boxes[0].checked ? "r" : "", this.boxes[1].checked ? "o" : ""].filter(Boolean);
    const has = (text) => wanted.every((word) => text.includes(word));
    const narrowed = topic || number || program || verdict || marks.length > 0;
    const [asked, named] = this.lists.map(({ section, groups, rows }) => {
      let left = 0;
      for (const { row, text } of rows) {
        row.hidden = narrowed || !has(text);
        if (!row.hidden) left += 1;
      }
      for (const group of groups) {
        group.hidden = !group.querySelector("li:not([hidden])");
        if (group.closest(".cuda")) group.open = wanted.length > 0;
      }
      if (section) section.hidden = left === 0;
      return left;
    });
    // A name of CUDA (`__syncthreads()`, `memcpy_async`) stands for the PTX of its lines, beside the tests that have the word. So do words
    // that no test has.
    const called = wanted.map((word) => word.replace(/\(.*$/, ""));
    const isCalled = (name) => called.length === 1 && called[0] !== "" && [name, name.replace(/^.*::|^.*\.|^_+/, "")].includes(called[0]);
    const none = !this.topics.some(({ rows }) => rows.some(({ text }) => has(text)));
    const inPtx = this.lists[1].rows.filter(({ text, name }) => isCalled(name) || (none && has(text))).map(({ row }) => row.dataset.i.split(" "));
    const says = ({ text, instructions }) => has(text) || inPtx.some((line) => line.every((one) => instructions.includes(" " + one + " ")));
    let count = 0;
    for (const { section, name, rows } of this.topics) {
      let here = 0;
      for (const test of rows) {
        const shown = (!topic || name === topic) && (!number || test.instructions.includes(number)) &&
          (!program || test.row.dataset.p === program) && (!verdict || (test.row.dataset.v || "ok") === verdict) && marks.every((mark) => test.marks.includes(mark)) && says(test);
        test.row.hidden = !shown;
        if (shown) here += 1;
      }
      section.hidden = here === 0;
      count += here;
    }
    const tests = count === 1 ? "1 test" : count + " tests";
    const questions = asked === 1 ? "1 question" : asked + " questions";
    const lines = named === 1 ? "1 line of CUDA" : named + " lines of CUDA";
    this.found.textContent = tests + (asked > 0 ? ", " + questions : "") + (named > 0 && wanted.length > 0 ? ", " + lines : "");
  }

  // `/` goes to the search, the arrows through what it leaves, Escape back.
  key(event) {
    const words = this.fields[0];
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      words.focus();
      words.select();
      return;
    }
    if (event.key === "Escape" && !typing) return words.focus();
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    if (typing && event.target !== words) return;
    const links = [...document.querySelectorAll(".questions li:not([hidden]) a, .cuda li:not([hidden]) a, .topic li:not([hidden]) a")].filter((link) => link.offsetParent);
    const at = links.indexOf(document.activeElement);
    if (at < 0 && event.target !== words) return;
    event.preventDefault();
    const next = event.key === "ArrowDown" ? at + 1 : at - 1;
    if (next < 0) words.focus();
    else if (next < links.length) links[next].focus();
  }
}

// ---- all of it ------------------------------------------------------------------------------------

readAddress();
window.addEventListener("hashchange", () => {
  readAddress();
  tellLinks();
  goToPlace();
});
document.addEventListener("click", goWithin);
setUpTheme();
for (const figure of document.querySelectorAll("figure.execution")) setUpFigure(figure);
const guess = document.getElementById("guess");
if (guess && document.querySelector(".outcome")) {
  const guessing = new Guessing(guess);
  window.addEventListener("hashchange", () => guessing.show());
}
for (const list of document.querySelectorAll(".predict")) new Prediction(list);
const form = document.getElementById("search");
if (form) new Search(form);
for (const article of document.querySelectorAll("article[data-lesson]")) setUpLesson(article);
for (const list of document.querySelectorAll("ol.lessons")) setUpLessons(list);
setUpPaper();
tellLinks();
goToPlace();
