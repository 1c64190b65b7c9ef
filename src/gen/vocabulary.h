// The edges and accesses of which tests are generated, as data.
//
// A generated test is a cycle of edges between memory accesses, in the way of diy (Alglave, Maranget, Sarkar, Sewell: "Fences in
// weak memory models"). An edge says how one access leads to the next: by program order, with what stands between the two; by
// communication (rf, co, fr); by synchronization between two threads; or by being two halves of one instruction. An edge is its
// lines of PTX, with places for names, and what it asks of the accesses at its ends; an access is one line. What PTX allows
// is asked of the instruction table: a pattern with `{q}` stands for every semantics and scope that the table has there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptx/instruction.h"

namespace litmus::gen {

enum class Direction : uint8_t { read, write };

// How the end of an asynchronous operation is waited for.
enum class Completion : uint8_t { none, mbarrier, bulk_group, copy_group };

// Memory as the thread sees that accesses it.
enum class Memory : uint8_t { global, own, peer };  // own: shared memory of its CTA; peer: of another CTA of its cluster

// One access to one location. In its text, {x} is the location, {space} the word for its memory, {r} a register, {v} the value
// written, {other} a location of its own at the other end of a copy, {done} its mbarrier object.
struct Access {
    std::string name = {};    // "acquire.gpu"; empty: the weak one
    std::string family = {};  // what --family calls it
    Direction direction = Direction::read;
    std::string text = {};
    std::vector<Memory> memories = {};  // where its location may be
    std::optional<Memory> other = {};   // where {other} is; none: it has none
    std::string through = {};           // the kind of virtual address: "", "alias", "surface", ...
    Completion completion = Completion::none;
    int bytes = 4;
    bool special = false;   // through another proxy than the generic one, or another address
    bool adds = false;      // it writes the sum of {v} and what was there
    bool gives = false;     // what it reads is in a register
    bool takes = false;     // what it writes may come from a register
    std::string half = {};  // of this edge's instruction, and written by it; empty: a whole instruction
};

struct Edge {
    enum class Kind : uint8_t { order, reads_from, coherence, from_reads, instruction };

    std::string name = {};   // "PodWR", "Fence.sc.gpudWR", "Rfe@gpu"
    std::string stem = {};   // the name without its ends: "Po", "Fence.sc.gpu", "Rfe"
    std::string shape = {};  // the name without what varies: "PodWR", "Rfe"
    std::string family = {};
    Kind kind = Kind::order;
    Direction from = Direction::read, to = Direction::read;
    bool same = false;                    // both ends access one location
    Scope near = Scope::none;             // between two threads: the narrowest scope that has both; none: within a thread
    bool carries = false;                 // what the first end reads goes into what the second does
    Completion waits = Completion::none;  // it waits for the operation at its first end
    bool fences_proxies = false;
    bool has_object = false;  // an mbarrier object of its own, in the CTA of its second end
    // Lines after the first end, before the second, and behind the second. {r} and {e} are what the first end reads, as a register and
    // as the number that it has in the cycle, {v} the number that the second writes, {i} numbers the edge; {done} and {bytes} belong to the
    // first end's operation; {mbar} is the edge's own object, {mspace} the word for its memory.
    std::vector<std::string> after = {}, before = {}, behind = {};
    std::string value = {};        // what the second end writes, if not {v}
    std::string instruction = {};  // of both ends: from {from} to {to}
    bool external() const { return near != Scope::none; }
    bool communicates() const { return kind == Kind::reads_from || kind == Kind::coherence || kind == Kind::from_reads; }
};

struct Vocabulary {
    std::vector<Access> accesses;
    std::vector<Edge> edges;
};
const Vocabulary& vocabulary();

// Well-known cycles by the names of the literature, in shapes of edges.
struct Shape {
    std::string name = {};           // "MP"
    std::vector<std::string> edges;  // "PodWW", "Rfe", "PodRR", "Fre"
};
const std::vector<Shape>& shapes();

// Families in the order of the tables. Those that every cycle may have, whatever is asked for, come first.
std::vector<std::string> families();
bool is_plain(const std::string& family);
// The families without which this one is of no use.
std::vector<std::string> companions(const std::string& family);
// Accesses in the simple spelling of the literature (litmus/language.md), which no assembler takes: only where they are asked for.
inline constexpr const char* not_ptx = "surface-texture-constant";

// Whether an access may stand before, or behind, an edge; and whether one edge may follow another: of two communications that compose
// to one (co;co, fr;co, rf;fr) that one says all.
bool leaves(const Access& access, const Edge& edge);
bool enters(const Edge& edge, const Access& access);
bool follows(const Edge& first, const Edge& second);

// The text with each {name} replaced by its value.
using Words = std::vector<std::pair<std::string, std::string>>;
std::string filled(std::string text, const Words& words);

}  // namespace litmus::gen
