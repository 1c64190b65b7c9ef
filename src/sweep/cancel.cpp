// Requests for clusters that have not started: clusterlaunchcontrol (ISA 9.7.13.17, 9.7.13.18).
//
// Which request gets a cluster depends on the order, and any request may fail, since the clusters may have started in the meantime. In the
// first order of the threads requests get them as long as there are some. In the contrary order all requests fail. A cluster that nobody
// has cancelled starts when all others are over.
//
// An answer is 16 bytes that only `query_cancel` may read. Here both words have the number of the request; the first one also says whether
// it succeeded, the second one which block is the first of the cluster. So two halves of different answers are told apart.
#include <algorithm>

#include "sweep/machine.h"

namespace litmus::sweep {

using kernel::Argument;

namespace {

constexpr uint64_t bytes_of_answer = 16;
constexpr unsigned block_bits = 32;

}  // namespace

ClusterRequests::ClusterRequests(const kernel::Geometry& geometry, uint32_t unlaunched, bool is_contrary)
    : geometry_(geometry), is_contrary_(is_contrary) {
    const uint32_t clusters = geometry.blocks() / geometry.cluster_size();
    for (uint32_t cluster = 0; cluster < clusters; ++cluster)
        if (cluster + unlaunched >= clusters) left_.insert(cluster);
}

std::pair<uint64_t, std::optional<uint32_t>> ClusterRequests::request() {
    ++made_;
    if (left_.empty() || is_contrary_) return {made_, std::nullopt};
    uint32_t first = 0;
    while (geometry_.cluster(first) != *left_.begin()) ++first;
    left_.erase(left_.begin());
    return {made_, first};
}

void ClusterRequests::note_answers(const Thread& thread, const Mbarrier& object, uint32_t phase) {
    for (const Mbarrier::Answer& answer : object.answers) {
        if (answer.phase > phase) continue;
        std::vector<Told>& told = told_[thread.seat.block];
        const auto same = std::find_if(told.begin(), told.end(), [&](const Told& one) {
            return one.component == thread.component && one.doubt == answer.doubt && one.of_failure == answer.failed;
        });
        if (same == told.end()) told.push_back({thread.component, thread.number, answer.doubt, answer.failed});
    }
}

// True: there was a rest, and it goes on.
bool Machine::start_rest() {
    const bool over = std::all_of(warps_.begin(), warps_.end(), [](const Warp& warp) { return warp.live() == 0; });
    if (!over || !requests_.has_left()) return false;
    for (Warp& warp : warps_)
        if (requests_.is_left(task_.geometry.cluster(warp.block))) warp.exists = warp.held;
    requests_.start_all();
    if (task_.options.schedule.choices != nullptr)
        swept_.out_of_line.emplace_back("clusters that start when all others are over may start before");
    return true;
}

// The answer comes as a bulk copy of it would, with `.multicast` to each block of the cluster.
void Machine::request_cluster(Warp& warp, uint32_t lane, const Step& step) {
    Thread& own = thread(warp, lane);
    if (task_.launch.unlaunched == 0)
        account_.findings().condition("all clusters have started, so that no request gets one (--unlaunched)", *step.statement);
    for (const Told& told : requests_.told(warp.block)) {
        if (own.known.time[told.component] < told.number) continue;
        decisions_.decide(told.doubt, step);  // it is allowed where the last request has not failed
        if (told.of_failure) account_.find(Breach::request_after_failure, {}, {place(own, step)});
    }
    auto to = spot(warp, lane, step, Role::copy_to), by = spot(warp, lane, step, Role::mbarrier);
    if (!to || !by) fail(warp, lane, step, "it names no place for the answer");
    const auto [request, first] = requests_.request();
    const bool succeeds = first.has_value();
    const Doubt doubt = task_.launch.unlaunched > 0 ? decisions_.doubt_of(step) : 0;
    std::array<Value, 2> answer{request << 1U | uint64_t{succeeds}, request << block_bits | first.value_or(0)};
    for (Value& word : answer) word.doubt = doubt;
    const bool to_all = step.has("multicast::cluster::all");
    for (uint32_t rank = 0; rank < task_.geometry.cluster_size(); ++rank) {
        const uint32_t block = task_.geometry.block_of_rank(warp.block, rank);
        if (!to_all && block != warp.block) continue;
        for (Spot* there : {&*to, &*by}) {
            there->block = block;
            instance(instances_[there->number].object, block, there->number);
        }
        Mbarrier& object = phases_.at(thread(warp, lane), *by, step);
        if (std::none_of(object.answers.begin(), object.answers.end(),
                         [&](const Mbarrier::Answer& known) { return known.doubt == doubt && known.failed == !succeeds; }))
            object.answers.push_back({object.phase, doubt, !succeeds});
        move_async(warp, lane, step, *to, {}, *to, {{to->offset, bytes_of_answer}}, &*by);
        put_elements(*to, bytes_of_answer / answer.size(), answer);
    }
}

void Machine::query_answer(Warp& warp, uint32_t lane, const Step& step) {
    const Argument* const response = step.find(Role::response);
    if (response == nullptr || response->elements.size() != 2) fail(warp, lane, step, "it names no answer of 128 bits");
    const Value low = read(warp, lane, response->elements[0]), high = read(warp, lane, response->elements[1]);
    const auto refuse = [&](const std::string& what) {
        account_.find(Breach::no_answer, {what, citation({}, *step.form)}, {place(thread(warp, lane), step)});
        write(warp, lane, step.statement->arguments[0], {});
    };
    const uint64_t request = low.value_or(0) >> 1U;
    if (!requests_.has_made(request) || !high || *high >> block_bits != request)
        return refuse("what it decodes is no answer of one `clusterlaunchcontrol.try_cancel`");
    const bool succeeded = (*low & 1) != 0;
    const Doubt doubt = doubts_.join(low.doubt, high.doubt);
    std::vector<Value> results{uint64_t{succeeded}};
    if (!step.has("is_canceled")) {
        decisions_.decide(doubt, step);
        if (!succeeded) return refuse("the request has failed, so that there is no first block");
        const kernel::Dimensions at = task_.geometry.block_index(static_cast<uint32_t>(truncate(*high, block_bits)));
        const size_t dimension = step.has("get_first_ctaid::y") ? 1 : step.has("get_first_ctaid::z") ? 2 : 0;
        results = {at[dimension]};
        if (step.has("v4")) results = {at[0], at[1], at[2]};  // what the fourth one holds is not said
    }
    for (Value& result : results) result.doubt = doubt;
    write(warp, lane, step.statement->arguments[0], results);
}

}  // namespace litmus::sweep
