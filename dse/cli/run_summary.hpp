#pragma once

#include "dse/cli/options.hpp"
#include "dse/search/certificate.hpp"
#include "dse/search/result_store.hpp"
#include "dse/space/columns.hpp"
#include "dse/space/space.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace pimdse::dse::cli {

/// How it ended; only rank 0 has it.
struct RunSummary {
    std::filesystem::path output;
    std::string digest;
    std::uint64_t points = 0, evaluated = 0, restored = 0, feasible = 0, infeasible = 0, failed = 0;
    std::size_t front = 0;
    double seconds = 0.0;
    bool complete = false;
    std::string ending;  ///< what the strategy says of it; nothing as a rule
    std::optional<search::Certificate> certificate{};
    int ranks = 1, threads = 1;
    std::shared_ptr<space::Space const> space;
    std::shared_ptr<search::ResultStore const> store;  ///< every answer that is in the file
    [[nodiscard]] int exit_code() const;
};

/// What an exploration came to, on stdout: numbers, front and the commands to try next, `first` before all others; or
/// JSON; or the front as CSV.
void print_summary(RunSummary const& summary, Format format, std::string const& first = "");

/// Of a run without a feasible point: the three rules that most points break, a point each, and what change of one of
/// its parameters would help; a line or two a rule.
[[nodiscard]] std::string commonest_rules(space::Space const& space, search::ResultStore const& store);

/// A line for the machines of which nothing was asked (a run that was stopped or had a budget did not meet their few
/// points), and one for each of which no design is feasible, with the rule that most of them break: whoever reads who
/// is best should know who is not among them. Empty where there are none, or one machine only.
[[nodiscard]] std::string machines_left_out(space::Columns const& columns, search::ResultStore const& store);

}  // namespace pimdse::dse::cli
