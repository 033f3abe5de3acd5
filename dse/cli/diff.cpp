#include "dse/cli/flag_values.hpp"
#include "dse/cli/json_text.hpp"
#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/verb.hpp"
#include "dse/store/result/comparison.hpp"
#include "dse/task/machine_name.hpp"
#include "dse/task/shown_value.hpp"
#include "dse/task/value_json.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace pimdse::dse::cli {
namespace {

using nlohmann::ordered_json;
using store::result::Comparison;
using store::result::Difference;
using store::result::ResultFile;

constexpr std::size_t most_lines = 20;

Manual const diff_manual{"pimdse diff A.h5 B.h5 [--relative R]",
                         "Compares two result files of one space, whose constraints may differ: designs gained and "
                         "lost on the front, points answered "
                         "in one only, metrics that differ.",
                         "  pimdse diff yesterday.h5 today.h5\nprints nothing but 'equal' and exits with 0 when both "
                         "say the same, bit for bit.",
                         {"left", "right"}};

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

std::string side_text(double value, std::string const& text) { return text.empty() ? fmt::format("{}", value) : text; }

std::string what_differs(ResultFile const& file, Difference const& d) {
    return d.metric == Difference::status_differs ? "status" : file.columns.metrics[d.metric].name;
}

void print_rest(std::size_t count, std::string_view what) {
    if (count > most_lines)
        std::cout << fmt::format("... and {} more {} (--format json has all)\n", count - most_lines, what);
}

void print_members(std::string_view what, ResultFile const& file, std::vector<task::PointId> const& points,
                   Differing const& differing) {
    for (std::size_t i = 0; i < std::min(most_lines, points.size()); ++i)
        std::cout << fmt::format("{} {}{}\n", what, differing.text(file, points[i]), objectives_text(file, points[i]));
    print_rest(points.size(), what);
}

void print_text(ResultFile const& left, ResultFile const& right, Comparison const& comparison) {
    Differing const differing(left, right, comparison);
    for (auto const& sentence : comparison.conditions) std::cout << sentence << "\n";
    for (auto const& sentence : comparison.columns) std::cout << sentence << "\n";
    if (left.front_fidelity != right.front_fidelity)
        std::cout << fmt::format("the front of {} is at {} fidelity, that of {} at {} fidelity\n", left.path.string(),
                                 models::name_of(left.front_fidelity), right.path.string(),
                                 models::name_of(right.front_fidelity));
    print_members("gained on the front:", right, comparison.gained, differing);
    print_members("lost from the front:", left, comparison.lost, differing);
    if (!comparison.only_left.empty())
        std::cout << fmt::format("{} points are answered in {} only\n", comparison.only_left.size(),
                                 left.path.string());
    if (!comparison.only_right.empty())
        std::cout << fmt::format("{} points are answered in {} only\n", comparison.only_right.size(),
                                 right.path.string());
    for (std::size_t i = 0; i < std::min(most_lines, comparison.differences.size()); ++i) {
        auto const& d = comparison.differences[i];
        std::cout << fmt::format("{}: {}: {} against {}\n", differing.text(left, d.task.point), what_differs(left, d),
                                 side_text(d.left, d.left_text), side_text(d.right, d.right_text));
    }
    print_rest(comparison.differences.size(), "differences");
}

ordered_json designs_json(ResultFile const& file, std::vector<task::PointId> const& points) {
    auto list = ordered_json::array();
    std::vector<models::Value> values;
    for (auto const point : points) {
        ordered_json said{{"point", index_of(point)}, {"parameters", ordered_json::object()}};
        file.columns.decode(point, values);
        for (std::size_t p = 0; p < values.size(); ++p) {
            auto const& parameter = file.columns.parameters[p];
            if (task::applies(parameter.name, task::machine_of(file.columns, point)))
                said["parameters"][parameter.name] = task::value_json(parameter, values[p]);
        }
        list.push_back(std::move(said));
    }
    return list;
}

void print_json(ResultFile const& left, ResultFile const& right, Comparison const& comparison) {
    ordered_json text{{"equal", comparison.equal()},
                      {"gained", ordered_json::array()},
                      {"lost", ordered_json::array()},
                      {"only_left", comparison.only_left.size()},
                      {"only_right", comparison.only_right.size()},
                      {"differing", ordered_json::array()}};
    text["columns"] = comparison.columns;
    text["constraints"] = comparison.conditions;
    text["changed_input"] = comparison.input ? ordered_json(*comparison.input) : ordered_json(nullptr);
    for (auto const point : comparison.gained) text["gained"].push_back(index_of(point));
    for (auto const point : comparison.lost) text["lost"].push_back(index_of(point));
    text["gained_designs"] = designs_json(right, comparison.gained);
    text["lost_designs"] = designs_json(left, comparison.lost);
    for (auto const& d : comparison.differences) {
        text["differing"].push_back({{"point", index_of(d.task.point)},
                                     {"what", what_differs(left, d)},
                                     {"left", side_text(d.left, d.left_text)},
                                     {"right", side_text(d.right, d.right_text)}});
    }
    std::cout << json_text(text) << "\n";
}

}  // namespace

int run_diff(std::vector<std::string> const& arguments) {
    po::options_description flags("Flags");
    flags.add_options()("relative", po::value<std::string>()->default_value("0"), "metrics may differ by this share");
    add_format(flags);
    auto const values = parse(diff_manual, flags, arguments);
    if (!values) return complete;
    Format const format = format_without_csv(*values, "a comparison");
    double const relative = number_of<double>(*values, "relative");
    auto const left = store::result::load_result_file(input_file(needed(*values, "left", diff_manual)));
    auto const right = store::result::load_result_file(input_file(needed(*values, "right", diff_manual)));
    auto const comparison = compare(left, right, relative);
    if (format == Format::json)
        print_json(left, right, comparison);
    else if (comparison.equal())
        std::cout << "equal\n";
    else
        print_text(left, right, comparison);
    if (comparison.input && format != Format::json) {
        std::cerr << fmt::format("pimdse: {} changed between the runs of {} and {}\n", *comparison.input,
                                 left.path.string(), right.path.string());
    }
    return comparison.equal() ? complete : mismatch;
}

}  // namespace pimdse::dse::cli
