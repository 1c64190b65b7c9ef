// Tables: the question for each kind of finding, and the title of its test.
#include "sweep/slice_question.h"

namespace litmus::sweep {

Asked asked_of(Breach breach) {
    constexpr Asked of_schedule{{}, "it says which phase or turn is meant, and the model has no flag for that"};
    constexpr Asked of_one{{}, "an instruction breaks a rule by itself, whatever others do"};
    switch (breach) {
        case Breach::never_initialised:
        case Breach::not_known_initialised:
        case Breach::initialised_again:
            return {Question::life};
        case Breach::arrivals:
        case Breach::phase_of_bytes:
        case Breach::phase_of_copy:
        case Breach::bytes_unexpected:
        case Breach::phase_of_arrival:
        case Breach::phase_over:
        case Breach::wait_late:
        case Breach::wait_at_once:
        case Breach::barrier_turn:
            return of_schedule;
        case Breach::unordered:
        case Breach::incomplete:
        case Breach::proxy:
        case Breach::alias:
        case Breach::overlap:
        case Breach::uncached:
        case Breach::tensor_map:
        case Breach::tensor_memory:
            return {Question::race};
        case Breach::end_unseen:
            return {Question::state};
        case Breach::few_arrivals:
        case Breach::few_bytes:
        case Breach::many_bytes:
        case Breach::no_first_arrival:
        case Breach::no_arrival:
        case Breach::few_threads:
        case Breach::few_in_cluster:
            return {Question::hang};
        case Breach::copy_at_exit:
            return {Question::exit};
        case Breach::invalidated:
            return {{}, "an mbarrier object is invalidated"};
        case Breach::stuck:
            return {{}, "a loop that goes round is no wait of a test"};
        case Breach::few_lanes:
        case Breach::few_lanes_at_barrier:
            return {{}, "the lanes that do not come are not known"};
        case Breach::request_after_failure:
        case Breach::no_answer:
            return {{}, "it is about requests for clusters that have not started"};
        case Breach::block_not_begun:
        case Breach::block_ended:
            return {{}, "it is about the life of a block"};
        case Breach::trap:
        case Breach::barrier_mixed:
        case Breach::cluster_arrival:
        case Breach::byte_count:
        case Breach::over_object:
        case Breach::misaligned:
        case Breach::out_of_range:
        case Breach::outside_mask:
        case Breach::absent_lane:
        case Breach::exited_lanes:
        case Breach::half_warpgroup:
        case Breach::foreign_state:
        case Breach::completes_phase:
        case Breach::own_block:
        case Breach::no_cluster:
        case Breach::same_group:
        case Breach::object_elsewhere:
        case Breach::not_global:
        case Breach::foreign_block:
        case Breach::not_generic:
        case Breach::product_unfenced:
        case Breach::product_open:
        case Breach::load_open:
        case Breach::allocation:
        case Breach::not_allocated:
        case Breach::kept:
        case Breach::foreign_lanes:
        case Breach::mixed_groups:
            return of_one;
    }
    return of_one;
}

std::string_view why_no_test(Breach breach) {
    return asked_of(breach).why;
}

Title title_of(Question question) {
    switch (question) {
        case Question::race:
            return {"race", "A race that a sweep found, with the events that lead to it."};
        case Question::life:
            return {"use", "A use of an object that is not initialised, with the events that lead to it."};
        case Question::state:
            return {"operation", "An operation on an object that the ISA forbids in this state."};
        case Question::hang:
            return {"hang", "A wait that nothing ends."};
        case Question::exit:
            return {"exit", "A thread that exits while a copy is in flight."};
        case Question::named:
            break;
    }
    return {"threads", "Some threads of a kernel, as a run of all its threads has them."};
}

std::string_view why_not_of_named(Breach breach) {
    switch (breach) {
        case Breach::overlap:
        case Breach::tensor_map:
        case Breach::tensor_memory:
            return "the run finds a race at what such a test does not have";
        case Breach::few_bytes:
        case Breach::many_bytes:
        case Breach::few_threads:
        case Breach::few_in_cluster:
            return "a thread waits for bytes or threads that such a test is scaled by";
        case Breach::wait_late:
        case Breach::wait_at_once:
            return {};
        default:
            return asked_of(breach).why;
    }
}

}  // namespace litmus::sweep
