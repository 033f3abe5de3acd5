#include "dse/report/service_facts.hpp"

#include "dse/space/columns.hpp"
#include "dse/store/result_schema.hpp"
#include "sim/base/check.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/serving/max_rate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace pimdse::dse::report {
namespace {

using models::service::Traffic;
using sim::Json;
using sim::serving::Schedule;
using sim::serving::ServiceLoad;

constexpr std::size_t max_quantiles = 200, time_parts = 240, max_served = 12;
/// Rates are the largest one times 2^(k / 2), k from -7 to 4.
constexpr int first_half_octave = -7, last_half_octave = 4;

/// A change of the numbers of requests.
struct CountChange {
    double at = 0.0;
    std::int64_t waiting = 0, running = 0;
};

std::vector<CountChange> changes_in(Schedule const& schedule) {
    std::vector<CountChange> changes;
    for (auto const& times : schedule.requests) {
        if (times.rejected) continue;
        changes.push_back({times.arrival, 1, 0});
        changes.push_back({times.scheduled, -1, 1});
        changes.push_back({times.last_token, 0, -1});
    }
    std::ranges::sort(changes, {}, &CountChange::at);
    return changes;
}

/// The number with six digits.
double rounded(double value) {
    auto const text = fmt::format("{:.6g}", value);
    double read = value;
    std::from_chars(text.data(), text.data() + text.size(), read);
    return read;
}

Json rounded_json(std::vector<double> const& values) { return values | std::views::transform(rounded); }

using space::Scenario;
using store::ResultFile;

std::string_view written_key(Scenario const& scenario, std::string_view key, std::string_view otherwise = "") {
    auto const& keys = scenario.written.keys;
    auto const found = std::ranges::find(keys, key, [](auto const& pair) { return std::string_view(pair.first); });
    return found == keys.end() ? otherwise : std::string_view(found->second);
}

std::string requests_text(Scenario const& scenario) {
    auto const& traffic = *scenario.traffic;
    auto text = fmt::format("{} requests", traffic.load.requests.size());
    auto const trace = written_key(scenario, "traffic.trace");
    if (!trace.empty())
        text += fmt::format(" of {}", trace);
    else if (traffic.load.concurrency > 0)
        text += fmt::format(" of {} users, each of whom waits for the last answer", traffic.load.concurrency);
    else
        text += fmt::format(", {} arrivals", written_key(scenario, "traffic.arrivals", "poisson"));
    bool const sessions = has_sessions(traffic.load);
    if (sessions) text += fmt::format(", in {} sessions", sessions_in(traffic.load));
    if (auto const rate = sim::serving::rate_of(traffic.load))
        text += ", " + sim::print_quantity(*rate, sessions ? "sessions/s" : "1/s");
    return text + fmt::format(", with {} tokens of prompt and {} of output on average", traffic.mean_input,
                              traffic.mean_output);
}

std::string limits_text(Traffic const& traffic) {
    std::vector<std::string> limits;
    if (std::isfinite(traffic.objectives.ttft))
        limits.push_back("first token within " + sim::print_quantity(traffic.objectives.ttft, "s"));
    if (std::isfinite(traffic.objectives.tpot))
        limits.push_back(sim::print_quantity(traffic.objectives.tpot, "s") + " for each token after it");
    if (limits.empty()) return "no limits";
    constexpr double percent = 100.0;
    return fmt::format("good: {}; max_rate is for {:.4g} % of them", fmt::join(limits, ", "), percent * traffic.share);
}

/// Other keys of the scenario: parameters of the scheduler or of the machine.
std::string other_keys(Scenario const& scenario) {
    std::string text;
    for (auto const& [key, value] : scenario.written.keys) {
        if (key != "llm" && !models::service::is_traffic_key(key)) text += fmt::format("; {} = {}", key, value);
    }
    return text;
}

/// "llama-3-8b; 300 requests of azure_2023_conv.csv, 3.54 1/s, with 1020 tokens of prompt and 256 of output on average;
/// good: first token within 1 s, 50 ms for each token after it; max_rate is for 99 % of them".
std::string traffic_text(Scenario const& scenario) {
    return fmt::format("{}; {}; {}{}", written_key(scenario, "llm", "the model of each design"),
                       requests_text(scenario), limits_text(*scenario.traffic), other_keys(scenario));
}

Json scenario_json(Scenario const& scenario) {
    auto const& traffic = *scenario.traffic;
    auto const rate = sim::serving::rate_of(traffic.load);
    return {{"name", scenario.written.name},
            {"text", traffic_text(scenario)},
            {"ttft", sim::finite_or_null(traffic.objectives.ttft)},
            {"tpot", sim::finite_or_null(traffic.objectives.tpot)},
            {"share", traffic.share},
            {"rate", rate ? Json(*rate) : Json()},
            {"requests", traffic.load.requests.size()}};
}

/// Names of parameters, as in the columns of a file, that describe one batch while every scenario has traffic.
Json parameters_of_batches(space::Space const& space) {
    static constexpr std::array<std::string_view, 3> of_a_batch{"batch", "input", "output"};
    auto names = Json::array();
    auto const& machines = space.machines();
    for (auto const& machine : machines) {
        auto const& scenarios = machine.scenarios.list();
        if (!std::ranges::all_of(scenarios, [](auto const& one) { return one.traffic != nullptr; })) continue;
        for (auto const name : of_a_batch)
            names.push_back(machines.size() == 1 ? std::string(name) : space::name_in_machine(machine.name, name));
    }
    return names;
}

/// The value of a metric in a scenario; NaN if the file has none.
double stored_metric(ResultFile const& file, space::PointId point, std::string const& scenario,
                     std::string_view metric) {
    auto const name = store::schema::name_in(scenario, metric);
    auto const at = std::ranges::find(file.columns.metrics, name, &models::Metric::name);
    auto const row = file.store.find({point, file.front_fidelity});
    if (at == file.columns.metrics.end() || !row) return std::numeric_limits<double>::quiet_NaN();
    return file.store.value(*row, static_cast<std::size_t>(at - file.columns.metrics.begin()));
}

Json point_curves(ResultFile const& file, space::Space const& space, space::PointId point) {
    auto const& machine = space.machines()[space.machine_of(point)];
    auto const values = space.point(point);
    auto list = Json::array();
    for (auto const& scenario : machine.scenarios.list()) {
        if (scenario.traffic == nullptr) continue;
        auto const requested = scenario.of(values);
        auto const serve = [&](Traffic const& traffic) -> std::optional<models::service::Served> {
            auto served =
                models::service::serve(*machine.architecture, machine.inputs, requested, file.front_fidelity, traffic);
            if (std::holds_alternative<models::Infeasible>(served)) return std::nullopt;
            return std::get<models::service::Served>(std::move(served));
        };
        auto const& name = scenario.written.name;
        auto const curves = service_curves(*scenario.traffic, stored_metric(file, point, name, "max_rate"), serve);
        if (!curves) continue;
        Json entry{{"scenario", name}};
        entry.update(curves_json(*curves));
        list.push_back(std::move(entry));
    }
    return list;
}

}  // namespace

std::vector<double> quantiles_of(std::vector<double> values, std::size_t max) {
    std::ranges::sort(values);
    std::size_t const count = std::min(values.size(), max);
    std::vector<double> quantiles;
    for (std::size_t i = 0; i < count; ++i) {
        std::size_t const rank = ((i + 1) * values.size() + count - 1) / count;
        quantiles.push_back(values[rank - 1]);
    }
    return quantiles;
}

Occupancy occupancy_of(Schedule const& schedule, std::size_t parts) {
    auto const changes = changes_in(schedule);
    Occupancy found;
    if (changes.empty()) return found;
    found.end = changes.back().at;
    found.waiting.assign(parts + 1, 0);
    found.running.assign(parts + 1, 0);
    double const width = found.end / static_cast<double>(parts);
    auto const part_of = [&](double at) {
        return width > 0.0 ? std::min(parts - 1, static_cast<std::size_t>(at / width)) : std::size_t{0};
    };
    std::int64_t waiting = 0, running = 0;
    for (std::size_t i = 0; i < changes.size();) {
        double const from = changes[i].at;
        for (; i < changes.size() && changes[i].at == from; ++i) {
            waiting += changes[i].waiting;
            running += changes[i].running;
        }
        if (i == changes.size()) break;
        double const to = changes[i].at;  // the numbers hold until then
        for (auto part = part_of(from);
             part < parts && (part == part_of(from) || static_cast<double>(part) * width < to); ++part) {
            found.waiting[part] = std::max(found.waiting[part], waiting);
            found.running[part] = std::max(found.running[part], running);
        }
    }
    found.waiting[parts] = waiting;
    found.running[parts] = running;
    return found;
}

ServiceLoad at_rate(ServiceLoad load, double rate) {
    auto const own = sim::serving::rate_of(load);
    sim::expects(own.has_value(), "a load that is scaled has a rate");
    for (auto& request : load.requests) request.arrival *= *own / rate;
    return load;
}

std::optional<ServiceCurves> service_curves(Traffic const& traffic, double max_rate, ServeTraffic const& serve) {
    auto const served = serve(traffic);
    if (!served) return std::nullopt;
    ServiceCurves curves;
    auto const& summary = served->summary;
    curves.requests = summary.requests;
    curves.rejected = summary.rejected;
    curves.preemptions = summary.preemptions;
    curves.saturated = summary.saturated;
    curves.max_rate = max_rate;
    auto figures = sim::serving::figures_of(traffic.load, served->schedule, traffic.objectives);
    curves.ttft = quantiles_of(std::move(figures.ttft), max_quantiles);
    curves.tpot = quantiles_of(std::move(figures.tpot), max_quantiles);
    curves.occupancy = occupancy_of(served->schedule, time_parts);
    auto const own = sim::serving::rate_of(traffic.load);
    if (!own) return curves;
    double const middle = std::isfinite(max_rate) && max_rate > 0.0 ? max_rate : *own;
    auto scaled = traffic;
    for (int k = first_half_octave; k <= last_half_octave; ++k) {
        double const rate = middle * std::exp2(k / 2.0);
        scaled.load = at_rate(traffic.load, rate);
        auto const found = serve(scaled);
        if (found) curves.rates.push_back({rate, found->summary.goodput, found->summary.good_share});
    }
    return curves;
}

Json curves_json(ServiceCurves const& curves) {
    auto const rate_json = [](AtRate const& at) { return rounded_json({at.rate, at.goodput, at.good_share}); };
    return {{"requests", curves.requests},
            {"rejected", curves.rejected},
            {"preemptions", curves.preemptions},
            {"saturated", curves.saturated},
            {"ttft", rounded_json(curves.ttft)},
            {"tpot", rounded_json(curves.tpot)},
            {"end", rounded(curves.occupancy.end)},
            {"waiting", curves.occupancy.waiting},
            {"running", curves.occupancy.running},
            {"max_rate", std::isfinite(curves.max_rate) ? Json(rounded(curves.max_rate)) : Json()},
            {"rates", curves.rates | std::views::transform(rate_json)}};
}

bool has_traffic(space::Space const& space) {
    return std::ranges::any_of(space.machines(), [](auto const& machine) { return machine.scenarios.serve(); });
}

std::vector<std::size_t> chosen_members(ResultFile const& file, std::size_t max) {
    std::vector<std::size_t> order(file.front.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (order.size() <= max) return order;
    auto const& objectives = file.columns.objectives;
    auto const loss = [&](std::size_t member, space::Objective const& objective) {
        auto const row = file.store.find({file.front[member], file.front_fidelity});
        return space::minimised(row ? file.store.value(*row, objective.metric) : 0.0, objective.better);
    };
    std::set<std::size_t> chosen;
    for (auto const& objective : objectives) {
        if (chosen.size() < max)
            chosen.insert(*std::ranges::min_element(order, {}, [&](auto member) { return loss(member, objective); }));
    }
    std::erase_if(order, [&](auto member) { return chosen.contains(member); });
    std::ranges::stable_sort(order, {}, [&](auto member) { return loss(member, objectives.front()); });
    std::size_t const more = max - chosen.size();
    for (std::size_t i = 0; i < more; ++i) chosen.insert(order[i * order.size() / more]);
    return {chosen.begin(), chosen.end()};
}

DesignFacts service_facts(ResultFile const& file, space::Space const& space, DesignLimits const& limits) {
    using Clock = std::chrono::steady_clock;
    auto const end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.seconds));
    DesignFacts facts;
    auto scenarios = Json::array();
    for (auto const& scenario : space.machines().front().scenarios.list()) {
        if (scenario.traffic != nullptr) scenarios.push_back(scenario_json(scenario));
    }
    auto const members = chosen_members(file, std::min(limits.designs, max_served));
    std::vector<Json> found(members.size());
    tbb::task_arena arena(limits.threads);
    arena.execute([&] {
        tbb::parallel_for(std::size_t{0}, members.size(), [&](std::size_t i) {
            if (Clock::now() < end) found[i] = point_curves(file, space, file.front[members[i]]);
        });
    });
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (!found[i].empty()) facts.by_point[fmt::to_string(index_of(file.front[members[i]]))] = std::move(found[i]);
    }
    facts.about = {{"scenarios", std::move(scenarios)},
                   {"of_batches", parameters_of_batches(space)},
                   {"chosen", members.size()},
                   {"seconds", limits.seconds}};
    return facts;
}

}  // namespace pimdse::dse::report
