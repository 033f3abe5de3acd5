#include "dse/cli/dry_run.hpp"

#include "dse/cli/progress.hpp"
#include "dse/cli/verb.hpp"
#include "dse/search/strategy.hpp"
#include "dse/space/evaluation.hpp"
#include "sim/base/random.hpp"

#include <limits>
#include <map>
#include <numeric>

namespace pimdse::dse::cli {
namespace {

struct TimedSample {
    std::uint64_t points = 0;
    double seconds = 0.0, quickest = std::numeric_limits<double>::infinity(), slowest = 0.0;
    double of_space = 0.0;  ///< s of all points, those of a machine as long as the second half of its sample
    std::map<std::string, std::uint64_t> without_result;  ///< points by broken rule, or by kind of failure
};

/// Evaluates up to 512 random points, of each machine as many, for 2 s, or 10 s until there are 64: points of one
/// machine may take a hundred times as long as those of others, and the first ones find out what others then know.
TimedSample sample_of(space::Space const& space, int threads) {
    constexpr std::uint64_t max_points = 512, few_points = 64;
    constexpr double max_seconds = 2.0, max_seconds_of_few = 10.0;
    auto const machines = space.machines().size();
    std::vector<std::vector<double>> seconds(machines);
    std::vector<std::uint64_t> sizes;
    std::vector<sim::Shuffle> orders;
    for (auto const& machine : space.machines()) {
        sizes.push_back(machine.size());
        orders.emplace_back(machine.size(), space.search().seed);
    }
    auto const at_once = std::max<std::size_t>(1, 2 * static_cast<std::size_t>(threads) / machines);
    TimedSample sample;
    auto const add = [&](space::Result const& found) {
        ++sample.points;
        sample.seconds += found.seconds;
        sample.quickest = std::min(sample.quickest, found.seconds);
        sample.slowest = std::max(sample.slowest, found.seconds);
        seconds[space.machine_of(found.task.point)].push_back(found.seconds);
        if (auto const* infeasible = std::get_if<models::Infeasible>(&found.outcome))
            ++sample.without_result[infeasible->rule];
        if (std::holds_alternative<models::Defect>(found.outcome))
            ++sample.without_result[std::string(name_of(search::status_of(found.outcome)))];
    };
    for (double limit = max_seconds_of_few; sample.points < max_points && sample.seconds < limit * threads;) {
        std::vector<space::Task> tasks;
        for (std::size_t m = 0; m < machines; ++m)
            for (auto i = seconds[m].size(); i < std::min(seconds[m].size() + at_once, sizes[m]); ++i)
                tasks.push_back({space::PointId{space.first_of(m) + orders[m].at(i)}, space.search().fidelity});
        if (tasks.empty()) break;
        std::ranges::for_each(space::results_of(space, tasks, threads), add);
        if (sample.points >= few_points) limit = max_seconds;
    }
    for (std::size_t m = 0; m < machines; ++m) {
        auto const later = std::span(seconds[m]).subspan(seconds[m].size() / 2);
        sample.of_space += std::accumulate(later.begin(), later.end(), 0.0) / static_cast<double>(later.size()) *
                           static_cast<double>(sizes[m]);
    }
    return sample;
}

/// Prints the time per point and, for `left` of all points on the threads of this process, an estimate. `prunes`:
/// bounds may decide some of them in less.
void print_sample(TimedSample const& sample, std::uint64_t all, std::uint64_t left, int threads, bool prunes) {
    double const each = sample.seconds / static_cast<double>(sample.points);
    double const whole = sample.of_space * static_cast<double>(left) / static_cast<double>(all);
    std::cout << fmt::format("a sample of {} points: {} each ({} to {}), so {} {} for {} points on {} {}\n",
                             sample.points, sim::print_quantity(each, "s"), sim::print_quantity(sample.quickest, "s"),
                             sim::print_quantity(sample.slowest, "s"), prunes ? "at most" : "about",
                             print_duration(whole / threads), left, threads, threads == 1 ? "thread" : "threads");
    for (auto const& [rule, points] : sample.without_result)
        std::cout << fmt::format("  {:<24} {:.0f} % of the sample\n", rule,
                                 100.0 * static_cast<double>(points) / static_cast<double>(sample.points));
}

/// The settings of a scenario: "llm = opt-6.7b, input = 512, weight 3".
std::string settings_text(space::Scenario const& scenario) {
    std::string text;
    for (auto const& [key, value] : scenario.written.keys) text += fmt::format("{} = {}, ", key, value);
    return text + fmt::format("weight {:g}", scenario.written.weight);
}

/// The settings of a scenario, or why its machine cannot serve it.
std::string scenario_text(space::Scenario const& scenario) {
    return scenario.refusal.empty() ? settings_text(scenario) : scenario.refusal;
}

void print_axes(space::Machine const& machine) {
    for (std::size_t i = 0; i < machine.axes.size(); ++i) {
        if (machine.axes[i].size() > 1)
            std::cout << fmt::format("  {:<24} {} values\n", machine.parameters()[i].name, machine.axes[i].size());
    }
}

void print_machines(std::vector<space::Machine> const& machines) {
    for (auto const& machine : machines) {
        if (machines.size() > 1) std::cout << fmt::format("{}: {}\n", machine.name, counted(machine.size(), "point"));
        print_axes(machine);
        for (auto const& scenario : machine.scenarios.list()) {
            if (machines.size() == 1 || !scenario.refusal.empty())
                std::cout << fmt::format("  scenario {:<15} {}\n", scenario.written.name, scenario_text(scenario));
        }
    }
    if (machines.size() == 1) return;
    for (auto const& scenario : machines.front().scenarios.list())
        std::cout << fmt::format("scenario {:<17} {}\n", scenario.written.name, settings_text(scenario));
}

/// "168 to evaluate by 'sweep' at cycle fidelity". The bounded search (ladder) does not know beforehand how many points
/// it has to evaluate at cycle fidelity; it plans its analytic evaluations, or none (0) if it searches boxes of points.
std::string plan_text(space::SearchSettings const& search, std::uint64_t planned) {
    if (search.strategy != "ladder")
        return fmt::format("{} to evaluate by '{}' at {} fidelity", planned, search.strategy,
                           models::name_of(search.fidelity));
    std::string_view const coarse = planned > 0 ? "all points at analytic fidelity" : "boxes of points by their bounds";
    return fmt::format("to search by 'ladder': {}, then at cycle fidelity the points that bounds do not decide",
                       coarse);
}

}  // namespace

void print_dry_run(space::Space const& space, search::ResultStore const& evaluated, int threads) {
    auto const strategy = search::make_strategy(space);
    std::uint64_t const known = evaluated.evaluated() + evaluated.points_in_open_blocks();
    std::cout << fmt::format("{}: {} in the space, {}, {} evaluated already\n",
                             fmt::join(sim::names_of(space.machines()), "+"), counted(space.size(), "point"),
                             plan_text(space.search(), strategy->planned()), known);
    print_machines(space.machines());
    for (auto const& [parameter, note] : space.notes())
        std::cout << fmt::format("  classes of {:<13} {}\n", parameter, note);
    std::uint64_t const left = strategy->planned() - std::min(strategy->planned(), known);
    if (left > 0)
        print_sample(sample_of(space, threads), space.size(), left, threads,
                     strategy->lag() != search::Strategy::non_adaptive);
}

}  // namespace pimdse::dse::cli
