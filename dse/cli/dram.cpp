#include "dse/base/json_text.hpp"
#include "dse/cli/check_text.hpp"
#include "dse/cli/dram_gemv.hpp"
#include "dse/cli/named_files.hpp"
#include "dse/cli/options.hpp"
#include "dse/cli/text_table.hpp"
#include "dse/cli/verb.hpp"
#include "models/dram/dram_check.hpp"
#include "models/dram/dram_import.hpp"
#include "models/dram/dram_standard.hpp"
#include "models/dram/dram_trace.hpp"
#include "sim/base/check.hpp"
#include "sim/base/json.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/words.hpp"
#include "sim/dram/family.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/simulate.hpp"
#include "sim/dram/standard.hpp"
#include "sim/dram/stream.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::cli {

namespace {

Manual const dram_check_manual{"pimdse dram check CSV [flags]",
                               "Simulates every row of a table of reference runs and compares cycles, hits, misses, "
                               "conflicts, refreshes, CAS pairs and mean read latency.\n"
                               "--only selects rows by conditions joined by ' and ': column=value, column!=value, "
                               "column~part, column<=number, column>=number, or a\n"
                               "word that must occur in the case id. Exits with 8 if a row differs in any of these.",
                               "  pimdse dram check tests/data/dram_cycles.csv --only 'L5J and n_requests<=20000'\n"
                               "prints, per timing set and kind of stream, how many rows are identical, the median and "
                               "worst error and requests simulated per second.",
                               {"csv"}};

/// The checked rows of one timing set and kind of stream, or all rows.
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

sim::Json to_json(DramTally const& group) {
    return {{"rows", group.errors.size()},
            {"identical", group.identical},
            {"median_error", base::or_null(group.errors.median())},
            {"worst_error", base::or_null(group.errors.worst())},
            {"counts_identical", group.counts_identical},
            {"all_identical", group.all_identical},
            {"requests_per_second", group.rate()}};
}

void print_json(DramReport const& report) {
    sim::Json out{
        {"overall", to_json(report.overall)}, {"groups", sim::Json::array()}, {"differing", sim::Json::array()}};
    out["overall"]["skipped"] = report.skipped;
    for (auto const& [key, group] : report.groups) {
        auto entry = to_json(group);
        entry["timings"] = group.timings;
        entry["stream"] = group.stream_kind;
        out["groups"].push_back(std::move(entry));
    }
    // Tables may contain numbers that are not valid JSON: .5, 007.
    auto const number = [](std::string const& text) {
        auto const json = sim::Json::parse_or_null(text);
        return json.is_number() ? json : sim::Json(std::strtod(text.c_str(), nullptr));
    };
    for (auto const& d : report.differing)
        out["differing"].push_back(
            {{"case_id", d.case_id}, {"column", d.column}, {"expected", number(d.expected)}, {"got", number(d.got)}});
    std::cout << base::json_text(out, 1) << "\n";
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
        std::cout << fmt::format("skipped {} rows of simulators that are not modelled\n", report.skipped);
}

using namespace std::string_literals;
namespace dram = sim::dram;

Manual const dram_replay_manual{
    "pimdse dram replay --dram NAME --mapping MAP --stream SPEC [flags]",
    "Replays a request stream through the DRAM model, cycle by cycle.\n"
    "MAP: tokens from the least significant bit ('of5 co3 ch2 bg2 ba2 co3 ro15 x.ba.ro.0.2') or a named order: umdam, "
    "conventional, channel_msb, ...\n"
    "SPEC: seq:B seqw:B stride:S:n rand:n:R copy:B:W:R colwalk:n tile:H:W:C:n utile:n engines:E:B; or a file with "
    "--trace.\n"
    "FORMAT of a trace: pimdse (LD 0x40), pimdse-timed (LD 0x40 120: cycle 120), ramulator2-loadstore,\n"
    "ramulator2-readwrite (R 0,0,1,2,100,5), ramulator (0x40 R), dramsim3 (0x40 READ 120); auto: the format of the "
    "first request.",
    "  pimdse dram replay --dram L5J --mapping umdam --stream seq:16777216\n"
    "reads 16 MiB in order: 280785 cycles, 47.8 GB/s of a peak of 51.2 GB/s.",
    {}};

po::options_description make_flags() {
    po::options_description flags("Flags");
    auto const text = [](std::string default_value) {
        return po::value<std::string>()->default_value(std::move(default_value));
    };
    auto const whole = [](int default_value) {
        return po::value<std::string>()->default_value(std::to_string(default_value));
    };
    flags.add_options()("trace-format", text("auto"), "the format of the trace: auto or one of those above");
    flags.add_options()("dram", po::value<std::string>(), "a timing set of models/dram (pimdse list dram)")(
        "density", whole(0), "Gbit per die; 0: that of the timing set")(
        "mapping", text("umdam"), "tokens from the least significant bit, or a named order")(
        "coll-bits", whole(-1), "column bits below the channel in umdam; -1: 256 B")(
        "stream", po::value<std::string>(), "the formula of the request stream")(
        "trace", po::value<std::string>(), "a file of requests, instead of --stream")(
        "refresh", text("all-bank"), "all-bank, per-bank or none")("scheduler", text("frfcfs"),
                                                                   "frfcfs or frfcfs-rowhit")(
        "front-end", text("in-order"), "in-order (a full channel stops the others) or independent")(
        "window", whole(0), "maximum number of outstanding requests; 0: no limit")(
        "tries", whole(8), "requests accepted per cycle")("queue-depth", whole(32), "entries of each queue")(
        "fidelity", text("cycle"), "cycle, the only fidelity")("fast-forward", text("exact"),
                                                               "exact (skip stretches that repeat exactly) or off")(
        "observe", "also print latency percentiles and the use of every bus cycle");
    add_format(flags);
    return flags;
}

/// The position of a flag's value among its choices. Throws UsageError.
template <class Enum>
Enum choice(po::variables_map const& values, std::string const& flag, std::vector<std::string> const& choices) {
    auto const& text = values[flag].as<std::string>();
    auto const found = std::find(choices.begin(), choices.end(), text);
    if (found == choices.end())
        throw UsageError(fmt::format("--{} does not accept '{}'.{}", flag, text, sim::suggestion(text, choices)));
    return static_cast<Enum>(found - choices.begin());
}

dram::Options options_of(po::variables_map const& values) {
    dram::Options options;
    options.refresh = choice<dram::RefreshMode>(values, "refresh", {"all-bank", "per-bank", "none"});
    options.scheduler = choice<dram::Scheduler>(values, "scheduler", {"frfcfs", "frfcfs-rowhit"});
    options.front_end = choice<dram::FrontEndMode>(values, "front-end", {"in-order", "independent"});
    options.fast_forward = choice<dram::FastForward>(values, "fast-forward", {"off", "exact"});
    options.window = number_of<int>(values, "window");
    options.tries = number_of<int>(values, "tries", {1, 1 << 20});
    options.queue_depth = number_of<int>(values, "queue-depth", {1, 1 << 20});
    options.observe = values.contains("observe") ? dram::Observe::everything : dram::Observe::counters;
    return options;
}

dram::Stream stream_of(po::variables_map const& values, dram::Mapping const& mapping, int transaction_bytes) {
    if (values.contains("stream") == values.contains("trace"))
        throw UsageError(fmt::format("give either --stream or --trace (usage: {})", dram_replay_manual.line));
    auto const format = from_flag(
        "--trace-format", [&values] { return models::trace_format_named(values["trace-format"].as<std::string>()); });
    if (values.contains("trace"))
        return models::read_dram_trace(input_file(values["trace"].as<std::string>()), format, mapping,
                                       transaction_bytes);
    if (format != models::TraceFormat::automatic)
        throw UsageError("--trace-format has no effect on a --stream. Use --trace FILE, or leave it out?");
    return dram::parse_stream(values["stream"].as<std::string>(), transaction_bytes);
}

/// Prints an upper bound of the running time if it is more than about a minute. If requests are far apart, the
/// refreshes between them dominate.
void warn_of_long_run(dram::Standard const& standard, dram::Stream const& stream) {
    constexpr double per_second = 5e6, notable = 60.0;
    std::uint64_t const requests = stream.size();
    double const until = stream.timed() ? static_cast<double>(stream.arrival(requests - 1)) : 0.0;
    constexpr double in_a_gap = 128.0;  // refreshes that are simulated, before the others are skipped
    double const of_channel = std::min(until / standard.timing.nREFI, in_a_gap * static_cast<double>(requests));
    double const refreshes = of_channel * standard.organisation.channels;
    double const seconds = (static_cast<double>(requests) + refreshes) / per_second;
    if (seconds < notable) return;
    std::cerr << fmt::format(
        "pimdse: {} requests take up to {:.0f} min to simulate, less if the stream becomes periodic\n", requests,
        std::ceil(seconds / 60.0));
}

/// `exact`, `cycles_low` and `cycles_high` are part of the output format; the simulation is always exact.
sim::Json to_json(dram::Counters const& c, dram::Standard const& standard, double seconds) {
    auto const e = dram::energy(c, standard);
    sim::Json out{{"requests", c.requests},
                  {"cycles", c.cycles},
                  {"gbps", dram::bandwidth(c, standard).si / 1e9},
                  {"hits", c.hits},
                  {"misses", c.misses},
                  {"conflicts", c.conflicts},
                  {"refreshes", c.refreshes},
                  {"average_read_latency_cycles", base::or_null(c.average_read_latency())},
                  {"simulate_seconds", seconds},
                  {"reads", c.reads},
                  {"writes", c.writes},
                  {"forwarded", c.forwarded},
                  {"coalesced", c.coalesced},
                  {"bursts", c.bursts()},
                  {"peak_gbps", dram::review(standard).peak.si / 1e9},
                  {"cas_pairs", c.clock_syncs},
                  {"activations", c.row_activations},
                  {"precharges", c.precharges + c.precharge_alls},
                  {"seconds", static_cast<double>(c.cycles) * standard.clock.si},
                  {"requests_simulated", c.simulated},
                  {"exact", true},
                  {"cycles_low", static_cast<double>(c.cycles)},
                  {"cycles_high", static_cast<double>(c.cycles)}};
    if (e.total().si > 0.0) {
        out["energy_joules"] = {{"total", e.total().si},
                                {"activate", e.activate.si},
                                {"array", e.array.si},
                                {"transfer", e.transfer.si},
                                {"refresh", e.refresh.si}};
    }
    if (c.bus_use[0] != 0) {
        for (auto const& [name, fraction] :
             {std::pair{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}, {"max", 1.0}})
            out["read_latency_cycles"][name] = base::or_null(c.latencies.percentile(fraction));
        for (std::size_t i = 0; i < dram::bus_use_count; ++i)
            out["bus_cycles"][std::string(dram::bus_use_names[i])] = c.bus_use[i];
    }
    return out;
}

Manual const dram_import_manual{
    "pimdse dram import FILE [flags]",
    "Writes a timing set, NAME.toml, from a configuration of DRAMsim3 (.ini) or Ramulator 2 (.yaml) for DDR4, LPDDR5, "
    "HBM or GDDR. Its comments say what the file lacks and what of it is not used. A file that exists is kept.",
    "  pimdse dram import DDR4_8Gb_x8_2400.ini\nwrites DDR4_8Gb_x8_2400.toml; then pimdse dram replay --dram "
    "./DDR4_8Gb_x8_2400.toml --mapping rowfirst --stream seq:1048576 reads 1 MiB.",
    {"file"}};

constexpr std::string_view dram_summary =
    "usage: pimdse dram replay|check|gemv|import [flags]\n\n"
    "  replay   replay a request stream through the cycle-exact DRAM model\n"
    "  check    check the model against a table of reference runs\n"
    "  gemv     simulate a matrix-vector product in the banks, command by command\n"
    "  import   make a timing set of a configuration of DRAMsim3 or Ramulator 2\n\n"
    "Example:\n"
    "  pimdse dram replay --dram L5J --mapping umdam --stream seq:16777216\n"
    "prints cycles, bandwidth, hits, misses and conflicts of reading 16 MiB in order. All accept --help.\n";

}  // namespace

int dram_check(std::vector<std::string> const& arguments) {
    po::options_description flags("Flags");
    add_format(flags);
    flags.add_options()("only", po::value<std::string>()->default_value(""), "conditions that select rows")(
        "fast-forward", "skip stretches that repeat exactly (results must not change)");
    auto const values = parse(dram_check_manual, flags, arguments);
    if (!values) return complete;
    auto const format = format_of(*values);
    auto const file = input_file(needed(*values, "csv", dram_check_manual));
    auto const report =
        run_rows(file, (*values)["only"].as<std::string>(),
                 values->contains("fast-forward") ? sim::dram::FastForward::exact : sim::dram::FastForward::off);
    if (report.overall.errors.size() == 0)
        std::cerr << "pimdse: no row was compared (--only selects none, or none is modelled)\n";
    if (format == Format::json)
        print_json(report);
    else
        print_table(report, format);
    if (report.overall.errors.size() == 0) return bad_input;
    return report.differing.empty() ? complete : mismatch;
}

int dram_replay(std::vector<std::string> const& arguments) {
    auto const values = parse(dram_replay_manual, make_flags(), arguments);
    if (!values) return complete;
    auto const format = format_without_csv(*values, "a replay");
    auto const name = needed(*values, "dram", dram_replay_manual);
    auto const standard = models::load_dram_standard(name, number_of<int>(*values, "density"));
    auto const mapping = dram::parse_mapping((*values)["mapping"].as<std::string>(), standard.organisation,
                                             number_of<int>(*values, "coll-bits", {-1, 64}));
    auto const stream = stream_of(*values, mapping, standard.organisation.burst_bytes);
    auto const options = options_of(*values);
    (void)choice<int>(*values, "fidelity", {"cycle"});
    for (auto const& warning : models::review_dram_standard(name).warnings) std::cerr << "pimdse: " << warning << "\n";
    auto const start = std::chrono::steady_clock::now();
    warn_of_long_run(standard, stream);
    auto const counters = dram::simulate(standard, mapping, stream, options);
    auto const out =
        to_json(counters, standard, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    print_result(out, format);
    return complete;
}

int dram_import(std::vector<std::string> const& arguments) {
    po::options_description flags("Flags");
    flags.add_options()("name", po::value<std::string>(), "name of the set; default: that of the file");
    auto const values = parse(dram_import_manual, flags, arguments);
    if (!values) return complete;
    auto const from = input_file(needed(*values, "file", dram_import_manual));
    auto const name = values->count("name") != 0 ? (*values)["name"].as<std::string>() : from.stem().string();
    std::filesystem::path const to = name + ".toml";
    write_new(to, models::imported_dram(from, name));
    auto const standard = models::load_dram_file(std::filesystem::path(".") / to);
    std::cout << fmt::format("{}: {}, {}\n", to.string(), sim::dram::row_of(standard.family).name,
                             sim::print_quantity(dram::review(standard).peak.si, "B/s"));
    return complete;
}

int run_dram(std::vector<std::string> const& arguments) {
    static constexpr std::array words{Verb{"replay", "", &dram_replay}, Verb{"check", "", &dram_check},
                                      Verb{"gemv", "", &dram_gemv}, Verb{"import", "", &dram_import}};
    return run_words("dram", dram_summary, words, arguments);
}

}  // namespace pimdse::dse::cli
