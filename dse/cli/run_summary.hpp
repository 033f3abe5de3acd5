#pragma once

#include "dse/cli/options.hpp"
#include "dse/search/certificate.hpp"
#include "dse/search/result_store.hpp"
#include "dse/search/robust_front.hpp"
#include "dse/space/columns.hpp"
#include "dse/space/space.hpp"
#include "dse/store/provenance.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace pimdse::dse::cli {

/// The result of a run; only rank 0 has it.
struct RunSummary {
    std::filesystem::path output;
    std::string digest;
    std::uint64_t points = 0, evaluated = 0, restored = 0, feasible = 0, infeasible = 0, failed = 0;
    std::size_t front = 0;
    double seconds = 0.0;
    bool complete = false;
    std::string ending;  ///< a remark of the strategy on how it ended; usually ""
    std::optional<search::Certificate> certificate{};
    std::optional<search::RobustFront> robust{};
    store::Provenance provenance{};
    int ranks = 1, threads = 1;
    std::shared_ptr<space::Space const> space;
    std::shared_ptr<search::ResultStore const> store;  ///< every result in the file
    [[nodiscard]] int exit_code() const;
};

/// Prints the result of an exploration to stdout: as text (counts, front and the commands to try next, beginning with
/// `first`), as JSON, or the front as CSV.
void print_summary(RunSummary const& summary, Format format, std::string const& first = "");

/// For a run without a feasible point: the three rules that most points break, each with an example and the change of
/// one or two parameters that makes it feasible; one or two lines per rule.
[[nodiscard]] std::string commonest_violated_rules(space::Space const& space, search::ResultStore const& store);

/// The machines that are missing from a comparison: a line for those without any evaluated point (a run that was
/// stopped or had a budget may miss small machines), and one for each machine without a feasible design, with the rule
/// that most of its designs break. Empty if there are none, or for a space of one machine.
[[nodiscard]] std::string machines_left_out(space::Columns const& columns, search::ResultStore const& store);

}  // namespace pimdse::dse::cli
