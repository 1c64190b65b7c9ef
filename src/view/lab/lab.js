// The laboratory's page: an editor, and what the checker says of the test in it.
//
// The checker runs in a worker (worker.js), so that the page stays alive whatever a test asks of it: one that takes longer than the limit
// which the page shows is stopped with its worker, and another worker is started. Nothing is stored and nothing is sent: the test, the
// readings and the theme stand in the address behind the `#`.
"use strict";

// ---- the page -------------------------------------------------------------------------------------

const mostEnds = 64;  // final states that are listed

class Laboratory {
  constructor() {
    this.engine = new Engine();
    this.editor = new Editor(() => this.changed());
    this.player = new Player((lines) => this.editor.mark(lines, this.diagnostics || []));
    this.tests = JSON.parse(textOf("tests"));
    this.choices = address.read();
    this.reading = this.choices.reading || "";
    this.guessing = Boolean(this.choices.guess);
    this.run = 0;
    this.setUpTheme();
    this.setUpTools();
  }

  async start() {
    try {
      await this.open();
      await this.engine.start();
      this.readings = (await this.engine.ask({ ask: "readings" }, 10)).readings;
    } catch (error) {
      element("state").textContent = "The engine does not start in this browser: " + error.message;
      return;
    }
    await this.check();
  }

  get limit() { return Math.min(Math.max(Number(element("limit").value) || 5, 1), 120); }

  // ---- the test

  setUpTheme() {
    const names = { "": "Theme: as the system", light: "Theme: light", dark: "Theme: dark" };
    const order = Object.keys(names);
    const show = () => {
      const theme = this.choices.theme || "";
      if (theme) document.documentElement.dataset.theme = theme;
      else delete document.documentElement.dataset.theme;
      element("theme").textContent = names[theme] || names[""];
    };
    element("theme").addEventListener("click", () => {
      this.choices.theme = order[(order.indexOf(this.choices.theme || "") + 1) % order.length];
      show();
      this.keepChoices();
    });
    show();
  }

  keepChoices() {
    const { theme, packed, source, example } = this.choices;
    address.write({ example, packed, source, reading: this.reading, guess: this.guessing && "first", theme });
  }

  setUpTools() {
    const list = element("examples");
    for (const group of new Set(this.tests.map((test) => test.group)))
      list.append(make("optgroup", { label: group }, ...this.tests.filter((test) => test.group === group).map((test) => make("option", { value: test.name }, test.name))));
    list.append(make("option", { value: "", hidden: true }, "your own"));
    list.addEventListener("change", () => this.show(list.value));
    element("link").addEventListener("click", () => this.copyLink());
    element("guess").addEventListener("click", () => { this.guessing = !this.guessing; this.keepChoices(); this.list(); });
    element("limit").addEventListener("change", () => this.check());
    window.addEventListener("hashchange", async () => {
      this.choices = address.read();
      this.reading = this.choices.reading || "";
      this.guessing = Boolean(this.choices.guess);
      await this.open();
      await this.check();
    });
  }

  // The test of the address; else the first.
  async open() {
    let text = null;
    try {
      text = await address.unpack(this.choices);
    } catch (error) {
      text = "// The address holds no test that can be read: " + error.message + "\n";
    }
    const example = this.tests.find((test) => test.name === this.choices.example) || this.tests[0];
    element("examples").value = text === null ? example.name : "";
    this.editor.text = text === null ? example.text : text;
  }

  show(name) {
    Object.assign(this.choices, { example: name, packed: "", source: "" });
    this.reading = "";
    this.keepChoices();
    this.editor.text = this.tests.find((test) => test.name === name).text;
    this.check();
  }

  changed() {
    element("examples").value = "";
    Object.assign(this.choices, { example: "", packed: "", source: "" });
    clearTimeout(this.pause);
    this.pause = setTimeout(() => this.check(), 60);
  }

  async copyLink() {
    if (this.editor.text.length > mostText) {
      element("link").textContent = "Too long for a link";
      return;
    }
    if (!this.choices.example) this.choices.packed = await address.pack(this.editor.text);
    this.keepChoices();
    let told = "Copied";
    try {
      await navigator.clipboard.writeText(location.href);
    } catch (error) {
      told = "It is in the address bar";
    }
    element("link").textContent = told;
    setTimeout(() => { element("link").textContent = "Copy link"; }, 2000);
  }

  // ---- what the engine says

  async check() {
    this.run += 1;
    const run = this.run;
    // what is asked about an older text is of no interest any more
    if (this.engine.busy) this.engine.restart();
    const slow = setTimeout(() => this.say("Checking; it is stopped after " + this.limit + " s."), 250);
    const begin = performance.now();
    try {
      const checked = await this.engine.ask(this.question(), this.limit);
      const conceivable = checked.result && checked.outcomes ? await this.engine.ask({ ask: "conceivable", most: mostEnds }, this.limit) : null;
      if (run !== this.run) return;
      this.take(checked, conceivable, performance.now() - begin);
    } catch (error) {
      if (run !== this.run) return;
      if (!(error instanceof Stopped)) throw error;
      this.tooLarge();
    } finally {
      clearTimeout(slow);
    }
  }

  question() { return { ask: "check", text: this.editor.text, reading: this.reading }; }

  say(text, kind = "") {
    element("state").textContent = text;
    element("state").className = "state " + kind;
  }

  tooLarge() {
    this.forget();
    this.say("Stopped: this test is too large for the page within " + this.limit + " s. Save it as test.litmus; on the command line, "
      + "litmus check test.litmus takes all the time that it needs.", "stopped");
  }

  forget() {
    element("findings").hidden = element("execution").hidden = true;
    this.diagnostics = [];
    element("diagnostics").replaceChildren();
    this.editor.mark([], []);
  }

  take(checked, conceivable, milliseconds) {
    if (checked.error && checked.too_large) return this.tooLarge();
    this.forget();
    this.diagnostics = checked.diagnostics || [];
    element("diagnostics").replaceChildren(...this.diagnostics.map((diagnostic) => this.diagnosticRow(diagnostic)));
    this.editor.mark([], this.diagnostics);
    if (!checked.result) {
      const count = this.diagnostics.length;
      const broken = checked.error ? "The engine failed: " + checked.error : "This is no test yet: " + (count === 1 ? "1 error" : count + " errors") + ".";
      return this.say(broken, "stopped");
    }
    this.checked = checked;
    this.conceivable = conceivable;
    const several = checked.tests.length > 1 ? " The first of " + checked.tests.length + " tests is checked." : "";
    this.say("Checked in " + Math.max(1, Math.round(milliseconds)) + " ms." + several);
    element("findings").hidden = false;
    this.showVerdict();
    this.showReadings();
    this.list();
  }

  diagnosticRow(diagnostic) {
    const row = make("pre", { className: "diagnostic " + diagnostic.level, tabIndex: 0 }, diagnostic.rendered);
    if (diagnostic.line) row.addEventListener("click", () => this.editor.goTo(diagnostic.line, diagnostic.column));
    return row;
  }

  showVerdict() {
    const { result } = this.checked;
    const names = { ok: "Ok", no: "No", "may-deadlock": "May deadlock" };
    const verdict = names[result.verdict] || result.verdict[0].toUpperCase() + result.verdict.slice(1);
    const line = make("p", { className: "verdict " + result.verdict }, make("strong", {}, verdict));
    if (result.claim.kind !== "none") line.append(" ", make("span", { className: "label" }, "claimed:"), " ", make("code", {}, result.claim.text));
    const rests = (result.rests_on || []).map((set) => set.join(", ")).join(" or ");
    const notes = result.notes.map((note) => make("p", { className: "base" }, note));
    if (rests) notes.push(make("p", { className: "base" }, "This rests on a reading of the ISA: " + rests + "."));
    if (result.partial) notes.push(make("p", { className: "base" }, "The time was over before all was known: litmus check FILE on the command line takes the time that it needs."));
    element("verdict").replaceChildren(line, ...notes);
  }

  // All ends that one could think of, and which of them the model allows.
  ends() {
    const { outcomes, result } = this.checked;
    const allowed = outcomes.map((outcome, i) => ({ text: outcome.text, satisfies: outcome.satisfies, number: i, allowed: true }));
    const all = this.conceivable;
    if (!all || !all.outcomes || !result.complete) return allowed;
    const known = new Map(allowed.map((end) => [end.text, end]));
    const forbidden = all.outcomes.filter((end) => !known.has(end.text)).map((end) => ({ text: end.text, allowed: false }));
    return [...allowed, ...forbidden].sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
  }

  list() {
    const ends = this.ends();
    document.body.classList.toggle("guessing", this.guessing);
    element("guess").setAttribute("aria-pressed", String(this.guessing));
    element("score").textContent = "";
    element("ends").replaceChildren(...ends.map((end) => (this.guessing ? this.guessRow(end) : this.endRow(end))));
    element("ends-note").textContent = this.endsNote(ends);
    this.guesses = new Map();
    if (this.guessing && ends.length) {
      this.reveal = make("button", { type: "button", disabled: true }, "Reveal");
      this.reveal.addEventListener("click", () => this.tellScore(ends));
      element("ends").append(make("li", { className: "reveal" }, this.reveal));
    }
    const { hazards } = this.checked;
    element("hazards-section").hidden = hazards.length === 0;
    element("hazards").replaceChildren(...hazards.map((hazard, i) => this.hazardRow(hazard, i)));
    this.chooseFirst(ends);
  }

  endsNote(ends) {
    const { result } = this.checked;
    if (result.never_ends) return "No execution ends.";
    if (!result.complete) return (ends.length ? "There may be more: not all" : "None") + " were found within the limits of the page.";
    if (!ends.length) return "No execution ends in a way that the test asks about.";
    if (!this.conceivable.complete) return "Forbidden ends are not all listed: there are more than " + mostEnds + ".";
    if (this.guessing) return "Which of these can be? Guess all of them, then look.";
    return "";
  }

  endRow(end) {
    const button = make("button", { type: "button", className: "end " + (end.allowed ? "allowed" : "forbidden") },
      make("span", { className: "standing" }, end.allowed ? "can be" : "cannot be"), make("code", {}, end.text.trim() || "(ends)"));
    if (end.satisfies) button.append(make("span", { className: "mark" }, "asked about"));
    const change = this.changeOf(end);
    if (change) button.append(make("span", { className: "mark change" }, change));
    button.addEventListener("click", () => this.choose(button, () => (end.allowed ? this.showOutcome(end) : this.explain(end))));
    return make("li", {}, button);
  }

  hazardRow(hazard, number) {
    const words = { undefined: "undefined", blocked: "stuck", race: "data race", flag: "flag" };
    const button = make("button", { type: "button", className: "end hazard" },
      make("span", { className: "standing" }, words[hazard.kind]), make("code", {}, hazard.title));
    button.addEventListener("click", () => this.choose(button, async () => {
      this.showExecution(await this.engine.ask({ ask: "show", hazard: number }, this.limit),
        words[hazard.kind] + ": " + hazard.title, hazard.lines.map((line) => make("p", {}, line)));
    }));
    return make("li", {}, button);
  }

  guessRow(end) {
    const group = make("div", { className: "guess" });
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", "Can it end with " + end.text + "?");
    for (const word of ["can be", "cannot be"]) {
      const button = make("button", { type: "button" }, word);
      button.setAttribute("aria-pressed", "false");
      button.addEventListener("click", () => {
        for (const other of group.children) other.setAttribute("aria-pressed", String(other === button));
        this.guesses.set(end.text, word === "can be");
        this.reveal.disabled = this.guesses.size < element("ends").children.length - 1;
      });
      group.append(button);
    }
    return make("li", { className: "asked" }, make("code", {}, end.text.trim()), group);
  }

  tellScore(ends) {
    const guesses = this.guesses;
    this.guessing = false;
    this.list();
    let right = 0;
    ends.forEach((end, i) => {
      const good = guesses.get(end.text) === end.allowed;
      if (good) right += 1;
      element("ends").children[i].classList.add(good ? "right" : "wrong");
    });
    element("score").textContent = "You were right about " + right + " of " + ends.length + ".";
    element("score").focus();
    this.keepChoices();
  }

  // ---- one of them

  // What decides the verdict is shown first.
  chooseFirst(ends) {
    if (this.guessing) return;
    const rows = [...element("ends").querySelectorAll("button.end")];
    const wanted = this.checked.result.verdict;
    const bad = ["undefined", "deadlock", "may-deadlock", "race"].includes(wanted) && element("hazards").querySelector("button");
    const satisfying = rows[ends.findIndex((end) => end.satisfies)];
    const forbidden = rows[ends.findIndex((end) => !end.allowed)];
    const first = bad || satisfying || forbidden || rows[0] || element("hazards").querySelector("button");
    if (first) first.click();
  }

  async choose(button, act) {
    for (const other of document.querySelectorAll("button.end")) other.removeAttribute("aria-current");
    button.setAttribute("aria-current", "true");
    const run = this.run;
    try {
      await act();
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      if (run !== this.run) return;
      element("execution").hidden = true;
      this.say("Stopped: this takes longer than " + this.limit + " s. litmus explain FILE on the command line has the time.", "stopped");
      await this.engine.ask(this.question(), this.limit).catch(() => {});  // the new worker knows the test, too
    }
  }

  async showOutcome(end) {
    this.showExecution(await this.engine.ask({ ask: "show", outcome: end.number }, this.limit), "How it ends with " + end.text, []);
  }

  async explain(end) {
    const explanation = await this.engine.ask({ ask: "explain", outcome: end.text }, this.limit);
    if (explanation.error) return this.showExecution({}, "Why it cannot end with " + end.text, [make("p", {}, explanation.error)]);
    this.showExecution(explanation, "Why it cannot end with " + end.text, whyOf(explanation));
  }

  showExecution(shown, title, why) {
    element("execution").hidden = false;
    element("execution-title").textContent = title;
    element("why").replaceChildren(...why);
    element("story").hidden = !(shown.steps && shown.steps.length);
    this.player.show(shown);
  }

  // ---- readings

  // Those that matter for the verdict come first.
  showReadings() {
    const { result } = this.checked;
    const matters = new Set((result.depends || []).flat());
    const base = ["weakest", "default", "strongest"].find((name) => this.reading.split(",")[0] === name) || "default";
    const bases = make("div", { className: "bases", role: "group" });
    bases.setAttribute("aria-label", "Where the ISA leaves a question open, it is read as");
    for (const name of ["weakest", "default", "strongest"]) {
      const button = make("button", { type: "button" }, name);
      const verdict = result.verdicts && result.verdicts[name];
      if (verdict) button.append(make("span", { className: "v " + verdict }, " " + verdict));
      button.setAttribute("aria-pressed", String(name === base && !this.reading.includes(",")));
      button.addEventListener("click", () => this.read(name === "default" ? "" : name));
      bases.append(button);
    }
    const rows = (list) => make("ul", { className: "choices" }, ...list.map((reading) => this.readingRow(reading, base)));
    const first = this.readings.filter((reading) => matters.has(reading.name)), rest = this.readings.filter((reading) => !matters.has(reading.name));
    const same = result.depends ? "Whichever way the ISA is read, the verdict is the same." : "Whether the verdict depends on them was not found out in time.";
    const intro = first.length ? "The verdict depends on these:" : same;
    element("readings").replaceChildren(bases, make("p", { className: "base" }, intro), rows(first),
      make("details", {}, make("summary", {}, first.length ? "All others" : "All readings"), rows(rest)));
  }

  isOn(reading, base) {
    const words = this.reading.split(",");
    if (words.includes("-" + reading.name)) return false;
    if (words.includes(reading.name)) return true;
    const order = ["weakest", "default", "strongest"];
    return order.indexOf(reading.base) <= order.indexOf(base);
  }

  readingRow(reading, base) {
    const box = make("input", { type: "checkbox", checked: this.isOn(reading, base), id: "reading-" + reading.name });
    box.addEventListener("change", () => {
      const changes = this.reading.split(",").filter((word) => word && word !== base && word.replace(/^-/, "") !== reading.name);
      const usual = ["weakest", "default", "strongest"].indexOf(reading.base) <= ["weakest", "default", "strongest"].indexOf(base);
      if (box.checked !== usual) changes.push((box.checked ? "" : "-") + reading.name);
      this.read([...(base === "default" ? [] : [base]), ...changes].join(","));
    });
    const refuted = reading.refuted.length ? make("span", { className: "refuted" }, " refuted on " + reading.refuted.join(", ")) : "";
    return make("li", {}, box, make("label", { htmlFor: box.id }, make("b", {}, reading.name), refuted, " " + reading.meaning));
  }

  // Checks under another set of readings; ends that come or go are marked.
  read(reading) {
    if (this.reading === "" || !this.usual || this.usual.text !== this.editor.text)
      this.usual = { text: this.editor.text, allowed: new Set(this.checked.outcomes.map((outcome) => outcome.text)) };
    const open = document.activeElement && document.activeElement.id;
    this.reading = reading;
    this.keepChoices();
    this.check().then(() => open && element(open) && element(open).focus());
  }

  changeOf(end) {
    if (!this.reading || !this.usual || this.usual.text !== this.editor.text) return "";
    const before = this.usual.allowed.has(end.text);
    if (before === end.allowed) return "";
    return end.allowed ? "not under the default" : "gone under these readings";
  }
}

new Laboratory().start();
