#include "dse/cli/check/dram_check.hpp"

#include "dse/cli/check/error_spread.hpp"
#include "dse/cli/json_text.hpp"
#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/printed_table.hpp"
#include "dse/cli/text_table.hpp"
#include "dse/cli/verb.hpp"
#include "models/dram/dram_check.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

namespace pimdse::dse::cli::check {
namespace {

Manual const dram_check_manual{
    "pimdse dram check CSV [flags]",
    "Runs every row of a table of reference runs and compares cycles, hits, misses, conflicts, "
    "refreshes, CAS pairs and mean read "
    "latency.\n"
    "--only keeps rows that fit conditions joined by ' and ': column=value, column!=value, "
    "column~part, column<=number, column>=number, or "
    "a\n"
    "word that must occur in the case id. Exits with 8 when a row differs in anything.",
    "  pimdse dram check tests/data/dram_cycles.csv --only 'L5J and n_requests<=20000'\n"
    "prints, per timing set and kind of stream, how many rows are identical, the median and worst "
    "error and requests simulated per second.",
    {"csv"}};

/// Rows that share timing set and kind of stream, or all of them.
struct DramTally {
    std::string timings, stream_kind;
    ErrorSpread errors;
    std::size_t identical = 0, counts_identical = 0, all_identical = 0;
    std::uint64_t requests = 0;
    double seconds = 0.0;

    void add(models::RowCheck const& check) {
        errors.add(check.relative_error);
        identical += check.cycles_identical ? 1 : 0;
        counts_identical += check.counts_identical ? 1 : 0;
        all_identical += check.differences.empty() ? 1 : 0;
        requests += check.requests;
        seconds += check.seconds;
    }
    [[nodiscard]] double rate() const { return seconds > 0.0 ? static_cast<double>(requests) / seconds : 0.0; }
};

struct DramReport {
    DramTally overall;
    std::map<std::pair<std::string, std::string>, DramTally> groups;
    std::vector<models::Difference> differing;
    std::size_t skipped = 0;
};

models::RowCheck check_row(std::string const& file, models::ReferenceRow const& row,
                           sim::dram::FastForward fast_forward) {
    try {
        return models::check_row(row, fast_forward);
    } catch (sim::InputError const& error) {
        throw sim::InputError(fmt::format("{}:{}: {}", file, row.line, error.what()));
    }
}

DramReport run_rows(std::string const& file, std::string const& only, sim::dram::FastForward fast_forward) {
    DramReport report;
    auto const rows = models::read_reference_rows(file);
    for (auto const& row : rows) {
        if (!models::selected(row, only)) continue;
        if (!models::is_modelled(row)) {
            ++report.skipped;
            continue;
        }
        auto const check = check_row(file, row, fast_forward);
        auto& group = report.groups[{check.timings, check.stream_kind}];
        group.timings = check.timings;
        group.stream_kind = check.stream_kind;
        group.add(check);
        report.overall.add(check);
        report.differing.insert(report.differing.end(), check.differences.begin(), check.differences.end());
    }
    return report;
}

nlohmann::ordered_json to_json(DramTally const& group) {
    return {{"rows", group.errors.size()},
            {"identical", group.identical},
            {"median_error", or_null(group.errors.median())},
            {"worst_error", or_null(group.errors.worst())},
            {"counts_identical", group.counts_identical},
            {"all_identical", group.all_identical},
            {"requests_per_second", group.rate()}};
}

void print_json(DramReport const& report) {
    nlohmann::ordered_json out{{"overall", to_json(report.overall)},
                               {"groups", nlohmann::ordered_json::array()},
                               {"differing", nlohmann::ordered_json::array()}};
    out["overall"]["skipped"] = report.skipped;
    for (auto const& [key, group] : report.groups) {
        auto entry = to_json(group);
        entry["timings"] = group.timings;
        entry["stream"] = group.stream_kind;
        out["groups"].push_back(std::move(entry));
    }
    // Tables hold numbers that JSON does not write so: .5, 007.
    auto const number = [](std::string const& text) {
        auto const json = nlohmann::ordered_json::parse(text, nullptr, false);
        return json.is_number() ? json : nlohmann::ordered_json(std::strtod(text.c_str(), nullptr));
    };
    for (auto const& d : report.differing)
        out["differing"].push_back(
            {{"case_id", d.case_id}, {"column", d.column}, {"expected", number(d.expected)}, {"got", number(d.got)}});
    std::cout << json_text(out, 1) << "\n";
}

std::string error_text(std::optional<double> const& error) { return error ? fmt::format("{:.3g}", *error) : "-"; }

std::vector<std::string> cells(std::string timings, std::string stream, DramTally const& g) {
    return {std::move(timings),
            std::move(stream),
            std::to_string(g.errors.size()),
            std::to_string(g.identical),
            error_text(g.errors.median()),
            error_text(g.errors.worst()),
            std::to_string(g.counts_identical),
            std::to_string(g.all_identical),
            fmt::format("{:.3g}", g.rate() / 1e6)};
}

void print_table(DramReport const& report, Format format) {
    TextTable table({"timings", "stream", "rows", "identical", "median error", "worst error", "counts identical",
                     "all identical", "M requests/s"});
    for (auto const& [key, group] : report.groups) table.add(cells(group.timings, group.stream_kind, group));
    table.add(cells("overall", "", report.overall));
    cli::print_table(table, format);
    if (format == Format::csv) return;
    for (auto const& d : report.differing)
        std::cout << fmt::format("{}: {} is {}, reference {}\n", d.case_id, d.column, d.got, d.expected);
    if (report.skipped > 0)
        std::cout << fmt::format("{} rows of simulators that are not modelled were skipped\n", report.skipped);
}

}  // namespace

int dram_check(std::vector<std::string> const& arguments) {
    po::options_description flags("Flags");
    add_format(flags);
    flags.add_options()("only", po::value<std::string>()->default_value(""), "conditions a row must fit")(
        "fast-forward", "skip exactly repeating stretches (the answers must not change)");
    auto const values = parse(dram_check_manual, flags, arguments);
    if (!values) return complete;
    auto const format = format_of(*values);
    auto const file = input_file(needed(*values, "csv", dram_check_manual));
    auto const report =
        run_rows(file, (*values)["only"].as<std::string>(),
                 values->contains("fast-forward") ? sim::dram::FastForward::exact : sim::dram::FastForward::off);
    if (report.overall.errors.size() == 0)
        std::cerr << "pimdse: no row was compared (--only fits none, or none is modelled)\n";
    if (format == Format::json)
        print_json(report);
    else
        print_table(report, format);
    if (report.overall.errors.size() == 0) return bad_input;
    return report.differing.empty() ? complete : mismatch;
}

}  // namespace pimdse::dse::cli::check
