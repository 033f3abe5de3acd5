#include "dse/cli/kernel_rows.hpp"

#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "models/chips/group.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/text/prepared.hpp"
#include "sim/base/csv_rows.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <optional>

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

class KernelRows {
  public:
    KernelRows(PointRequest const& requested, std::string const& file)
        : requested_(requested), parameters_(requested.machine.parameters()), rows_(sim::LineReader(input_file(file))) {
        std::vector<std::string> columns{"operator", "microseconds"};
        for (auto const& name : rows_.names()) {
            if (name == "operator" || name == "microseconds") continue;
            if (name != "group" && models::find_parameter(parameters_, name) < 0) {
                std::vector<std::string> known{"group"};
                for (auto const& parameter : parameters_) known.push_back(parameter.name);
                rows_.refuse(fmt::format("unknown column '{}' (operator, microseconds, group, or a parameter of {}).{}",
                                         sim::clipped(name), requested.machine.name, sim::suggestion(name, known)));
            }
            columns.push_back(name);
        }
        columns_ = columns;
        rows_.choose(std::move(columns), 2);
    }

    /// The next row that the machine can run; nullopt at the end.
    std::optional<KernelRow> next() {
        auto const cells = rows_.next();
        if (!cells) return std::nullopt;
        KernelRow row;
        row.line = rows_.line();
        row.text = (*cells)[0];
        row.measured = rows_.number((*cells)[1], 1) * 1e-6;
        if (row.measured <= 0.0) rows_.refuse(fmt::format("microseconds must be above 0 (got {})", (*cells)[1]));
        try {
            auto point = requested_.point;
            for (std::size_t i = 2; i < columns_.size(); ++i) {
                if (columns_[i] == "group")
                    row.group = (*cells)[i];
                else if (!(*cells)[i].empty())
                    point = point_at(parameters_, std::move(point), columns_[i], (*cells)[i]);
            }
            auto cost = cost_of(requested_, point, read_operator(row.text));
            if (auto const* rule = std::get_if<models::Infeasible>(&cost)) throw sim::InputError(rule->reason);
            row.cost = std::get<OperatorCost>(std::move(cost));
        } catch (sim::InputError const& error) {
            rows_.refuse(fmt::format("{}", fmt::join(error.sentences(), "; ")));
        }
        return row;
    }

  private:
    PointRequest const& requested_;
    models::Parameters parameters_;
    sim::CsvRows rows_;
    std::vector<std::string> columns_;
};

double quantile(std::vector<double> sorted, double at) {
    std::ranges::sort(sorted);
    double const place = at * static_cast<double>(sorted.size() - 1);
    auto const below = static_cast<std::size_t>(place);
    auto const above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
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
            fmt::format("--operator, --rows and --measured ask a machine that is a text file, such as h100; {} is not "
                        "(docs/own_machine.md)",
                        architecture.name));
}

/// The stated interval of a time: measured ones are expected within, and never below the proved bound.
std::pair<double, double> interval_of(OperatorCost const& cost) {
    double const spread = std::max(1.0, cost.spread);
    return {cost.cached ? cost.seconds / spread : std::max(cost.lower, cost.seconds / spread), cost.seconds * spread};
}

std::vector<KernelRow> read_kernel_rows(PointRequest const& requested, std::string const& file) {
    std::vector<KernelRow> all;
    KernelRows reader(requested, file);
    while (auto row = reader.next()) all.push_back(*std::move(row));
    if (all.empty()) throw sim::InputError(fmt::format("{}: no rows", file));
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

}  // namespace pimdse::dse::cli
