#include "dse/cli/diff_text.hpp"

#include "dse/task/machine_name.hpp"
#include "dse/task/shown_value.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace pimdse::dse::cli {
namespace {

using store::result::Comparison;
using store::result::Difference;
using store::result::ResultFile;

constexpr std::size_t most_lines = 20;

/// The parameters of a point that apply to its machine, as they are written.
std::vector<std::pair<std::string, std::string>> design_of(ResultFile const& file, task::PointId point) {
    std::vector<models::Value> values;
    file.columns.decode(point, values);
    std::vector<std::pair<std::string, std::string>> design;
    for (std::size_t p = 0; p < values.size(); ++p) {
        auto const& parameter = file.columns.parameters[p];
        if (task::applies(parameter.name, task::machine_of(file.columns, point)))
            design.emplace_back(parameter.name, task::shown_value(parameter, values[p]));
    }
    return design;
}

/// Which parameters tell apart the designs that are printed: a name has one value or is among these.
class Differing {
  public:
    Differing(ResultFile const& left, ResultFile const& right, Comparison const& comparison) {
        for (auto const point : left.front) look_at(left, point);
        for (auto const point : right.front) look_at(right, point);
        for (auto const& difference : comparison.differences) look_at(left, difference.task.point);
    }

    /// "point 12 (vlen 64, channels 8)"
    [[nodiscard]] std::string text(ResultFile const& file, task::PointId point) const {
        std::vector<std::string> words;
        for (auto const& [name, value] : design_of(file, point)) {
            if (varying_.contains(name)) words.push_back(fmt::format("{} {}", name, value));
        }
        auto const design = words.empty() ? "" : fmt::format(" ({})", fmt::join(words, ", "));
        return fmt::format("point {}{}", index_of(point), design);
    }

  private:
    void look_at(ResultFile const& file, task::PointId point) {
        for (auto const& [name, value] : design_of(file, point)) {
            if (first_.emplace(name, value).first->second != value) varying_.insert(name);
        }
    }

    std::map<std::string, std::string> first_;
    std::set<std::string> varying_;
};

/// ": latency 1 ms, energy 2 mJ" of a member of the front.
std::string objectives_text(ResultFile const& file, task::PointId point) {
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

std::string members_text(std::string_view what, ResultFile const& file, ResultFile const& other,
                         std::vector<task::PointId> const& points, Differing const& differing) {
    std::string text;
    for (std::size_t i = 0; i < std::min(most_lines, points.size()); ++i)
        text += fmt::format("{} {}{}{}\n", what, differing.text(file, points[i]), objectives_text(file, points[i]),
                            other.store.find({points[i], other.front_fidelity})
                                ? ""
                                : fmt::format(" (not answered in {})", other.path.string()));
    if (points.size() > most_lines)
        text += fmt::format("... and {} more {} (--format json has all)\n", points.size() - most_lines, what);
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
    return text + members_text("gained on the front:", right, left, comparison.gained, differing) +
           members_text("lost from the front:", left, right, comparison.lost, differing);
}

/// "infeasible by rule fits" or "ok"
std::string status_text(ResultFile const& file, task::Task const& task) {
    auto const row = *file.store.find(task);
    auto const status = name_of(file.store.status(row));
    auto const rule = file.store.rule(row);
    return rule.empty() ? std::string(status) : fmt::format("{} by rule {}", status, rule);
}

std::string reason_text(ResultFile const& file, task::Task const& task) {
    return std::string(file.store.reason(*file.store.find(task)));
}

/// Points that differ alike; the first or the one that differs most stands for them.
struct Alike {
    std::size_t points = 0;
    double most = -1.0;
    Difference const* example = nullptr;

    void add(Difference const& difference, double size) {
        ++points;
        if (size > most) {
            most = size;
            example = &difference;
        }
    }
};

/// Of the left value; infinite where that is zero or one of the two is no number.
double share_of(Difference const& d) {
    double const share = std::abs(d.right - d.left) / std::abs(d.left);
    return std::isnan(share) ? INFINITY : share;
}

/// The points that differ, by how.
struct Groups {
    explicit Groups(ResultFile const& left, ResultFile const& right, std::vector<Difference> const& differences) {
        for (auto const& d : differences) {
            if (d.metric != Difference::status_differs) {
                (d.left_text.empty() ? values : bounds)[d.metric].add(d, d.left_text.empty() ? share_of(d) : 0.0);
                continue;
            }
            auto const l = status_text(left, d.task), r = status_text(right, d.task);
            l == r ? reasons[l].add(d, 0.0) : statuses[{l, r}].add(d, 0.0);
        }
    }
    std::map<std::pair<std::string, std::string>, Alike> statuses;
    std::map<std::string, Alike> reasons;
    std::map<std::size_t, Alike> values, bounds;  // by metric
};

std::string points_text(std::size_t points) { return points == 1 ? "1 point" : fmt::format("{} points", points); }

std::string are_text(std::size_t points) { return points_text(points) + (points == 1 ? " is" : " are"); }

/// As people write them, or in full where that tells them not apart.
std::string sides_text(Difference const& d, std::string const& unit) {
    auto const l = sim::print_quantity(d.left, unit), r = sim::print_quantity(d.right, unit);
    return l == r ? fmt::format("{} against {} (in SI)", d.left, d.right) : fmt::format("{} against {}", l, r);
}

std::string values_text(ResultFile const& left, std::size_t metric, Alike const& alike, Differing const& differing) {
    auto const& m = left.columns.metrics[metric];
    auto const most = std::isfinite(alike.most) ? fmt::format(", by up to {:.2g} %", 100.0 * alike.most) : "";
    return fmt::format("{} differs at {}{}, such as {}: {}\n", m.name, points_text(alike.points), most,
                       differing.text(left, alike.example->task.point), sides_text(*alike.example, m.unit));
}

std::string differences_text(ResultFile const& left, ResultFile const& right, Comparison const& comparison,
                             Differing const& differing) {
    Groups const groups(left, right, comparison.differences);
    std::string text;
    for (auto const& [sides, alike] : groups.statuses)
        text += fmt::format("{} {} in {} and {} in {}, such as {}\n", are_text(alike.points), sides.first,
                            left.path.string(), sides.second, right.path.string(),
                            differing.text(left, alike.example->task.point));
    for (auto const& [status, alike] : groups.reasons)
        text += fmt::format("{} {} in both for different reasons, such as {}: {} against {}\n", are_text(alike.points),
                            status, differing.text(left, alike.example->task.point),
                            reason_text(left, alike.example->task), reason_text(right, alike.example->task));
    for (auto const& [metric, alike] : groups.values) text += values_text(left, metric, alike, differing);
    for (auto const& [metric, alike] : groups.bounds)
        text += fmt::format("{}: only the bounds of {} differ, such as {}: {} against {} (in SI)\n",
                            left.columns.metrics[metric].name, points_text(alike.points),
                            differing.text(left, alike.example->task.point), alike.example->left_text,
                            alike.example->right_text);
    return text;
}

}  // namespace

std::string diff_text(ResultFile const& left, ResultFile const& right, Comparison const& comparison) {
    Differing const differing(left, right, comparison);
    std::string text;
    for (auto const& sentence : comparison.conditions) text += sentence + "\n";
    for (auto const& sentence : comparison.columns) text += sentence + "\n";
    text += fronts_text(left, right, comparison, differing);
    if (!comparison.only_left.empty())
        text += fmt::format("{} points are answered in {} only\n", comparison.only_left.size(), left.path.string());
    if (!comparison.only_right.empty())
        text += fmt::format("{} points are answered in {} only\n", comparison.only_right.size(), right.path.string());
    return text + differences_text(left, right, comparison, differing);
}

}  // namespace pimdse::dse::cli
