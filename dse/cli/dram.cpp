#include "dse/cli/verb.hpp"
#include "dse/run/liveness.hpp"
#include "models/dram/dram_check.hpp"
#include "models/dram/dram_import.hpp"
#include "models/dram/dram_standard.hpp"
#include "models/dram/dram_trace.hpp"
#include "models/dram/pim_units.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/json.hpp"
#include "sim/dram/family.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/simulate.hpp"
#include "sim/dram/standard.hpp"
#include "sim/dram/stream.hpp"
#include "sim/pim/product_cost.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>

namespace pimdse::dse::cli {
namespace {

namespace pim = sim::pim;

/// The product on the channel with the longest share, with the energy of all.
template <class Product>
sim::Json to_json(pim::ProductCosts const& costs, std::vector<pim::ChannelShare<Product>> const& shares) {
    auto const& longest = shares.front().product;
    auto const& cost = costs.of(longest);
    auto const& form = costs.closed_form_of(longest);
    auto const& c = cost.commands;
    std::int64_t working = 0;
    for (auto const& share : shares) working += share.channels;
    auto const each = [&cost](std::int64_t count) { return sim::as_double(count) / sim::as_double(cost.executions); };
    return {{"cycles", cost.cycles_each()},
            {"seconds", cost.cycles_each() * costs.units().timing.clock.si},
            {"cycles_lower_bound", form.lower_bound},
            {"cycles_estimated", form.estimate},
            {"channels_at_work", working},
            {"joules", costs.energy_of(shares).si},
            {"executions_simulated", cost.executions},
            {"commands_of_a_channel",
             {{"bank_activations", each(c.bank_activations)},
              {"macs", each(c.macs)},
              {"buffer_writes", each(c.buffer_writes)},
              {"sum_writes", each(c.sum_writes)},
              {"sum_reads", each(c.sum_reads)},
              {"word_writes", each(c.word_writes)},
              {"mode_changes", each(c.mode_changes)},
              {"refreshes", each(c.refreshes)}}}};
}

/// The checked rows of one timing set and kind of stream, or all rows.
struct DramTally {
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
    std::map<std::pair<std::string, std::string>, DramTally> groups;  ///< by timing set and kind of stream
    std::vector<models::Difference> differing;
    std::size_t skipped = 0;
};

models::RowCheck check_row(std::string const& file, models::ReferenceRow const& row,
                           sim::dram::FastForward fast_forward) {
    try {
        return models::check_row(row, fast_forward);
    } catch (sim::InputError const& error) {
        throw sim::InputError("{}:{}: {}", file, row.line, error.what());
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
        report.groups[{check.timings, check.stream_kind}].add(check);
        report.overall.add(check);
        report.differing.insert(report.differing.end(), check.differences.begin(), check.differences.end());
    }
    return report;
}

sim::Json to_json(DramTally const& group) {
    return {{"rows", group.errors.size()},
            {"identical", group.identical},
            {"median_error", sim::or_null(group.errors.median())},
            {"worst_error", sim::or_null(group.errors.worst())},
            {"counts_identical", group.counts_identical},
            {"all_identical", group.all_identical},
            {"requests_per_second", group.rate()}};
}

sim::Json to_json(DramReport const& report) {
    sim::Json out{
        {"overall", to_json(report.overall)}, {"groups", sim::Json::array()}, {"differing", sim::Json::array()}};
    out["overall"]["skipped"] = report.skipped;
    for (auto const& [key, group] : report.groups) {
        auto entry = to_json(group);
        entry["timings"] = key.first;
        entry["stream"] = key.second;
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
    return out;
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
    for (auto const& [key, group] : report.groups) table.add(cells(key.first, key.second, group));
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

dram::Options options_of(CommandLine const& values) {
    dram::Options options;
    options.refresh = choice_of<dram::RefreshMode>(values, "refresh", std::array{"all-bank", "per-bank", "none"});
    options.scheduler = choice_of<dram::Scheduler>(values, "scheduler", std::array{"frfcfs", "frfcfs-rowhit"});
    options.front_end = choice_of<dram::FrontEndMode>(values, "front-end", std::array{"in-order", "independent"});
    options.fast_forward = choice_of<dram::FastForward>(values, "fast-forward", std::array{"off", "exact"});
    options.window = number_of<int>(values, "window");
    options.tries = number_of<int>(values, "tries", {1, 1 << 20});
    options.queue_depth = number_of<int>(values, "queue-depth", {1, 1 << 20});
    options.observe = values.contains("observe") ? dram::Observe::everything : dram::Observe::counters;
    return options;
}

dram::Stream stream_of(CommandLine const& values, dram::Mapping const& mapping, int transaction_bytes) {
    if (values.contains("stream") == values.contains("trace"))
        throw UsageError("give either --stream or --trace (usage: {})", values.usage());
    auto const format =
        from_flag("--trace-format", [&values] { return models::trace_format_named(values.text("trace-format")); });
    if (values.contains("trace"))
        return models::read_dram_trace(input_file(values.text("trace")), format, mapping, transaction_bytes);
    if (format != models::TraceFormat::automatic)
        throw UsageError("--trace-format has no effect on a --stream. Use --trace FILE, or leave it out?");
    return dram::parse_stream(values.text("stream"), transaction_bytes);
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
                  {"average_read_latency_cycles", sim::or_null(c.average_read_latency())},
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
            out["read_latency_cycles"][name] = sim::or_null(c.latencies.percentile(fraction));
        for (std::size_t i = 0; i < dram::bus_use_count; ++i)
            out["bus_cycles"][std::string(dram::bus_use_names[i])] = c.bus_use[i];
    }
    return out;
}

}  // namespace

int dram_check(CommandLine const& values) {
    auto const format = format_of(values);
    auto const file = input_file(values.needed("csv"));
    auto const report =
        run_rows(file, values.text("only"),
                 values.contains("fast-forward") ? sim::dram::FastForward::exact : sim::dram::FastForward::off);
    if (report.overall.errors.size() == 0)
        std::cerr << "pimdse: no row was compared (--only selects none, or none is modelled)\n";
    if (format == Format::json)
        print_result(to_json(report), format);
    else
        print_table(report, format);
    if (report.overall.errors.size() == 0) return bad_input;
    return report.differing.empty() ? complete : mismatch;
}

int dram_replay(CommandLine const& values) {
    auto const format = format_without_csv(values, "a replay");
    auto const name = values.needed("dram");
    auto const standard = models::load_dram_standard(name, number_of<int>(values, "density"));
    auto const mapping = dram::parse_mapping(values.text("mapping"), standard.organisation,
                                             number_of<int>(values, "coll-bits", {-1, 64}));
    auto const stream = stream_of(values, mapping, standard.organisation.burst_bytes);
    auto const options = options_of(values);
    (void)choice_of<int>(values, "fidelity", std::array{"cycle"});
    for (auto const& warning : models::review_dram_standard(name).warnings) std::cerr << "pimdse: " << warning << "\n";
    auto const start = std::chrono::steady_clock::now();
    warn_of_long_run(standard, stream);
    auto const counters = dram::simulate(standard, mapping, stream, options);
    auto const out = to_json(counters, standard, run::seconds_since(start));
    print_result(out, format);
    return complete;
}

int dram_gemv(CommandLine const& values) {
    auto const format = format_without_csv(values, "a product");
    auto const name = values.needed("dram");
    auto const density = number_of<int>(values, "density");
    pim::ProductCosts const costs(models::load_pim_units(name, density));
    auto const& units = costs.units();
    constexpr int max_size = 1 << 20;
    std::int64_t channels = number_of<int>(values, "channels", {0, 1 << 16});
    if (channels == 0) channels = sim::dram::data_ports(models::load_dram_standard(name, density));
    int const weight_bits = number_of<int>(values, "weight-bits", {1, 64});
    int const activation_bits = number_of<int>(values, "activation-bits", {1, 64});
    sim::Json out{{"dram", name}, {"channels", channels}};
    if (int const context = number_of<int>(values, "context", {0, max_size}); context > 0) {
        pim::Attention attention;
        attention.heads = number_of<int>(values, "heads", {1, max_size});
        attention.kv_heads = number_of<int>(values, "kv-heads", {1, max_size});
        attention.head_size = number_of<int>(values, "head-size", {1, max_size});
        attention.context = context;
        attention.key_units = channels * units.sizes.units();
        attention.value_channels = channels;
        attention.cache_bits = weight_bits;
        attention.activation_bits = activation_bits;
        if (attention.heads % attention.kv_heads != 0) throw UsageError("--heads must be a multiple of --kv-heads");
        for (auto const& [key, part] : {std::pair{"scores", pim::AttentionPart::scores},
                                        {"values", pim::AttentionPart::values},
                                        {"append", pim::AttentionPart::append}})
            out[key] = to_json(costs, shares_of(units, pim::AttentionProduct{part, attention}));
    } else {
        pim::Gemv product;
        product.inputs = number_of<int>(values, "inputs", {1, max_size});
        product.outputs = number_of<int>(values, "outputs", {1, max_size});
        product.weight_bits = weight_bits;
        product.activation_bits = activation_bits;
        out["product"] = to_json(costs, shares_of(units, product, channels));
    }
    print_result(out, format);
    return complete;
}

int dram_import(CommandLine const& values) {
    auto const from = input_file(values.needed("file"));
    auto const name = values.given("name").value_or(from.stem().string());
    std::filesystem::path const to = name + ".toml";
    write_new(to, models::imported_dram(from, name));
    auto const standard = models::load_dram_file(std::filesystem::path(".") / to);
    std::cout << fmt::format("{}: {}, {}\n", to.string(), sim::dram::row_of(standard.family).name,
                             sim::print_quantity(dram::review(standard).peak.si, "B/s"));
    return complete;
}

}  // namespace pimdse::dse::cli
