#include "dse/run/dispatcher.hpp"

#include "sim/base/check.hpp"

#include <utility>

namespace pimdse::dse::run {
namespace {

constexpr double seconds_per_worker = 1e-4;  // coordinator's part of one exchange, with a margin
constexpr double min_seconds_per_worker =
    2e-5;  // the same without a margin, for the end of the work, where waiting costs more

ChunkSize::Aim aim_of(Dispatcher::Settings const& settings) {
    return {.target_seconds = std::max(settings.smallest_work_seconds, seconds_per_worker * settings.workers),
            .min_seconds = min_seconds_per_worker * settings.workers,
            .workers = settings.workers * settings.in_flight,
            .largest = settings.largest_chunk};
}

}  // namespace

double Dispatcher::Worker::speed() const {
    return measured_seconds > 0.0 ? std::clamp(expected_seconds / measured_seconds, 0.05, 2.0) : 1.0;
}

Dispatcher::Dispatcher(TaskSource& tasks, Settings settings)
    : tasks_(tasks), settings_(settings), size_(aim_of(settings)) {
    workers_.resize(static_cast<std::size_t>(settings_.workers));
    for (int worker = settings_.workers - 1; worker >= 0; --worker) queue(worker);
}

std::optional<Dispatcher::Handout> Dispatcher::next() {
    if (stopped_ || over_ || workers_with_room_.empty()) return std::nullopt;
    int const number = workers_with_room_.front();
    auto& worker = workers_[static_cast<std::size_t>(number)];
    auto tasks = tasks_.more(size_.next(std::max<std::uint64_t>(tasks_.left(), 1), worker.speed()));
    over_ = !tasks;
    if (!tasks || tasks->empty()) return std::nullopt;
    workers_with_room_.pop_front();
    worker.queued = false;
    std::uint64_t const count = tasks->size();
    Handout handout{number, {next_sequence_++, *std::move(tasks)}};
    in_flight_.emplace(handout.chunk.sequence, InFlight{number, handout.chunk.tasks});
    ++worker.held;
    worker.points += count;
    if (has_room(worker)) queue(number);
    return handout;
}

void Dispatcher::finished(int number, std::uint64_t sequence, std::uint64_t points, double seconds) {
    auto const chunk = in_flight_.find(sequence);
    sim::expects(chunk != in_flight_.end() && chunk->second.worker == number,
                 "results belong to a chunk that is in flight");
    std::uint64_t const requested = chunk->second.tasks.size();
    sim::expects(points == requested || (stopped_ && points < requested), "a chunk has one result per task");
    auto& worker = workers_[static_cast<std::size_t>(number)];
    --worker.held;
    worker.points -= requested;
    in_flight_.erase(chunk);
    if (points > 0) measure(worker, points, seconds);
    if (has_room(worker)) queue(number);
}

void Dispatcher::starving(int worker) { queue(worker); }

bool Dispatcher::has_room(Worker const& worker) const {
    if (worker.held < settings_.in_flight) return true;
    double const work = static_cast<double>(worker.points) * size_.seconds_per_point() / worker.speed();
    return work > 0.0 && work < settings_.round_trip_seconds && worker.held < settings_.max_in_flight;
}

void Dispatcher::queue(int worker) {
    if (std::exchange(workers_[static_cast<std::size_t>(worker)].queued, true)) return;
    workers_with_room_.push_back(worker);
}

void Dispatcher::measure(Worker& worker, std::uint64_t points, double seconds) {
    size_.measured(points, seconds);
    constexpr double keep =
        0.97;  // a long memory: the cost of the points that a worker happens to get is not its speed
    double const expected = static_cast<double>(points) * size_.seconds_per_point();
    if (worker.measured_seconds == 0.0) worker.expected_seconds = worker.measured_seconds = 4.0 * expected;
    worker.expected_seconds = keep * worker.expected_seconds + expected;
    worker.measured_seconds = keep * worker.measured_seconds + seconds;
}

}  // namespace pimdse::dse::run
