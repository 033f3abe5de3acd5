#include "simulated_job.hpp"

#include <algorithm>
#include <deque>
#include <queue>
#include <utility>
#include <vector>

namespace pimdse::scale {
namespace {

/// Something that reaches the coordinator, or a worker's look at its own threads.
struct Event {
    enum class Kind : std::uint8_t { result, starving, idle_threads };
    double time = 0.0;
    std::uint64_t order = 0;  ///< of creation: equal times keep it
    Kind kind = Kind::result;
    int rank = 0;
    std::uint64_t sequence = 0;  ///< of the chunk; of idle_threads: how many chunks had come when it was planned
    std::uint64_t points = 0;
    double seconds = 0.0;
    bool operator<(Event const& other) const { return std::pair(other.time, other.order) < std::pair(time, order); }
};

/// The threads of a rank: points start in the order in which they came, each on the thread that is free first.
struct Rank {
    std::vector<double> free_at;  ///< a heap, earliest first
    std::uint64_t came = 0;       ///< chunks
    std::deque<double> ends;      ///< of chunks, some of them past
    double speed = 1.0;
};

class Job final : public dse::run::TaskSource {
  public:
    Job(Machine const& machine, Work const& work, dse::run::Dispatcher::Settings settings)
        : machine_(machine),
          work_(work),
          ranks_(static_cast<std::size_t>(machine.ranks)),
          dispatcher_(*this, with_ranks(settings, machine.ranks)) {
        for (std::size_t i = 0; i < ranks_.size(); ++i) {
            ranks_[i].free_at.assign(static_cast<std::size_t>(machine.threads), 0.0);
            ranks_[i].speed = machine.slowest_speed + (1.0 - machine.slowest_speed) * fraction(i + 1);
        }
    }

    Outcome run() {
        double nap = machine_.shortest_nap;
        while (!dispatcher_.done()) {
            bool const busy = hand_out() | take_messages();
            nap = busy ? machine_.shortest_nap : sleep(nap);
        }
        outcome_.seconds = now_;
        outcome_.efficiency = outcome_.busy_seconds / (now_ * machine_.ranks * machine_.threads);
        return outcome_;
    }

  private:
    static dse::run::Dispatcher::Settings with_ranks(dse::run::Dispatcher::Settings settings, int ranks) {
        settings.workers = ranks;
        return settings;
    }

    static double fraction(std::uint64_t key) {
        return static_cast<double>(sim::mixed_bits(key ^ 0x5CA1AB1EULL) >> 11) * 0x1p-53;
    }

    /// Until a rank above 0 sees what has happened: its main thread is somewhere in a nap.
    double until_noticed() { return machine_.longest_nap * fraction(++looks_); }

    void work_for(double seconds) {
        now_ += seconds;
        outcome_.coordinator_seconds += seconds;
    }

    /// Ids in their order, as the search gives them: of a list no more than fit into a mark, of a block no more than it
    /// has left.
    std::optional<dse::space::Batch> more(std::uint64_t max) override {
        constexpr std::uint64_t longest_list = 8192;
        if (given_ == work_.points) return std::nullopt;
        std::uint64_t count = std::min(max, work_.points - given_);
        if (work_.listed) count = std::min(count, longest_list);
        if (work_.keep == dse::space::Keep::front)
            count = std::min(count, dse::space::BlockSummary::ids - given_ % dse::space::BlockSummary::ids);
        given_ += count;
        return dse::space::Batch::range(dse::space::PointId{given_ - count}, count, models::Fidelity::analytic);
    }

    std::uint64_t left() const override { return work_.points - given_; }

    void take_in(std::uint64_t points) {
        std::uint64_t const results =
            work_.keep == dse::space::Keep::all ? points : std::min(points, work_.kept_per_chunk);
        work_for(machine_.result_seconds * static_cast<double>(results));
    }

    double sleep(double nap) {
        now_ += nap;
        if (nap >= machine_.longest_nap && !events_.empty() && events_.top().time > now_) {
            now_ += std::ceil((events_.top().time - now_) / nap) * nap;  // the naps nothing happens in
        }
        return std::min(2.0 * nap, machine_.longest_nap);
    }

    bool hand_out() {
        bool any = false;
        while (auto const handout = dispatcher_.next()) {
            ++outcome_.chunks;
            work_for(machine_.send_seconds +
                     (work_.listed ? machine_.listed_seconds * static_cast<double>(handout->chunk.tasks.size()) : 0.0));
            compute(handout->worker, handout->chunk,
                    handout->worker == 0 ? now_ : now_ + machine_.latency + until_noticed());
            any = true;
        }
        return any;
    }

    bool take_messages() {
        bool any = false;
        while (!events_.empty() && events_.top().time <= now_) {
            Event const event = events_.top();
            events_.pop();
            if (event.kind == Event::Kind::idle_threads) {
                ask_for_more(event);
                continue;
            }
            any = true;
            if (event.rank != 0) work_for(machine_.receive_seconds);
            if (event.kind == Event::Kind::starving)
                dispatcher_.starving(event.rank);
            else
                take_result(event);
            hand_out();
        }
        return any;
    }

    void take_result(Event const& event) {
        take_in(event.points);
        dispatcher_.finished(event.rank, event.sequence, event.points, event.seconds);
    }

    void compute(int number, dse::run::Chunk const& chunk, double when) {
        auto& rank = ranks_[static_cast<std::size_t>(number)];
        auto const threads = static_cast<std::uint64_t>(machine_.threads);
        std::uint64_t const first = dse::space::index_of(chunk.tasks.task(0).point);
        std::uint64_t const pieces = threads == 1 ? 1 : std::min(chunk.tasks.size(), 8 * threads);
        std::vector<double> starts;
        double end = when;
        double seconds = 0.0;
        for (std::uint64_t i = 0; i < pieces; ++i) {
            std::uint64_t const begin = chunk.tasks.size() * i / pieces;
            double const cost =
                work_.cost.of(first + begin, chunk.tasks.size() * (i + 1) / pieces - begin) / rank.speed;
            starts.push_back(start_piece(rank, when, cost));
            end = std::max(end, starts.back() + cost);
            seconds += cost;
        }
        outcome_.busy_seconds += seconds;
        ++rank.came;
        rank.ends.push_back(end);
        double const noticed = number == 0 ? end : end + until_noticed() + machine_.latency;
        push({noticed, 0, Event::Kind::result, number, chunk.sequence, chunk.tasks.size(), seconds / machine_.threads});
        if (threads == 1) return;
        std::uint64_t const soon = std::min(pieces, threads / 4 + 1);
        push({starts[pieces - soon], 0, Event::Kind::idle_threads, number, rank.came, 0, 0.0});
    }

    static double start_piece(Rank& rank, double when, double cost) {
        std::pop_heap(rank.free_at.begin(), rank.free_at.end(), std::greater<>{});
        double const start = std::max(when, rank.free_at.back());
        rank.free_at.back() = start + cost;
        std::push_heap(rank.free_at.begin(), rank.free_at.end(), std::greater<>{});
        return start;
    }

    /// As a rank does when it has started nearly everything it has, and still holds as many chunks as it may.
    void ask_for_more(Event const& event) {
        auto& rank = ranks_[static_cast<std::size_t>(event.rank)];
        if (event.sequence != rank.came) return;  // more has come meanwhile
        std::erase_if(rank.ends, [&](double end) { return end <= event.time; });
        auto const held = static_cast<int>(rank.ends.size());
        if (held < dse::run::chunks_in_flight || held >= machine_.threads + dse::run::chunks_in_flight) return;
        double const arrives = event.rank == 0 ? event.time : event.time + until_noticed() + machine_.latency;
        push({arrives, 0, Event::Kind::starving, event.rank, 0, 0, 0.0});
    }

    void push(Event event) {
        event.order = ++pushed_;
        events_.push(event);
    }

    Machine machine_;
    Work work_;
    std::vector<Rank> ranks_;
    std::priority_queue<Event> events_;
    Outcome outcome_;
    double now_ = 0.0;
    std::uint64_t pushed_ = 0;
    std::uint64_t looks_ = 0;
    std::uint64_t given_ = 0;  ///< points
    dse::run::Dispatcher dispatcher_;
};

}  // namespace

Outcome simulate(Machine const& machine, Work const& work, dse::run::Dispatcher::Settings settings) {
    return Job(machine, work, settings).run();
}

}  // namespace pimdse::scale
