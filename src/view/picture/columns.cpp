// Which columns a picture has, and in which order.
//
// Threads stand in their order, those of a scope together. What a thread's asynchronous operations do stands beside the thread, on
// the side of those that it communicates with. The states of an mbarrier object stand among the threads of the CTA that owns it,
// as near to those that use it as can be.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/visible.h"
#include "view/picture/sketch.h"

namespace litmus::picture {

namespace {

// The threads, those of one scope one after the other, scopes in the order of their first threads.
std::vector<int> threads_in_order(const std::vector<std::vector<std::string>>& scopes) {
    const auto key = [&](size_t thread) {
        std::vector<size_t> firsts;
        std::vector<std::string> prefix;
        for (const std::string& scope : scopes[thread]) {
            prefix.push_back(scope);
            const auto starts = [&](const auto& path) { return std::equal(prefix.begin(), prefix.end(), path.begin()); };
            firsts.push_back(static_cast<size_t>(std::find_if(scopes.begin(), scopes.end(), starts) - scopes.begin()));
        }
        return firsts;
    };
    std::vector<int> order;
    for (size_t t = 0; t < scopes.size(); ++t) order.push_back(static_cast<int>(t));
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key(static_cast<size_t>(a)) < key(static_cast<size_t>(b)); });
    return order;
}

// The mbarrier objects that something shown uses.
std::set<int> objects_used(const Sketch& sketch) {
    std::set<int> cells;
    for (const size_t e : sketch.drawn.events)
        if (sketch.on_mbarrier(e)) cells.insert(sketch.event(e).cell);
    return cells;
}

class Arrangement {
public:
    explicit Arrangement(Sketch& sketch)
        : sketch_(sketch), scopes_(scope_paths(*sketch.program().test)), threads_(threads_in_order(scopes_)) {}

    void run() {
        for (const int cell : objects_used(sketch_)) lanes_[slot(cell)].push_back(cell);
        for (size_t i = 0; i <= threads_.size(); ++i) {
            for (const bool before : {true, false})  // those of the CTA that ends here, then those of the one that begins
                for (const int cell : lanes_[i])
                    if (before == (i > 0 && is_owned(cell, threads_[i - 1]))) add_object(cell);
            if (i < threads_.size()) add_thread(threads_[i]);
        }
    }

private:
    const Placement& owner(int cell) const {
        const Program& p = sketch_.program();
        return p.ctas[static_cast<size_t>(p.cells[static_cast<size_t>(cell)].instance)];
    }

    bool is_owned(int cell, int thread) const {
        return same_cta(owner(cell), sketch_.program().test->threads[static_cast<size_t>(thread)].at);
    }

    // Before which of the threads, in their order, the lane of an object stands: nearest to those that use it.
    size_t slot(int cell) const {
        size_t best = threads_.size();
        double least = -1;
        for (size_t i = 0; i <= threads_.size(); ++i) {
            const bool beside_owner = (i > 0 && is_owned(cell, threads_[i - 1])) || (i < threads_.size() && is_owned(cell, threads_[i]));
            if (!beside_owner) continue;
            double cost = 0;
            for (const size_t e : sketch_.drawn.events) {
                if (sketch_.event(e).cell != cell) continue;
                const auto at = std::find(threads_.begin(), threads_.end(), sketch_.event(e).thread) - threads_.begin();
                cost += std::abs(static_cast<double>(at) + 0.5 - static_cast<double>(i));
            }
            if (least < 0 || cost < least) {
                least = cost;
                best = i;
            }
        }
        return best;
    }

    std::vector<std::string> scopes_of(int cell) const {
        for (const int t : threads_)
            if (is_owned(cell, t)) return scopes_[static_cast<size_t>(t)];
        std::vector<std::string> scopes = scopes_.empty() ? std::vector<std::string>{} : scopes_.front();  // a CTA without threads
        scopes.resize(std::max<size_t>(scopes.size(), 1));
        scopes.back() = cta_words(owner(cell).cta);
        return scopes;
    }

    void add_object(int cell) {
        const std::string& name = sketch_.program().cells[static_cast<size_t>(cell)].name;
        sketch_.object_column[cell] = sketch_.scene.columns.size();
        sketch_.scene.columns.push_back({Column::Kind::mbarrier, visible(name), "mbarrier", scopes_of(cell)});
    }

    // Whether those that a thread's asynchronous operations communicate with stand more to its left.
    bool looks_left(int thread) const {
        const auto rank = [&](int t) { return std::find(threads_.begin(), threads_.end(), t) - threads_.begin(); };
        std::ptrdiff_t pull = 0;
        for (const DrawnEdge& edge : sketch_.drawn.edges) {
            const Event &a = sketch_.event(edge.from), &b = sketch_.event(edge.to);
            if (a.thread < 0 || b.thread < 0 || a.thread == b.thread) continue;
            if (a.asynchronous && a.thread == thread) pull += rank(b.thread) > rank(thread) ? 1 : -1;
            if (b.asynchronous && b.thread == thread) pull += rank(a.thread) > rank(thread) ? 1 : -1;
        }
        return pull < 0;
    }

    void add_thread(int thread) {
        const Thread& t = sketch_.program().test->threads[static_cast<size_t>(thread)];
        const auto& scopes = scopes_[static_cast<size_t>(thread)];
        const bool left = looks_left(thread);
        if (left) add_operations(thread, scopes);
        sketch_.thread_column[thread] = sketch_.scene.columns.size();
        std::string where;
        if (t.at.warp_named) where = "warp " + std::to_string(t.at.warp) + ", lane " + std::to_string(t.at.lane);
        sketch_.scene.columns.push_back({Column::Kind::thread, visible(t.name), where, scopes});
        if (!left) add_operations(thread, scopes);
    }

    void add_operations(int thread, const std::vector<std::string>& scopes) {
        Proxy proxy = Proxy::generic;
        bool any = false;
        for (const size_t e : sketch_.drawn.events) {
            const Event& event = sketch_.event(e);
            if (!event.asynchronous || event.thread != thread) continue;
            any = true;
            if (event.proxy != Proxy::generic) proxy = event.proxy;
        }
        if (!any) return;
        sketch_.operations_column[thread] = sketch_.scene.columns.size();
        const std::string name = proxy == Proxy::generic ? "asynchronous" : std::string(litmus::name(proxy)) + " proxy";
        sketch_.scene.columns.push_back({Column::Kind::operations, name,
                                         "for " + visible(sketch_.program().test->threads[static_cast<size_t>(thread)].name), scopes,
                                         proxy});
    }

    Sketch& sketch_;
    const std::vector<std::vector<std::string>> scopes_;
    const std::vector<int> threads_;
    std::map<size_t, std::vector<int>> lanes_;  // mbarrier objects, by the place among the threads before which they stand
};

}  // namespace

void add_columns(Sketch& sketch) {
    Arrangement(sketch).run();
}

}  // namespace litmus::picture
