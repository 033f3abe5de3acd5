#include "dse/cli/recommendation.hpp"

#include "dse/cli/verb.hpp"
#include "dse/search/best_of_each.hpp"
#include "dse/space/canonical_space.hpp"
#include "dse/space/evaluation.hpp"
#include "dse/space/limit_crossings.hpp"
#include "models/asked_axes.hpp"
#include "models/contract/assumptions.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/expression/expression_parser.hpp"
#include "models/service/scheduler_parameters.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <map>

namespace pimdse::dse::cli {
namespace {

std::string without_scenario(std::string_view reason) {
    constexpr std::string_view scenario = "asked: ";
    return std::string(reason.starts_with(scenario) ? reason.substr(scenario.size()) : reason);
}

/// Designs of a machine that break a rule, and the reason of the last of them, which has the most of the axes.
struct Broken {
    std::uint64_t designs = 0;
    space::PointId last{};
    std::string example;
};

/// Whoever divides a model over devices knows why some numbers do not divide: other rules say more.
std::string commonest(std::map<std::string, Broken> const& rules, std::uint64_t designs) {
    static constexpr std::array<std::string_view, 5> of_groups{"devices", "division", "micro_batches", "link",
                                                               "nvlink"};
    Broken const* most = nullptr;
    for (bool const groups : {false, true})
        for (auto const& [rule, broken] : rules)
            if ((std::ranges::find(of_groups, rule) != of_groups.end()) == groups &&
                (most == nullptr || (broken.designs > most->designs && !groups)))
                most = &broken;
    return most == nullptr ? "nothing was evaluated"
                           : fmt::format("{} ({} of {})", most->example, most->designs, counted(designs, "design"));
}

}  // namespace

Recommendation::Recommendation(RunSummary const& run, std::vector<std::string> figures, std::vector<std::string> limits)
    : run_(run), columns_(run.space->columns()), figures_(std::move(figures)), limits_(std::move(limits)) {
    auto const& space = *run.space;
    objective_ = space.objectives().front().metric;
    if (metric_of(figures_.front()) != static_cast<int>(objective_))
        figures_.front() = columns_.metrics[objective_].name;
    std::erase_if(figures_, [&](auto const& name) { return metric_of(name) < 0; });
    for (auto const& machine : space.machines()) {
        auto& one = candidates_.emplace_back(BestDesign{machine.name, machine.size()});
        for (auto& axis : models::asked_axes(*machine.architecture)) one.asked.push_back(std::move(axis.parameter));
    }
    judge();
    std::ranges::stable_sort(order_, [&](std::size_t a, std::size_t b) { return is_better(a, b); });
}

BestDesign const* Recommendation::winner() const {
    auto const& first = candidates_[order_.front()];
    return first.best ? &first : nullptr;
}

int Recommendation::metric_of(std::string_view name) const {
    int const at = models::find_metric(columns_.metrics, name);
    return at >= 0 ? at : models::find_metric(columns_.metrics, fmt::format("{}@asked", name));
}

std::optional<models::Estimate> Recommendation::value(BestDesign const& one, std::string_view name) const {
    int const at = metric_of(name);
    if (at < 0 || !one.best) return std::nullopt;
    auto const found = run_.store->estimate(*one.best, static_cast<std::size_t>(at));
    return std::isnan(found.value) ? std::nullopt : std::optional(found);
}

std::string Recommendation::shown(BestDesign const& one, std::string_view name) const {
    auto const found = value(one, name);
    if (!found) {
        auto const metrics = machine_of(one).metrics();
        int const at = models::find_metric(metrics, name);
        return at >= 0 && !metrics[static_cast<std::size_t>(at)].absent.empty() ? "not stated" : "";
    }
    return sim::print_quantity(found->value, columns_.metrics[static_cast<std::size_t>(metric_of(name))].unit, 3);
}

std::string Recommendation::with_interval(BestDesign const& one, std::string_view name) const {
    auto const text = shown(one, name);
    auto const found = value(one, name);
    if (!found || found->lower == found->upper) return text;
    auto const& unit = columns_.metrics[static_cast<std::size_t>(metric_of(name))].unit;
    auto const from = sim::print_quantity(found->lower, unit, 3), to = sim::print_quantity(found->upper, unit, 3);
    bool const lower = found->kinds.lower != models::Bound::none, upper = found->kinds.upper != models::Bound::none;
    if (lower && upper) return fmt::format("{} ({} to {})", text, from, to);
    if (lower) return fmt::format("{} (at least {})", text, from);
    return upper ? fmt::format("{} (at most {})", text, to) : text;
}

std::vector<std::pair<std::string, std::string>> Recommendation::design(BestDesign const& one, bool all_axes) const {
    std::vector<std::pair<std::string, std::string>> list;
    if (!one.best) return list;
    auto const& machine = machine_of(one);
    auto const point = values_of(*one.best);
    for (auto const& name : one.asked) {
        int const at = models::find_parameter(machine.parameters(), name);
        if (at < 0 || (!all_axes && machine.axes[static_cast<std::size_t>(at)].size() < 2)) continue;
        auto const& parameter = machine.parameters()[static_cast<std::size_t>(at)];
        list.emplace_back(name, space::shown_value(parameter, point[static_cast<std::size_t>(at)]));
    }
    return list;
}

std::string Recommendation::in_words(BestDesign const& one) const {
    std::vector<std::string> parts;
    for (auto const& [name, value] : design(one))
        if (name != models::devices_name && !models::service::is_serving_parameter(name))
            parts.push_back(fmt::format("{} {}", name, value));
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::uint64_t Recommendation::count(BestDesign const& one, std::string_view parameter) const {
    auto const& parameters = machine_of(one).parameters();
    int const at = models::find_parameter(parameters, parameter);
    if (at < 0) return 1;
    auto const point = values_of(*one.best);
    auto const index = static_cast<std::size_t>(at);
    return std::stoull(space::shown_value(parameters[index], point[index]));
}

std::uint64_t Recommendation::point(BestDesign const& one) const { return index_of(run_.store->task(*one.best).point); }

std::string_view Recommendation::cost_basis(BestDesign const& one) const {
    auto const& machine = machine_of(one);
    auto const basis = models::cost_basis(machine.inputs.options.assumptions);
    auto const list = machine.architecture->metrics();
    int const at = models::find_metric(list, "cost");
    if (at < 0) return "";
    if (basis != models::CostBasis::own) return basis == models::CostBasis::bill ? "bill" : "price";
    return list[static_cast<std::size_t>(at)].meaning.find("a product") == std::string::npos ? "bill" : "price";
}

/// "int8 x fp16"; the bits of the weights of a machine whose formats have no such names.
std::string Recommendation::products(BestDesign const& one) const {
    auto const& machine = machine_of(one);
    auto const point = machine.scenarios.list().front().of(values_of(*one.best));
    auto const& products = machine.architecture->products;
    auto const formats = products ? products(machine.inputs, point) : std::string();
    return formats.empty() ? shown(one, models::precision_key) : formats;
}

std::string Recommendation::rests_on() const {
    std::map<std::string, std::vector<std::string>> machines;
    for (auto const at : order_)
        if (auto const& one = candidates_[at]; one.best)
            if (auto const formats = products(one); !formats.empty()) machines[formats].push_back(one.machine);
    auto text = space::assumed_text(columns_);
    if (machines.size() < 2) return text;
    std::vector<std::string> said;
    for (auto const& [formats, names] : machines)
        said.push_back(fmt::format("{} by {}", formats, fmt::join(names, " and ")));
    return fmt::format("{}; products of weights and activations: {}", text, fmt::join(said, ", "));
}

space::Machine Recommendation::limited(space::Machine machine) const {
    auto const names = machine.metrics();
    for (auto const& text : limits_)
        machine.constraints.push_back({text, models::parse_condition(text, {machine.parameters(), names}), false});
    return machine;
}

std::vector<report::Margin> Recommendation::margins(BestDesign const& one) const {
    return margins(limited(machine_of(one)), *one.best);
}

std::vector<report::Margin> Recommendation::margins(space::Machine const& limited, search::Row row) const {
    models::Metrics own;
    for (auto const& metric : limited.metrics()) {
        int const common = models::find_metric(columns_.metrics, metric.name);
        int const at = common >= 0
                           ? common
                           : models::find_metric(columns_.metrics, fmt::format("{}.{}", limited.name, metric.name));
        own.push_back(run_.store->estimate(row, static_cast<std::size_t>(at)));
        if (own.back().kinds.lower == models::Bound::none || own.back().kinds.upper == models::Bound::none)
            own.back() = models::Estimate::exact(own.back().value);  // what has no interval is near nothing
    }
    return report::margins_of(limited, values_of(row), own);
}

/// Of the designs that were evaluated.
std::optional<search::Row> Recommendation::best_with_room(std::size_t m) const {
    auto const machine = limited(run_.space->machines()[m]);
    auto const has_room = [&](search::Row row) {
        return std::ranges::none_of(margins(machine, row), [](auto const& one) { return one.slack < room_share; });
    };
    if (has_room(*candidates_[m].best)) return std::nullopt;
    std::vector<search::Row> rows;
    for (search::Row row = 0; row < run_.store->size(); ++row)
        if (run_.store->status(row) == search::Status::ok && run_.space->machine_of(run_.store->task(row).point) == m)
            rows.push_back(row);
    std::ranges::sort(rows, [&](auto a, auto b) { return beats(a, b); });
    auto const found = std::ranges::find_if(rows, has_room);
    return found == rows.end() ? std::nullopt : std::optional(*found);
}

std::vector<std::string> Recommendation::close_limits(BestDesign const& one) const {
    std::vector<std::string> texts;
    for (auto const& margin : margins(one))
        for (auto const& crossing : margin.crossings)
            texts.push_back(space::text_of({margin.name, crossing.comparison, std::string(crossing.end)}));
    return texts;
}

std::string Recommendation::command(BestDesign const& one) const {
    return one.best ? space::replay_command(columns_, run_.store->task(*one.best)) : "";
}

std::pair<space::Space, std::vector<uncertain::Finalist>> Recommendation::finalists() const {
    space::Space::Parts parts{.search = run_.space->search(), .text = run_.space->text()};
    std::vector<uncertain::Finalist> designs, with_room;
    for (auto const at : order_) {
        auto const& one = candidates_[at];
        if (!one.best) continue;
        auto const finalist = [&](search::Row row) {
            return uncertain::Finalist{parts.machines.size(), values_of(row), run_.store->value(row, objective_)};
        };
        auto const point = designs.emplace_back(finalist(*one.best)).point;
        auto const other = one.roomy ? with_room.emplace_back(finalist(*one.roomy)).point : point;
        auto& machine = parts.machines.emplace_back(machine_of(one));
        for (std::size_t p = 0; p < point.size(); ++p)  // what all its designs share may be drawn
            machine.axes[p] =
                other[p] == point[p] ? space::Axis::list({point[p]}) : space::Axis::list({point[p], other[p]});
    }
    std::ranges::move(with_room, std::back_inserter(designs));
    space::Space space(std::move(parts));
    space.set_objectives(space::parse_objectives(space.common_metrics(), {figures_.front()}));
    return {std::move(space), std::move(designs)};
}

space::Machine const& Recommendation::machine_of(BestDesign const& one) const {
    auto const& machines = run_.space->machines();
    return *std::ranges::find(machines, one.machine, &space::Machine::name);
}

/// Feasible designs compete; the others are counted by the rule that they break.
void Recommendation::judge() {
    std::vector<std::map<std::string, Broken>> broken(candidates_.size());
    std::vector<std::vector<search::Row>> missed(candidates_.size());
    auto const& store = *run_.store;
    for (search::Row row = 0; row < store.size(); ++row) {
        auto const m = run_.space->machine_of(store.task(row).point);
        auto& one = candidates_[m];
        if (store.status(row) != search::Status::ok) {
            auto& rule = broken[m][std::string(store.rule(row))];
            if (rule.designs++ == 0 || store.task(row).point > rule.last)
                rule = {rule.designs, store.task(row).point, without_scenario(store.reason(row))};
            if (store.status(row) == search::Status::infeasible && std::isfinite(store.violation(row)))
                missed[m].push_back(row);
            continue;
        }
        ++one.feasible;
        if (!one.best || beats(row, *one.best)) one.best = row;
    }
    take_best_of_equal();
    for (std::size_t m = 0; m < candidates_.size(); ++m) {
        order_.push_back(m);
        if (candidates_[m].best) {
            candidates_[m].roomy = best_with_room(m);
            continue;
        }
        auto const nearest = nearest_miss(m, std::move(missed[m]));
        candidates_[m].reason =
            nearest.empty() ? commonest(broken[m], candidates_[m].designs) : "nearest miss: " + nearest;
    }
}

/// The reason of the design that breaks the limits least, served to the end, among those that seemed to break them
/// least when they were given up; "" if none is known.
std::string Recommendation::nearest_miss(std::size_t m, std::vector<search::Row> missed) const {
    constexpr std::size_t most = 16;
    auto const& store = *run_.store;
    auto const& space = *run_.space;
    std::ranges::sort(missed, {}, [&](auto row) { return std::pair(store.violation(row), store.task(row).point); });
    auto const until_the_end = [&](search::Row row) -> std::pair<double, std::string> {
        auto machine = space.machines()[m];
        machine.constraints.clear();
        auto const point = space.point(store.task(row).point);
        auto const outcome = space::outcome_of(space, m, machine, point, space.search().fidelity);
        auto const* refused = std::get_if<models::Infeasible>(&outcome);
        return {refused == nullptr ? models::Infeasible::unmeasured : refused->violation,
                refused == nullptr ? "" : without_scenario(refused->reason)};
    };
    std::pair<double, std::string> nearest{models::Infeasible::unmeasured, ""};
    for (std::size_t i = 0; i < std::min(most, missed.size()); ++i) {
        if (store.violation(missed[i]) >= nearest.first) break;
        if (auto one = until_the_end(missed[i]); one.first < nearest.first) nearest = std::move(one);
    }
    if (nearest.second.empty() && !missed.empty()) return without_scenario(store.reason(missed.front()));
    return nearest.second;
}

double Recommendation::minimised(search::Row row, std::size_t metric) const {
    double const value = run_.store->value(row, metric);
    if (std::isnan(value)) return std::numeric_limits<double>::infinity();
    return space::minimised(value, columns_.metrics[metric].better);
}

void Recommendation::take_best_of_equal() {
    auto const& store = *run_.store;
    std::vector<double> lowest;
    for (auto const& one : candidates_) lowest.push_back(one.best ? minimised(*one.best, objective_) : 0.0);
    for (search::Row row = 0; row < store.size(); ++row) {
        if (store.status(row) != search::Status::ok) continue;
        auto const m = run_.space->machine_of(store.task(row).point);
        bool const equal = minimised(row, objective_) <= lowest[m] + search::equal_share * std::abs(lowest[m]);
        if (equal && has_better_figures(row, *candidates_[m].best)) candidates_[m].best = row;
    }
}

bool Recommendation::has_better_figures(search::Row a, search::Row b) const {
    for (auto const& name : std::span(figures_).subspan(1)) {
        int const at = metric_of(name);
        if (at < 0) continue;
        double const x = minimised(a, static_cast<std::size_t>(at)), y = minimised(b, static_cast<std::size_t>(at));
        if (x != y) return x < y;
    }
    return run_.store->task(a).point < run_.store->task(b).point;
}

bool Recommendation::beats(search::Row a, search::Row b) const {
    double const x = minimised(a, objective_), y = minimised(b, objective_);
    return x != y ? x < y : has_better_figures(a, b);
}

bool Recommendation::is_better(std::size_t a, std::size_t b) const {
    auto const& x = candidates_[a].best;
    auto const& y = candidates_[b].best;
    if (!x || !y) return x.has_value() && !y;
    return beats(*x, *y);
}

Doubt doubt_of(space::Space const& machines, std::vector<uncertain::Finalist> const& designs,
               uncertain::Uncertainty const& uncertainty, uncertain::FinalistWatch const& watch) {
    auto const standing = uncertain::finalist_standing(machines, uncertainty, designs, watch);
    Doubt doubt;
    doubt.draws = standing.draws;
    doubt.share = static_cast<double>(standing.machine_stays) / static_cast<double>(standing.draws);
    doubt.design_share = static_cast<double>(standing.stays) / static_cast<double>(standing.draws);
    auto flips = standing.flips;
    auto const distance = [&](uncertain::FinalistFlip const& flip) {
        double const now = uncertainty.constants[flip.constant].nominal;
        return now == 0.0 ? std::abs(flip.beyond) : std::abs(flip.beyond / now - 1.0);
    };
    std::ranges::stable_sort(flips, {}, distance);
    constexpr std::size_t most = 3;
    for (auto const& flip : std::span(flips).first(std::min(most, flips.size()))) {
        auto const& constant = uncertainty.constants[flip.constant];
        auto const& wins = machines.machines()[flip.wins].name;
        doubt.flips.push_back(fmt::format("{} {} instead of {}: {} then wins", constant.name,
                                          constant.text_of(flip.beyond), constant.text_of(constant.nominal), wins));
        doubt.flips_json.push_back({{"constant", constant.name},
                                    {"now", constant.nominal},
                                    {"beyond", flip.beyond},
                                    {"unit", constant.unit},
                                    {"wins", wins}});
    }
    return doubt;
}

}  // namespace pimdse::dse::cli
