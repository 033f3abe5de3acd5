#include "dse/cli/diff_text.hpp"
#include "dse/cli/flag_values.hpp"
#include "dse/cli/json_text.hpp"
#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/screen.hpp"
#include "dse/cli/verb.hpp"
#include "dse/store/own_files.hpp"
#include "dse/store/result/comparison.hpp"
#include "dse/task/machine_name.hpp"
#include "dse/task/value_json.hpp"

#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

namespace pimdse::dse::cli {
namespace {

using nlohmann::ordered_json;
using store::result::Comparison;
using store::result::Difference;
using store::result::ResultFile;

Manual const diff_manual{"pimdse diff A.h5 B.h5 [--relative R]",
                         "Compares two result files of one space, whose constraints may differ: designs gained and "
                         "lost on the front, points answered "
                         "in one only, metrics that differ.",
                         "  pimdse diff yesterday.h5 today.h5\nprints nothing but 'equal' and exits with 0 when both "
                         "say the same, bit for bit.",
                         {"left", "right"}};

std::string side_text(double value, std::string const& text) { return text.empty() ? fmt::format("{}", value) : text; }

std::string what_differs(ResultFile const& file, Difference const& d) {
    return d.metric == Difference::status_differs ? "status" : file.columns.metrics[d.metric].name;
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
    auto right = store::result::load_result_file(input_file(needed(*values, "right", diff_manual)));
    store::rename_own_files(right.columns, store::same_content(right.columns.input_hashes, left.columns.input_hashes));
    auto const comparison = compare(left, right, relative);
    if (format == Format::json)
        print_json(left, right, comparison);
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
