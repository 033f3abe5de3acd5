#include "dse/space/search_settings.hpp"

#include "models/contract/architecture.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <utility>

namespace pimdse::dse::space {
namespace {

/// A common word, and the name that this program uses for it.
struct Synonym {
    std::string_view word, name;
};

/// Common names of metrics in other tools.
constexpr std::array<Synonym, 13> metric_synonyms{{{"ttlt", "latency"},
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

/// As sim::suggestion, but also accepts a synonym of a known name, or a near miss of one.
std::string suggestion_by_meaning(std::string_view wrong, std::vector<std::string> const& known,
                                  std::span<Synonym const> synonyms) {
    auto words = known;
    for (auto const& synonym : synonyms) {
        if (std::find(known.begin(), known.end(), synonym.name) != known.end()) words.emplace_back(synonym.word);
    }
    auto const near = sim::nearest_name(wrong, words);
    if (near.empty() || std::find(known.begin(), known.end(), near) != known.end())
        return sim::suggestion(wrong, known);
    auto const meant = std::find_if(synonyms.begin(), synonyms.end(), [&](auto const& m) {
        return m.word == near && std::find(known.begin(), known.end(), m.name) != known.end();
    });
    return fmt::format(" Did you mean '{}'?", meant->name);
}

/// Reads objectives one by one.
class ObjectiveReader {
  public:
    explicit ObjectiveReader(models::MetricList const& metrics) : metrics_(metrics) {}

    void read(std::string const& name) {
        int const index = models::find_metric(metrics_, name);
        if (index >= 0) return add_metric(static_cast<std::size_t>(index));
        if (!space::is_formula(name) || name.find_first_of(" +-*/()") == std::string::npos) return refuse(name);
        try {
            add_formula(MetricFormula(metrics_, name));
        } catch (sim::InputError const& error) {
            mistakes_.emplace_back(error.what());
        }
    }

    Objectives take(std::size_t named) {
        if (named == 0 || named > 6) mistakes_.emplace_back("between one and six objectives are needed");
        if (!mistakes_.empty()) throw sim::InputError(mistakes_);
        auto const place = place_of_formulas(metrics_);
        for (auto const& [formula, at] : order_) {
            auto const index = formula ? place + at : at < place ? at : at + found_.formulas.size();
            auto const better = formula ? found_.formulas[at].metric().better : metrics_[at].better;
            found_.list.push_back({index, better});
        }
        return std::move(found_);
    }

  private:
    void refuse(std::string const& name) {
        mistakes_.push_back(fmt::format("unknown metric '{}' (a metric, or a formula of metrics, is needed).{}", name,
                                        suggestion_by_meaning(name, sim::names_of(metrics_), metric_synonyms)));
    }

    void add_metric(std::size_t index) {
        auto const& metric = metrics_[index];
        if (metric.better == models::Sense::none)
            mistakes_.push_back(
                fmt::format("{} cannot be an objective (neither more nor less of it is better)", metric.name));
        note({false, index}, metric.name);
        found_.read.push_back(metric.name);
    }

    void add_formula(MetricFormula formula) {
        std::size_t at = 0;
        while (at < found_.formulas.size() && found_.formulas[at].metric().name != formula.metric().name) ++at;
        note({true, at}, formula.metric().name);
        for (auto const metric : formula.reads()) found_.read.push_back(metrics_[metric].name);
        if (at == found_.formulas.size()) found_.formulas.push_back(std::move(formula));
    }

    void note(std::pair<bool, std::size_t> one, std::string const& name) {
        if (std::ranges::find(order_, one) != order_.end())
            mistakes_.push_back(fmt::format("objective {} is given twice", name));
        order_.push_back(one);
    }

    models::MetricList const& metrics_;
    std::vector<std::string> mistakes_;
    std::vector<std::pair<bool, std::size_t>>
        order_;  ///< whether it is a formula; its position among the formulas or the metrics
    Objectives found_;
};

}  // namespace

std::span<StrategyName const> strategies() {
    static constexpr std::array table{
        StrategyName{"sweep",
                     "every point (with a budget: the first ones), in an order that covers the whole space at any time",
                     "complete results"},
        StrategyName{"random", "distinct points in a random order that depends on the seed, up to the budget",
                     "an unbiased sample of a large space"},
        StrategyName{"sobol", "distinct points that fill the space evenly, up to the budget",
                     "screening with few points: which parameters matter, how widely results scatter"},
        StrategyName{"best",
                     "every point that may be the best of its machine in one objective, the most promising first",
                     "services: the best design of each machine, and none that is better"},
        StrategyName{
            "ladder",
            "exact multi-fidelity branch and bound: bounds for every point, cycle level where bounds do not decide",
            "the exact front of the cycle level, and a certificate", models::Fidelity::cycle},
        StrategyName{"nsga2", "a genetic search towards the front (NSGA-II), up to the budget",
                     "a good front of a space too large to list; a common reference for comparisons"},
        StrategyName{"pls",
                     "Pareto local search: neighbours of the front to a local optimum, then restarts up to the budget",
                     "orderings and other huge discrete spaces whose neighbours have similar results"},
    };
    return table;
}

void check_strategy(std::string_view name) {
    auto const known = sim::names_of(strategies());
    if (std::ranges::find(known, name) != known.end()) return;
    static constexpr std::array<Synonym, 9> synonyms{{{"lhs", "sobol"},
                                                      {"latin", "sobol"},
                                                      {"latin_hypercube", "sobol"},
                                                      {"halton", "sobol"},
                                                      {"grid", "sweep"},
                                                      {"exhaustive", "sweep"},
                                                      {"montecarlo", "random"},
                                                      {"genetic", "nsga2"},
                                                      {"exact", "ladder"}}};
    throw sim::InputError("unknown strategy '{}'.{}", name, suggestion_by_meaning(name, known, synonyms));
}

models::Fidelity final_fidelity(SearchSettings const& search) {
    for (auto const& strategy : strategies()) {
        if (strategy.name == search.strategy) return strategy.ends_at.value_or(search.fidelity);
    }
    return search.fidelity;
}

void check_epsilon(double epsilon) {
    if (epsilon >= 0.0 && epsilon < 1.0) return;
    throw sim::InputError("epsilon must be a share from 0 to less than 1, where 0.02 is 2 % (got {})", epsilon);
}

void check_bounds_settings(SearchSettings const& search) {
    if (search.strategy == "ladder" || (search.epsilon == 0.0 && search.audit == 0)) return;
    throw sim::InputError(
        "{} only goes with strategy 'ladder', which prunes points by bounds, and not with '{}'. Leave it "
        "out, or use 'ladder'?",
        search.epsilon != 0.0 ? "epsilon" : "audit", search.strategy);
}

void check_keep(SearchSettings const& search) {
    if (search.keep != Keep::front || search.strategy == "sweep") return;
    throw sim::InputError(
        "strategy '{}' does not support keeping fronts only, because they are kept per block of "
        "consecutive ids. Use strategy 'sweep', or keep 'all'?",
        search.strategy);
}

Objectives parse_objectives(models::MetricList const& metrics, std::vector<std::string> const& names) {
    ObjectiveReader reader(metrics);
    for (auto const& name : names) reader.read(name);
    return reader.take(names.size());
}

Keep parse_keep(std::string_view name) {
    if (name == "all") return Keep::all;
    if (name == "front") return Keep::front;
    throw sim::InputError(
        "unknown value '{}' of keep (all: every result; front: the non-dominated results of each block).{}", name,
        sim::suggestion(name, {"all", "front"}));
}

models::Fidelity parse_fidelity(models::Architecture const& architecture, std::string_view name) {
    std::vector<std::string> built;
    for (auto const fidelity : architecture.fidelities) {
        if (models::name_of(fidelity) == name) return fidelity;
        built.emplace_back(models::name_of(fidelity));
    }
    bool const known =
        std::find(models::fidelity_names.begin(), models::fidelity_names.end(), name) != models::fidelity_names.end();
    std::vector<std::string> asked = built;
    if (built.size() > 1) asked.emplace_back(hybrid_name);
    throw sim::InputError(
        known ? fmt::format("{} has no {} fidelity (it has {})", architecture.name, name, fmt::join(built, ", "))
              : fmt::format("unknown fidelity '{}'.{}", name, sim::suggestion(name, asked)));
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

void choose_hybrid(SearchSettings& search, std::optional<std::string> const& named) {
    if (named && *named != "ladder")
        throw sim::InputError(
            "fidelity hybrid is the exact search, strategy 'ladder', and cannot be combined with strategy "
            "'{}'. Leave out one of them?",
            *named);
    search.strategy = "ladder";
    search.fidelity = models::Fidelity::hybrid;
}

models::Fidelity finest_up_to(models::Architecture const& architecture, models::Fidelity wanted) {
    auto finest = architecture.fidelities.front();
    for (auto const fidelity : architecture.fidelities) {
        if (fidelity <= wanted) finest = std::max(finest, fidelity);
    }
    return finest;
}

}  // namespace pimdse::dse::space
