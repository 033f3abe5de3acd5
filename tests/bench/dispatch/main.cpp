#include "dse/run/chunk_runner.hpp"
#include "dse/run/explore.hpp"
#include "dse/run/liveness.hpp"
#include "dse/run/mpi_transport.hpp"
#include "dse/search/result_store.hpp"
#include "dse/space/space.hpp"
#include "dse/space/space_reader.hpp"
#include "dse/store/journal.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <boost/program_options.hpp>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <numeric>
#include <string>

namespace pimdse::dispatch {
namespace {

namespace po = boost::program_options;
using Clock = std::chrono::steady_clock;

struct Options {
    std::uint64_t points = 100'000;
    double cost = 0.0;
    std::int64_t spread = 1;
    std::string work = "sleep";
    std::string path = "dropped";
    dse::run::WorkSettings settings;
    dse::run::Dispatcher::Settings dispatch;
};

Options read_options(int count, char** words) {
    Options options;
    po::options_description description(
        "mpirun -n RANKS bench_dispatch [flags]: how fast the program's own coordinator hands points out");
    auto add = description.add_options();
    add("help", "this list");
    add("points", po::value(&options.points), "to evaluate");
    add("cost", po::value(&options.cost), "s a point costs at least");
    add("spread", po::value(&options.spread), "points cost 1 to so many times as much");
    add("work", po::value(&options.work), "sleep or spin");
    add("largest-chunk", po::value(&options.dispatch.largest_chunk),
        "points in one message; 1: every point is a message");
    add("threads", po::value(&options.settings.threads), "per rank");
    add("path", po::value(&options.path),
        "dropped: results are dropped; all: journal, store and front of all; front: of the fronts of blocks");
    po::variables_map values;
    po::store(po::parse_command_line(count, words, description), values);
    po::notify(values);
    if (values.contains("help")) {
        std::cout << description;
        std::exit(0);
    }
    options.settings.give_up = [](std::string const& why) {
        std::cerr << why << "\n";
        std::_Exit(75);
    };
    return options;
}

dse::space::Space space_of(Options const& options) {
    auto space = dse::space::parse_space(
        fmt::format(
            "schema = 1\narchitecture = \"workbench\"\nobjectives = [\"latency\", \"energy\"]\n[parameters]\n"
            "x = {{ from = 1, to = {} }}\ny = {{ from = 1, to = 1000 }}\ncost = \"{} s\"\nspread = {}\nwork = \"{}\"\n",
            options.points / 1000 + 1, options.cost, options.spread, options.work),
        "bench", {});
    auto search = space.search();
    search.budget = options.points;
    if (options.path == "front") search.keep = dse::space::Keep::front;
    space.set_search(search);
    return space;
}

/// What passes through the transports of a job.
struct Counts {
    std::uint64_t chunks = 0, points = 0;
    std::uint64_t kept = 0, own = 0;  ///< results; of them, those of rank 0, which came without a message
    double busy_seconds = 0.0;        ///< in points that are kept
};

class CountingTransport final : public dse::run::Transport {
  public:
    CountingTransport(dse::run::Transport& inner, Counts& counts, bool own)
        : inner_(inner), counts_(counts), own_(own) {}
    [[nodiscard]] std::vector<dse::run::WorkerKey> workers() const override { return inner_.workers(); }
    [[nodiscard]] std::optional<dse::run::WorkerEvent> poll() override {
        auto event = inner_.poll();
        if (!event) return event;
        for (auto const& part : event->chunk.results) {
            for (auto const& result : part.kept) counts_.busy_seconds += result.seconds;
            counts_.own += own_ ? part.kept.size() : 0;
            counts_.kept += part.kept.size();
            counts_.points += part.points;
        }
        return event;
    }
    void submit(dse::run::WorkerKey worker, dse::run::Chunk chunk) override {
        ++counts_.chunks;
        inner_.submit(worker, std::move(chunk));
    }
    void recall() override { inner_.recall(); }
    void supervise(std::function<bool(dse::run::WorkerKey)> const& busy) override { inner_.supervise(busy); }

  private:
    dse::run::Transport& inner_;
    Counts& counts_;
    bool own_;
};

using Transports = std::vector<dse::run::Transport*>;

/// The first ids of a space.
class FirstIds final : public dse::run::TaskSource {
  public:
    explicit FirstIds(std::uint64_t points) : points_(points) {}
    std::optional<dse::space::Batch> more(std::uint64_t max) override {
        if (next_ == points_) return std::nullopt;
        std::uint64_t const count = std::min(max, points_ - next_);
        next_ += count;
        return dse::space::Batch::range(dse::space::PointId{next_ - count}, count, models::Fidelity::analytic);
    }
    std::uint64_t left() const override { return points_ - next_; }

  private:
    std::uint64_t points_, next_ = 0;
};

/// Evaluates the first ids and drops the results: the loop of explore() without what keeps them.
void drop_results(Transports const& transports, Options const& options, std::uint64_t points) {
    using dse::run::WorkerEvent;
    FirstIds ids(points);
    dse::run::WorkerNumbers const workers(transports);
    auto settings = options.dispatch;
    settings.workers = workers.size();
    dse::run::Dispatcher dispatcher(ids, settings);
    dse::run::BackOff back_off;
    auto const submit = [&] {
        bool submitted = false;
        for (; auto handout = dispatcher.next(); submitted = true) {
            auto const& worker = workers.worker(handout->worker);
            worker.transport->submit(worker.key, std::move(handout->chunk));
        }
        return submitted;
    };
    while (!dispatcher.done()) {
        bool busy = submit();
        for (auto* transport : transports) {
            while (auto event = transport->poll()) {
                int const worker = workers.number(*transport, event->worker);
                if (event->kind == WorkerEvent::Kind::starving) dispatcher.starving(worker);
                if (event->kind == WorkerEvent::Kind::finished && event->chunk.whole)
                    dispatcher.finished(worker, event->chunk.sequence, event->chunk.evaluated, event->chunk.seconds);
                submit();
                busy = true;
            }
            transport->supervise([](dse::run::WorkerKey) { return true; });
        }
        busy ? back_off.something_happened() : back_off.nothing_happened();
    }
}

double cpu_seconds(clockid_t clock) {
    timespec time{};
    ::clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void search(dse::space::Space const& space, Options const& options, Transports const& transports) {
    if (options.path == "dropped") return drop_results(transports, options, options.points);
    auto const file = std::filesystem::temp_directory_path() / fmt::format("bench-dispatch-{}.journal", ::getpid());
    auto journal = dse::store::journal::Journal::create(file, dse::store::journal::JournalHeader::of(space.columns()));
    dse::search::ResultStore store(space.metrics().size());
    (void)dse::run::explore(space, transports, journal, store, {.dispatch = options.dispatch});
    journal.remove();
}

/// Of the processes of all ranks, on rank 0; everybody must call it.
double cpu_seconds_of_all(dse::run::Communicator const& ranks) {
    auto const texts = ranks.gather(fmt::format("{}", cpu_seconds(CLOCK_PROCESS_CPUTIME_ID)));
    return std::accumulate(texts.begin(), texts.end(), 0.0,
                           [](double sum, std::string const& text) { return sum + std::stod(text); });
}

void coordinate(dse::run::Communicator& ranks, dse::space::Space const& space, Options const& options) {
    dse::run::LocalTransport local(space, options.settings);
    dse::run::MpiTransport mpi(ranks, options.settings);
    Counts counts;
    CountingTransport own(local, counts, true), others(mpi, counts, false);
    Transports const transports{&own, &others};
    // Everybody is there and has evaluated something before the clock starts.
    drop_results(transports, options, std::min<std::uint64_t>(options.points, 64));
    dse::run::dismiss_workers(ranks);  // for a moment, to know what they have used
    double const used = cpu_seconds_of_all(ranks);
    counts = {};
    double const cpu = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
    auto const begun = Clock::now();
    search(space, options, transports);
    double const seconds = std::chrono::duration<double>(Clock::now() - begun).count();
    double const coordinator = cpu_seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
    dse::run::dismiss_workers(ranks);
    double const all = cpu_seconds_of_all(ranks) - used;
    double load = 0.0;
    ::getloadavg(&load, 1);
    fmt::print(
        R"({{"ranks": {}, "threads": {}, "path": "{}", "points": {}, "chunks": {}, "told": {}, "own": {}, )"
        R"("seconds": {:.4f}, "points_per_second": {:.0f}, "chunks_per_second": {:.0f}, )"
        R"("efficiency": {:.4f}, "coordinator_cpu_seconds": {:.4f}, "cpu_us_per_chunk": {:.2f}, )"
        R"("cpu_us_per_point": {:.4f}, "all_cpu_us_per_point": {:.4f}, "load": {:.1f}}})"
        "\n",
        ranks.size(), options.settings.threads, options.path, counts.points, counts.chunks, counts.kept, counts.own,
        seconds, static_cast<double>(counts.points) / seconds, static_cast<double>(counts.chunks) / seconds,
        counts.busy_seconds / (seconds * ranks.size() * options.settings.threads), coordinator,
        1e6 * coordinator / static_cast<double>(counts.chunks), 1e6 * coordinator / static_cast<double>(counts.points),
        1e6 * all / static_cast<double>(counts.points), load);
}

}  // namespace
}  // namespace pimdse::dispatch

int main(int count, char** words) {
    using namespace pimdse;
    dse::run::Communicator ranks(count, words);
    auto const options = dispatch::read_options(count, words);
    auto const space = dispatch::space_of(options);
    if (ranks.rank() != 0) {
        for (int part = 0; part < 2; ++part) {  // the warm-up and the measurement
            dse::run::work_for_rank_0(ranks, space, options.settings);
            (void)dispatch::cpu_seconds_of_all(ranks);
        }
        return 0;
    }
    dispatch::coordinate(ranks, space, options);
}
