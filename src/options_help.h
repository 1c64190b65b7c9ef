// What `--help` says below the options: examples, and what a command reads, writes and returns.
#pragma once

namespace litmus {

inline constexpr const char* main_footer = R"(
Examples:
  litmus check litmus/classic             every test of a directory, as a table
  litmus check mp.litmus --model tso      one test under another model
  litmus outcomes mp.litmus               all it can end with
  litmus show mp.litmus --svg > mp.svg
  litmus explain mp.litmus                why its outcome cannot happen, or how it can
  litmus repair mp.litmus                 which line to add, as a patch
  litmus weaken mp.litmus                 which lines may go
  litmus conform observed.json            what GPUs did against what the model allows
  litmus compare --model ptx --model ptx-7.5 litmus/classic
  litmus regress litmus                   what changed since the baseline was written
  litmus gen --family fence -o tests      tests with fences, from cycles of edges
  litmus report litmus -o site            a page for each test, to open in a browser
  litmus quiz                             what can these programs do? a course from the beginning
  litmus from-ptx k.ptx --grid 2 --block 64 --arg a=s32[128] --check       is there a race in this kernel?
  litmus COMMAND --help                   options and examples of one command

Exit status:
  0   every claim holds
  1   some claim does not, or undefined behaviour, a deadlock or a possible hang came up unclaimed
  2   bad usage or input (file:line:col on standard error), or output that cannot be written
  3   unknown: a time-out or a loop bound left some claim undecided
  70  an internal error; please report it
  130 interrupted (128 and the number of the signal)
  Of several, 70 comes before 2, 2 before 1, 1 before 3, 3 before 0.

Environment:
  NO_COLOR  no colour, whatever its value (colour is used on terminals only)
  COLUMNS   width of tables, where the terminal does not tell
)";

inline constexpr const char* check_footer = R"(
Reads .litmus and .test files (the DSL, herd's columns, the mixed-proxy braces: told by their first
line), walks directories in sorted order, and reads standard input for "-".
One test prints its states as herd does; several print a table. JSON prints one object a line.
A test claims what its condition says, and `racefree`, `undefined`, `deadlock` (no execution terminates),
`may-deadlock` (some execution gets stuck) or `terminates` (none does). Undefined behaviour, a deadlock
or a possible hang that it does not claim is its verdict; with --strict a data race, too.
The verdict says what it rests on: of "Ok by default, No under weakest: rests on fence-cta", the reading
fence-cta of the ISA is on by default, and without it the claim fails (`litmus models` has the readings).

Files are read when their turn comes, and results printed in that order, however many there are. --shard 2/4 takes a fourth of the files;
`litmus merge` puts the results of all four together. Where --shard is not given, TEST_TOTAL_SHARDS, TEST_SHARD_INDEX and
TEST_SHARD_STATUS_FILE do it, as build systems set them; JUnit XML goes to XML_OUTPUT_FILE beside what is printed.
With --compiled the verdict is that of what ptxas makes of each test (`litmus compiled`), the worst of all settings; it says what was changed.
What cannot be read of the code is undecided.

Examples:
  litmus check mp.litmus
  litmus check litmus --format json -j 4 > results.jsonl
  litmus check litmus --format json --resume results.jsonl > /dev/null     again, when it was killed
  litmus check litmus --cache ~/.cache/litmus --format junit > results.xml
  litmus check sb.litmus --model model/ptx-6.0.cat --max-outcomes 16
  litmus check mp.litmus --compiled -O 3 --target sm_90a    of what ptxas makes of it
  cat mp.litmus | litmus check -

Exit status: 0 all claims hold; 1 some does not, or something came up unclaimed; 2 bad input;
3 undecided (2 before 1 before 3).
)";

inline constexpr const char* report_footer = R"(
Writes index.html with search, filters and questions, a page for each test under tests/, and readings.html. Nothing in them needs a network
or a server: open DIR/index.html. The folder is made beside its place and put there when it is whole. One that holds other files is refused;
one that an earlier report wrote is replaced. The same tests give the same bytes.
A page has the test's source, its verdict and what it rests on, every outcome with a picture of an execution, or with the reason why it
cannot be, how often each GPU showed it, what else can come up, and the repair. A file that does not parse has a page with its errors.
Questions come from the file questions.md beside the tests or above, where there is one (src/view/page/questions.h says how it is written).
With --timeout S each step of a test (the check, the reasons, the readings, what is missing) gets S seconds.
With --lab there is laboratory.html, too: an editor with the checker in the page itself, for changing a test, stepping through an execution
and switching readings; each page of a test leads there. It is there where litmus was built with emscripten.

Examples:
  litmus report litmus --observed litmus/observed --lab -o site
  litmus report mp.litmus -o site --reading weakest

Exit status: 0 all claims hold; 1 some does not, or something came up unclaimed; 2 bad input, or a folder that cannot be written;
3 undecided (2 before 1 before 3).
)";

inline constexpr const char* quiz_footer = R"(
Shows a test without its claim and asks: can it end so? can it go wrong? which of these lines repairs it? Answers are read from standard
input, a line each: y, n, or the letter of a choice; `?` gives a hint, `q` leaves. Then it says what is so, which is computed, and why.
Nothing is remembered. Lessons come in their order, unless there is a --seed; without LESSON, FILE or DIR all of them are asked about.

Examples:
  litmus quiz                             the course, from the beginning
  litmus quiz 1 2 3                       its first three lessons
  litmus quiz litmus/classic --seed 7 --count 10

Exit status: 0, whatever was answered; 2 what is named is no lesson and no test.
)";

inline constexpr const char* outcomes_footer = R"(
Prints a numbered line per outcome; a * marks those that satisfy the claim's condition.

Examples:
  litmus outcomes mp.litmus
  litmus outcomes mp.litmus --all-state --model sc

Exit status: 0 listed, whatever the claim; 2 bad input; 3 a time-out or loop bound cut the listing.
)";

inline constexpr const char* show_footer = R"(
Shows one execution: that of outcome K, as `litmus outcomes` numbers them, or what decides the verdict:
undefined behaviour, threads that get stuck, a race where the test claims that there is none, the
witness of its condition (of `forall`, what breaks it), any race. What is wrong is marked.

Examples:
  litmus show mp.litmus
  litmus show mp.litmus --outcome 3 --svg > mp.svg
  litmus show mp.litmus --dot | dot -Tpdf > mp.pdf

Exit status: 0 shown; 1 there is no such execution; 2 bad input; 3 undecided.
)";

inline constexpr const char* explain_footer = R"(
Says why the outcomes that a test forbids cannot happen, or shows the execution that decides its verdict. --outcome asks about
any other outcome: values as `litmus outcomes` prints them, or a condition.
An outcome that cannot happen breaks an axiom of the model. The execution that would have it is told down to single facts: who
reads from whom, what synchronizes with what and why. P1:14 is line 14, in thread P1; numbers in parentheses are sections of the
ISA. Where it could come about in several ways, each is told, and the axiom that it breaks. Of an execution that is shown, the last
lines say what is missing, if a few edits repair it.

Examples:
  litmus explain mp.litmus
  litmus explain mp.litmus --outcome "P1:r0=1; P1:r1=0"
  litmus explain mp.litmus --outcome "P1:r0 == 1 /\ P1:r1 != 1" --model sc
  litmus explain mp.litmus --svg > mp.svg

Exit status: 0 explained; 1 there is nothing to explain; 2 bad input; 3 undecided, or only a part was explained in time.
)";

inline constexpr const char* fmt_footer = R"(
Without options, prints the canonical form of each test in its own format.

Examples:
  litmus fmt mp.litmus
  litmus fmt --to column mp.litmus
  litmus fmt --check litmus
  litmus fmt -i mp.litmus

Exit status: 0 done; 1 --check found a file that is not canonical; 2 bad input, or a test that the
target format cannot express.
)";

inline constexpr const char* emit_footer = R"(
Prints a PTX module that runs many instances of a test at a time and counts how they end: the test's
instructions as they stand, their operands replaced by registers and addresses, and what is around
them, explained in comments. `litmus-gpu run` runs it.

Examples:
  litmus emit mp.litmus > mp.ptx && ptxas -arch=sm_90 mp.ptx
  litmus emit mp.litmus --sm 100a

Exit status: 0 printed; 2 bad input, or a test that cannot run on one GPU of that kind.
)";

inline constexpr const char* conform_footer = R"(
Reads what `litmus-gpu run -o` wrote, adds up the runs of each test on each device, and asks the model which outcomes
are allowed, by default under the weakest readings of the ISA. What was observed and is forbidden is explained. What is
allowed and was not seen is bounded, never called impossible: in N instances, its rate is below 3/N with 95 % confidence.
Where behaviour is undefined everything is allowed; data races are not undefined here. What a location holds in the end says
nothing where a bulk operation that nobody waits for may still write it: "late". Then, for each reading: whether
something was observed that it forbids, the other readings being as under weakest.
A test is the file that the run names, or the test of that name among those of --tests: a file, a directory, or - for
standard input (for what `litmus-gpu run -` ran). One that is not there, or whose text is no longer that of the run, is
said and not compared. A forbidden outcome that --known lists is shown with its reason and does not count for the exit status.

Examples:
  litmus conform observed.json
  litmus conform litmus/observed/*.json --verbose
  litmus conform observed.json --tests litmus --reading strongest --format json > conform.json

Exit status: 0 nothing forbidden was observed; 1 something was; 2 a file that cannot be used, or nothing to compare;
3 something was left undecided by a time-out, a loop bound or outcomes that were not listed (2 before 1 before 3).
)";

inline constexpr const char* merge_footer = R"(
Prints what the whole run would have printed, in the order of its inputs, byte for byte. A result that no part has, or that is in two of
them, is an error, as are parts that did not ask the same of the same files.

Examples:
  litmus merge part-*.jsonl --format json > results.jsonl
  litmus merge part-*.jsonl

Exit status: that of the whole run; 2 also where the parts do not make one.
)";

inline constexpr const char* regress_footer = R"(
Compares outcomes, verdict, what it rests on, and hazards of each test with a baseline: a file of text that is committed with the tests,
a line for each. A test can be new, missing or moved to another file; its outcomes widened (some are new), narrowed (some are gone) or
changed. What changed besides, and may be why, is said: the test itself, the model, the readings, the options, the version of the tool.
--promote writes the baseline; read the diff before you commit it.

Examples:
  litmus regress litmus --promote
  litmus regress litmus
  litmus regress litmus --baseline ptx-7.5.baseline --model ptx-7.5 --format github
  litmus regress litmus --resume results.jsonl       of results that are there: asks only about the others

Exit status: 0 nothing changed, or the baseline is written; 1 something changed; 2 bad input, or no baseline that can be read;
3 something was not decided (2 before 1 before 3).
)";

inline constexpr const char* repair_footer = R"(
Finds what is missing in a test whose outcome should be impossible, or that is undefined, races or gets stuck, and prints
it as patches, cheapest first (litmus/repair.md has the prices and the names). What is bad follows from what the test claims: the condition
of `~exists`, that of an `exists` that stands alone, the contrary of `forall`, and the hazards that it claims or that come up.
--outcome names another outcome that shall be impossible; the patch then has the claim of it. Each patch was checked by the whole pipeline.
With --compiled it is not the test that is repaired but what ptxas makes of it, where that may do what the test may not (`litmus compiled`):
other spellings are tried one at a time, and those are printed that hold in the code, with what they cost there.

Examples:
  litmus repair mp.litmus
  litmus repair mp.litmus --outcome "P1:r0=1; P1:r1=0"
  litmus repair mp.litmus --all --max-edits 3
  litmus repair mp.litmus | patch -p1
  litmus repair mp.litmus --compiled

Exit status: 0 repaired, or nothing to repair; 1 no repair of so many edits is known; 2 bad input; 3 undecided.
)";

inline constexpr const char* weaken_footer = R"(
Tries each fence, qualifier, scope and wait: can it go, or be weaker, without a new outcome, undefined behaviour, a race or a
thread that gets stuck? What can go is put together as far as nothing new comes up, and printed as patches; where that relies on
a reading of the ISA, the reading is named. Of what is needed it says what comes up without it.

Examples:
  litmus weaken mp.litmus
  litmus weaken mp.litmus --all-state --reading weakest

Exit status: 0 decided; 2 bad input; 3 something was left undecided.
)";

inline constexpr const char* compare_footer = R"(
Asks two models, or two readings of one, what they allow of each test, and lists the tests on which they differ: outcomes,
undefined behaviour, races and hangs that only one of them (A the first, B the second) has, and what rules them out in the other:
of two readings of one model, the minimal sets of readings; and the minimal sets of axioms. An option that is given once
holds for both. A test for which one of the models has no word is not compared.

Examples:
  litmus compare --model ptx --model ptx-7.5 litmus/classic
  litmus compare --reading weakest --reading weakest,war-mbarrier litmus --format json
  litmus compare --model ptx --model ./mine.cat litmus

Exit status: 0 no test differs; 1 some does; 2 bad input, or the same model twice; 3 some test was not decided or not
compared, and none differs (2 before 1 before 3).
)";

inline constexpr const char* compiled_footer = R"(
Between a test and the machine stands ptxas, NVIDIA's assembler, which moves, merges and drops instructions. Each thread is assembled, alone
and in other surroundings, and what became of it is read from the code: the order in which instructions are issued, which have no code of
their own, and which are issued before an acquire that stands above them has its result. Of that the compiled test is made, in PTX, and the
model is asked, under the weakest readings, whether it can end in a way in which the source cannot:
  kept                 all instructions, in their order
  changed, allowed     something moved or is gone, and nothing new comes of it
  changed, forbidden   an outcome that the ISA rules out: it is shown, with the rule that is broken
  unknown              what the machine does could not be said as a test, or was not decided

The surroundings (--body): plain, the instructions alone, with pointers to global memory that may be equal; fixed, with variables of the
module in place of pointers; loop, in a loop; pressure, with many values alive; harness, as `litmus emit` writes it.

Examples:
  litmus compiled mp.litmus
  litmus compiled litmus --jobs 2 --format json
  litmus compiled mp.litmus -O 3 --target sm_90a --body plain --ptxas /usr/local/cuda-12.8/bin/ptxas
  litmus compiled mp.litmus --print-test            the compiled test, for `litmus check` and `litmus show`
  litmus compiled --triples 20000 --waits 2000 --random 10000 --seed 1 -O 3 --body plain

Exit status: 0 nothing forbidden; 1 something is; 2 bad input, or no ptxas; 3 something is unknown, and nothing forbidden.
)";

inline constexpr const char* adequacy_footer = R"(
A part of a model is what can be deleted from its text so that a model is left: an axiom, a flag, a reading, a member of a union,
a conjunct, what a difference takes away, a step of a composition, a closure. A test needs a part if it has other outcomes,
undefined behaviour, races or hangs under the model without it. A part that no test needs could be wrong, and no test would notice.
Each part is looked for under the default, the weakest and the strongest readings; one that these leave out, under the weakest and
a reading that has it.
What is listed is every part that no test needs, unless --known says why none can (lines PART | REASON). --synthesise then
looks for the missing tests, each within the time of --timeout.

Examples:
  litmus adequacy litmus --known model/redundant.txt
  litmus adequacy litmus --count --verbose
  litmus adequacy litmus --synthesise --max-instructions 3 --timeout 60
  litmus adequacy litmus/classic --model ptx-6.0 --format json

Exit status: 0 every part is needed, or known to be redundant; 1 some is not; 2 bad input; 3 not decided (2 before 1 before 3).
)";

inline constexpr const char* distinguish_footer = R"(
Finds a smallest program that has an outcome which one of the models allows and the other does not, and prints it as a test that
claims the outcome. A model is named as for --model; `weakest`, `default`, `strongest` and lists that begin with one of
these, or with a reading's name, are readings of the model that --model names.
Programs are made of a small vocabulary (src/analysis/distinguish/vocabulary.cpp): its families of instructions are named with --family to
search a part of it. The solver chooses instructions; shapes are tried in order of size. What is printed where no program
is found says what was searched: it is no proof beyond that. Programs that may be undefined (but see --undefined), or hang, do
not count.

Examples:
  litmus distinguish weakest weakest,war-mbarrier
  litmus distinguish ptx-6.0 ptx-7.5 --max-instructions 4
  litmus distinguish weakest weakest,fence-path --max-instructions 7 --family store --family load --family proxy-fence --family copy-in

Exit status: 0 a program is printed; 1 there is none; 2 bad input; 3 the search did not end in time.
)";

inline constexpr const char* gen_footer = R"(
A test is a cycle of edges between accesses, as diy has them: PodWW goes by program order from a write to a write of a different
location, Rfe@gpu from a write to the read of another thread that takes its value, in another cluster of the GPU. The words of a cycle are
the name of its test, joined by "+", and make it again. Each test asks whether its cycle can be: `exists (...)`. With
--claim it claims what the model says of it instead, `exists` or `~exists`, `undefined`, `deadlock`, `may-deadlock`.
No two tests are alike but for the order of threads and the names of locations. With --seed, as many tests are made of each
well-known shape, and of each number of accesses.

Examples:
  litmus gen PodWW Rfe@gpu PodRR Fre@gpu
  litmus gen --shape MP --family fence --count 1000 -o tests
  litmus gen --seed 1 --max-events 6 --count 5000 --claim -o tests
  litmus gen --list

Exit status: 0 all were made; 1 there are not so many; 2 bad input; 3 some claim was not decided, and its test left out.
)";

inline constexpr const char* models_footer = R"(
Any of them is named with --model; --model also takes the path of a cat file.

Example:
  litmus models
)";

inline constexpr const char* from_ptx_footer = R"(
Reads PTX, as `nvcc -std=c++17 -ptx -arch=sm_90a -lineinfo k.cu -o k.ptx` writes it, runs every thread of the launch as far as nothing
depends on what others write, and takes one thread of each role: the test has what is left of them, with the CUDA line beside each
instruction. Counts of barriers and bytes of copies are scaled to the threads that were taken; what was chosen, scaled and left out stands
at the head of the test. --check says of the test what `litmus check` says: undefined behaviour, races, deadlocks. It judges these threads
and these arguments of this PTX, and nothing else. --compiled has ptxas assemble the PTX, and says by CUDA line which accesses of the test it
drops, merges or moves, and whether the model allows it.

nvcc calls parameters k_param_0, k_param_1, ...: names of arguments that are no parameters' are your own, and count in order.

Examples:
  litmus from-ptx k.ptx --grid 2 --block 64 --arg in=s32[128]:iota --arg out=s32[64] --arg n=3 -o k.litmus
  litmus from-ptx k.ptx --grid 2 --block 64 --arg in=s32[128]:iota --arg out=s32[64] --arg n=3 --check
  litmus from-ptx k.ptx --grid 4 --cluster 2 --block 32 --shared 4096 --arg buf=u32[256] --check --format sarif > k.sarif
  litmus from-ptx k.ptx --grid 2 --block 64 --arg in=s32[128]:iota --arg out=s32[64] --arg n=3 --compiled -O 3
  litmus from-ptx k.ptx --grid 2 --block 32 --arg a=u32[64] --arg b=u32[64] --arg 'tab=ptrs(a,b)' --arg 's={u32[8],s32:3}'

Exit status: 0 the test is written, or with --check or --compiled nothing is wrong with it; 1 something came up: undefined behaviour, a
deadlock, a race, with --compiled what the model forbids; 2 bad input, or a kernel that cannot be evaluated; 3 undecided.
)";

}  // namespace litmus
