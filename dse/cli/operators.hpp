#pragma once

#include "dse/cli/options.hpp"
#include "dse/cli/point_request.hpp"

#include <string>

/// `pimdse evaluate ARCH --operator TEXT` and `--rows FILE.csv`: one operator of a machine alone, and tables of
/// measured ones.
namespace pimdse::dse::cli {

/// Prints what the operator of `text` takes on the machine of the point. Throws UsageError and InputError. Returns an
/// exit code.
int evaluate_operator(PointRequest const& requested, std::string const& text, Format format);

/// Prints every row of a table of measured operators beside what the machine predicts and its proved lower bound, and
/// names the rows that physics forbids. Columns: `operator`, `microseconds`, `group` (optional), and parameters of the
/// machine. Returns `mismatch` if a row is forbidden. Throws InputError.
int evaluate_rows(PointRequest const& requested, std::string const& file, Format format);

}  // namespace pimdse::dse::cli
