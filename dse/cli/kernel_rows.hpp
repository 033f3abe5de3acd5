#pragma once

#include "dse/cli/operator_text.hpp"
#include "dse/cli/point_request.hpp"
#include "sim/base/json.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// Tables of measured operators: columns `operator`, `microseconds`, `group` (optional), and parameters of the machine.
namespace pimdse::dse::cli {

/// What the operator of a question takes on the machine of the point.
[[nodiscard]] std::variant<models::text::OperatorCost, models::Infeasible> cost_of(
    PointRequest const& requested, std::vector<models::Value> const& point, OperatorQuestion const& question);

/// The stated interval of a time in s: measured ones are expected within, and never below the proved bound unless a
/// cache may have the operands.
[[nodiscard]] std::pair<double, double> interval_of(models::text::OperatorCost const& cost);

/// A row of a table, and what the machine says of it.
struct KernelRow {
    std::int64_t line = 0;
    std::string text, group;
    double measured = 0.0;  ///< s
    models::text::OperatorCost cost;

    [[nodiscard]] double error() const { return cost.seconds / measured - 1.0; }
    [[nodiscard]] bool below() const { return measured < cost.lower; }
    /// Faster than the data sheet allows, whatever a cache has.
    [[nodiscard]] bool forbidden() const { return below() && !cost.cached; }
    [[nodiscard]] bool inside() const {
        auto const [from, to] = interval_of(cost);
        return measured >= from && measured <= to;
    }
};

/// All rows of a table on the machine of the point. Throws InputError with the line.
[[nodiscard]] std::vector<KernelRow> read_kernel_rows(PointRequest const& requested, std::string const& file);

/// Throws UsageError if the machine is not a text file.
void expect_text_machine(PointRequest const& requested);

/// Errors of the rows that physics allows: rows, forbidden, median_error, error_10, error_90, median_absolute_error,
/// inside.
[[nodiscard]] sim::Json errors_of(std::vector<KernelRow const*> const& rows);

}  // namespace pimdse::dse::cli
