#include "models/upmem/parameters.hpp"

#include "models/contract/parameter_table.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/contract/toml_file.hpp"
#include "models/llm/layer_support.hpp"
#include "models/llm/request_passes.hpp"
#include "models/text/parameter_reader.hpp"
#include "models/upmem/kernel.hpp"
#include "models/upmem/ledger.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/quantity_text.hpp"

#include <algorithm>

namespace pimdse::models::upmem {
namespace {

using Table = ParameterTable<Design, Prepared>;

Parameter kernel_parameter() {
    return or_own_file(choice("kernel", kernel_names(), "va",
                              "kernel of the DPUs, a file of models/upmem/kernels; a kernel without a listing is "
                              "calibrated, as its file states"),
                       [](std::string const& file) { (void)load_kernel(file); });
}

/// What the rows set; those of keys.toml are described there.
Table make_table() {
    text::KeyFile const keys(data_directory() / "models" / "upmem" / "keys.toml");
    Table table;
    table.row<&Design::kernel>(kernel_parameter());
    add_model(table, or_own_model(choice("llm", models_or_none(),
                                         "scope end_to_end: serves a request of the model; scope kernel, with kernel "
                                         "gemv-int8: all its weight matrices once, spread over the DPUs")));
    table.row(keys["scope"], [](Design& d, Value const& v, auto const&) { d.end_to_end = v.as_choice() == 1; });
    add_lengths(table, 512, 128, " (scope end_to_end)");
    table.row<&Design::batch>(keys["batch"]);
    table.row<&Design::elements>(keys["elements"]);
    table.row<&Design::tasklets>(keys["tasklets"]);
    table.row<&Design::dpus>(keys["dpus"]);
    table.row<&Design::ranks>(keys["ranks"]);
    table.row<&Design::streams>(keys["streams"]);
    table.row<&Design::dma_block>(keys["dma_block"]);
    table.row<&Design::preset>(keys["preset"]);
    table.row<&Design::transfer>(keys["transfer"]);
    table.row(keys["joint"], [](Design& d, Value const& v, auto const&) {
        d.packing = v.as_flag() ? Packing::joint : Packing::apart;
    });
    table.row<&Design::lock>(keys["lock"]);
    table.row<&Design::loading>(keys["loading"]);
    table.row<&Design::reduction>(keys["reduction"]);
    table.row<&Design::launch_path>(keys["launch_path"]);
    table.row<&Design::results>(keys["results"]);
    table.row<&Design::frequency>(keys["frequency"]);
    table.row<&Design::dispatch_distance>(keys["dispatch_distance"]);
    table.row<&Design::mram_bandwidth>(keys["mram_bandwidth"]);
    table.row<&Design::offload>(keys["offload"]);
    table.row<&Design::attained_share>(keys["attained_share"]);
    table.row<&Design::layer_overhead>(keys["layer_overhead"]);
    add_speculation(table);
    return table;
}

Table const& table() {
    static auto const made = make_table();
    return made;
}

/// Kernels and streams have none of it.
bool is_of_dpus(Parameter const& parameter) {
    constexpr std::string_view others =
        " kernel llm scope input output batch elements streams joint reduction results draft acceptance draft_llm ";
    return others.find(" " + parameter.name + " ") == std::string_view::npos;
}

using Verdict = std::optional<Infeasible>;

Verdict between(std::string rule, std::string_view what, std::int64_t value, double min, double max) {
    auto const v = static_cast<double>(value);
    if (v >= min && v <= max) return std::nullopt;
    return infeasible(std::move(rule), "{} {} (there are {:.0f} to {:.0f})", value, what, min, max);
}

Verdict check_counts(MachineConstants const& f, Design const& d) {
    if (auto v = between("tasklets", "tasklets per DPU", d.tasklets, 1, f.tasklets_max)) return v;
    if (auto v = between("dpus", "DPUs", d.dpus, 1, f.dpus_per_rank * f.ranks_max)) return v;
    if (auto v = between("ranks", "ranks", d.ranks, 1, f.ranks_max)) return v;
    if (auto v = between("streams", "streams", d.streams, 1, f.streams_max)) return v;
    if (auto v = between("dispatch_distance", "cycles between instructions of a tasklet", d.dispatch_distance, 1, 14))
        return v;
    if (d.elements < 1) return infeasible("elements", "{} elements (there must be one at least)", d.elements);
    if (static_cast<double>(d.dpus) > f.dpus_per_rank * static_cast<double>(d.ranks))
        return infeasible("ranks", "{} DPUs in {} rank{} (a rank has {:.0f})", d.dpus, d.ranks, d.ranks == 1 ? "" : "s",
                          f.dpus_per_rank);
    if (d.ranks > d.dpus && d.lock == Lock::rank_level)
        return infeasible("ranks", "{} ranks for {} DPU{} (every rank that takes turns has one at least)", d.ranks,
                          d.dpus, d.dpus == 1 ? "" : "s");
    return std::nullopt;
}

Verdict check_block(MachineConstants const& f, Kernel const& k, Design const& d) {
    auto const block = static_cast<double>(d.dma_block);
    if (block < f.dma_smallest.si || block > f.dma_largest.si ||
        d.dma_block % static_cast<std::int64_t>(f.dma_smallest.si) != 0)
        return infeasible("dma_block",
                          "a DMA block of {} B (MRAM transfers move {:.0f} to {:.0f} B in multiples of {:.0f})",
                          d.dma_block, f.dma_smallest.si, f.dma_largest.si, f.dma_smallest.si);
    if (k.element_bytes > block)
        return infeasible("dma_block", "a DMA block of {} B holds no element of {:.0f} B", d.dma_block,
                          k.element_bytes);
    return std::nullopt;
}

/// The smallest transfer to one DPU.
double word_bytes(Kernel const& k, std::int64_t piece) {
    return whole_words(std::max(1.0, static_cast<double>(piece) * k.element_bytes));
}

Verdict check_streams(Kernel const& k, Design const& d) {
    if (d.streams == 1) return std::nullopt;
    if (d.model != nullptr)
        return infeasible(
            "streams",
            "{} streams of a model (its weights stay in MRAM and its matrices depend on each other: nothing to stream)",
            d.streams);
    if (k.one_stream)
        return infeasible("streams", "{} streams of {} (its launches depend on each other: one stream)", d.streams,
                          k.name);
    if (d.lock == Lock::fine && k.reads + k.writes <= 0.0)
        return infeasible("lock",
                          "lock fine with kernel {} (its file states no MRAM requests behind which the host could "
                          "queue: double_bank or none)",
                          k.name);
    std::int64_t const dpus = d.lock == Lock::rank_level ? sim::divide_up(d.dpus, d.ranks) : d.dpus;
    std::int64_t const piece = d.lock == Lock::rank_level ? 1 : granule(k, d);
    std::int64_t const pieces = d.lock == Lock::rank_level ? d.elements : sim::divide_up(d.elements, dpus * piece);
    if (d.streams > pieces)
        return infeasible(
            "streams",
            "{} streams of {} elements on {} DPU{} (only {} transfers of {:.0f} B can be made of a DPU's share)",
            d.streams, d.elements, dpus, dpus == 1 ? "" : "s", pieces, word_bytes(k, piece));
    return std::nullopt;
}

Verdict check_request(Design const& d) {
    if (!d.is_request()) {
        if (d.speculation.draft == 0) return std::nullopt;
        return infeasible(
            "draft",
            "draft = {} without a request of a model, whose tokens it would propose (scope = end_to_end with llm)",
            d.speculation.draft);
    }
    if (auto broken = broken_generation(d)) return broken;
    if (d.speculation.has_model())
        if (auto broken = unserved_layers(*d.speculation.draft_model, "upmem", {})) return broken;
    return broken_speculation(d.speculation, false, d.input, d.output);
}

Verdict check_clock(MachineConstants const& f, Design const& d) {
    if (f.supply.allows(d.frequency)) return std::nullopt;
    return infeasible("clock", "a DPU clock of {} (a supply voltage is known for {} to {})",
                      sim::print_quantity(d.frequency.si, "Hz"), sim::print_quantity(f.supply.lowest.si, "Hz"),
                      sim::print_quantity(f.supply.highest.si, "Hz"));
}

Verdict check_package(MachineConstants const& f, Design const& d) {
    auto const max = max_package_power(f, d);
    if (max <= f.package_limit) return std::nullopt;
    return infeasible("package_power",
                      "a chip of {:.0f} DPUs at {} draws up to {:.3g} W (its package takes {:.3g} W: a lower clock, "
                      "fewer DPUs, or the constant package_limit)",
                      f.dpus_per_chip, sim::print_quantity(d.frequency.si, "Hz"), max.si, f.package_limit.si);
}

/// What makes the data of a DPU smaller: of tiles, more DPUs have as many each, in fewer rounds.
std::string_view smaller_data(Kernel const& k, Design const& d) {
    if (d.is_request()) return "set dpus higher, or input, output or batch lower";
    if (d.model != nullptr) return "set dpus higher";
    return k.shape == WorkShape::tiles ? "set elements lower" : "set dpus higher, or elements lower";
}

/// Data that exceeds every memory is refused before its blocks are counted, because these counts must fit 64 bits.
Verdict check_size(MachineConstants const& f, Kernel const& k, Design const& d) {
    constexpr double max = 0x1p40;
    double const bytes = d.model != nullptr ? 0.0 : bytes_at_least(k, d);
    if (bytes <= max) return std::nullopt;
    return infeasible("mram", "{:.3g} B of data in one DPU (it holds {:.0f} B: {})", bytes, f.mram_size.si,
                      smaller_data(k, d));
}

}  // namespace

Parameters parameters() { return table().parameters(); }

Design read_design(Prepared const& p, Point point) {
    auto design = table().read(point, p);
    if (design.is_request()) design.kernel = p.products;
    return design;
}

Parameters dpu_keys() {
    auto keys = parameters();
    std::erase_if(keys, [](Parameter const& parameter) { return !is_of_dpus(parameter); });
    return keys;
}

Design read_dpu(Prepared const& p, Point values, ModelRequest const& request) {
    auto const& all = table().parameters();
    auto point = default_point(all);
    auto next = values.begin();
    for (std::size_t i = 0; i < point.size(); ++i)
        if (is_of_dpus(all[i])) point[i] = *next++;
    auto design = table().read(point, p);
    static_cast<ModelRequest&>(design) = request;
    design.end_to_end = true;
    design.kernel = p.products;
    return design;
}

Verdict check_design(Prepared const& p, Design const& d) {
    auto const& k = p.kernels[d.kernel];
    if (auto v = check_counts(p.machine, d)) return v;
    if (auto v = check_clock(p.machine, d)) return v;
    if (auto v = check_block(p.machine, k, d)) return v;
    if (auto v = check_package(p.machine, d)) return v;
    if (d.model != nullptr && k.name != "gemv-int8")
        return infeasible(
            "llm", "kernel {} with the model {} (gemv-int8 computes a decode step, scope end_to_end the whole request)",
            k.name, d.model->name);
    if (d.model != nullptr)
        if (auto v = unserved_layers(*d.model, "upmem", {LayerFeature::few_experts})) return v;
    if (auto v = check_streams(k, d)) return v;
    if (auto v = check_request(d)) return v;
    return check_size(p.machine, k, d);
}

Verdict check_memory(Prepared const& p, Design const& d, Plan const& plan) {
    auto const family = index(family_of(d.preset));
    auto const& f = p.machine;
    double const wram = static_cast<double>(d.tasklets) * (plan.wram + f.stack[family].si);
    if (wram > f.wram_size[family].si)
        return infeasible(
            "wram",
            "{} tasklets need {:.0f} B of WRAM ({:.0f} B of buffers and {:.0f} B of stack each), a DPU has {:.0f} B",
            d.tasklets, wram, plan.wram, f.stack[family].si, f.wram_size[family].si);
    bool const banks = d.lock == Lock::double_bank;
    double const need = banks ? plan.resident_bank : plan.resident;
    double const room = banks ? f.mram_size.si / 2.0 : f.mram_size.si;
    if (need > room)
        return infeasible("mram", "{:.0f} B of data in {} of one DPU (it holds {:.0f} B: {})", need,
                          banks ? "one of two MRAM banks" : "the MRAM", room, smaller_data(p.kernels[d.kernel], d));
    return std::nullopt;
}

}  // namespace pimdse::models::upmem
