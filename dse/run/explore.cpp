#include "dse/run/explore.hpp"

#include "dse/run/front_blocks.hpp"
#include "dse/run/liveness.hpp"
#include "dse/run/request_scheduler.hpp"
#include "dse/search/front.hpp"
#include "dse/search/strategies.hpp"
#include "dse/search/strategy.hpp"

#include <chrono>
#include <utility>

namespace pimdse::dse::run {
namespace {

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
        auto const work = strategy_.seconds_left();
        progress_.seconds_left =
            work && spent_ > 0.0 ? std::optional(progress_.seconds * *work / spent_) : std::nullopt;
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
