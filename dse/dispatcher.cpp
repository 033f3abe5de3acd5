#include "dse/dispatcher.hpp"

#include "sim/check.hpp"

#include <algorithm>

namespace pimdse::dse {

Dispatcher::Dispatcher(Batch batch, ResultSink sink, Settings settings) : batch_(std::move(batch)), sink_(std::move(sink)), settings_(settings) {
    constexpr double seconds_per_worker = 1e-4;   // what the coordinator spends on one exchange, with a margin
    double const target = std::max(settings_.smallest_work_seconds, seconds_per_worker * settings_.workers);
    ChunkSize const size({.target_seconds = target, .workers = settings_.workers * settings_.in_flight});
    workers_.assign(static_cast<std::size_t>(settings_.workers), {size, 0});
}

std::optional<Chunk> Dispatcher::next(int worker) {
    auto& state = workers_[static_cast<std::size_t>(worker)];
    bool const too_far_ahead = next_sequence_ - next_delivered_ >= settings_.chunks_ahead;
    if (stopped_ || next_task_ == batch_.size() || state.held >= settings_.in_flight || too_far_ahead) return std::nullopt;
    std::uint64_t const count = state.size.next(batch_.size() - next_task_);
    Chunk chunk{next_sequence_++, batch_.part(next_task_, count)};
    next_task_ += count;
    counts_.emplace(chunk.sequence, count);
    ++state.held;
    ++under_way_;
    return chunk;
}

void Dispatcher::arrived(int worker, std::uint64_t sequence, std::vector<Answer> answers, double seconds) {
    auto const count = counts_.find(sequence);
    sim::expects(count != counts_.end(), "answers belong to a chunk that is under way");
    sim::expects(count->second == answers.size(), "a chunk has one answer per task");
    counts_.erase(count);
    auto& state = workers_[static_cast<std::size_t>(worker)];
    state.size.measured(answers.size(), seconds);
    --state.held;
    --under_way_;
    waiting_.emplace(sequence, std::move(answers));
    while (!waiting_.empty() && waiting_.begin()->first == next_delivered_) {
        auto const node = waiting_.extract(waiting_.begin());
        ++next_delivered_;
        sink_(node.mapped());
    }
}

}  // namespace pimdse::dse
