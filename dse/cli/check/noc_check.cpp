#include "dse/cli/check/noc_check.hpp"

#include "dse/cli/check/error_spread.hpp"
#include "dse/cli/check/stopwatch.hpp"
#include "dse/cli/flag_values.hpp"
#include "dse/cli/json_text.hpp"
#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/text_table.hpp"
#include "dse/cli/verb.hpp"
#include "sim/noc/reference_rows.hpp"

#include <fmt/format.h>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

namespace pimdse::dse::cli::check {
namespace {

namespace noc = sim::noc;
using nlohmann::ordered_json;

Manual const noc_check_manual{
    "pimdse noc check CSV [flags]",
    "Runs every row of a table of reference runs whose configuration is modelled and compares latency and throughput. "
    "Latencies are\n"
    "compared at the load and mean distance that the reference realised. Bands: latency 1.5 % up to\n"
    "half of saturation and 3 % up to 85 %, saturated throughput 5 %; stable rows nearer to saturation are shown but "
    "not held. Exits with "
    "8 when a\n"
    "row is outside its band.",
    "  pimdse noc check tests/data/noc_latency.csv\n"
    "prints, per configuration, how many rows are within their band, the median and worst error and router cycles "
    "simulated per second.",
    {"csv"}};

/// What a set of rows says together.
struct NocTally {
    int rows = 0, skipped = 0, held = 0, within = 0;
    ErrorSpread errors;  ///< of held rows: latency, or throughput where saturated
    std::int64_t router_cycles = 0;

    void add(noc::ReferenceRow const& row, noc::RowCheck const& check) {
        ++rows;
        if (!row.not_modelled.empty()) {
            ++skipped;
            return;
        }
        router_cycles += check.router_cycles;
        if (check.band == 0.0) return;
        ++held;
        within += check.within ? 1 : 0;
        errors.add(std::abs(row.stable ? check.latency_error : check.throughput_error));
    }
    [[nodiscard]] ordered_json json() const {
        return {{"rows", rows},
                {"skipped", skipped},
                {"held", held},
                {"within", within},
                {"median_error", or_null(errors.median())},
                {"worst_error", or_null(errors.worst())}};
    }
};

struct NocReport {
    std::vector<noc::ReferenceRow> rows;
    std::vector<noc::RowCheck> checks;
    NocTally overall;
    std::map<std::string, NocTally> groups;
    double seconds = 0.0;

    [[nodiscard]] double rate() const {
        return seconds > 0.0 ? static_cast<double>(overall.router_cycles) / seconds : 0.0;
    }
    [[nodiscard]] bool passed() const { return overall.within == overall.held; }
};

NocReport make_report(std::string const& file, std::int64_t packets) {
    std::ifstream csv(input_file(file));
    NocReport report;
    report.rows = noc::read_reference_rows(csv, file);
    Stopwatch const clock;
    report.checks = noc::check(report.rows, packets);
    report.seconds = clock.seconds();
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
        report.overall.add(report.rows[i], report.checks[i]);
        report.groups[report.rows[i].group].add(report.rows[i], report.checks[i]);
    }
    return report;
}

ordered_json row_json(noc::ReferenceRow const& row, noc::RowCheck const& check) {
    ordered_json json{{"line", row.line},
                      {"group", row.group},
                      {"load", row.request.load},
                      {"saturation_share", check.saturation_share}};
    if (row.stable) {
        json.update({{"latency",
                      {{"expected", row.latency},
                       {"at_equal_hops", check.expected_latency},
                       {"got", check.latency},
                       {"error", check.latency_error}}}});
    }
    json.update(
        {{"throughput", {{"expected", row.accepted}, {"got", check.accepted}, {"error", check.throughput_error}}},
         {"band", check.band > 0.0 ? ordered_json(check.band) : ordered_json(nullptr)},
         {"within", check.within}});
    return json;
}

ordered_json to_json(NocReport const& report) {
    ordered_json json;
    json["overall"] = report.overall.json();
    json["overall"]["router_cycles_per_second"] = report.rate();
    json["groups"] = ordered_json::array();
    for (auto const& [name, group] : report.groups) {
        ordered_json entry{{"group", name}};
        entry.update(group.json());
        json["groups"].push_back(entry);
    }
    json["rows"] = ordered_json::array();
    json["differing"] = ordered_json::array();
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
        if (!report.rows[i].not_modelled.empty()) continue;
        auto const row = row_json(report.rows[i], report.checks[i]);
        if (!report.checks[i].within) json["differing"].push_back(row);
        json["rows"].push_back(row);
    }
    return json;
}

std::string percent(std::optional<double> const& share) { return share ? fmt::format("{:.2f}%", 100 * *share) : "-"; }

void print_text(NocReport const& report) {
    fmt::print("{:<24} {:>5} {:>8} {:>7} {:>9} {:>8}\n", "configuration", "rows", "skipped", "within", "median",
               "worst");
    auto const line = [](std::string const& name, NocTally const& g) {
        fmt::print("{:<24} {:>5} {:>8} {:>3}/{:<3} {:>9} {:>8}\n", name, g.rows, g.skipped, g.within, g.held,
                   percent(g.errors.median()), percent(g.errors.worst()));
    };
    for (auto const& [name, group] : report.groups) line(name, group);
    line("overall", report.overall);
    fmt::print("{:.1f} million router cycles per second (all threads together)\n", report.rate() / 1e6);
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
        auto const& c = report.checks[i];
        if (c.within) continue;
        bool const stable = report.rows[i].stable;
        fmt::print("line {}: {} at load {}: {} {:.5g}, reference {:.5g} ({:+.2f} %, band {:.1f} %)\n",
                   report.rows[i].line, report.rows[i].group, report.rows[i].request.load,
                   stable ? "latency" : "throughput", stable ? c.latency : c.accepted,
                   stable ? c.expected_latency : report.rows[i].accepted,
                   100 * (stable ? c.latency_error : c.throughput_error), 100 * c.band);
    }
}

void print_csv(NocReport const& report) {
    TextTable table({"line", "group", "load", "saturation_share", "expected_latency", "latency", "latency_error",
                     "expected_throughput", "throughput", "throughput_error", "band", "within", "skipped"});
    auto const text = [](auto value) { return fmt::format("{}", value); };
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
        auto const& r = report.rows[i];
        auto const& c = report.checks[i];
        // What was not run, or is not compared, has empty cells.
        auto const run = [&](double value) { return r.not_modelled.empty() ? text(value) : ""; };
        auto const stable = [&](double value) { return r.stable ? run(value) : ""; };
        table.add({text(r.line), r.group, text(r.request.load), run(c.saturation_share), stable(c.expected_latency),
                   stable(c.latency), stable(c.latency_error), run(r.accepted), run(c.accepted),
                   run(c.throughput_error), run(c.band), run(c.within ? 1 : 0), r.not_modelled});
    }
    std::cout << table.csv();
}

}  // namespace

int noc_check(std::vector<std::string> const& arguments) {
    po::options_description flags("Flags");
    flags.add_options()("packets", po::value<std::string>()->default_value("100000"), "packets that count in each row");
    add_format(flags);
    auto const values = parse(noc_check_manual, flags, arguments);
    if (!values) return complete;
    auto const format = format_of(*values);
    auto const packets =
        number_of<std::int64_t>(*values, "packets", {1000, noc::most_cycles});  // a mean over fewer says nothing
    auto const report = make_report(needed(*values, "csv", noc_check_manual), packets);
    if (format == Format::json)
        std::cout << json_text(to_json(report)) << "\n";
    else if (format == Format::csv)
        print_csv(report);
    else
        print_text(report);
    return report.passed() ? complete : mismatch;
}

}  // namespace pimdse::dse::cli::check
