#include "dse/cli/front_table.hpp"
#include "dse/cli/verb.hpp"
#include "dse/space/columns.hpp"
#include "dse/space/input_hashes.hpp"
#include "dse/store/comparison.hpp"
#include "sim/base/json.hpp"

#include <cmath>
#include <map>
#include <ranges>
#include <set>

namespace pimdse::dse::cli {
namespace {

using store::Comparison;
using store::Difference;
using store::ResultFile;

constexpr std::size_t max_lines = 20;

/// The parameters of a point that apply to its machine, with readable values.
std::vector<std::pair<std::string, std::string>> design_of(ResultFile const& file, space::PointId point) {
    auto const values = file.columns.point(point);
    std::vector<std::pair<std::string, std::string>> design;
    for (std::size_t p = 0; p < values.size(); ++p) {
        auto const& parameter = file.columns.parameters[p];
        if (space::applies(parameter.name, space::machine_of(file.columns, point)))
            design.emplace_back(parameter.name, space::shown_value(parameter, values[p]));
    }
    return design;
}

/// The parameters that have more than one value among the designs that are printed.
class Differing {
  public:
    Differing(ResultFile const& left, ResultFile const& right, Comparison const& comparison) {
        for (auto const point : left.front) add(left, point);
        for (auto const point : right.front) add(right, point);
        for (auto const& difference : comparison.differences) add(left, difference.task.point);
    }

    /// "point 12 (vlen 64, channels 8)"
    [[nodiscard]] std::string text(ResultFile const& file, space::PointId point) const {
        std::vector<std::string> words;
        for (auto const& [name, value] : design_of(file, point)) {
            if (varying_.contains(name)) words.push_back(fmt::format("{} {}", name, value));
        }
        auto const design = words.empty() ? "" : fmt::format(" ({})", fmt::join(words, ", "));
        return fmt::format("point {}{}", index_of(point), design);
    }

  private:
    void add(ResultFile const& file, space::PointId point) {
        for (auto const& [name, value] : design_of(file, point)) {
            if (first_.emplace(name, value).first->second != value) varying_.insert(name);
        }
    }

    std::map<std::string, std::string> first_;
    std::set<std::string> varying_;
};

/// The objectives of a member of the front: ": latency 1 ms, energy 2 mJ".
std::string objectives_text(ResultFile const& file, space::PointId point) {
    auto const row = file.store.find({point, file.front_fidelity});
    std::vector<std::string> words;
    for (auto const& objective : file.columns.objectives) {
        auto const& metric = file.columns.metrics[objective.metric];
        if (row)
            words.push_back(fmt::format("{} {}", metric.name,
                                        sim::print_quantity(file.store.value(*row, objective.metric), metric.unit)));
    }
    return words.empty() ? "" : fmt::format(": {}", fmt::join(words, ", "));
}

std::string members_text(std::string_view title, ResultFile const& file, ResultFile const& other,
                         std::vector<space::PointId> const& points, Differing const& differing) {
    std::string text;
    for (std::size_t i = 0; i < std::min(max_lines, points.size()); ++i)
        text += fmt::format("{}: {}{}{}\n", title, differing.text(file, points[i]), objectives_text(file, points[i]),
                            other.store.find({points[i], other.front_fidelity})
                                ? ""
                                : fmt::format(" (not evaluated in {})", other.path.string()));
    if (points.size() > max_lines)
        text += fmt::format("... and {} more {} (--format json prints all)\n", points.size() - max_lines, title);
    return text;
}

std::string fronts_text(ResultFile const& left, ResultFile const& right, Comparison const& comparison,
                        Differing const& differing) {
    std::string text;
    if (left.front_fidelity != right.front_fidelity)
        text = fmt::format("the front of {} is at {} fidelity, that of {} at {} fidelity\n", left.path.string(),
                           models::name_of(left.front_fidelity), right.path.string(),
                           models::name_of(right.front_fidelity));
    std::size_t const both = left.front.size() - comparison.lost.size();
    if (comparison.gained.empty() && comparison.lost.empty())
        return text + fmt::format("the fronts have the same designs ({})\n", both);
    text += fmt::format("{} designs are on both fronts, {} on the second only, {} on the first only\n", both,
                        comparison.gained.size(), comparison.lost.size());
    return text + members_text("gained on the front", right, left, comparison.gained, differing) +
           members_text("lost from the front", left, right, comparison.lost, differing);
}

/// "infeasible by rule 'fits'" or "ok"
std::string status_text(ResultFile const& file, space::Task const& task) {
    auto const row = *file.store.find(task);
    auto const status = name_of(file.store.status(row));
    auto const rule = file.store.rule(row);
    return rule.empty() ? std::string(status) : fmt::format("{} by rule '{}'", status, rule);
}

std::string reason_text(ResultFile const& file, space::Task const& task) {
    return std::string(file.store.reason(*file.store.find(task)));
}

/// Points that differ in the same way, with an example: the one that differs most, or else the first.
struct DifferenceGroup {
    std::size_t points = 0;
    double max = -1.0;
    Difference const* example = nullptr;

    void add(Difference const& difference, double size) {
        ++points;
        if (size > max) {
            max = size;
            example = &difference;
        }
    }
};

/// The difference relative to the left value; infinite if that is zero or either value is NaN.
double share_of(Difference const& d) {
    double const share = std::abs(d.right - d.left) / std::abs(d.left);
    return std::isnan(share) ? INFINITY : share;
}

/// The differing points, grouped by the kind of difference.
struct Groups {
    explicit Groups(ResultFile const& left, ResultFile const& right, std::vector<Difference> const& differences) {
        for (auto const& d : differences) {
            bool const is_value = d.left_text.empty();  // otherwise both texts hold bounds
            if (d.metric != Difference::status_differs) {
                if (is_value)
                    values[d.metric].add(d, share_of(d));
                else
                    bounds[d.metric].add(d, 0.0);
                continue;
            }
            auto const l = status_text(left, d.task), r = status_text(right, d.task);
            if (l == r)
                reasons[l].add(d, 0.0);
            else
                statuses[{l, r}].add(d, 0.0);
        }
    }
    std::map<std::pair<std::string, std::string>, DifferenceGroup> statuses;
    std::map<std::string, DifferenceGroup> reasons;
    std::map<std::size_t, DifferenceGroup> values, bounds;  // by metric
};

std::string are_text(std::size_t points) { return counted(points, "point") + (points == 1 ? " is" : " are"); }

/// Both values in readable units, or in full precision if the readable texts are equal.
std::string sides_text(Difference const& d, std::string const& unit) {
    auto const l = sim::print_quantity(d.left, unit), r = sim::print_quantity(d.right, unit);
    return l == r ? fmt::format("{} against {} (in SI)", d.left, d.right) : fmt::format("{} against {}", l, r);
}

std::string values_text(ResultFile const& left, std::size_t metric, DifferenceGroup const& group,
                        Differing const& differing) {
    auto const& m = left.columns.metrics[metric];
    auto const max =
        std::isfinite(group.max) ? fmt::format(", by up to {} %", sim::print_number(100.0 * group.max, 2)) : "";
    return fmt::format("{} differs at {}{}, such as {}: {}\n", m.name, counted(group.points, "point"), max,
                       differing.text(left, group.example->task.point), sides_text(*group.example, m.unit));
}

std::string differences_text(ResultFile const& left, ResultFile const& right, Comparison const& comparison,
                             Differing const& differing) {
    Groups const groups(left, right, comparison.differences);
    std::string text;
    for (auto const& [sides, group] : groups.statuses)
        text += fmt::format("{} {} in {} and {} in {}, such as {}\n", are_text(group.points), sides.first,
                            left.path.string(), sides.second, right.path.string(),
                            differing.text(left, group.example->task.point));
    for (auto const& [status, group] : groups.reasons)
        text += fmt::format("{} {} in both for different reasons, such as {}: {} against {}\n", are_text(group.points),
                            status, differing.text(left, group.example->task.point),
                            reason_text(left, group.example->task), reason_text(right, group.example->task));
    for (auto const& [metric, group] : groups.values) text += values_text(left, metric, group, differing);
    for (auto const& [metric, group] : groups.bounds)
        text += fmt::format("{} has equal values but different bounds at {}, such as {}: {} against {} (in SI)\n",
                            left.columns.metrics[metric].name, counted(group.points, "point"),
                            differing.text(left, group.example->task.point), group.example->left_text,
                            group.example->right_text);
    return text;
}

using sim::Json;

std::string side_text(double value, std::string const& text) { return text.empty() ? fmt::format("{}", value) : text; }

std::string differing_column(ResultFile const& file, Difference const& d) {
    return d.metric == Difference::status_differs ? "status" : file.columns.metrics[d.metric].name;
}

Json designs_json(ResultFile const& file, std::vector<space::PointId> const& points) {
    return points | std::views::transform([&](space::PointId point) -> Json {
               return {{"point", index_of(point)}, {"parameters", parameters_json(file.columns, point)}};
           });
}

Json comparison_json(ResultFile const& left, ResultFile const& right, Comparison const& comparison) {
    auto const indices = [](std::vector<space::PointId> const& points) -> Json {
        return points | std::views::transform([](space::PointId point) { return index_of(point); });
    };
    auto const difference_json = [&](Difference const& d) -> Json {
        return {{"point", index_of(d.task.point)},
                {"what", differing_column(left, d)},
                {"left", side_text(d.left, d.left_text)},
                {"right", side_text(d.right, d.right_text)}};
    };
    return {{"equal", comparison.equal()},
            {"gained", indices(comparison.gained)},
            {"lost", indices(comparison.lost)},
            {"only_left", comparison.only_left.size()},
            {"only_right", comparison.only_right.size()},
            {"differing", comparison.differences | std::views::transform(difference_json)},
            {"columns", comparison.columns},
            {"constraints", comparison.conditions},
            {"changed_input", sim::or_null(comparison.input)},
            {"gained_designs", designs_json(right, comparison.gained)},
            {"lost_designs", designs_json(left, comparison.lost)}};
}

/// The differences of two files as readable text: whether the fronts agree, designs gained and lost, and a line for
/// each metric, status and rule that differs, with the number of points and the point that differs most. Ends with a
/// newline.
std::string diff_text(ResultFile const& left, ResultFile const& right, Comparison const& comparison) {
    Differing const differing(left, right, comparison);
    std::string text;
    for (auto const& sentence : comparison.conditions) text += sentence + "\n";
    for (auto const& sentence : comparison.columns) text += sentence + "\n";
    text += fronts_text(left, right, comparison, differing);
    if (!comparison.only_left.empty())
        text += fmt::format("{} evaluated in {} only\n", are_text(comparison.only_left.size()), left.path.string());
    if (!comparison.only_right.empty())
        text += fmt::format("{} evaluated in {} only\n", are_text(comparison.only_right.size()), right.path.string());
    return text + differences_text(left, right, comparison, differing);
}

}  // namespace

int run_diff(CommandLine const& values) {
    Format const format = format_without_csv(values, "a comparison");
    double const relative = number_of<double>(values, "relative");
    auto const left = store::load_result_file(input_file(values.needed("left")));
    auto right = store::load_result_file(input_file(values.needed("right")));
    // Own input files with the same content may have other names in the other run.
    space::rename_own_files(right.columns, space::same_content(right.columns.input_hashes, left.columns.input_hashes));
    auto const comparison = compare(left, right, relative);
    if (format == Format::json)
        print_json(comparison_json(left, right, comparison));
    else if (comparison.equal())
        std::cout << "equal\n";
    else
        std::cout << wrapped(diff_text(left, right, comparison), screen_width());
    if (comparison.input && format != Format::json) {
        std::cerr << fmt::format("pimdse: {} changed between the runs of {} and {}\n", *comparison.input,
                                 left.path.string(), right.path.string());
    }
    return comparison.equal() ? complete : mismatch;
}

}  // namespace pimdse::dse::cli
