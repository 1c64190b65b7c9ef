// The cards of a picture: which events stand together, and in which words.
#include <algorithm>
#include <limits>
#include <tuple>

#include "analysis/verdict/hazards.h"
#include "base/visible.h"
#include "view/picture/sketch.h"

namespace litmus::picture {

namespace {

constexpr size_t most_source = 44;  // characters of an instruction

const Instruction& instruction_of(const Sketch& sketch, const Event& event) {
    return sketch.program().test->threads[static_cast<size_t>(event.thread)].body[static_cast<size_t>(event.instruction)];
}

bool is_completion(const Event& event) {
    return event.asynchronous && event.completes;
}

// Events of one key share a card: those of an instruction each time that it is executed; of an asynchronous operation its data
// accesses, and each completion.
using Key = std::tuple<int, int, int, bool, int, size_t>;
Key key_of(const Sketch& sketch, size_t e) {
    const Event& event = sketch.event(e);
    return {event.thread,
            event.instruction,
            event.iteration,
            event.asynchronous,
            is_completion(event) ? event.cell : -2,
            event.kind == Event::Kind::completion ? e : 0};
}

// Whether a completion for a group comes after the source reads of its operation only.
bool is_of_reads(const Sketch& sketch, size_t completion) {
    const Relation inner = base_relation(sketch.drawing.execution, "aio");
    for (const size_t e : sketch.drawn.events) {
        const Event& event = sketch.event(e);
        if (event.kind != Event::Kind::write || event.operation != sketch.event(completion).operation) continue;
        if (!inner.contains(e, completion)) return true;
    }
    return false;
}

std::string completion_words(const Sketch& sketch, size_t e) {
    const Event& event = sketch.event(e);
    if (event.kind == Event::Kind::completion) return is_of_reads(sketch, e) ? "source is read" : "completes for its group";
    return instruction_of(sketch, event).op == Op::async_arrive ? "arrive-on" : "complete-tx";
}

class Cards {
public:
    explicit Cards(Sketch& sketch) : sketch_(sketch) {}

    void run() {
        sketch_.in_order.resize(sketch_.scene.columns.size());
        if (sketch_.options.missing != nullptr) note_missing();
        for (const size_t e : sketch_.drawn.events) {
            const Event& event = sketch_.event(e);
            if (!event.asynchronous) add_missing_before(event.thread, event.instruction);
            add_event(e);
        }
        for (const auto& [thread, column] : sketch_.thread_column) add_end(thread, column);
        add_states();
    }

private:
    size_t add(Card card) {
        sketch_.in_order[card.column].push_back(sketch_.scene.cards.size());
        sketch_.scene.cards.push_back(std::move(card));
        return sketch_.scene.cards.size() - 1;
    }

    size_t card_of(size_t e) {
        const Event& event = sketch_.event(e);
        const auto known = cards_.find(key_of(sketch_, e));
        if (known != cards_.end()) return known->second;
        const bool of_instruction = event.instruction >= 0;  // else a thread of a grid begins
        Card card;
        card.source = of_instruction ? short_source(*sketch_.program().test, instruction_of(sketch_, event), most_source)
                                     : event_words(sketch_.program(), e);
        card.column = (event.asynchronous ? sketch_.operations_column : sketch_.thread_column).at(event.thread);
        if (event.asynchronous) {
            card.kind = is_completion(event) ? Card::Kind::completion : Card::Kind::operation;
            card.source = is_completion(event) ? completion_words(sketch_, e) : visible(instruction_of(sketch_, event).mnemonic);
        }
        const auto line = sketch_.drawn.line.find(e);
        if (line != sketch_.drawn.line.end()) card.line = line->second, card.where = visible(sketch_.drawn.where.at(e));
        return cards_[key_of(sketch_, e)] = add(std::move(card));
    }

    // The words of an event; nothing where the source of its card says all of it.
    std::string words(size_t e) const {
        const Event& event = sketch_.event(e);
        if (!event.is_memory()) return {};
        const auto cell = static_cast<size_t>(event.cell);
        std::string text = event_words(sketch_.program(), e);
        if (!sketch_.on_mbarrier(e)) text += "=" + format_cell(sketch_.program(), cell, sketch_.drawing.execution.values[e]);
        if (sketch_.drawn.from_initial.contains(e) && !sketch_.on_mbarrier(e)) text += " (init)";
        return visible(text);
    }

    void add_event(size_t e) {
        const size_t c = card_of(e);
        Card& card = sketch_.scene.cards[c];
        const Event& event = sketch_.event(e);
        Mark mark{e, sketch_.drawn.name.at(e), words(e)};
        const bool is_update = sketch_.on_mbarrier(e) && event.kind == Event::Kind::write && event.partner >= 0 && !card.rows.empty() &&
                               card.rows.back().back().event == static_cast<size_t>(event.partner);
        if (is_update) {  // beside what it read
            card.rows.back().back().text = "R";
            card.rows.back().push_back(std::move(mark));
        } else {
            card.rows.push_back({std::move(mark)});
        }
        card.marked = card.marked || sketch_.drawn.marked.contains(e);
        sketch_.spot_of[e] = {c, card.rows.size() - 1};
    }

    // ---- what is missing --------------------------------------------------------------------

    void note_missing() {
        for (const Missing& part : sketch_.options.missing->best)
            if (part.place.thread >= 0) missing_[{part.place.thread, part.place.instruction}].push_back(&part);
    }

    // The words of what is missing: those behind the place, "put `fence.acq_rel.gpu`".
    void add_missing_before(int thread, int instruction) {
        for (auto at = missing_.lower_bound({thread, -1}); at != missing_.end() && at->first.first == thread;) {
            if (at->first.second > instruction) break;
            for (const Missing* part : at->second) {
                const size_t colon = part->sentence.find(": ");
                std::string words = visible(colon == std::string::npos ? part->sentence : part->sentence.substr(colon + 2));
                words.erase(std::remove(words.begin(), words.end(), '`'), words.end());
                Card card{Card::Kind::missing, sketch_.thread_column.at(thread), std::string(row(part->fault).name), 0, {}};
                std::replace(card.source.begin(), card.source.end(), '-', ' ');
                card.note = words;
                add(std::move(card));
            }
            at = missing_.erase(at);
        }
    }

    void add_end(int thread, size_t column) {
        const auto stays = sketch_.drawn.stays.find(thread);
        if (stays != sketch_.drawn.stays.end()) {
            Card card{Card::Kind::stays, column, "waits for ever", 0, {}};
            card.note = visible(stays->second);
            card.marked = true;
            add(std::move(card));
        }
        add_missing_before(thread, std::numeric_limits<int>::max());
    }

    // ---- mbarrier objects -------------------------------------------------------------------

    void add_states() {
        for (const MbarrierChange& change : mbarrier_changes(sketch_.program(), sketch_.drawing.execution)) {
            const auto column = sketch_.object_column.find(static_cast<int>(change.cell));
            if (column == sketch_.object_column.end()) continue;
            const MbarrierState& now = change.now;
            Card card{Card::Kind::state, column->second, "phase " + std::to_string(now.phase), 0, {}};
            if (now.life == 0) {
                card.source = "not initialised";
            } else {
                card.note = "pending " + std::to_string(now.pending) + " · tx " + std::to_string(now.tx);
            }
            card.object = sketch_.program().cells[change.cell].name;
            if (sketch_.event(change.write).kind != Event::Kind::init)
                card.rows.push_back({{change.write, sketch_.letter(change.write), {}}});
            sketch_.state_of[change.write] = add(std::move(card));
        }
    }

    Sketch& sketch_;
    std::map<Key, size_t> cards_;
    std::map<std::pair<int, int>, std::vector<const Missing*>> missing_;  // by thread and instruction
};

}  // namespace

bool Sketch::on_mbarrier(size_t e) const {
    const Event& its = event(e);
    return its.cell >= 0 && program().cells[static_cast<size_t>(its.cell)].is_mbarrier;
}

std::string Sketch::letter(size_t e) const {
    const auto known = drawn.name.find(e);
    if (known != drawn.name.end()) return known->second;
    const Event& its = event(e);
    if (its.kind == Event::Kind::init) return "init " + visible(program().cells[static_cast<size_t>(its.cell)].name);
    return "exit " + visible(program().test->threads[static_cast<size_t>(its.thread)].name);
}

void add_cards(Sketch& sketch) {
    Cards(sketch).run();
}

}  // namespace litmus::picture
