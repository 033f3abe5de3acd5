#include "dse/run/request_scheduler.hpp"

#include "dse/run/chunk_result.hpp"
#include "dse/search/point_counts.hpp"
#include "dse/space/space.hpp"

#include <algorithm>

namespace pimdse::dse::run {
namespace {

constexpr std::uint64_t max_list =
    8192;  // points; a list is written to the journal point by point before it is submitted
constexpr std::uint64_t max_skipped = 1 << 20;  // per call of more(), so that the main loop is not blocked

}  // namespace

RequestScheduler::RequestScheduler(space::Space const& space, search::Strategy& strategy,
                                   search::ResultStore const& store, Quarantine const& quarantine)
    : space_(space), strategy_(strategy), store_(store), quarantine_(quarantine) {}

std::optional<space::Batch> RequestScheduler::more(std::uint64_t max) {
    for (std::uint64_t skipped = 0; skipped < max_skipped;) {
        if (batches_.empty() && !ask()) tell();  // restored results: no worker will deliver them
        if (batches_.empty()) {
            over_ = outstanding() == 0 && !strategy_.waits();
            return over_ ? std::nullopt : std::optional(space::Batch{});
        }
        auto const run = next_run(max);
        space::Batch part = batches_.front().part(at_, run.count);
        at_ += run.count;
        if (at_ == batches_.front().size()) {
            batches_.pop_front();
            at_ = 0;
        }
        if (run.state != TaskState::evaluated) {
            given_ += run.count;
            return run.state == TaskState::quarantined ? part.quarantined() : std::move(part);
        }
        restored_ += run.count;
        skipped += part.is_range() ? 1 : run.count;
    }
    return space::Batch{};
}

std::uint64_t RequestScheduler::left() const {
    auto const planned = strategy_.planned();
    return planned - std::min(planned, restored_ + given_);
}

/// Asks an adaptive strategy until it has no more requests, so that the results that it has received before a request
/// do not depend on how quickly results arrive.
bool RequestScheduler::ask() {
    bool requested = false;
    while (outstanding() < strategy_.lag()) {
        space::Batch batch =
            strategy_.ask(adaptive() ? strategy_.lag() - outstanding() : search::Strategy::non_adaptive);
        if (batch.empty()) return requested;
        requested = true;
        requested_ += batch.size();
        for (std::uint64_t i = 0; adaptive() && i < batch.size(); ++i) outstanding_.push_back(batch.task(i));
        batches_.push_back(std::move(batch));
        if (!adaptive()) break;
    }
    return requested;
}

void RequestScheduler::tell() {
    while (!outstanding_.empty()) {
        auto const row = store_.find(outstanding_.front());
        if (!row) return;
        outstanding_.pop_front();
        strategy_.tell(store_.result(*row));
        ask();
    }
}

RequestScheduler::Run RequestScheduler::next_run(std::uint64_t max) {
    if (!batches_.front().is_range()) return run_in_list(max);
    auto const fidelity = batches_.front().fidelity();
    if (!evaluated_.contains(fidelity)) evaluated_[fidelity] = evaluated_ids(store_, fidelity);
    return run_in_range(max);
}

RequestScheduler::Run RequestScheduler::run_in_range(std::uint64_t max) const {
    space::Task const task = batches_.front().task(at_);
    std::uint64_t const first = index_of(task.point);
    std::uint64_t end = first + (batches_.front().size() - at_);
    auto const done = evaluated_.at(task.fidelity).stretch(first);
    end = std::min(end, done.end);
    if (done.inside) return {TaskState::evaluated, end - first};
    auto const stretch = quarantine_.at(task.fidelity).stretch(first);
    end = std::min({end, stretch.end, first + max});
    if (space_.search().keep == space::Keep::front)
        end = std::min(end, (run::block_of(task.point) + 1) * space::BlockSummary::ids);
    return {stretch.inside ? TaskState::quarantined : TaskState::open, end - first};
}

RequestScheduler::Run RequestScheduler::run_in_list(std::uint64_t max) const {
    auto const& batch = batches_.front();
    Run run{state_of(batch.task(at_)), 1};
    std::uint64_t const longest =
        std::min(batch.size() - at_, run.state == TaskState::evaluated ? max_list : std::min(max, max_list));
    while (run.count < longest && state_of(batch.task(at_ + run.count)) == run.state) ++run.count;
    return run;
}

RequestScheduler::TaskState RequestScheduler::state_of(space::Task task) const {
    if (store_.contains(task)) return TaskState::evaluated;
    return quarantine_.contains(task) ? TaskState::quarantined : TaskState::open;
}

}  // namespace pimdse::dse::run
