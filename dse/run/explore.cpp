#include "dse/run/explore.hpp"

#include "dse/run/chunk_result.hpp"
#include "dse/run/liveness.hpp"
#include "dse/search/front.hpp"
#include "dse/search/point_counts.hpp"
#include "dse/space/batch.hpp"
#include "sim/base/check.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <utility>

namespace pimdse::dse::run {
namespace {

constexpr std::uint64_t max_list =
    8192;  // points; a list is written to the journal point by point before it is submitted
constexpr std::uint64_t max_skipped = 1 << 20;  // per call of more(), so that the main loop is not blocked

/// Storage of results with `keep = "front"`: as parts of blocks of ids until a block is complete, then as the front of
/// the block.
class FrontBlocks {
  public:
    FrontBlocks(space::Space const& space, store::journal::Journal& journal, search::ResultStore& store)
        : space_(space), journal_(journal), store_(store), plan_(search::shard_positions(space)) {}

    /// Completes the blocks of an earlier run of which all parts are present. Throws InputError if the number of points
    /// in a block differs because of another budget or shard.
    void restore() {
        auto const fidelity = space_.search().fidelity;
        for (auto const& [key, points] : store_.blocks()) {
            std::uint64_t const planned = planned_in(key.first);
            if (key.second == fidelity && planned > 0 && points != planned) refuse(key.first, points);
        }
        std::vector<Key> open;
        for (auto const& [key, block] : store_.open_blocks()) {
            if (key.second != fidelity) continue;
            auto const& [last, part] = *block.parts.rbegin();
            if (block.parts.begin()->first < plan_.first || last + part.points > plan_.last)
                refuse(key.first, block.points);
            open.push_back(key);
        }
        for (auto const& key : open)
            join_if_whole(key);  // the earlier run died after the last part, before it wrote the block
    }
    /// Writes the result to the journal and the store.
    void keep(ChunkResult result) {
        space::BlockPart part{index_of(result.first.point), result.points, result.first.fidelity,
                              std::move(result.kept), std::move(result.left_out)};
        Key const key{part.first / space::BlockSummary::ids, part.fidelity};
        bool const whole = part.points == planned_in(key.first);  // the record of the block then contains everything
        if (!whole) journal_.append(part);
        store_.add(std::move(part));
        join_if_whole(key);
    }

  private:
    using Key = std::pair<std::uint64_t, models::Fidelity>;
    void join_if_whole(Key key) {
        auto const& open = store_.open_blocks().at(key);
        if (open.points != planned_in(key.first)) return;
        auto const summary = run::joined(space_, key.first, key.second, open.parts);
        journal_.append(summary);
        store_.insert(summary);
    }
    /// Number of planned points in the block; the plan is a run of consecutive ids.
    [[nodiscard]] std::uint64_t planned_in(std::uint64_t block) const {
        std::uint64_t const first = block * space::BlockSummary::ids;
        std::uint64_t const from = std::max(plan_.first, first);
        std::uint64_t const to = std::min(plan_.last, first + space::BlockSummary::ids);
        return from < to ? to - from : 0;
    }
    [[noreturn]] void refuse(std::uint64_t block, std::uint64_t points) const {
        throw sim::InputError(
            "block {} of ids was explored with {} points and has {} points now, because --budget or --shard "
            "differs: use the same value, or another output file",
            block, points, planned_in(block));
    }

    space::Space const& space_;
    store::journal::Journal& journal_;
    search::ResultStore& store_;
    search::Positions plan_;
};

/// Source of the tasks that a strategy requests and that have no result yet. Quarantined points are returned in batches
/// of their own, and with `keep = "front"` no batch crosses a block boundary. An adaptive strategy receives every
/// result in request order and is asked for more points after each, so that its requests depend only on its lag.
class RequestScheduler final : public TaskSource {
  public:
    RequestScheduler(space::Space const& space, search::Strategy& strategy, search::ResultStore const& store,
                     Quarantine const& quarantine)
        : space_(space), strategy_(strategy), store_(store), quarantine_(quarantine) {}

    [[nodiscard]] std::optional<space::Batch> more(std::uint64_t max) override {
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
    [[nodiscard]] std::uint64_t left() const override {
        auto const planned = strategy_.planned();
        return planned - std::min(planned, restored_ + given_);
    }
    /// Passes new results to the strategy in request order; to be called when the store has grown.
    void tell() {
        while (!outstanding_.empty()) {
            auto const row = store_.find(outstanding_.front());
            if (!row) return;
            outstanding_.pop_front();
            strategy_.tell(store_.result(*row));
            ask();
        }
    }

    [[nodiscard]] std::uint64_t requested() const { return requested_; }
    /// Requested tasks that already have a result of an earlier run.
    [[nodiscard]] std::uint64_t restored() const { return restored_; }
    /// Requested tasks that more() has returned.
    [[nodiscard]] std::uint64_t given() const { return given_; }
    /// True if more() has returned nullopt: there are no more tasks.
    [[nodiscard]] bool over() const { return over_; }

  private:
    enum class TaskState : std::uint8_t { evaluated, quarantined, open };
    /// Consecutive tasks of the first batch, from `at_` on, that have the same state.
    struct Run {
        TaskState state = TaskState::open;
        std::uint64_t count = 0;
    };
    [[nodiscard]] Run next_run(std::uint64_t max) {
        if (!batches_.front().is_range()) return run_in_list(max);
        auto const fidelity = batches_.front().fidelity();
        if (!evaluated_.contains(fidelity)) evaluated_[fidelity] = evaluated_ids(store_, fidelity);
        return run_in_range(max);
    }
    [[nodiscard]] Run run_in_range(std::uint64_t max) const {
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
    [[nodiscard]] Run run_in_list(std::uint64_t max) const {
        auto const& batch = batches_.front();
        Run run{state_of(batch.task(at_)), 1};
        std::uint64_t const longest =
            std::min(batch.size() - at_, run.state == TaskState::evaluated ? max_list : std::min(max, max_list));
        while (run.count < longest && state_of(batch.task(at_ + run.count)) == run.state) ++run.count;
        return run;
    }
    [[nodiscard]] TaskState state_of(space::Task task) const {
        if (store_.contains(task)) return TaskState::evaluated;
        return quarantine_.contains(task) ? TaskState::quarantined : TaskState::open;
    }
    [[nodiscard]] bool adaptive() const { return strategy_.lag() != search::Strategy::non_adaptive; }
    [[nodiscard]] std::uint64_t outstanding() const { return outstanding_.size(); }
    /// Asks an adaptive strategy until it has no more requests, so that the results that it has received before a
    /// request do not depend on how quickly results arrive.
    bool ask() {
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

    space::Space const& space_;
    search::Strategy& strategy_;
    search::ResultStore const& store_;
    Quarantine const& quarantine_;
    std::map<models::Fidelity, space::IdSet> evaluated_;  ///< as of the first requested range of each fidelity
    std::deque<space::Batch> batches_;                    ///< requested and not yet returned by more()
    std::uint64_t at_ = 0;                                ///< position in the first batch
    std::deque<space::Task> outstanding_;  ///< requested by an adaptive strategy and not yet told, in request order
    std::uint64_t requested_ = 0, restored_ = 0, given_ = 0;
    bool over_ = false;
};

using Clock = std::chrono::steady_clock;

Dispatcher::Settings with_workers(Dispatcher::Settings settings, int workers) {
    settings.workers = workers;
    return settings;
}

class Exploration {
  public:
    Exploration(space::Space const& space, search::Strategy& strategy, std::vector<Transport*> const& transports,
                store::journal::Journal& journal, search::ResultStore& store, ExploreOptions const& options)
        : space_(space),
          strategy_(strategy),
          transports_(transports),
          journal_(journal),
          store_(store),
          options_(options),
          scheduler_(space, strategy, store, options.quarantine),
          workers_(transports),
          dispatcher_(scheduler_, with_workers(options.dispatch, workers_.size())),
          blocks_(space, journal, store),
          front_(store, space.objectives(), space.search().fidelity) {
        if (keeps_fronts()) blocks_.restore();
    }

    Explored run() {
        BackOff back_off;
        while (!dispatcher_.done()) {
            bool const busy = submit_chunks() | take_events();
            supervise();
            tick();
            busy ? back_off.something_happened() : back_off.nothing_happened();
        }
        journal_.commit();
        report(std::chrono::seconds(1));
        return {progress_, scheduler_.over() && progress_.evaluated == scheduler_.given()};
    }

  private:
    [[nodiscard]] bool keeps_fronts() const { return space_.search().keep == space::Keep::front; }

    /// Submits as many points as the workers have room for, unless the run is to stop. A chunk is recorded in the
    /// journal before a worker gets it, so that a resumed run knows which points were in flight if this run dies.
    bool submit_chunks() {
        if (options_.stop.stop_requested()) stop();
        bool submitted = false;
        while (auto handout = dispatcher_.next()) {
            mark(handout->chunk.tasks);
            auto const& worker = workers_.worker(handout->worker);
            worker.transport->submit(worker.key, std::move(handout->chunk));
            submitted = true;
        }
        return submitted;
    }

    /// Processes events and submits chunks after each: with thousands of ranks, new events arrive meanwhile, and an
    /// idle worker must not wait until all are processed.
    bool take_events() {
        constexpr int at_once = 256;  // events before the next transport is polled
        bool taken = false;
        for (auto* transport : transports_) {
            for (int count = 0; count < at_once; ++count) {
                auto event = transport->poll();
                if (!event) break;
                take(*transport, *std::move(event));
                submit_chunks();
                taken = true;
            }
        }
        return taken;
    }

    void take(Transport& transport, WorkerEvent event) {
        int const worker = workers_.number(transport, event.worker);
        if (event.kind == WorkerEvent::Kind::starving) return dispatcher_.starving(worker);
        for (auto& part : event.chunk.results) {
            for (auto& result : part.kept) result.rank = worker;
            keep(std::move(part));
        }
        if (event.chunk.whole)
            dispatcher_.finished(worker, event.chunk.sequence, event.chunk.evaluated, event.chunk.seconds);
    }

    /// Passes a result to the journal, the store and then the strategy.
    void keep(ChunkResult result) {
        progress_.evaluated += result.points;
        for (auto const& one : result.kept) spent_ += one.seconds;
        if (keeps_fronts()) return blocks_.keep(std::move(result));
        journal_.append(result.kept);
        store_.insert(result.kept);
        scheduler_.tell();
    }

    void mark(space::Batch const& tasks) {
        store::journal::Started started{tasks.fidelity(), {}, 0, {}};
        if (tasks.is_range()) {
            started.first = tasks.task(0).point;
            started.count = tasks.size();
        } else {
            for (std::uint64_t i = 0; i < tasks.size(); ++i) started.points.push_back(tasks.task(i).point);
        }
        journal_.append(started);
    }

    void stop() {
        if (std::exchange(stopped_, true)) return;
        dispatcher_.stop();
        for (auto* transport : transports_) transport->recall();
    }

    void supervise() {
        for (auto* transport : transports_) {
            transport->supervise(
                [&](WorkerKey key) { return dispatcher_.held_by(workers_.number(*transport, key)) > 0; });
        }
    }

    void tick() {
        constexpr std::chrono::milliseconds interval{200};
        if (Clock::now() - reported_ < interval) return;
        journal_.tick();
        report(interval / 20);
    }

    /// `for_front`: time limit of the update of the front.
    void report(std::chrono::microseconds for_front) {
        auto const& watch = options_.watch;
        if (watch) {
            front_.look(for_front);
            progress_.standing = strategy_.standing();
            note_standing();
        }
        reported_ = Clock::now();
        progress_.planned = strategy_.planned();
        progress_.told = scheduler_.restored() + progress_.evaluated;
        progress_.infeasible = store_.count(search::Status::infeasible);
        progress_.failed = store_.evaluated() - progress_.infeasible - store_.count(search::Status::ok);
        progress_.front = front_.members();
        progress_.front_of = front_.rows();
        progress_.kept = store_.size();
        progress_.seconds = std::chrono::duration<double>(reported_ - begun_).count();
        progress_.left = strategy_.seconds_left();
        if (progress_.left) {
            double const threads = spent_ / progress_.seconds;
            progress_.left = {progress_.left->least / threads, progress_.left->most / threads};
        }
        if (watch) watch(progress_);
    }

    /// Records the state of a bounded search in the journal for the verb `watch`, at most once a second.
    void note_standing() {
        constexpr std::chrono::seconds between_notes{1};
        auto const now = Clock::now();
        if (!progress_.standing || now - noted_ < between_notes) return;
        journal_.append(*progress_.standing);
        noted_ = now;
    }

    space::Space const& space_;
    search::Strategy const& strategy_;
    std::vector<Transport*> const& transports_;
    store::journal::Journal& journal_;
    search::ResultStore& store_;
    ExploreOptions const& options_;
    RequestScheduler scheduler_;
    WorkerNumbers workers_;
    Dispatcher dispatcher_;
    FrontBlocks blocks_;
    search::FrontCount front_;
    Progress progress_;
    double spent_ = 0.0;  ///< s of all threads, on results that are kept
    bool stopped_ = false;
    Clock::time_point begun_ = Clock::now();
    Clock::time_point reported_ = begun_;
    Clock::time_point noted_ = begun_;
};

}  // namespace

Explored explore(space::Space const& space, search::Strategy& strategy, std::vector<Transport*> const& transports,
                 store::journal::Journal& journal, search::ResultStore& store, ExploreOptions const& options) {
    return Exploration(space, strategy, transports, journal, store, options).run();
}

Explored explore(space::Space const& space, std::vector<Transport*> const& transports, store::journal::Journal& journal,
                 search::ResultStore& store, ExploreOptions const& options) {
    return explore(space, *search::make_strategy(space), transports, journal, store, options);
}

}  // namespace pimdse::dse::run
