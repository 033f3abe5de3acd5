#include "dse/cli/verb.hpp"
#include "dse/run/liveness.hpp"
#include "sim/base/json.hpp"
#include "sim/noc/open_loop.hpp"
#include "sim/noc/program.hpp"
#include "sim/noc/reference_rows.hpp"

#include <chrono>
#include <cmath>
#include <fstream>
#include <map>

namespace pimdse::dse::cli {

namespace {

namespace noc = sim::noc;
using sim::Json;

/// The totals of a set of rows.
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
        if (!check.band) return;
        ++held;
        within += check.within ? 1 : 0;
        errors.add(std::abs(row.stable ? check.latency_error : check.throughput_error));
    }
    [[nodiscard]] Json json() const {
        return {{"rows", rows},
                {"skipped", skipped},
                {"held", held},
                {"within", within},
                {"median_error", sim::or_null(errors.median())},
                {"worst_error", sim::or_null(errors.worst())}};
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
    auto const begun = std::chrono::steady_clock::now();
    report.checks = noc::check(report.rows, packets);
    report.seconds = run::seconds_since(begun);
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
        report.overall.add(report.rows[i], report.checks[i]);
        report.groups[report.rows[i].group].add(report.rows[i], report.checks[i]);
    }
    return report;
}

Json row_json(noc::ReferenceRow const& row, noc::RowCheck const& check) {
    Json json{{"line", row.line},
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
         {"band", check.band ? Json(*check.band) : Json(nullptr)},
         {"within", check.within}});
    return json;
}

Json to_json(NocReport const& report) {
    Json json;
    json["overall"] = report.overall.json();
    json["overall"]["router_cycles_per_second"] = report.rate();
    json["groups"] = Json::array();
    for (auto const& [name, group] : report.groups) {
        Json entry{{"group", name}};
        entry.update(group.json());
        json["groups"].push_back(entry);
    }
    json["rows"] = Json::array();
    json["differing"] = Json::array();
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
        if (!report.rows[i].not_modelled.empty()) continue;
        auto const row = row_json(report.rows[i], report.checks[i]);
        if (!report.checks[i].within) json["differing"].push_back(row);
        json["rows"].push_back(row);
    }
    return json;
}

std::string share_or_dash(std::optional<double> const& share) {
    return share ? fmt::format("{:.2f}%", 100 * *share) : "-";
}

void print_text(NocReport const& report) {
    fmt::print("{:<24} {:>5} {:>8} {:>7} {:>9} {:>8}\n", "configuration", "rows", "skipped", "within", "median",
               "worst");
    auto const line = [](std::string const& name, NocTally const& g) {
        fmt::print("{:<24} {:>5} {:>8} {:>3}/{:<3} {:>9} {:>8}\n", name, g.rows, g.skipped, g.within, g.held,
                   share_or_dash(g.errors.median()), share_or_dash(g.errors.worst()));
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
                   100 * (stable ? c.latency_error : c.throughput_error), 100 * c.band.value_or(0.0));
    }
}

void print_csv(NocReport const& report) {
    TextTable table({"line", "group", "load", "saturation_share", "expected_latency", "latency", "latency_error",
                     "expected_throughput", "throughput", "throughput_error", "band", "within", "skipped"});
    auto const text = [](auto value) { return fmt::format("{}", value); };
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
        auto const& r = report.rows[i];
        auto const& c = report.checks[i];
        // Values that were not simulated or not compared have empty cells.
        auto const run = [&](double value) { return r.not_modelled.empty() ? text(value) : ""; };
        auto const stable = [&](double value) { return r.stable ? run(value) : ""; };
        table.add({text(r.line), r.group, text(r.request.load), run(c.saturation_share), stable(c.expected_latency),
                   stable(c.latency), stable(c.latency_error), run(r.accepted), run(c.accepted),
                   run(c.throughput_error), c.band ? run(*c.band) : "", run(c.within ? 1 : 0), r.not_modelled});
    }
    std::cout << table.csv();
}

noc::Mesh mesh_of(std::string const& text) {
    constexpr std::int32_t max = 1024;
    auto const mesh = noc::mesh_named(text);
    if (mesh && mesh->rows <= max && mesh->cols <= max) return *mesh;
    throw UsageError("--mesh must be rows x columns with 1 to 1024 of each (got '{}'). Use --mesh 8x8?", text);
}

Json to_json(noc::OpenLoop const& request, noc::OpenLoopResult const& result, double seconds) {
    // The contention model follows the route of every pair of nodes.
    constexpr int max_nodes = 4096;
    bool const small = request.mesh.nodes() <= max_nodes;
    auto const theory = small ? noc::contention(request) : noc::Contention{0.0, true};
    return {{"mesh", fmt::format("{}x{}", request.mesh.rows, request.mesh.cols)},
            {"traffic", noc::name_of(request.traffic)},
            {"packet_flits", request.packet_flits},
            {"load", request.load},
            {"seed", request.seed},
            {"latency", sim::or_null(result.latency)},
            {"network_latency", sim::or_null(result.network_latency)},
            {"longest_latency", sim::or_null(result.longest)},
            {"throughput", result.accepted},
            {"offered", result.offered},
            {"hops", sim::or_null(result.hops)},
            {"packets", result.packets},
            {"drained", result.drained},
            {"saturated", sim::or_null(result.saturated)},
            {"closed_form_latency", theory.saturated ? Json(nullptr) : Json(theory.latency)},
            {"cycles", result.cycles},
            {"simulate_seconds", seconds},
            {"router_cycles_per_second",
             seconds > 0.0 ? static_cast<double>(result.cycles) * request.mesh.nodes() / seconds : 0.0}};
}

/// Prints the estimated time of a simulation if it is more than about a minute. Only a saturated network takes the
/// maximum.
void warn_of_long_run(noc::OpenLoop const& request) {
    constexpr double per_second = 2e7, notable = 60.0;  // router cycles
    double const cycles = static_cast<double>(request.warmup) + static_cast<double>(request.measured);
    double const min = request.mesh.nodes() * cycles / per_second;
    double const max = min + request.mesh.nodes() * static_cast<double>(request.patience) / per_second;
    if (max < notable) return;
    std::cerr << fmt::format(
        "pimdse: this simulation takes about {:.0f} min, and up to {:.0f} min if the network is saturated\n",
        std::ceil(min / 60.0), std::ceil(max / 60.0));
}

Json to_json(noc::NetworkProgram const& program, std::vector<noc::StageResult> const& results) {
    Json json{{"mesh", fmt::format("{}x{}", program.mesh.rows, program.mesh.cols)},
              {"fifo_flits", program.timing.fifo_flits},
              {"cycles", 0},
              {"stages", Json::array()}};
    double cycles = 0.0;
    for (auto const& stage : results) {
        cycles += stage.cycles;
        json["stages"].push_back({{"stage", stage.name},
                                  {"cycles", stage.cycles},
                                  {"network_cycles", stage.result.cycles},
                                  {"alone_cycles", stage.alone},
                                  {"messages", stage.messages},
                                  {"flit_hops", stage.result.flit_hops},
                                  {"busiest_link_flits", stage.result.busiest_link}});
    }
    json["cycles"] = cycles;
    return json;
}

void print_text(std::vector<noc::StageResult> const& results) {
    fmt::print("{:>12} {:>12} {:>12} {:>14} {:>12}  {}\n", "cycles", "alone", "messages", "flit hops", "busiest link",
               "stage");
    double cycles = 0.0;
    for (auto const& s : results) {
        fmt::print("{:>12.10g} {:>12} {:>12} {:>14} {:>12}  {}\n", s.cycles, s.alone, s.messages, s.result.flit_hops,
                   s.result.busiest_link, s.name);
        cycles += s.cycles;
    }
    fmt::print("{:>12.10g} {:>54}  all stages\n", cycles, "");
}

}  // namespace

int noc_check(CommandLine const& values) {
    auto const format = format_of(values);
    auto const packets = number_of<std::int64_t>(
        values, "packets", {1000, noc::max_cycles});  // a mean over fewer packets is not meaningful
    auto const report = make_report(values.needed("csv"), packets);
    if (format == Format::json)
        print_json(to_json(report));
    else if (format == Format::csv)
        print_csv(report);
    else
        print_text(report);
    return report.passed() ? complete : mismatch;
}

int noc_replay(CommandLine const& values) {
    noc::OpenLoop request;
    request.mesh = mesh_of(values.text("mesh"));
    request.traffic = from_flag("--traffic", [&] { return noc::traffic_named(values.text("traffic")); });
    request.packet_flits = number_of<int>(values, "packet", {1, 1 << 20});
    request.load = number_of<double>(values, "load");
    request.measured = number_of<std::int64_t>(values, "cycles", {1, noc::max_cycles});
    request.warmup = number_of<std::int64_t>(values, "warmup", {0, noc::max_cycles});
    request.timing.fifo_flits = number_of<int>(values, "fifo", {1, noc::lanes::max});
    request.seed = number_of<std::uint64_t>(values, "seed");
    request.patience = 10 * std::max<std::int64_t>(request.measured, 10'000);
    auto const format = format_without_csv(values, "a replay");
    if (auto const why = noc::why_not(request.mesh, request.timing); !why.empty()) throw UsageError(why);
    warn_of_long_run(request);
    auto const begun = std::chrono::steady_clock::now();
    auto const result = from_flag("", [&request] { return noc::run(request); });
    print_result(to_json(request, result, run::seconds_since(begun)), format);
    return complete;
}

int noc_run(CommandLine const& values) {
    auto const format = format_without_csv(values, "a program");
    auto const file = values.needed("file");
    std::ifstream text(input_file(file));
    auto const program = noc::read_program(text, file);
    auto const results = noc::run(program);
    if (format == Format::json)
        print_json(to_json(program, results));
    else
        print_text(results);
    return complete;
}

}  // namespace pimdse::dse::cli
