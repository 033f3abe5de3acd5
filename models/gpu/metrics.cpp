#include "models/gpu/metrics.hpp"

#include "models/contract/common_metrics.hpp"

#include <algorithm>
#include <cstdint>

namespace pimdse::models::gpu {
namespace {

using Table = MetricTable<Result>;

double output_tokens(Result const& a) { return a.design.sequences() * static_cast<double>(a.design.output); }
double all_tokens(Result const& a) { return a.design.sequences() * static_cast<double>(a.design.longest_context()); }
Estimate share(Result const& a, double used, double per_second) {
    return Estimate::unbounded(used / (a.all().total() * per_second));
}
double seconds_of(Result const& a, PassGroup group) { return a.all().seconds[static_cast<std::size_t>(group)]; }
double peak_of(Result const& a) { return a.board.peak[static_cast<std::size_t>(a.design.precision)].si; }

void add_times(Table& table) {
    using enum Sense;
    table.row(common_metric("ttft", "diffusion: to the end of the first step"),
              [](Result const& a) { return a.ttft(); });
    table.row(needing(common_metric("itl"), {needs_more_than("output", 1)}), [](Result const& a) { return a.itl(); });
    table.row(common_metric("latency"), [](Result const& a) { return a.latency(); });
    table.row(common_metric("tokens_per_second"),
              [](Result const& a) { return Estimate(output_tokens(a)) / a.latency(); });
    table.row(over(OverDevices::per_second, {"throughput_with_prompt", "1/s",
                                             "prompt and output tokens per second of latency, as in PRIMAL", maximize}),
              [](Result const& a) { return Estimate(all_tokens(a)) / a.latency(); });
}

void add_energies(Table& table) {
    using enum Sense;
    table.row(common_metric("energy", "the board, and the host if it is included", true),
              [](Result const& a) { return a.energy(); });
    table.row(common_metric("energy_per_token", "", true),
              [](Result const& a) { return a.energy() / output_tokens(a); });
    table.row(over(OverDevices::per_joule,
                   {"output_tokens_per_joule", "1/J", "output tokens of the batch per joule", maximize, true}),
              [](Result const& a) { return Estimate(output_tokens(a)) / a.energy(); });
    table.row(over(OverDevices::per_joule, {"tokens_per_joule_with_prompt", "1/J",
                                            "prompt and output tokens per joule, as in PRIMAL", maximize, true}),
              [](Result const& a) { return Estimate(all_tokens(a)) / a.energy(); });
    table.row(common_metric("power", "", true), [](Result const& a) { return a.power(); });
    table.row(common_metric("prefill_power", "diffusion: of the first step", true),
              [](Result const& a) { return a.prefill_power(); });
    table.row(common_metric("decode_power", "diffusion: of the later steps", true),
              [](Result const& a) { return a.decode_power(); });
    table.row(common_metric("peak_power", "the larger of prefill_power and decode_power", true),
              [](Result const& a) { return a.peak_power(); });
    table.row(common_metric("package_power", "a stack of HBM or a package of GDDR6, array and pins", true),
              [](Result const& a) { return a.package_power(); });
    table.row(common_metric("idle_power", "", true), [](Result const& a) { return Estimate(a.board.idle_power.si); });
}

Estimate precision(Result const& a) {
    std::int64_t const products = a.design.precision == Precision::fp16 ? 16 : 8;
    return Estimate(static_cast<double>(
        a.design.stored_as_file() ? std::min(products, a.design.model->weight_format.bits) : products));
}

void add_machine(Table& table) {
    using enum Sense;
    table.row(common_metric("area", "dies of the processors"),
              [](Result const& a) { return Estimate(a.board.die.si); });
    table.row(common_metric("memory_area", "", true),
              [](Result const& a) { return Estimate(a.board.memory_dies * a.board.memory_die.si); });
    table.row(common_metric("silicon", "processors, memories and their base dies", true),
              [](Result const& a) { return Estimate(a.board.die.si + a.board.memory_dies * a.board.memory_die.si); });
    table.row(
        common_metric("footprint",
                      "weights, keys and values up to the last token, with diffusion also the logits of one step"),
        [](Result const& a) { return Estimate(a.footprint.si); });
    table.row(common_metric("precision", "that of the products, or of the model's file if it has fewer"), precision);
    table.row(
        {"compute_share", "1", "operations divided by those at the peak of the data sheet in the latency", maximize},
        [](Result const& a) { return share(a, a.all().operations, peak_of(a)); });
    table.row(
        {"bandwidth_share", "1", "bytes divided by those at the bandwidth of the data sheet in the latency", maximize},
        [](Result const& a) { return share(a, a.all().bytes, a.board.bandwidth.si); });
    std::vector<Need> const diffusion{needs("generation", "diffusion")};
    table.row(needing({"sampling_time", "s", "diffusion: time of sampling in one step", minimize}, diffusion),
              [](Result const& a) {
                  if (a.design.generation != Generation::diffusion) return does_not_apply();
                  auto const at = static_cast<std::size_t>(PassGroup::sampling);
                  return Estimate::within(a.first.seconds[at], a.first.alone[at], a.first.seconds[at],
                                          {Bound::proved, Bound::none});
              });
    table.row(needing({"sampling_share", "1", "diffusion: fraction of the latency for sampling", minimize}, diffusion),
              [](Result const& a) {
                  return a.design.generation == Generation::diffusion
                             ? share(a, seconds_of(a, PassGroup::sampling), 1.0)
                             : does_not_apply();
              });
}

Table make_table() {
    Table table;
    add_times(table);
    add_energies(table);
    add_machine(table);
    return table;
}

}  // namespace

MetricList metrics() { return make_table().metrics(); }

Metrics metrics_of(Result const& result) {
    static auto const table = make_table();
    return table.of(result);
}

namespace {

constexpr std::string_view in_idle_power = "not separate: part of the idle power of the board, in idle_units";
constexpr std::string_view in_die = "not separate: part of the undivided die";

std::vector<LedgerEntry> energy() {
    using enum Account;
    return {
        {"arithmetic", assumed, "0.9 of the power limit minus idle power, if arithmetic is the roof"},
        {"sram", assumed, "caches between memory and units, 1 pJ/bit; caches in the units are part of arithmetic"},
        {"sram_static", none, in_idle_power},
        {"dram_array", assumed, "3.12 pJ/bit (HBM2, O'Connor et al., MICRO 2017) or 3.75 (GDDR6)"},
        {"dram_interface", assumed, "0.8 pJ/bit (HBM2, O'Connor et al., MICRO 2017) or 3.75 (GDDR6)"},
        {"dram_background", none, in_idle_power},
        {"dram_refresh", none, in_idle_power},
        {"in_memory_logic", none, "the memories do not compute"},
        {"interconnect", assumed, "on the die: power of a memory-bound board without the memory"},
        {"converters", none, "the boards have no analog arrays"},
        {"host_transfer", none, "only token numbers are transferred, 4 B each"},
        {"host_compute", assumed, "with host = included: host_power of technology.toml for the latency; otherwise 0"},
        {"idle_units", assumed, "idle power of the board, during the whole request"}};
}

std::vector<LedgerEntry> area() {
    using enum Account;
    return {{"matrix_unit", none, in_die},
            {"vector_unit", none, in_die},
            {"sram", none, in_die},
            {"controllers", none, in_die},
            {"in_bank_logic", none, "the memories do not compute"},
            {"routers", none, in_die},
            {"crossbars", none, "the boards have no computing arrays"},
            {"undivided", counted, "die of the processor (NVIDIA's whitepapers)"}};
}

}  // namespace

Ledger ledger() { return {energy(), area()}; }

}  // namespace pimdse::models::gpu
