// Many questions about one program under the sets of readings of a model.
//
// The program is encoded once, with the readings left open; which of them are on is an assumption of each question. So what
// the solver learns from one question serves the next.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cat/model.h"
#include "solve/encode.h"
#include "solve/solve.h"

namespace litmus {

// What some consistent execution may show; verdicts are made of these.
enum class Sight : uint8_t {
    satisfies,   // it ends, passes the filter, and satisfies the condition of the claim
    violates,    // it ends, passes the filter, and does not satisfy the condition
    terminates,  // it ends, whatever the filter says
    cut,         // a loop is cut at its bound
    races,
    undefined,
    stuck,  // a thread stays for ever
};
inline constexpr std::array<Sight, 7> all_sights = {Sight::satisfies, Sight::violates,  Sight::terminates, Sight::cut,
                                                    Sight::races,     Sight::undefined, Sight::stuck};

// One value for each sight.
template <typename T>
class BySight {
public:
    T& operator[](Sight s) { return values_[static_cast<size_t>(s)]; }
    const T& operator[](Sight s) const { return values_[static_cast<size_t>(s)]; }
    friend bool operator==(const BySight&, const BySight&) = default;

private:
    std::array<T, all_sights.size()> values_{};
};

class Inquiry {
public:
    struct Sighting {
        Truth truth = Truth::unknown;
        std::optional<Execution> witness;  // that shows it; none of `cut`
        std::vector<size_t> final_writes;  // of the witness, by cell: the write taken as final
    };

    // `open`: a model whose readings are open, specialised to the program, which was built with BuildOptions::blocked.
    // Only what is `asked` will be. The solver forgets what it was told before; all arguments outlive the inquiry. `bases` are those
    // of the program. Throws GaveUp and OverBudget.
    Inquiry(Program& program, FixedBases& bases, const Model& open, const BySight<bool>& asked, Solver& solver);

    // Under the readings `on` of those that are open. `model` has them chosen so: by it the concrete engine checks what the
    // solver found. Throws OverBudget, and std::logic_error naming the test where the two engines disagree.
    Sighting ask(Sight sight, const std::set<std::string>& on, const Model& model);

private:
    std::vector<size_t> check(Sight sight, const Model& model, const Execution& x);

    Program& p_;
    FixedBases& bases_;
    const Model open_;  // without the flags that are not asked for
    Backend& backend_;
    std::optional<Encoding> encoding_;
    std::set<std::string> readings_;
    ExprId condition_ = ExprPool::yes, filter_ = ExprPool::yes;
    BySight<std::vector<Lit>> assumptions_;
};

}  // namespace litmus
