#include "dse/dispatcher.hpp"

#include "dse/space.hpp"
#include "sim/check.hpp"

#include <algorithm>
#include <utility>

namespace pimdse::dse {
namespace {

constexpr double seconds_per_worker = 1e-4;   // for the coordinator's part of one exchange, with a margin
constexpr double least_seconds_per_worker = 2e-5;   // the same without one, at the end of a batch, where waiting costs more

/// So that chunks under way are a small part of the answers that may be ahead: the rest is for those that overtake a long one.
std::uint64_t largest_chunk(Space const& space, Dispatcher::Settings const& settings) {
    if (space.search().keep == Keep::front) return settings.largest_chunk;
    auto const chunks = static_cast<std::uint64_t>(settings.workers) * static_cast<std::uint64_t>(settings.in_flight);
    return std::clamp<std::uint64_t>(settings.answers_ahead / (4 * chunks), 1, settings.largest_chunk);
}

ChunkSize::Aim aim_of(Space const& space, Dispatcher::Settings const& settings) {
    return {.target_seconds = std::max(settings.smallest_work_seconds, seconds_per_worker * settings.workers),
            .least_seconds = least_seconds_per_worker * settings.workers,
            .workers = settings.workers * settings.in_flight,
            .largest = largest_chunk(space, settings)};
}

}  // namespace

double Dispatcher::Worker::speed() const {
    return took > 0.0 ? std::clamp(expected / took, 0.05, 2.0) : 1.0;
}

Dispatcher::Dispatcher(Space const& space, Batch batch, Sink sink, Settings settings)
    : space_(space), batch_(std::move(batch)), sink_(std::move(sink)), settings_(settings), size_(aim_of(space, settings)) {
    workers_.resize(static_cast<std::size_t>(settings_.workers));
    for (int worker = settings_.workers - 1; worker >= 0; --worker) queue(worker);
}

std::optional<Dispatcher::Handout> Dispatcher::next() {
    if (stopped_ || next_task_ == batch_.size() || hungry_.empty() || too_far_ahead()) return std::nullopt;
    int const number = hungry_.front();
    hungry_.pop_front();
    auto& worker = workers_[static_cast<std::size_t>(number)];
    worker.queued = false;
    std::uint64_t const count = within_block(space_, batch_, next_task_, size_.next(batch_.size() - next_task_, worker.speed()));
    Handout handout{number, {next_sequence_++, batch_.part(next_task_, count)}};
    next_task_ += count;
    counts_.emplace_hint(counts_.end(), handout.chunk.sequence, count);
    ++under_way_;
    ++worker.held;
    worker.points += count;
    if (has_room(worker)) queue(number);
    return handout;
}

void Dispatcher::arrived(int number, std::uint64_t sequence, Findings findings, double seconds) {
    auto const count = counts_.find(sequence);
    sim::expects(count != counts_.end(), "answers belong to a chunk that is under way");
    sim::expects(count->second == findings.points, "a chunk has one answer per task");
    counts_.erase(count);
    auto& worker = workers_[static_cast<std::size_t>(number)];
    --worker.held;
    worker.points -= findings.points;
    --under_way_;
    measure(worker, findings.points, seconds);
    if (has_room(worker)) queue(number);
    answers_waiting_ += findings.kept.size();
    waiting_.emplace(sequence, std::move(findings));
    tell_those_in_order();
}

void Dispatcher::starving(int worker) { queue(worker); }

void Dispatcher::tell_those_in_order() {
    while (!waiting_.empty() && waiting_.begin()->first == next_delivered_) {
        auto const node = waiting_.extract(waiting_.begin());
        ++next_delivered_;
        told_tasks_ += node.mapped().points;
        answers_waiting_ -= node.mapped().kept.size();
        sink_(node.mapped());
    }
}

bool Dispatcher::has_room(Worker const& worker) const {
    if (worker.held < settings_.in_flight) return true;
    double const work = static_cast<double>(worker.points) * size_.seconds_per_point() / worker.speed();
    return work > 0.0 && work < settings_.round_trip_seconds && worker.held < settings_.most_in_flight;
}

bool Dispatcher::too_far_ahead() const {
    std::uint64_t const answers = space_.search().keep == Keep::all ? next_task_ - told_tasks_ : answers_waiting_;
    return next_sequence_ - next_delivered_ >= settings_.chunks_ahead || answers >= settings_.answers_ahead;
}

void Dispatcher::queue(int worker) {
    if (std::exchange(workers_[static_cast<std::size_t>(worker)].queued, true)) return;
    hungry_.push_back(worker);
}

void Dispatcher::measure(Worker& worker, std::uint64_t points, double seconds) {
    size_.measured(points, seconds);
    constexpr double keep = 0.97;   // long: what a worker happened to get is no speed
    double const expected = static_cast<double>(points) * size_.seconds_per_point();
    if (worker.took == 0.0) worker.expected = worker.took = 4.0 * expected;
    worker.expected = keep * worker.expected + expected;
    worker.took = keep * worker.took + seconds;
}

}  // namespace pimdse::dse
