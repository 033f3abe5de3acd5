#include "dse/cli/kernel_rows.hpp"

#include "dse/cli/verb.hpp"
#include "models/chips/group.hpp"
#include "models/contract/architecture.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/text/prepared.hpp"
#include "sim/base/csv_rows.hpp"

#include <map>

namespace pimdse::dse::cli {
namespace {

using models::text::OperatorCost;

std::vector<models::Value> point_at(models::Parameters& parameters, std::vector<models::Value> point,
                                    std::string_view name, std::string const& text) {
    auto const at = static_cast<std::size_t>(models::find_parameter(parameters, name));
    point[at] = models::read_value(parameters[at], text, models::Takes::one_value);
    return point;
}

/// The closed form of a collective over the link of the group of the point. Lower bound: its bytes at the rate of the
/// data sheet.
std::variant<OperatorCost, models::Infeasible> collective_cost(PointRequest const& requested,
                                                               std::vector<models::Value> point,
                                                               CollectiveShape const& shape) {
    auto const& architecture = *requested.machine.architecture;
    auto const& inputs = requested.machine.inputs;
    auto parameters = requested.machine.parameters();
    point = point_at(parameters, std::move(point), "devices", fmt::format("{}", shape.devices));
    auto const first = static_cast<std::size_t>(models::find_parameter(parameters, "devices"));
    auto const group = models::chips::read_group(
        inputs, models::Point(point).subspan(first, models::chips::group_parameters().size()),
        [&](std::int64_t devices) { return architecture.one_of_many.own_link(inputs, point, devices); });
    if (auto const* rule = std::get_if<models::Infeasible>(&group)) return *rule;
    auto const& link = std::get<models::chips::DeviceGroup>(group).link;
    auto const cost = models::chips::exchange(link, shape.collective, shape.devices, shape.bytes, shape.starter);
    OperatorCost found;
    found.seconds = cost.seconds;
    if (shape.called) {  // the host calls the next one while data move
        double const idle = models::chips::exchange(link, shape.collective, shape.devices, 0.0, shape.starter).seconds;
        found.seconds = std::max(link.call.si + idle, cost.seconds);
    }
    found.lower = models::chips::min_seconds(link, shape.collective, shape.devices, shape.bytes);
    found.bytes = cost.sent;
    found.spread = inputs.as<models::text::Prepared>().spread(point);
    found.limit = found.seconds > cost.seconds ? "call of a host" : std::string(cost.algorithm);
    return found;
}

/// The columns of a table of measured operators, chosen in `rows`.
std::vector<std::string> columns_of(sim::CsvRows& rows, models::Parameters const& parameters,
                                    std::string_view machine) {
    std::vector<std::string> columns{"operator", "microseconds"}, known{"group"};
    for (auto const& parameter : parameters) known.push_back(parameter.name);
    for (auto const& name : rows.names()) {
        if (name == "operator" || name == "microseconds") continue;
        if (std::ranges::find(known, name) == known.end())
            rows.refuse(fmt::format("unknown column '{}' (operator, microseconds, group, or a parameter of {}).{}",
                                    sim::clipped(name), machine, sim::suggestion(name, known)));
        columns.push_back(name);
    }
    rows.choose(columns, 2);
    return columns;
}

/// A row that the machine can run. Throws InputError without file and line.
KernelRow kernel_row(PointRequest const& requested, models::Parameters& parameters,
                     std::vector<std::string> const& columns, std::vector<std::string> const& cells) {
    KernelRow row{.text = cells[0], .point = requested.point};
    for (std::size_t i = 2; i < columns.size(); ++i) {
        if (columns[i] == "group")
            row.group = cells[i];
        else if (!cells[i].empty())
            row.point = point_at(parameters, std::move(row.point), columns[i], cells[i]);
    }
    row.question = read_operator(row.text);
    return row_on(requested, std::move(row));
}

double quantile(std::vector<double> sorted, double at) {
    std::ranges::sort(sorted);
    double const place = at * static_cast<double>(sorted.size() - 1);
    auto const below = static_cast<std::size_t>(place);
    auto const above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

void expect_operators(PointRequest const& requested) {
    expect_text_machine(requested);
    if (!requested.machine.scenarios.empty())
        throw UsageError("--operator and --rows ask for operators and not for requests. Leave out --scenario?");
}

using sim::Json;

Json operator_json(OperatorCost const& cost) {
    auto const [from, to] = interval_of(cost);
    return {{"seconds", cost.seconds}, {"lower", cost.lower}, {"from", from},         {"to", to},
            {"bytes", cost.bytes},     {"limit", cost.limit}, {"cached", cost.cached}};
}

void print_errors(std::string_view name, Json const& all) {
    if (!all.contains("inside")) {
        fmt::print("{}: no row that physics allows; are its times in microseconds?\n", name);
        return;
    }
    fmt::print(
        "{}: {} rows, error {:+.1f} % in the median ({:+.1f} to {:+.1f} % from a tenth to nine tenths), {:.1f} % "
        "without sign, {:.0f} % inside the interval\n",
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

std::variant<OperatorCost, models::Infeasible> cost_of(PointRequest const& requested,
                                                       std::vector<models::Value> const& point,
                                                       OperatorQuestion const& question) {
    if (auto const* collective = std::get_if<CollectiveShape>(&question))
        return collective_cost(requested, point, *collective);
    return models::text::operator_cost(requested.machine.inputs.as<models::text::Prepared>(), point,
                                       std::get<models::text::OperatorShape>(question));
}

void expect_text_machine(PointRequest const& requested) {
    auto const& architecture = *requested.machine.architecture;
    if (architecture.files.empty() || !architecture.parts.empty())
        throw UsageError(
            "--operator, --rows and --measured ask a machine that is a text file, such as h100; {} is not "
            "(docs/own_machine.md)",
            architecture.name);
}

std::pair<double, double> interval_of(OperatorCost const& cost) {
    double const spread = std::max(1.0, cost.spread);
    return {std::max(cost.cached ? cost.arithmetic : cost.lower, cost.seconds / spread), cost.seconds * spread};
}

KernelRow row_on(PointRequest const& requested, KernelRow row) {
    auto cost = cost_of(requested, row.point, row.question);
    if (auto const* rule = std::get_if<models::Infeasible>(&cost)) throw sim::InputError(rule->reason);
    row.cost = std::get<OperatorCost>(std::move(cost));
    return row;
}

std::vector<KernelRow> read_kernel_rows(PointRequest const& requested, std::string const& file) {
    sim::CsvRows rows{sim::LineReader(input_file(file))};
    auto parameters = requested.machine.parameters();
    auto const columns = columns_of(rows, parameters, requested.machine.name);
    std::vector<KernelRow> all;
    while (auto const cells = rows.next()) {
        auto const microseconds = rows.number((*cells)[1], 1);
        if (microseconds <= 0.0) rows.refuse(fmt::format("microseconds must be above 0 (got {})", (*cells)[1]));
        try {
            all.push_back(kernel_row(requested, parameters, columns, *cells));
        } catch (sim::InputError const& error) {
            rows.refuse(fmt::format("{}", fmt::join(error.sentences(), "; ")));
        }
        all.back().line = rows.line();
        all.back().measured = microseconds * 1e-6;
    }
    if (all.empty()) throw sim::InputError("{}: no rows", file);
    return all;
}

sim::Json errors_of(std::vector<KernelRow const*> const& rows) {
    constexpr double tenth = 0.1, half = 0.5;
    std::vector<double> errors, sizes;
    double inside = 0.0;
    for (auto const* row : rows) {
        if (row->forbidden()) continue;
        errors.push_back(row->error());
        sizes.push_back(std::abs(row->error()));
        inside += row->inside() ? 1.0 : 0.0;
    }
    sim::Json all{{"rows", errors.size()}, {"forbidden", rows.size() - errors.size()}};
    if (errors.empty()) return all;
    all["median_error"] = quantile(errors, half);
    all["error_10"] = quantile(errors, tenth);
    all["error_90"] = quantile(errors, 1.0 - tenth);
    all["median_absolute_error"] = quantile(sizes, half);
    all["inside"] = inside / static_cast<double>(errors.size());
    return all;
}

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
        print_json(json);
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
    std::vector<std::int64_t> forbidden;
    for (auto const& row : rows) {
        all.push_back(&row);
        if (!row.group.empty()) groups[row.group].push_back(&row);
        if (row.forbidden()) forbidden.push_back(row.line);
    }
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
        print_json(json);
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
