#include "dse/cli/run/dry_run.hpp"

#include "dse/cli/run/progress.hpp"
#include "dse/evaluate/evaluation.hpp"
#include "dse/strategy/strategies.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/random.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <iostream>
#include <map>

namespace pimdse::dse::cli::run {
namespace {

struct Sample {
    std::uint64_t points = 0;
    double seconds = 0.0, quickest = 1e300, slowest = 0.0;
    std::map<std::string, std::uint64_t> rules;
};

Sample sample_of(space::Space const& space) {
    constexpr std::uint64_t most_points = 64;
    constexpr double most_seconds = 2.0;
    sim::Shuffle const order(space.size(), space.search().seed);
    Sample sample;
    while (sample.points < std::min(most_points, space.size()) && sample.seconds < most_seconds) {
        auto const found = evaluate::answer(space, {task::PointId{order.at(sample.points++)}, space.search().fidelity});
        sample.seconds += found.seconds;
        sample.quickest = std::min(sample.quickest, found.seconds);
        sample.slowest = std::max(sample.slowest, found.seconds);
        if (auto const* infeasible = std::get_if<models::Infeasible>(&found.outcome)) ++sample.rules[infeasible->rule];
        if (std::holds_alternative<models::Defect>(found.outcome))
            ++sample.rules[std::string(name_of(answers::status_of(found.outcome)))];
    }
    return sample;
}

void print_sample(Sample const& sample, std::uint64_t left, int threads) {
    double const each = sample.seconds / static_cast<double>(sample.points);
    std::cout << fmt::format("a sample of {} points: {} each ({} to {}), so at most about {} for {} points on {} {}\n",
                             sample.points, sim::print_quantity(each, "s"), sim::print_quantity(sample.quickest, "s"),
                             sim::print_quantity(sample.slowest, "s"),
                             print_duration(each * static_cast<double>(left) / threads), left, threads,
                             threads == 1 ? "thread" : "threads");
    for (auto const& [rule, points] : sample.rules)
        std::cout << fmt::format("  {:<24} {:.0f} % of the sample\n", rule,
                                 100.0 * static_cast<double>(points) / static_cast<double>(sample.points));
}

/// "llm = opt-6.7b, input = 512, weight 3", or why not.
std::string asked_text(space::Scenario const& scenario) {
    if (!scenario.refusal.empty()) return scenario.refusal;
    std::string text;
    for (auto const& [key, value] : scenario.written.keys) text += fmt::format("{} = {}, ", key, value);
    return text + fmt::format("weight {:g}", scenario.written.weight);
}

}  // namespace

void print_dry_run(space::Space const& space, answers::ResultStore const& answered, int threads) {
    auto const strategy = strategy::make_strategy(space);
    std::uint64_t const there = answered.evaluated() + answered.points_in_open_blocks();
    std::cout << fmt::format("{}: {} points in the space, {} to evaluate by '{}' at {} fidelity, {} answered already\n",
                             space.architecture().name, space.size(), strategy->planned(), space.search().strategy,
                             models::name_of(space.search().fidelity), there);
    for (std::size_t i = 0; i < space.axes().size(); ++i) {
        if (space.axes()[i].size() > 1)
            std::cout << fmt::format("  {:<24} {} values\n", space.parameters()[i].name, space.axes()[i].size());
    }
    for (auto const& scenario : space.scenarios().list())
        std::cout << fmt::format("  scenario {:<15} {}\n", scenario.written.name, asked_text(scenario));
    for (auto const& [what, note] : space.notes()) std::cout << fmt::format("  classes of {:<13} {}\n", what, note);
    std::uint64_t const left = strategy->planned() - std::min(strategy->planned(), there);
    if (left > 0) print_sample(sample_of(space), left, threads);
}

}  // namespace pimdse::dse::cli::run
