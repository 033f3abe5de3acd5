#include "dse/base/json_text.hpp"
#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/robust_text.hpp"
#include "dse/cli/verb.hpp"
#include "dse/report/robust_json.hpp"
#include "dse/store/result_file.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <iostream>

namespace pimdse::dse::cli {
namespace {

Manual const robust_manual{
    "pimdse robust FILE.h5 [flags]",
    "Says how sure the front of a result file is: the share of draws of the uncertain constants in which designs and "
    "machines are on the front, the decisions that hold in all draws, and the constants that decide.",
    "  pimdse explore spaces/quick.toml --uncertain 50 -o sure.h5 ; pimdse robust sure.h5\n"
    "draws the assumed constants of the quick space 50 times.",
    {"file"}};

}  // namespace

int run_robust(std::vector<std::string> const& arguments) {
    po::options_description flags("Flags");
    add_format(flags);
    auto const values = parse(robust_manual, flags, arguments);
    if (!values) return complete;
    auto const format = format_without_csv(*values, "the uncertainty of a front");
    auto const file =
        store::load_result_file(input_file(needed(*values, "file", robust_manual)),
                                [](auto const& columns) { return std::vector(columns.metrics.size(), false); });
    if (!file.robust)
        throw sim::InputError(fmt::format(
            "{}: has no draws of uncertain constants. Explore its space with --uncertain 200?", file.path.string()));
    std::cout << (format == Format::json ? base::json_text(report::robust_json(*file.robust)) + "\n"
                                         : robust_text(*file.robust, file.columns));
    return complete;
}

}  // namespace pimdse::dse::cli
