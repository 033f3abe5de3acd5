#include "dse/uncertain/flips.hpp"

#include "dse/uncertain/design_set.hpp"
#include "dse/uncertain/pass.hpp"
#include "models/contract/assumptions.hpp"
#include "models/contract/common_parameters.hpp"
#include "models/contract/constants.hpp"
#include "models/contract/technology.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

namespace pimdse::dse::uncertain {
namespace {

/// Evaluates a space under varying assumptions.
class Study {
  public:
    Study(Parse const& parse, FlipSettings const& settings) : parse_(parse), settings_(settings) {}

    FlipReport run() {
        auto const space = parse_({});
        if (settings_.uncertainty) choose_draws(space);
        report_.questions = questions_of(space);
        report_.points = space.size();
        report_.variations = variations_of(space);
        report_.as_assumed = rank_whole_space("as assumed", space);
        for (auto const& variation : report_.variations)
            if (variation.assumption == "view")
                (void)rank_whole_space("view " + variation.to, parse_(variation.overrides));
        candidates_.assign(found_.begin(), found_.end());
        report_.candidates = settings_.full ? report_.points : candidates_.size();
        for (std::size_t v = 0; v < report_.variations.size(); ++v) try_variation(v);
        if (settings_.uncertainty) {
            vary_constants(space);
            draw(space);
        }
        return std::move(report_);
    }

  private:
    std::vector<MachineRanking> rank_whole_space(std::string const& what, space::Space const& space) {
        if (settings_.progress) settings_.progress(fmt::format("sweep of {} designs, {}", space.size(), what));
        auto all = rank_machines(space, report_.questions, settings_.kept, nullptr, settings_.threads);
        for (auto const& ranking : all)
            for (auto const& machine : ranking.by_machine)
                for (auto const& one : machine) found_.insert(one.point);
        return all;
    }

    [[nodiscard]] std::vector<MachineRanking> rank_under(std::vector<space::Override> const& overrides) const {
        auto const space = parse_(overrides);
        return rank_machines(space, report_.questions, 1, settings_.full ? nullptr : &candidates_, settings_.threads);
    }

    void try_variation(std::size_t v) {
        auto const& variation = report_.variations[v];
        if (settings_.progress) settings_.progress(fmt::format("{} {}", variation.assumption, variation.to));
        add_flips(v, rank_under(variation.overrides));
    }

    /// Sets every uncertain constant alone to both ends of its range.
    void vary_constants(space::Space const& space) {
        auto const& constants = settings_.uncertainty->constants;
        for (std::size_t c = 0; c < constants.size(); ++c) {
            auto const& constant = constants[c];
            if (settings_.progress) settings_.progress(constant.name);
            bool matters = false;
            for (double const end : {constant.lower, constant.upper}) {
                if (end == constant.nominal) continue;
                auto const all = rank_under(space, {{c, end}}, candidates_, report_.questions);
                if (!all) continue;  // a rule refuses the value
                matters = matters || changes_best(*all);
                report_.variations.push_back({constant.name,
                                              constant.text_of(constant.nominal),
                                              constant.text_of(end),
                                              {},
                                              true,
                                              constant.nominal,
                                              end,
                                              constant.unit.empty() ? "1" : constant.unit,
                                              "",
                                              c});
                add_flips(report_.variations.size() - 1, *all);
            }
            if (matters) ++report_.constants_in_effect;
        }
    }

    [[nodiscard]] bool changes_best(std::vector<MachineRanking> const& all) const {
        for (std::size_t q = 0; q < all.size(); ++q) {
            for (std::size_t m = 0; m < all[q].by_machine.size(); ++m) {
                auto const& now = report_.as_assumed[q].by_machine[m];
                auto const& then = all[q].by_machine[m];
                if (now.empty() != then.empty() || (!now.empty() && now.front().value != then.front().value))
                    return true;
            }
        }
        return false;
    }

    /// The ranking of designs under settings of uncertain constants; machines that read none of them keep theirs.
    /// nullopt if a rule refuses the settings.
    [[nodiscard]] std::optional<std::vector<MachineRanking>> rank_under(space::Space const& space,
                                                                        Settings const& constants,
                                                                        std::vector<space::PointId> const& points,
                                                                        std::vector<Question> const& questions) const {
        auto const& all = settings_.uncertainty->constants;
        auto const affected = [&](std::size_t machine) {
            return std::ranges::any_of(constants, [&](auto const& one) { return reads(all[one.constant], machine); });
        };
        std::vector<space::PointId> some;
        for (auto const point : points)
            if (affected(space.machine_of(point))) some.push_back(point);
        std::vector<MachineRanking> rankings;
        try {
            rankings = rank_machines(varied_space(space, all, constants), questions, 1, &some, settings_.threads);
        } catch (sim::InputError const&) {
            return std::nullopt;
        }
        for (std::size_t q = 0; q < questions.size(); ++q) {
            auto const at = position_of(questions[q]);
            for (std::size_t m = 0; m < rankings[q].by_machine.size(); ++m)
                if (!affected(m)) rankings[q].by_machine[m] = report_.as_assumed[at].by_machine[m];
        }
        return rankings;
    }

    [[nodiscard]] std::size_t position_of(Question const& question) const {
        auto const same = [&](Question const& one) {
            return one.scenario == question.scenario && one.metric == question.metric && one.under == question.under;
        };
        return static_cast<std::size_t>(std::ranges::find_if(report_.questions, same) - report_.questions.begin());
    }

    /// First of all: ranges that rules refuse nearly always are told before anything is evaluated.
    void choose_draws(space::Space const& space) {
        if (settings_.progress) settings_.progress("draws");
        draws_ = draws_of(space, *settings_.uncertainty);
    }

    /// Counts who has the best design if all uncertain constants are drawn together.
    void draw(space::Space const& space) {
        if (draws_.values.empty()) return;
        report_.draws = draws_.values.size();
        report_.refused_draws = draws_.refused;
        report_.draws_won.assign(report_.questions.size(), DrawsWon(space.machines().size(), 0));
        for (std::size_t n = 0; n < draws_.values.size(); ++n) {
            if (settings_.progress) settings_.progress(fmt::format("draw {} of {}", n + 1, draws_.values.size()));
            auto const all = rank_under(space, settings_of(draws_.values[n]), candidates_, report_.questions);
            for (std::size_t q = 0; all && q < all->size(); ++q)
                if (auto const best = (*all)[q].winner(report_.questions[q].maximize)) ++report_.draws_won[q][*best];
        }
    }

    void add_flips(std::size_t v, std::vector<MachineRanking> const& all) {
        auto const& variation = report_.variations[v];
        for (std::size_t q = 0; q < all.size(); ++q) {
            bool const more = report_.questions[q].maximize;
            auto const before = report_.as_assumed[q].winner(more), after = all[q].winner(more);
            if (before == after) continue;
            Flip flip{q, v, before, after, {}, std::nan(""), std::nullopt};
            if (after) flip.design = all[q].best_of(*after);
            if (before && after && !all[q].by_machine[*before].empty()) {
                double const ratio = all[q].best_of(*before).value / flip.design.value;
                flip.ratio = more ? 1.0 / ratio : ratio;
            }
            if (variation.numeric) flip.break_even = break_even_of(variation, flip);
            report_.flips.push_back(flip);
        }
    }

    /// Bisects between the value of the space, where `before` wins, and the end of the range, where another machine
    /// wins.
    [[nodiscard]] double break_even_of(Variation const& variation, Flip const& flip) const {
        constexpr int halvings = 10;
        auto const points = designs_for(flip);
        std::vector<Question> const one{report_.questions[flip.question]};
        auto const value_at = [&](double share) { return between(variation.start, variation.end, share); };
        return value_at(share_that_turns(halvings, [&](double share) {
            return ranking_at(variation, value_at(share), one, points).winner(one[0].maximize) != flip.before;
        }));
    }

    /// The ranking for one question with the assumption or constant at a value [SI].
    [[nodiscard]] MachineRanking ranking_at(Variation const& variation, double value, std::vector<Question> const& one,
                                            std::vector<space::PointId> const& points) const {
        if (!variation.constant)
            return rank_machines(parse_(variation.overrides_at(value)), one, 1, &points, settings_.threads).front();
        auto const rounded = settings_.uncertainty->constants[*variation.constant].rounded(value);
        auto const ranking = rank_under(parse_({}), {{*variation.constant, rounded}}, points, one);
        return ranking ? ranking->front() : report_.as_assumed[position_of(one.front())];
    }

    /// The best designs for the question of the flip as assumed, and the design that wins at the end of the range.
    [[nodiscard]] std::vector<space::PointId> designs_for(Flip const& flip) const {
        std::set<space::PointId> some;
        for (auto const& machine : report_.as_assumed[flip.question].by_machine)
            for (auto const& one : machine) some.insert(one.point);
        if (flip.after) some.insert(flip.design.point);
        return {some.begin(), some.end()};
    }

    Parse const& parse_;
    FlipSettings const& settings_;
    FlipReport report_;
    Draws draws_;
    std::set<space::PointId> found_;
    std::vector<space::PointId> candidates_;
};

using space::Override;

std::string key_of(std::string_view assumption) {
    return std::string(space::assumption_prefix) + std::string(assumption);
}

std::string text_in(double si, std::string const& unit) {
    double const value = si / sim::parse_unit(unit).in_si;
    return unit == "1" ? fmt::format("{:.6g}", value) : fmt::format("{:.6g} {}", value, unit);
}

/// Adds the other choices of an assumption with named values.
void add_choices(std::vector<Variation>& list, std::string_view assumption, std::string const& now,
                 std::vector<std::string> const& choices) {
    for (auto const& choice : choices)
        if (choice != now)
            list.push_back({std::string(assumption), now, choice, {{key_of(assumption), choice}}, false, 0, 0, "", ""});
}

/// The bits of weights; 0 stands for the format in which each machine computes, and its text says so.
void add_precisions(std::vector<Variation>& list, std::string const& now) {
    std::vector<Variation> added;
    add_choices(added, "precision", now, {"0", "8", "16"});
    for (auto& one : added) {
        for (auto* text : {&one.from, &one.to})
            if (*text == "0") *text = "0 (own)";
        list.push_back(std::move(one));
    }
}

void add_ends(std::vector<Variation>& list, std::string const& name, std::string const& key,
              models::TechnologyRow const& row, double now) {
    auto const& unit = row.constant.unit;
    for (double const end : {row.lower, row.upper}) {
        if (end == now) continue;
        Variation one{name, text_in(now, unit), text_in(end, unit), {}, true, now, end, unit, key};
        one.overrides = one.overrides_at(end);
        list.push_back(std::move(one));
    }
}

void add_rows_used(std::set<std::string>& names, models::Architecture const& architecture,
                   models::ModelOptions const& options) {
    for (auto const* part : architecture.parts) add_rows_used(names, *part, options);
    if (!architecture.parts.empty()) return;
    auto const constants = models::constants_of(architecture, options);
    for (auto const& [_, constant] : constants.all())
        if (!constant.technology.empty()) names.insert(constant.technology);
}

/// Rows of technology.toml that constants of the machines refer to.
std::set<std::string> rows_used(space::Space const& space) {
    std::set<std::string> names;
    for (auto const& machine : space.machines()) add_rows_used(names, *machine.architecture, machine.inputs.options);
    return names;
}

bool any_has(space::Space const& space, std::string_view parameter) {
    return std::ranges::any_of(space.machines(), [&](auto const& machine) {
        return models::find_parameter(machine.parameters(), parameter) >= 0;
    });
}

/// Rows of technology.toml that the machines of the space have as launch of a layer.
std::set<std::string> launch_rows(space::Space const& space) {
    std::set<std::string> rows;
    for (auto const& machine : space.machines())
        for (auto const& parameter : machine.parameters())
            if (parameter.name.ends_with(models::layer_overhead_name)) rows.insert(parameter.technology);
    return rows;
}

/// Whether an objective depends on what machines cost.
bool asks_for_costs(space::Space const& space) {
    return std::ranges::any_of(space.objectives(), [&](auto const& objective) {
        return space.metrics()[objective.metric].name.find("cost") != std::string::npos;
    });
}

std::string basis_of(models::Assumptions const& assumptions) {
    for (auto const& [name, text] : assumptions.economy)
        if (name == models::basis_row) return text;
    return "own";
}

/// Adds other values of the parameter `batch`, unless scenarios set it or it varies in the space.
void add_batches(std::vector<Variation>& list, space::Space const& space) {
    constexpr std::array<std::string_view, 3> batches{"4", "16", "64"};
    for (auto const batch : batches) {
        Variation one{"batch", "1", std::string(batch), {}, false, 0, 0, "", ""};
        for (auto const& machine : space.machines()) {
            int const at = models::find_parameter(machine.parameters(), "batch");
            if (at < 0) continue;
            auto const index = static_cast<std::size_t>(at);
            if (machine.scenarios.ask(index) || machine.axes[index].size() != 1) return;
            one.from = fmt::format("{}", machine.axes[index].at(0).as_integer());
            one.overrides.emplace_back(space.machines().size() > 1 ? machine.name + ".batch" : "batch", batch);
        }
        if (!one.overrides.empty() && one.from != one.to) list.push_back(std::move(one));
    }
}

using models::Value;
using Points = std::vector<std::vector<Value>>;

/// The number of a value; nullopt for choices, flags and orders.
std::optional<double> number_of(Value const& value) {
    if (value.kind() == models::Kind::integer) return static_cast<double>(value.as_integer());
    if (value.kind() == models::Kind::quantity) return value.as_quantity();
    return std::nullopt;
}

/// The smallest and the largest value of an axis; nullopt if it has one value or no numbers.
std::optional<std::pair<Value, Value>> ends_of(auto const& axis) {
    if (axis.size() < 2 || !number_of(axis.at(0))) return std::nullopt;
    std::pair ends{axis.at(0), axis.at(0)};
    for (std::uint64_t i = 1; i < axis.size(); ++i) {
        Value const value = axis.at(i);
        if (*number_of(value) < *number_of(ends.first)) ends.first = value;
        if (*number_of(value) > *number_of(ends.second)) ends.second = value;
    }
    return ends;
}

/// Whether the architecture allows smaller or larger values.
bool goes_on(models::Parameter const& parameter, double end, bool largest) {
    bool const limited = parameter.lower != 0.0 || parameter.upper != 0.0;
    if (largest) return !limited || parameter.upper > end;
    return limited ? parameter.lower < end : end > 1.0;
}

/// The best design of a machine for each question that it can answer.
Points best_designs(space::Space const& space, FlipReport const& report, std::size_t machine) {
    Points best;
    for (auto const& ranking : report.as_assumed) {
        if (ranking.by_machine[machine].empty()) continue;
        space.decode(ranking.best_of(machine).point, best.emplace_back());
    }
    return best;
}

}  // namespace

std::vector<std::size_t> FlipReport::robust() const {
    std::vector<std::size_t> list;
    for (std::size_t q = 0; q < questions.size(); ++q)
        if (std::ranges::none_of(flips, [q](Flip const& flip) { return flip.question == q; })) list.push_back(q);
    return list;
}

FlipReport flips_of(Parse const& parse, FlipSettings const& settings) { return Study(parse, settings).run(); }

std::vector<Override> Variation::overrides_at(double value) const { return {{key, text_in(value, unit)}}; }

std::vector<Variation> variations_of(space::Space const& space) {
    auto const& assumptions = space.machines().front().inputs.options.assumptions;
    auto const technology = models::Technology::load(assumptions);
    std::vector<Variation> list;
    auto const now = [&](std::string_view key) { return models::text_of(assumptions, key); };
    add_choices(list, "view", now("view"), {"hardware", "deployed"});
    add_choices(list, "constants", now("constants"), {"papers", "technology"});
    add_choices(list, "host", now("host"), {"excluded", "included"});
    add_precisions(list, now("precision"));
    add_choices(list, "node", now("node"), models::node_names());
    if (asks_for_costs(space)) add_choices(list, "economy.basis", basis_of(assumptions), {"own", "bill", "price"});
    add_batches(list, space);
    bool const deployed = assumptions.view == models::View::deployed;
    if (any_has(space, models::attained_share_name)) {
        auto const& row = technology.row(models::attained_share_name);
        add_ends(list, std::string(models::attained_share_name), key_of(models::attained_share_name), row,
                 deployed ? row.constant.si : 1.0);
    }
    if (deployed)  // otherwise, the view adds launches of every kind
        for (auto const& name : launch_rows(space))
            add_ends(list, name, key_of("technology." + name), technology.row(name), technology.row(name).constant.si);
    auto rows = rows_used(space);
    rows.insert("host_power");
    for (auto const& name : rows)
        if (models::reads_technology_row(assumptions, name))
            add_ends(list, name, key_of("technology." + name), technology.row(name), technology.row(name).constant.si);
    return list;
}

std::vector<AxisEnd> axis_ends_of(space::Space const& space, FlipReport const& report) {
    std::vector<AxisEnd> found;
    for (std::size_t m = 0; m < space.machines().size(); ++m) {
        auto const best = best_designs(space, report, m);
        auto const& parameters = space.machines()[m].parameters();
        for (std::size_t p = 0; p < parameters.size(); ++p) {
            auto const ends = ends_of(space.machines()[m].axes[p]);
            if (!ends) continue;
            for (bool const largest : {false, true}) {
                Value const end = largest ? ends->second : ends->first;
                auto const count = std::ranges::count(best, end, [p](auto const& point) { return point[p]; });
                if (count > 0 && goes_on(parameters[p], *number_of(end), largest))
                    found.push_back({m, p, end, largest, static_cast<std::size_t>(count), best.size()});
            }
        }
    }
    return found;
}

}  // namespace pimdse::dse::uncertain
