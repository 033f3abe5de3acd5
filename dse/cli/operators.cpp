#include "dse/cli/operators.hpp"

#include "dse/base/json_text.hpp"
#include "dse/cli/kernel_rows.hpp"
#include "dse/cli/verdict.hpp"
#include "sim/base/json.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iostream>
#include <map>
#include <vector>

namespace pimdse::dse::cli {
namespace {

void expect_operators(PointRequest const& requested) {
    expect_text_machine(requested);
    if (!requested.machine.scenarios.empty())
        throw UsageError("--operator and --rows ask for operators and not for requests. Leave out --scenario?");
}

using models::text::OperatorCost;
using sim::Json;

Json operator_json(OperatorCost const& cost) {
    auto const [from, to] = interval_of(cost);
    return {{"seconds", cost.seconds}, {"lower", cost.lower}, {"from", from},         {"to", to},
            {"bytes", cost.bytes},     {"limit", cost.limit}, {"cached", cost.cached}};
}

void print_errors(std::string_view name, Json const& all) {
    if (!all.contains("inside")) {
        fmt::print("{}: no row that physics allows\n", name);
        return;
    }
    fmt::print(
        "{}: {} rows, error {:+.1f} % in the median ({:+.1f} to {:+.1f} % from a tenth to nine tenths), "
        "{:.1f} % without sign, {:.0f} % inside the interval\n",
        name, all["rows"].get<std::size_t>(), 100.0 * all["median_error"].get<double>(),
        100.0 * all["error_10"].get<double>(), 100.0 * all["error_90"].get<double>(),
        100.0 * all["median_absolute_error"].get<double>(), 100.0 * all["inside"].get<double>());
}

std::string remark_on(KernelRow const& row) {
    if (row.forbidden()) return "  impossible: faster than the data sheet allows";
    if (row.below()) return "  faster than the memory: read from the cache";
    return row.inside() ? "" : "  outside";
}

}  // namespace

int evaluate_operator(PointRequest const& requested, std::string const& text, Format format) {
    expect_operators(requested);
    auto const cost = from_flag("--operator", [&] { return cost_of(requested, requested.point, read_operator(text)); });
    if (auto const* rule = std::get_if<models::Infeasible>(&cost)) {
        std::cout << fmt::format("infeasible: {}: {}\n", rule->rule, rule->reason);
        return no_feasible_point;
    }
    auto const& found = std::get<OperatorCost>(cost);
    if (format == Format::json) {
        auto json = operator_json(found);
        json["operator"] = text;
        std::cout << base::json_text(json) << "\n";
        return complete;
    }
    auto const [from, to] = interval_of(found);
    fmt::print("{}: {}\n", requested.machine.name, text);
    fmt::print("  time         {}, measured kernels from {} to {}\n", sim::print_quantity(found.seconds, "s"),
               sim::print_quantity(from, "s"), sim::print_quantity(to, "s"));
    fmt::print("  lower bound  {} (proved: operations and bytes at the figures of the data sheet)\n",
               sim::print_quantity(found.lower, "s"));
    fmt::print("  waits for    {}, {} of data\n", found.limit, sim::print_quantity(found.bytes, "B"));
    return complete;
}

int evaluate_rows(PointRequest const& requested, std::string const& file, Format format) {
    expect_operators(requested);
    auto const rows = read_kernel_rows(requested, file);
    std::map<std::string, std::vector<KernelRow const*>> groups;
    std::vector<KernelRow const*> all;
    for (auto const& row : rows) {
        all.push_back(&row);
        if (!row.group.empty()) groups[row.group].push_back(&row);
    }
    std::vector<std::int64_t> forbidden;
    for (auto const& row : rows)
        if (row.forbidden()) forbidden.push_back(row.line);
    int const verdict = forbidden.empty() ? complete : mismatch;
    if (format == Format::json) {
        Json json{{"rows", Json::array()}, {"groups", Json::object()}, {"forbidden", forbidden}};
        for (auto const& row : rows) {
            auto one = operator_json(row.cost);
            one.update({{"line", row.line},
                        {"operator", row.text},
                        {"group", row.group},
                        {"measured", row.measured},
                        {"error", row.error()},
                        {"inside", row.inside()},
                        {"below_bound", row.below()},
                        {"forbidden", row.forbidden()}});
            json["rows"].push_back(std::move(one));
        }
        for (auto const& [name, of_group] : groups) json["groups"][name] = errors_of(of_group);
        json["all"] = errors_of(all);
        std::cout << base::json_text(json) << "\n";
        return verdict;
    }
    fmt::print("{:>6} {:>10} {:>10} {:>9} {:>10}  {}\n", "line", "measured", "predicted", "error", "bound", "operator");
    for (auto const& row : rows)
        fmt::print("{:>6} {:>10} {:>10} {:>+7.1f} % {:>10}  {}{}\n", row.line, sim::print_quantity(row.measured, "s"),
                   sim::print_quantity(row.cost.seconds, "s"), 100.0 * row.error(),
                   sim::print_quantity(row.cost.lower, "s"), row.text, remark_on(row));
    for (auto const& [name, of_group] : groups) print_errors(name, errors_of(of_group));
    print_errors("all", errors_of(all));
    if (!forbidden.empty())
        fmt::print("{} {} impossible on {}: line {}\n", forbidden.size(), forbidden.size() == 1 ? "row is" : "rows are",
                   requested.machine.name, fmt::join(forbidden, ", "));
    return verdict;
}

}  // namespace pimdse::dse::cli
