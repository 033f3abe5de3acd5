#include "dse/space/search_names.hpp"

#include "dse/space/meant_name.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>

namespace pimdse::dse::space {
namespace {

/// What metrics are called elsewhere.
constexpr std::array<Synonym, 13> said_of_metrics{{{"ttlt", "latency"},
                                                   {"time", "latency"},
                                                   {"delay", "latency"},
                                                   {"runtime", "latency"},
                                                   {"speed", "tokens_per_second"},
                                                   {"throughput", "tokens_per_second"},
                                                   {"tpot", "time_per_token"},
                                                   {"tpot", "itl"},
                                                   {"memory", "footprint"},
                                                   {"capacity", "footprint"},
                                                   {"size", "area"},
                                                   {"watts", "power"},
                                                   {"joules", "energy"}}};

}  // namespace

std::vector<task::Objective> parse_objectives(models::MetricList const& metrics,
                                              std::vector<std::string> const& names) {
    std::vector<std::string> known;
    for (auto const& metric : metrics) known.push_back(metric.name);
    std::vector<task::Objective> objectives;
    std::vector<std::string> mistakes;
    for (auto const& name : names) {
        int const index = models::find_metric(metrics, name);
        if (index < 0) {
            mistakes.push_back(fmt::format("unknown objective '{}' (an objective is a metric).{}", name,
                                           suggestion_by_meaning(name, known, said_of_metrics)));
            continue;
        }
        auto const& metric = metrics[static_cast<std::size_t>(index)];
        task::Objective const objective{static_cast<std::size_t>(index), metric.better};
        if (metric.better == models::Sense::none)
            mistakes.push_back(fmt::format("{} cannot be an objective (neither more nor less of it is better)", name));
        for (auto const& other : objectives) {
            if (other.metric == objective.metric) mistakes.push_back(fmt::format("objective {} is given twice", name));
        }
        objectives.push_back(objective);
    }
    if (names.empty() || names.size() > 6) mistakes.emplace_back("between one and six objectives are needed");
    if (!mistakes.empty()) throw sim::InputError(mistakes);
    return objectives;
}

Keep parse_keep(std::string_view name) {
    if (name == "all") return Keep::all;
    if (name == "front") return Keep::front;
    throw sim::InputError(fmt::format(
        "unknown way to keep answers '{}' (all: every answer; front: what nobody in its block dominates).{}", name,
        sim::suggestion(name, {"all", "front"})));
}

models::Fidelity parse_fidelity(models::Architecture const& architecture, std::string_view name) {
    std::vector<std::string> built;
    for (auto const fidelity : architecture.fidelities) {
        if (models::name_of(fidelity) == name) return fidelity;
        built.emplace_back(models::name_of(fidelity));
    }
    bool const known =
        std::find(models::fidelity_names.begin(), models::fidelity_names.end(), name) != models::fidelity_names.end();
    throw sim::InputError(known ? fmt::format("{} at {} fidelity is not built yet (built: {})", architecture.name, name,
                                              fmt::join(built, ", "))
                                : fmt::format("unknown fidelity '{}'.{}", name, sim::suggestion(name, built)));
}

models::Fidelity parse_fidelity(std::span<models::Architecture const* const> architectures, std::string_view name) {
    models::Fidelity fidelity{};
    for (auto const* architecture : architectures) fidelity = parse_fidelity(*architecture, name);
    return fidelity;
}

models::Fidelity parse_fidelity_of_any(std::span<models::Architecture const* const> architectures,
                                       std::string_view name) {
    for (auto const* architecture : architectures) {
        for (auto const fidelity : architecture->fidelities) {
            if (models::name_of(fidelity) == name) return fidelity;
        }
    }
    return parse_fidelity(architectures, name);
}

models::Fidelity finest_up_to(models::Architecture const& architecture, models::Fidelity wanted) {
    auto finest = architecture.fidelities.front();
    for (auto const fidelity : architecture.fidelities) {
        if (fidelity <= wanted) finest = std::max(finest, fidelity);
    }
    return finest;
}

}  // namespace pimdse::dse::space
