#pragma once

#include "dse/cli/operator_text.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/point_request.hpp"
#include "sim/base/json.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// Tables of measured operators: columns `operator`, `microseconds`, `group` (optional), and parameters of the machine.

/// `pimdse evaluate ARCH --operator TEXT` and `--rows FILE.csv`: one operator of a machine alone, and tables of
/// measured ones.
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
    std::vector<models::Value> point;
    OperatorQuestion question;
    models::text::OperatorCost cost;

    [[nodiscard]] double error() const { return cost.seconds / measured - 1.0; }
    [[nodiscard]] bool below() const { return measured < cost.lower; }
    /// Faster than the data sheet allows, whatever a cache has.
    [[nodiscard]] bool forbidden() const { return measured < (cost.cached ? cost.arithmetic : cost.lower); }
    [[nodiscard]] bool inside() const {
        auto const [from, to] = interval_of(cost);
        return measured >= from && measured <= to;
    }
};

/// All rows of a table on the machine of the point. Throws InputError with the line.
[[nodiscard]] std::vector<KernelRow> read_kernel_rows(PointRequest const& requested, std::string const& file);

/// The same row on another machine with the same parameters. Throws InputError if that cannot run it.
[[nodiscard]] KernelRow row_on(PointRequest const& requested, KernelRow row);

/// Throws UsageError if the machine is not a text file.
void expect_text_machine(PointRequest const& requested);

/// Errors of the rows that physics allows: rows, forbidden, median_error, error_10, error_90, median_absolute_error,
/// inside.
[[nodiscard]] sim::Json errors_of(std::vector<KernelRow const*> const& rows);

/// Prints what the operator of `text` takes on the machine of the point. Throws UsageError and InputError. Returns an
/// exit code.
int evaluate_operator(PointRequest const& requested, std::string const& text, Format format);

/// Prints every row of a table of measured operators beside what the machine predicts and its proved lower bound, and
/// names the rows that physics forbids. Columns: `operator`, `microseconds`, `group` (optional), and parameters of the
/// machine. Returns `mismatch` if a row is forbidden. Throws InputError.
int evaluate_rows(PointRequest const& requested, std::string const& file, Format format);

}  // namespace pimdse::dse::cli
