#include "dse/cli/robust.hpp"
#include "dse/cli/verb.hpp"
#include "dse/report/explanation.hpp"
#include "dse/report/point_json.hpp"
#include "dse/space/canonical_space.hpp"
#include "dse/space/columns.hpp"
#include "dse/space/search_settings.hpp"
#include "dse/store/result_file.hpp"
#include "dse/uncertain/point_study.hpp"
#include "models/contract/common_metrics.hpp"

#include <cmath>

namespace pimdse::dse::cli {

namespace {

using report::ExplainContext;
using report::Explanation;
using report::PointStanding;

/// The change from one value to another, relative to the first: "+12 %", "-3 %", "same".
std::string change_text_of(double from, double to) {
    double const share = -report::share_below(from, to);
    return share == 0.0 ? "same" : (share > 0.0 ? "+" : "") + percent(share);
}

/// The values of the parameters that the space varies.
std::string design_text(space::Space const& space, space::PointId point) {
    auto const& machine = space.machines()[space.machine_of(point)];
    auto const values = space.point(point);
    std::vector<std::string> words;
    if (space.machines().size() > 1) words.push_back(machine.name);
    for (auto const p : machine.designed()) {
        auto const& parameter = machine.parameters()[p];
        if (machine.axes[p].size() > 1)
            words.push_back(fmt::format("{} {}", parameter.name, space::shown_value(parameter, values[p])));
    }
    return fmt::format("  {}\n", fmt::join(words, ", "));
}

std::string verdict_text(ExplainContext const& context, Explanation const& explanation) {
    auto const head = fmt::format("point {} at {} fidelity{}: ", index_of(explanation.result.task.point),
                                  models::name_of(context.front_view.fidelity()),
                                  explanation.restored ? "" : " (not in the file, evaluated now)");
    if (auto const* infeasible = std::get_if<models::Infeasible>(&explanation.result.outcome))
        return fmt::format("{}infeasible: {}: {}\n", head, infeasible->rule, infeasible->reason);
    if (auto const* defect = std::get_if<models::Defect>(&explanation.result.outcome))
        return fmt::format("{}failed: {}\n", head, defect->what);
    bool const on_front = explanation.standing->on_front;
    return fmt::format("{}{} the front of {} evaluated feasible points\n", head, on_front ? "on" : "not on",
                       context.front_view.size());
}

/// The objectives of another point relative to this one: "latency -3 %, area +5 %".
std::string relative_text(ExplainContext const& context, Explanation const& explanation, space::PointId other) {
    auto const place = context.front_view.find(other);
    if (!place) return "";
    std::vector<std::string> words;
    for (std::size_t i = 0; i < explanation.vector.size(); ++i) {
        double const own = context.front_view.as_metric(i, explanation.vector[i]);
        double const there = context.front_view.as_metric(i, context.front_view.vector(*place)[i]);
        words.push_back(fmt::format("{} {}", context.space.metrics()[context.front_view.objectives()[i].metric].name,
                                    change_text_of(own, there)));
    }
    return fmt::format("{}", fmt::join(words, ", "));
}

std::string others_text(ExplainContext const& context, Explanation const& explanation) {
    constexpr std::size_t max = 5;
    auto const& standing = *explanation.standing;
    auto const& named = standing.on_front ? standing.rivals : standing.dominators;
    std::string text = standing.on_front ? fmt::format("it dominates {}; nearest on the front:\n",
                                                       counted(standing.dominates, "evaluated point"))
                                         : fmt::format("{} of {} members of the front dominate it:\n", named.size(),
                                                       context.front_view.front().size());
    for (std::size_t i = 0; i < std::min(max, named.size()); ++i)
        text += fmt::format("  point {}: {}\n", index_of(named[i]), relative_text(context, explanation, named[i]));
    if (named.size() > max) text += fmt::format("  and {} more\n", named.size() - max);
    return named.empty() && standing.on_front ? fmt::format("it dominates {} and is alone on the front\n",
                                                            counted(standing.dominates, "evaluated point"))
                                              : text;
}

/// Other points with equal objectives: of these the front has only the one with the lowest id.
std::string equals_text(ExplainContext const& context, Explanation const& explanation) {
    constexpr std::size_t max = 5;
    std::vector<std::uint64_t> ids;
    for (std::size_t at = 0; at < context.front_view.size(); ++at) {
        bool const same = std::ranges::equal(context.front_view.vector(at), explanation.vector);
        if (same && context.front_view.id(at) != explanation.result.task.point)
            ids.push_back(index_of(context.front_view.id(at)));
    }
    if (ids.empty()) return "";
    auto const named = std::span(ids).first(std::min(max, ids.size()));
    return fmt::format("{} other point{} equal in every objective: {}{} (a front has only the first of equal points)\n",
                       ids.size(), ids.size() == 1 ? " is" : "s are", fmt::join(named, ", "),
                       ids.size() > max ? ", ..." : "");
}

std::string objectives_text(ExplainContext const& context, Explanation const& explanation) {
    auto const& standing = *explanation.standing;
    TextTable table({"objective", "value", standing.on_front ? "leaves the front at" : "joins the front at", "slack",
                     "because of"});
    auto const& objectives = context.front_view.objectives();
    for (std::size_t i = 0; i < objectives.size(); ++i) {
        auto const& metric = context.space.metrics()[objectives[i].metric];
        auto const value = sim::print_quantity(context.front_view.as_metric(i, explanation.vector[i]), metric.unit);
        if (auto const& limit = standing.front_limits[i])
            table.add({metric.name, value, sim::print_quantity(limit->at, metric.unit), percent(limit->share),
                       fmt::format("point {}", index_of(limit->by))});
        else
            table.add({metric.name, value, "any value", "", "no evaluated point is as good in the others"});
    }
    std::string text = table.text(screen_width());
    auto const equals = equals_text(context, explanation);
    if (!equals.empty() && standing.needed_gain == 0.0)
        return text + equals;  // an equal point is on the front: no slack
    if (standing.needed_gain && std::isfinite(*standing.needed_gain))
        text += fmt::format("all objectives together: {} {} in each\n",
                            *standing.needed_gain < 0.0 ? "it may lose up to" : "it must gain more than",
                            percent(std::abs(*standing.needed_gain)));
    return text;
}

/// Metrics other than the objectives in which the point is poor: "not an objective, but poor: ttft 7.4 s, among the
/// worst 1.2 % of all feasible points, 61 times the best on the front (point 17, 0.12 s)".
std::string extremes_text(ExplainContext const& context, Explanation const& explanation) {
    std::string text;
    for (auto const& extreme : explanation.extremes) {
        auto const& metric = context.space.metrics()[extreme.metric];
        std::vector<std::string> why;
        if (extreme.share_as_bad <= report::worst_share)
            why.push_back(fmt::format("among the worst {} of all feasible points", percent(extreme.share_as_bad)));
        if (extreme.times_best > report::far_behind_front)
            why.push_back(fmt::format(
                "{}{} {} the best on the front (point {}, {})", metric.better == models::Sense::maximize ? "1/" : "",
                sim::print_number(extreme.times_best, 3), metric.better == models::Sense::maximize ? "of" : "times",
                index_of(extreme.best_point), sim::print_quantity(extreme.best, metric.unit)));
        text += fmt::format("not an objective, but poor: {} {}, {}\n", metric.name,
                            sim::print_quantity(extreme.value, metric.unit), fmt::join(why, ", "));
    }
    return text;
}

/// "energy and area rest on assumed constants".
std::string assumed_text(ExplainContext const& context) {
    std::vector<std::string> names;
    for (auto const& objective : context.front_view.objectives()) {
        auto const& metric = context.space.metrics()[objective.metric];
        if (metric.assumed) names.push_back(metric.name);
    }
    return assumed_line(names);
}

std::string margins_text(std::vector<report::Margin> const& margins) {
    if (margins.empty()) return "";
    TextTable table({"condition", "expression", "slack"});
    for (auto const& margin : margins) {
        auto const slack = std::isnan(margin.slack) ? "" : " by " + percent(std::abs(margin.slack));
        table.add({margin.name, margin.text, !margin.known ? "not known" : (margin.holds ? "met" : "missed") + slack});
    }
    std::string text = "\nconditions\n" + table.text(screen_width());
    for (auto const& margin : margins) {
        for (auto const& [comparison, end] : margin.crossings) {
            if (margin.holds)
                text += fmt::format("it meets {} by its estimate only, not by its {}\n", comparison, end);
            else
                text += fmt::format("{} is missed by the estimate only; its bounds do not decide it\n", comparison);
        }
    }
    return text;
}

std::string change_text(ExplainContext const& context, report::Change const& change) {
    auto const& parameter =
        context.space.machines()[context.space.machine_of(change.point)].parameters()[change.parameter];
    return fmt::format("{} {} -> {}", parameter.name, space::shown_value(parameter, change.from),
                       space::shown_value(parameter, change.to));
}

/// Where a change leads: onto the front; behind it in every objective, by the share that each would have to gain;
/// behind it in some, by the sum of the shares that the nearest member is better.
std::string outcome_text(report::Effect const& effect) {
    if (auto const* infeasible = std::get_if<models::Infeasible>(&effect.result.outcome))
        return "infeasible: " + infeasible->rule;
    if (!effect.feasible()) return "failed";
    if (effect.dominated_by == 0) return "on the front";
    if (effect.needed_gain && std::isfinite(*effect.needed_gain) && *effect.needed_gain > 0.0)
        return percent(*effect.needed_gain) + " behind the front";
    if (effect.distance == 0.0) return "equal to a point on the front";
    return std::isfinite(effect.distance) ? percent(effect.distance) + " behind the front in some objectives"
                                          : "just behind the front";
}

TextTable changes_table(ExplainContext const& context, Explanation const& explanation) {
    std::vector<std::string> head{"nearest to the front, by parameter"};
    for (auto const& objective : context.front_view.objectives())
        head.push_back(context.space.metrics()[objective.metric].name);
    head.insert(head.end(), {"then", "point"});
    TextTable table(head);
    for (auto const best : best_of_each_parameter(explanation.effects)) {
        auto const& effect = explanation.effects[best];
        std::vector<std::string> row{change_text(context, effect.change)};
        for (std::size_t i = 0; i < context.front_view.objectives().size(); ++i) {
            auto const there = effect.feasible() ? context.front_view.as_metric(i, effect.vector[i]) : 0.0;
            auto const own = explanation.vector.empty() ? 0.0 : context.front_view.as_metric(i, explanation.vector[i]);
            auto const& unit = context.space.metrics()[context.front_view.objectives()[i].metric].unit;
            row.push_back(!effect.feasible()           ? ""
                          : explanation.vector.empty() ? sim::print_quantity(there, unit)
                                                       : change_text_of(own, there));
        }
        row.insert(row.end(), {outcome_text(effect),
                               fmt::format("{}{}", index_of(effect.change.point), effect.restored ? "" : " (now)")});
        table.add(std::move(row));
    }
    return table;
}

std::string gains_text(ExplainContext const& context, Explanation const& explanation) {
    std::string text;
    for (std::size_t i = 0; i < explanation.vector.size(); ++i) {
        auto const& name = context.space.metrics()[context.front_view.objectives()[i].metric].name;
        auto const max = max_gain(explanation.effects, i, explanation.vector);
        if (!max)
            text += fmt::format("no single change improves {}\n", name);
        else
            text += fmt::format(
                "best change for {}: {} ({} better)\n", name, change_text(context, explanation.effects[*max].change),
                percent(report::share_below(explanation.vector[i], explanation.effects[*max].vector[i])));
    }
    return text;
}

/// The evaluated changes that are not in the file and dominate this member of its front.
std::string dominating_changes_text(Explanation const& explanation) {
    std::string text;
    auto const& own = explanation.vector;
    auto const is_better = [&](report::Effect const& effect) {
        return !effect.restored && effect.feasible() && effect.vector != own &&
               std::equal(own.begin(), own.end(), effect.vector.begin(), [](double a, double b) { return b <= a; });
    };
    if (!explanation.standing || !explanation.standing->on_front) return text;
    for (auto const& effect : explanation.effects) {
        if (is_better(effect))
            text +=
                fmt::format("point {}, which is not in the file, dominates this one\n", index_of(effect.change.point));
    }
    return text;
}

std::string changes_text(ExplainContext const& context, Explanation const& explanation) {
    std::size_t restored = 0;
    for (auto const& effect : explanation.effects) restored += effect.restored ? 1 : 0;
    std::string text;
    if (!explanation.effects.empty())
        text = "\n" + changes_table(context, explanation).text(screen_width()) + gains_text(context, explanation) +
               dominating_changes_text(explanation);
    text +=
        fmt::format("{} changes by one step: {} in the file, {} evaluated now ({} level)", explanation.effects.size(),
                    restored, explanation.effects.size() - restored, models::name_of(context.front_view.fidelity()));
    if (explanation.changes_not_evaluated > 0)
        text += fmt::format(", {} not evaluated (--remembered)", explanation.changes_not_evaluated);
    if (explanation.choices_left_out > 0) text += fmt::format(", {} choices not tried", explanation.choices_left_out);
    return text + "\n";
}

std::string certificate_text(ExplainContext const& context, Explanation const& explanation) {
    if (!explanation.certificate_entry) return "";
    auto const& entry = *explanation.certificate_entry;
    std::string text = fmt::format("\ncertificate: {}", name_of(entry.state));
    if (entry.state == report::CertificateEntry::State::equal_key)
        text += fmt::format(": it has the cycle key of point {}, so its result is the same", index_of(*entry.by));
    if (entry.state == report::CertificateEntry::State::pruned) {
        std::vector<std::string> words;
        for (std::size_t i = 0; i < entry.best.size(); ++i) {
            auto const& metric = context.space.metrics()[context.front_view.objectives()[i].metric];
            words.push_back(fmt::format("{} {}", metric.name, sim::print_quantity(entry.best[i], metric.unit)));
        }
        text += fmt::format(": its best bounds are {}, which point {} dominates", fmt::join(words, ", "),
                            index_of(*entry.by));
    }
    return text + "\n";
}

/// An explanation as readable text.
std::string explanation_text(ExplainContext const& context, Explanation const& explanation) {
    std::string text = verdict_text(context, explanation) + design_text(context.space, explanation.result.task.point);
    if (explanation.group) text += "  " + report::group_text(*explanation.group) + "\n";
    if (explanation.standing)
        text += "\n" + objectives_text(context, explanation) + extremes_text(context, explanation) +
                assumed_text(context) + "\n" + others_text(context, explanation);
    text +=
        margins_text(explanation.margins) + changes_text(context, explanation) + certificate_text(context, explanation);
    for (auto const& spending : explanation.spending)
        text += breakdown_text(spending.parts, spending.scenario.empty() ? "" : spending.scenario + ": ");
    return wrapped(text, screen_width());
}

/// The metrics that an explanation compares: the objectives and the common metrics.
std::vector<bool> compared_metrics(space::Columns const& columns) {
    std::vector<bool> wanted;
    for (auto const& metric : columns.metrics) wanted.push_back(models::find_common_metric(metric.name) != nullptr);
    for (auto const& objective : columns.objectives) wanted[objective.metric] = true;
    return wanted;
}

/// The fidelity of the explanation. In a space of several machines not all have the fidelity of the front.
models::Fidelity fidelity_of(CommandLine const& values, store::ResultFile const& file,
                             models::Architecture const& architecture) {
    if (!values.contains("fidelity")) return space::finest_up_to(architecture, file.front_fidelity);
    return from_flag("--fidelity", [&] { return space::parse_fidelity(architecture, values.text("fidelity")); });
}

/// Prints warnings about the file to standard error.
void print_warnings(store::ResultFile const& file, space::Space const& space) {
    warn_changed_input(file, space);
    warn_incomplete(file);
    if (!file.store.blocks().empty())
        std::cerr << fmt::format("pimdse: {} keeps fronts only, so the true slack may be smaller than printed\n",
                                 file.path.string());
}

/// The point under each uncertain constant of the file, against the designs that are on a front of some draw.
uncertain::PointStudy study_of(search::RobustFront const& front, space::Space const& space, space::PointId point,
                               store::ResultFile const& file) {
    auto with_objectives = space;
    with_objectives.set_objectives(space::parse_objectives(space.common_metrics(), front.objectives));
    auto const constants = uncertain::bound_again(with_objectives, front.constants);
    std::vector<space::PointId> rivals;
    for (auto const& design : front.designs) rivals.push_back(design.point);
    return uncertain::study_point(with_objectives, constants, front.effective, rivals, point, file.front_fidelity);
}

}  // namespace

int run_explain(CommandLine const& values) {
    Format const format = format_without_csv(values, "an explanation");
    auto const file = store::load_result_file(input_file(values.needed("file")), compared_metrics);
    refuse_gone_level(file);
    auto const space = space::space_of_columns(file.columns, file.path);
    if (space.canonical_text() != file.columns.canonical_text)
        throw sim::InputError(
            "{}: the parameters of its architecture have changed since it was written. Explore its space again?",
            file.path.string());
    space::PointId const point{read_number<std::uint64_t>("POINT", values.needed("point"), {0, space.size() - 1})};
    auto const& architecture = *space.machines()[space.machine_of(point)].architecture;
    report::FrontView const front_view(file.store, file.columns.objectives, fidelity_of(values, file, architecture));
    report::ExplainContext const context{space,
                                         file.store,
                                         front_view,
                                         file.certificate ? &*file.certificate : nullptr,
                                         threads_of(values),
                                         !values.contains("remembered")};
    auto const explanation = explanation_of(context, point);
    print_warnings(file, space);
    auto const study = file.robust ? std::optional(study_of(*file.robust, space, point, file)) : std::nullopt;
    if (format == Format::json) {
        auto json = explanation_json(context, explanation);
        if (study) json["uncertain"] = report::point_study_json(*file.robust, point, *study);
        print_json(json);
    } else {
        std::cout << explanation_text(context, explanation)
                  << (study ? point_study_text(*file.robust, file.columns, point, *study) : "");
    }
    return complete;
}

}  // namespace pimdse::dse::cli
