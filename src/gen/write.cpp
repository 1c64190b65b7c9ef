// The text of a test, piece by piece; the reader makes a test of it.
#include "gen/write.h"

#include <algorithm>
#include <set>

#include "language/syntax/read.h"

namespace litmus::gen {

namespace {

std::string number(size_t n) {
    return std::to_string(n);
}

class Writer {
public:
    Writer(const Cycle& cycle, const CycleLayout& layout)
        : cycle_(cycle), layout_(layout), n_(cycle.size()), bodies_(layout.places.size()) {}

    std::string text() {
        for (size_t i = 0; i < n_; ++i) write_event(i);
        if (reaches_peers()) end_together();
        const std::string cycle = name(cycle_), shape = shape_name(cycle_);
        std::string text = "test \"" + cycle + "\"\n";
        if (!shape.empty()) text += "doc \"" + shape + "\"\n";
        return text + declarations() + threads() + "exists (" + condition() + ")\n";
    }

private:
    const Edge& edge(size_t i) const { return edge_of(cycle_[i % n_]); }
    const Access& access(size_t i) const { return access_of(cycle_[i % n_]); }
    size_t previous(size_t i) const { return (i + n_ - 1) % n_; }
    size_t thread(size_t i) const { return static_cast<size_t>(layout_.thread[i]); }
    const Placement& place(size_t i) const { return layout_.places[thread(i)]; }
    int memory(size_t i) const { return layout_.memory[static_cast<size_t>(layout_.location[i])]; }
    static bool is_copy(const Edge& e) { return e.kind == Edge::Kind::instruction && !e.same; }

    static std::string location_name(size_t l) { return std::string(1, "xyzwuvsq"[l % 8]); }
    std::string location_name_of(size_t i) const { return location_name(static_cast<size_t>(layout_.location[i])); }
    std::string address(size_t i) const { return location_name_of(i) + (access(i).through.empty() ? "" : "_" + access(i).through); }
    std::string space(size_t i, int memory) const {
        return memory < 0 ? "global" : place(i).cta == memory ? "shared::cta" : "shared::cluster";
    }

    void line(size_t t, const std::string& text) { bodies_[t] += "  " + text + "\n"; }

    // What stands between the ends of edge i, in the thread of one of its ends.
    void lines(size_t i, size_t t, const std::vector<std::string>& glue) {
        const size_t next = (i + 1) % n_;
        for (const std::string& text : glue)
            line(t, filled(text, {{"{r}", "r" + number(i)},
                                  {"{e}", std::to_string(layout_.value[i])},
                                  {"{v}", std::to_string(layout_.value[next])},
                                  {"{i}", number(i)},
                                  {"{done}", "b" + number(i)},
                                  {"{bytes}", std::to_string(access(i).bytes)},
                                  {"{mbar}", "m" + number(i)},
                                  {"{mspace}", space(i, place(next).cta)}}));
    }

    void write_event(size_t i) {
        const Edge& in = edge(previous(i));
        lines(previous(i), thread(i), in.before);
        if (in.kind != Edge::Kind::instruction) line(thread(i), instruction(i));
        lines(previous(i), thread(i), in.behind);
        lines(i, thread(i), edge(i).after);
    }

    // The access, or the instruction of which it is the first half.
    std::string instruction(size_t i) const {
        const size_t next = (i + 1) % n_;
        if (is_copy(edge(i)))
            return filled(edge(i).instruction, {{"{from}", address(i)}, {"{to}", address(next)}, {"{done}", "b" + number(next)}});
        const bool both = edge(i).kind == Edge::Kind::instruction;
        const std::string& given = edge(previous(i)).value;
        const std::string value = std::to_string(layout_.value[both ? next : i]);
        return filled(access(i).text, {{"{x}", address(i)},
                                       {"{space}", space(i, memory(i))},
                                       {"{r}", "r" + number(i)},
                                       {"{v}", given.empty() ? value : filled(given, {{"{i}", number(previous(i))}})},
                                       {"{other}", "d" + number(i)},
                                       {"{done}", "b" + number(i)}});
    }

    // Somebody accesses shared memory of another CTA, which must not exit before.
    bool reaches_peers() const {
        for (size_t i = 0; i < n_; ++i) {
            const int other = layout_.other[i];
            if ((memory(i) >= 0 && memory(i) != place(i).cta) || (other >= 0 && other != place(i).cta)) return true;
            if (edge(i).has_object && place((i + 1) % n_).cta != place(i).cta) return true;
        }
        return false;
    }
    void end_together() {
        for (std::string& body : bodies_) body += "  barrier.cluster.arrive.relaxed;\n  barrier.cluster.wait.acquire;\n";
    }

    std::string declaration(int memory, const std::string& name, bool array, uint64_t value) const {
        const std::string where = memory < 0 ? ".global" : ".shared.cta" + std::to_string(memory);
        return where + " .u32 " + name + (array ? "[4]" : "") + " = " + std::to_string(value) + ";\n";
    }
    bool is_array(size_t l) const {
        for (size_t i = 0; i < n_; ++i)
            if (static_cast<size_t>(layout_.location[i]) == l && access(i).bytes > 4) return true;
        return false;
    }

    std::string declarations() const {
        std::string text, objects;
        std::set<std::string> aliases;
        for (size_t l = 0; l < layout_.memory.size(); ++l) text += declaration(layout_.memory[l], location_name(l), is_array(l), 0);
        for (size_t i = 0; i < n_; ++i) {
            const Access& a = access(i);
            if (!a.through.empty())
                aliases.insert(".global .u32 " + address(i) + (is_array(static_cast<size_t>(layout_.location[i])) ? "[4]" : "") +
                               " alias " + (a.through == "alias" ? "" : a.through + " ") + location_name_of(i) + ";\n");
            const bool writes = a.direction == Direction::write;
            if (a.other) text += declaration(layout_.other[i], "d" + number(i), a.bytes > 4, writes ? layout_.value[i] : 0);
            const bool whole = a.half.empty() || writes;
            if (layout_.object[i] >= 0 && whole) objects += object(layout_.object[i], "b" + number(i));
            if (edge(i).has_object) objects += object(place((i + 1) % n_).cta, "m" + number(i));
        }
        for (const std::string& alias : aliases) text += alias;
        return text + objects;
    }
    static std::string object(int cta, const std::string& name) {
        return ".shared.cta" + std::to_string(cta) + " .mbarrier " + name + " = 1;\n";
    }

    std::string threads() const {
        std::string text;
        for (size_t t = 0; t < bodies_.size(); ++t) {
            const Placement& p = layout_.places[t];
            text += "thread P" + number(t) + " @ gpu" + std::to_string(p.gpu) + ".cluster" + std::to_string(p.cluster) + ".cta" +
                    std::to_string(p.cta) + " {\n" + bodies_[t] + "}\n";
        }
        return text;
    }

    std::string condition() const {
        std::string text;
        const auto equals = [&](const std::string& what, uint64_t value) {
            text += (text.empty() ? "" : " /\\ ") + what + " == " + std::to_string(value);
        };
        for (size_t i = 0; i < n_; ++i) {
            if (!layout_.asked[i] || is_copy(edge(i))) continue;
            const Access& a = access(i);
            if (a.other)
                equals("d" + number(i) + (a.bytes > 4 ? "[0]" : ""), layout_.value[i]);
            else
                equals("P" + number(thread(i)) + ":r" + number(i), layout_.value[i]);
        }
        for (size_t l = 0; l < layout_.last.size(); ++l)
            if (layout_.last[l]) equals(location_name(l) + (is_array(l) ? "[0]" : ""), *layout_.last[l]);
        return text;
    }

    const Cycle& cycle_;
    const CycleLayout& layout_;
    size_t n_;
    std::vector<std::string> bodies_;  // by thread
};

}  // namespace

std::optional<Test> test_of(const Cycle& cycle) {
    const std::optional<CycleLayout> found = layout(cycle);
    if (!found) return std::nullopt;
    return parse_tests(make_source(name(cycle), Writer(cycle, *found).text())).at(0);
}

}  // namespace litmus::gen
