#include "dse/run/coordinator.hpp"
#include "dse/run/explore.hpp"
#include "dse/run/serve.hpp"
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
    std::string path = "pool";
    dse::run::WorkSettings settings;
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
    add("largest-chunk", po::value(&options.settings.largest_chunk),
        "points in one message; 1: every point is a message");
    add("threads", po::value(&options.settings.threads), "per rank");
    add("path", po::value(&options.path),
        "pool: answers are told and dropped; all: journal, store and front of all; front: of the fronts of blocks");
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

/// Counts what is handed out and what points took, on its way to the listener of whoever searches.
class Counted final : public dse::run::Pool {
  public:
    explicit Counted(std::unique_ptr<dse::run::Pool> pool) : pool_(std::move(pool)) {}
    void evaluate(dse::run::Work const& work, std::stop_token stop) override {
        dse::run::Work counting = work;
        counting.started = [&](dse::space::Batch const& tasks) {
            ++chunks;
            work.started(tasks);
        };
        counting.arrived = [&](dse::run::Findings&& findings) {
            for (auto const& answer : findings.kept) {
                busy_seconds += answer.seconds;
                own += answer.rank == 0 ? 1 : 0;
            }
            kept += findings.kept.size();
            points += findings.points;
            work.arrived(std::move(findings));
        };
        pool_->evaluate(counting, stop);
    }
    int threads() const override { return pool_->threads(); }

    std::uint64_t chunks = 0, points = 0;
    std::uint64_t kept = 0, own = 0;  ///< answers told; of them, those of rank 0, which came without a message
    double busy_seconds = 0.0;        ///< in points that are kept

  private:
    std::unique_ptr<dse::run::Pool> pool_;
};

/// Evaluates the first ids and drops the answers.
void drop_answers(dse::run::Pool& pool, std::uint64_t points) {
    std::uint64_t next = 0;
    dse::run::Work work;
    work.more = [&](std::uint64_t most) -> std::optional<dse::space::Batch> {
        if (next == points) return std::nullopt;
        std::uint64_t const count = std::min(most, points - next);
        next += count;
        return dse::space::Batch::range(dse::space::PointId{next - count}, count, models::Fidelity::analytic);
    };
    work.left = [&] { return points - next; };
    work.started = [](dse::space::Batch const&) {};
    work.arrived = [](dse::run::Findings&&) {};
    pool.evaluate(work, {});
}

double cpu_seconds(clockid_t clock) {
    timespec time{};
    ::clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void search(dse::space::Space const& space, Options const& options, dse::run::Pool& pool) {
    if (options.path == "pool") {
        return drop_answers(pool, options.points);
    }
    auto const file = std::filesystem::temp_directory_path() / fmt::format("bench-dispatch-{}.journal", ::getpid());
    auto journal = dse::store::journal::Journal::create(file, dse::store::journal::JournalHeader::of(space.columns()));
    dse::search::ResultStore store(space.metrics().size());
    (void)dse::run::explore(space, pool, journal, store, {}, {}, {});
    journal.remove();
}

/// Of the processes of all ranks, on rank 0; everybody must call it.
double cpu_seconds_of_all(dse::run::Communicator const& ranks) {
    auto const texts = ranks.gather(fmt::format("{}", cpu_seconds(CLOCK_PROCESS_CPUTIME_ID)));
    return std::accumulate(texts.begin(), texts.end(), 0.0,
                           [](double sum, std::string const& text) { return sum + std::stod(text); });
}

void coordinate(dse::run::Communicator& ranks, dse::space::Space const& space, Options const& options) {
    Counted pool(dse::run::make_coordinator(ranks, space, options.settings));
    // Everybody is there and has evaluated something before the clock starts.
    drop_answers(pool, std::min<std::uint64_t>(options.points, 64));
    dse::run::dismiss_workers(ranks);  // for a moment, to know what they have used
    double const used = cpu_seconds_of_all(ranks);
    pool.chunks = pool.points = pool.kept = pool.own = 0;
    pool.busy_seconds = 0.0;
    double const cpu = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
    auto const begun = Clock::now();
    search(space, options, pool);
    double const seconds = std::chrono::duration<double>(Clock::now() - begun).count();
    double const coordinator = cpu_seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
    dse::run::dismiss_workers(ranks);
    double const all = cpu_seconds_of_all(ranks) - used;
    double load = 0.0;
    ::getloadavg(&load, 1);
    fmt::print(R"({{"ranks": {}, "threads": {}, "path": "{}", "points": {}, "chunks": {}, "told": {}, "own": {}, )"
               R"("seconds": {:.4f}, "points_per_second": {:.0f}, "chunks_per_second": {:.0f}, )"
               R"("efficiency": {:.4f}, "coordinator_cpu_seconds": {:.4f}, "cpu_us_per_chunk": {:.2f}, )"
               R"("cpu_us_per_point": {:.4f}, "all_cpu_us_per_point": {:.4f}, "load": {:.1f}}})"
               "\n",
               ranks.size(), options.settings.threads, options.path, pool.points, pool.chunks, pool.kept, pool.own,
               seconds, static_cast<double>(pool.points) / seconds, static_cast<double>(pool.chunks) / seconds,
               pool.busy_seconds / (seconds * ranks.size() * options.settings.threads), coordinator,
               1e6 * coordinator / static_cast<double>(pool.chunks),
               1e6 * coordinator / static_cast<double>(pool.points), 1e6 * all / static_cast<double>(pool.points),
               load);
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
            dse::run::serve(ranks, space, options.settings);
            (void)dispatch::cpu_seconds_of_all(ranks);
        }
        return 0;
    }
    dispatch::coordinate(ranks, space, options);
}
