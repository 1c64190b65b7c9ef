// The instructions of a test, one for each event of a thread. The files of slice.h alone include it.
//
// An asynchronous operation becomes the plainest one of its proxy with the same completion.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sweep/slice_scene.h"

namespace litmus::sweep {

class Writer {
public:
    // Declares the places of the scene.
    Writer(const Ground& ground, const Story& story, Scene& scene);

    void begin_thread(uint32_t number);
    void end_thread();
    // Adds what the event does, where it has to do with the test. Throws Missing.
    void add(const Event& event);

    // A thread may go several ways. The last read of a flag was into this register.
    const std::string& last_read() const { return read_; }
    // Goes to the label, or traps, where what was read compares so with the value.
    void branch(const Event& event, const std::string& found, uint64_t value, const std::string& label);
    void trap_unless(const Event& event, uint64_t value);
    void put(const Event& event, const std::string& dotted, std::vector<Operand> operands);
    // The next instruction, or the end of the thread, has a new label.
    void put_label(const std::string& label) { labels_.push_back(label); }
    std::string new_label() { return scene_.names.numbered("L", branches_); }
    // The registers with what weak reads of the thread found last, by statement.
    using Found = std::map<const kernel::Statement*, std::string>;
    const Found& found() const { return found_; }
    void set_found(const Found& found) { found_ = found; }

    // The test, with the statement of each instruction.
    Test test;
    std::vector<std::vector<const kernel::Statement*>> statements;
    bool goes_elsewhere = false;  // a thread, where it reads something else than in the sweep

private:
    uint64_t lanes_of(const Event& event) const;
    int cta_of(const Event& event, const Memory& memory) const;
    std::string window(const Event& event, const Memory& memory) const;
    Operand data(const Event& event);
    Operand multimem_of(const std::string& location);
    void access(const Event& event);
    void update(const Event& event, const std::string& space);
    void flag(const Event& event);
    void copy(const Event& event);
    void reduce(const Event& event);
    void wait_for_groups(const Event& event);
    void mbarrier(const Event& event);
    void at_shares(const Event& event, void (Writer::*write)(const Event&));
    void need(const Event& event);
    void declare();
    Location array(const std::string& name, Space space, uint32_t block) const;
    std::string other(Space space, uint32_t block = 0);
    std::string fresh_register(const std::string& letter = "r") { return scene_.names.numbered(letter, registers_); }
    void compare(const Event& event, const std::string& how, const std::string& found, uint64_t value, const std::string& dotted,
                 std::vector<Operand> operands);

    const Ground& ground_;
    const Story& story_;
    Scene& scene_;
    const Data* data_ = nullptr;    // that accesses are written about
    Groups groups_ = Groups::none;  // of the thread
    size_t others_ = 0, registers_ = 0, branches_ = 1;
    std::vector<std::string> labels_;  // of the next instruction
    std::string read_;
    Found found_;
    std::map<std::string, std::string> multimem_;  // by location: the multimem address that points to it
};

}  // namespace litmus::sweep
