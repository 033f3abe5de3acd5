#include "options.hpp"
#include "simulated_job.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <array>
#include <cstdio>
#include <string>

namespace pimdse::scale {
namespace {

struct Case {
    char const* name;
    Cost cost;
};

using Shape = Cost::Shape;
std::array<Case, 11> const cases{{
    {"10 us", {Shape::equal, 10e-6, 1}},
    {"100 us, spread 1000x", {Shape::spread, 100e-6, 1000}},
    {"1 ms", {Shape::equal, 1e-3, 1}},
    {"1 ms, spread 1000x", {Shape::spread, 1e-3, 1000}},
    {"1 ms, lognormal 1", {Shape::lognormal, 1e-3, 1.0}},
    {"1 ms, regions 1000x", {Shape::regions, 1e-3, 1000}},
    {"100 ms, lognormal 1", {Shape::lognormal, 100e-3, 1.0}},
    {"100 ms, spread 1000x", {Shape::spread, 100e-3, 1000}},
    {"1 s, spread 1000x", {Shape::spread, 1.0, 1000}},
    {"10 s", {Shape::equal, 10.0, 1}},
    {"10 s, lognormal 1", {Shape::lognormal, 10.0, 1.0}},
}};

std::uint64_t points_for(Machine const& machine, Cost const& cost, double seconds) {
    double const points_per_thread = cost.shape == Shape::lognormal ? 1000.0 : 200.0;
    double const speed = (1.0 + machine.slowest_speed) / 2.0;
    return static_cast<std::uint64_t>(std::max(seconds, points_per_thread * cost.mean) * speed * machine.ranks *
                                      machine.threads / cost.mean);
}

enum class Order { ids, random };

void print_table(Options const& options, dse::space::Keep keep, Order order) {
    fmt::print(
        "efficiency in %, strategy {}, keep = \"{}\", {} thread(s) per rank, ranks {:.0f} % to 100 % fast; {:.0f} s of "
        "work per thread, 200 points at least (lognormal: 1000); * = the coordinator is busy\n",
        order == Order::ids ? "sweep" : "random", keep == dse::space::Keep::all ? "all" : "front",
        options.machine.threads, 100 * options.machine.slowest_speed, options.seconds);
    fmt::print("{:<24}", "cost of a point");
    for (int const ranks : options.ranks) fmt::print("{:>9}", ranks);
    fmt::print("\n");
    for (auto const& [name, cost] : cases) {
        fmt::print("{:<24}", name);
        for (int const ranks : options.ranks) {
            Machine machine = options.machine;
            machine.ranks = ranks;
            // What the coordinator has to say to so many results decides where all are kept: a long run would only take
            // longer to say so.
            auto const points = points_for(machine, cost, options.seconds);
            if (keep == dse::space::Keep::all && points > 400'000'000) {
                fmt::print("{:>9}", "-");
                continue;
            }
            auto const outcome = simulate(machine, {cost, points, keep, 64, order == Order::random});
            fmt::print("{:>8.1f}{}", 100 * outcome.efficiency,
                       outcome.coordinator_seconds > 0.9 * outcome.seconds ? '*' : ' ');
            std::fflush(stdout);
        }
        fmt::print("\n");
    }
}

void print_one(Options const& options) {
    auto const outcome = simulate(options.machine, {options.cost, options.points, options.keep});
    fmt::print(R"({{"ranks": {}, "points": {}, "seconds": {:.6f}, "busy_seconds": {:.6f}, "efficiency": {:.4f}, )"
               R"("chunks": {}, "coordinator_seconds": {:.6f}}})"
               "\n",
               options.machine.ranks, options.points, outcome.seconds, outcome.busy_seconds, outcome.efficiency,
               outcome.chunks, outcome.coordinator_seconds);
}

}  // namespace
}  // namespace pimdse::scale

int main(int count, char** words) {
    auto const options = pimdse::scale::read_options(count, words);
    if (options.points > 0) {
        pimdse::scale::print_one(options);
    } else {
        using pimdse::scale::Order;
        pimdse::scale::print_table(options, pimdse::dse::space::Keep::all, Order::ids);
        pimdse::scale::print_table(options, pimdse::dse::space::Keep::all, Order::random);
        pimdse::scale::print_table(options, pimdse::dse::space::Keep::front, Order::ids);
    }
}
