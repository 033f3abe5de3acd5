#include "dse/dispatcher.hpp"

#include "sim/check.hpp"

#include <algorithm>

namespace pimdse::dse {

Dispatcher::Dispatcher(Space const& space, Batch batch, Sink sink, Settings settings)
    : space_(space), batch_(std::move(batch)), sink_(std::move(sink)), settings_(settings) {
    constexpr double seconds_per_worker = 1e-4;   // what the coordinator spends on one exchange, with a margin
    double const target = std::max(settings_.smallest_work_seconds, seconds_per_worker * settings_.workers);
    ChunkSize const size({.target_seconds = target,
                          .workers = settings_.workers * settings_.in_flight,
                          .largest = settings_.largest_chunk,
                          .by_share_only = batch_.is_suspect()});
    workers_.assign(static_cast<std::size_t>(settings_.workers), {size, 0});
    for (int worker = settings_.workers - 1; worker >= 0; --worker) hungry_.push_back(worker);
}

std::optional<Dispatcher::Handout> Dispatcher::next() {
    bool const too_far_ahead = next_sequence_ - next_delivered_ >= settings_.chunks_ahead;
    if (stopped_ || next_task_ == batch_.size() || hungry_.empty() || too_far_ahead) return std::nullopt;
    int const worker = hungry_.front();
    hungry_.pop_front();
    auto& state = workers_[static_cast<std::size_t>(worker)];
    std::uint64_t const count = within_block(space_, batch_, next_task_, state.size.next(batch_.size() - next_task_));
    Handout handout{worker, {next_sequence_++, batch_.part(next_task_, count)}};
    next_task_ += count;
    counts_.emplace(handout.chunk.sequence, count);
    ++under_way_;
    if (++state.held < settings_.in_flight) hungry_.push_back(worker);
    return handout;
}

void Dispatcher::arrived(int worker, std::uint64_t sequence, Findings findings, double seconds) {
    auto const count = counts_.find(sequence);
    sim::expects(count != counts_.end(), "answers belong to a chunk that is under way");
    sim::expects(count->second == findings.points, "a chunk has one answer per task");
    counts_.erase(count);
    auto& state = workers_[static_cast<std::size_t>(worker)];
    state.size.measured(findings.points, seconds);
    if (state.held-- == settings_.in_flight) hungry_.push_back(worker);
    --under_way_;
    waiting_.emplace(sequence, std::move(findings));
    while (!waiting_.empty() && waiting_.begin()->first == next_delivered_) {
        auto const node = waiting_.extract(waiting_.begin());
        ++next_delivered_;
        sink_(node.mapped());
    }
}

}  // namespace pimdse::dse
