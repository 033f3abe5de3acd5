#include "unit_floors.hpp"

#include "models/contract/constants.hpp"
#include "models/dram/dram_standard.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::laws {
namespace {

using Floors = std::vector<UnitFloor>;

/// A phase of a request on a machine: its work and how many sequences and positions it has.
struct Phase {
    ServedMachine const& machine;
    Values const& point;
    sim::LanguageModel model;
    PassWork work;
    double batch = 1.0, positions = 1.0, context = 1.0;

    [[nodiscard]] double number(char const* parameter) const { return machine.number(point, parameter); }
    [[nodiscard]] std::string text(char const* parameter) const { return machine.text(point, parameter); }
    [[nodiscard]] double layers() const { return static_cast<double>(model.layers); }
    /// Multiply-accumulates of all sequences.
    [[nodiscard]] double products(double head) const {
        return batch * (work.products + work.attention + head * work.head);
    }
};

/// A100, H100, RTX A6000 by their data sheets: dense FLOP/s of the format, bytes/s.
Floors of_gpu(Phase const& p) {
    static auto const sheet = models::Constants::load(std::string_view("gpu"));
    auto const row = [&](std::string const& name) { return sheet.all().at(p.text("device") + "_" + name).si; };
    double const boards = p.number("devices"), bytes = p.text("weights") == "fp16" ? 2.0 : 1.0;
    double const cache_bytes = p.text("kv_cache") == "fp16" ? 2.0 : 1.0;
    double const moved = bytes * (p.work.weights + p.work.head) + cache_bytes * p.batch * p.context * p.work.cache;
    return {{"arithmetic at the data sheet's peak", 2.0 * p.products(1.0) / (boards * row(p.text("weights") + "_peak"))},
            {"memory at the data sheet's bandwidth", moved / (boards * row("bandwidth"))}};
}

/// The NPU at its peak, the pins of the channels at a burst each nBL, and the banks at 16 products every interval.
struct UmdamUnits {
    double npu, pins, banks;  ///< MAC/s, B/s, MAC/s
};
UmdamUnits umdam_units(Phase const& p) {
    auto const dram = models::load_dram_standard(p.text("dram"));
    auto const& t = dram.timing;
    double const burst = static_cast<double>(dram.organisation.burst_bytes);
    double const pins = burst / (std::max(t.nBL, t.nCCDS) * dram.clock.si);
    double const banks = p.number("channels") * p.number("ranks") * p.number("bank_groups") * p.number("banks");
    constexpr double fp16_bytes = 2.0;
    return {p.number("npu_flops") / 2.0, p.number("channels") * pins,
            banks * burst / fp16_bytes / p.number("pim_mac_interval")};
}

Floors umdam_first(Phase const& p) {
    auto const u = umdam_units(p);
    double const head = p.text("lm_head") == "npu" ? 1.0 : 0.0;
    constexpr double fp16_bytes = 2.0;
    double const moved = fp16_bytes * (p.work.weights + head * p.work.head + p.batch * p.positions * p.work.cache);
    return {{"NPU at its peak", p.products(head) / u.npu}, {"pins of the channels", moved / u.pins}};
}

/// Either unit may take the products of a step; keys and values are read where `attention` says.
Floors umdam_later(Phase const& p) {
    auto const u = umdam_units(p);
    constexpr double fp16_bytes = 2.0;
    double const head = p.text("lm_head") == "skip" ? 0.0 : p.work.head;
    double const by_banks = p.batch * (p.work.products + head) / u.banks;
    double const by_npu = std::max(p.batch * (p.work.products + head) / u.npu,
                                   fp16_bytes * (p.work.weights + head) / u.pins);
    bool const has_banks = p.text("baseline") != "npu_only";
    auto const decode = p.text("decode");
    double const least = !has_banks || decode == "npu" ? by_npu : decode == "auto" ? std::min(by_npu, by_banks) : by_banks;
    Floors floors{{"products with weights at the peak of NPU or banks", least}};
    if (p.text("concurrency") != "exclusive") return floors;  // the NPU's traffic hides behind the banks
    double const cache = p.batch * p.context * p.work.cache;
    bool const in_banks = has_banks && p.text("attention") == "pim";
    floors.push_back({"keys and values", in_banks ? 0.0 : fp16_bytes * cache / u.pins});
    return floors;
}

/// A matrix unit of MLEN x BLEN products a cycle at 1 GHz, an HBM channel of 64 B in two ticks, VLEN lanes that see
/// each logit once.
Floors of_dplena(Phase const& p) {
    constexpr double clock = 1e9, line = 64.0, ticks = 2.0, bits_per_byte = 8.0;
    double const weights = p.number("weight_bits") / bits_per_byte * (p.work.weights + p.work.head);
    double const cache = p.batch * p.context * p.work.cache;
    double const logits = p.batch * static_cast<double>(p.model.vocabulary);
    double const hbm = p.number("channels") * line / ticks * clock;
    return {{"matrix unit", p.products(1.0) / (p.number("matrix_depth") * p.number("matrix_block") * clock)},
            {"HBM channels", (weights + cache) / hbm},
            {"vector unit", logits / (p.number("vlen") * clock)}};
}

/// One request's positions follow each other through a layer, layer after layer: each crossbar multiplies once for
/// each, the vectors come in over the four links of one router, and all routers that a layer may have share the
/// products of attention.
Floors of_cim_mesh(Phase const& p, models::Metrics const& metrics, double dependent_products) {
    double const clock = p.number("frequency");
    double const routers =
        p.machine.value(metrics, "placed_tiles") * p.number("mesh_rows") * p.number("mesh_cols");
    constexpr double value_bits = 8.0, links = 4.0;
    double const vector = static_cast<double>(p.model.hidden) * value_bits / (links * p.number("link_bits"));
    return {{"crossbar products", p.layers() * p.positions * dependent_products * p.number("smac_cycles") / clock},
            {"multipliers of the routers", p.work.attention / (routers * p.number("dmacs") * clock)},
            {"links into the layer", p.layers() * p.positions * vector / clock}};
}

/// An in-order DPU takes two instructions at least for a product of bytes (multiply, add), with fewer tasklets than
/// the dispatch distance only a part of its cycles; MRAM gives every weight once a pass; whoever has a row of a matrix
/// needs all of its inputs, which come over DDR4-2400 channels of four ranks each.
Floors of_upmem(Phase const& p) {
    double const dpus = p.number("dpus"), issue = std::min(1.0, p.number("tasklets") / p.number("dispatch_distance"));
    constexpr double instructions = 2.0, channel = 19.2e9, ranks_per_channel = 4.0;
    double sent = 0.0;
    bool with_last = false;  // q, k, v have the same inputs, and so have gate and up
    for (auto const& matrix : sim::layer_matrices(p.model)) {
        if (!with_last) sent += static_cast<double>(matrix.inputs) * std::min(dpus, static_cast<double>(matrix.outputs));
        with_last = matrix.name == "q" || matrix.name == "k" || matrix.name == "gate";
    }
    sent *= p.layers() * p.batch * p.positions;
    double const channels = std::ceil(std::min(p.number("ranks"), dpus) / ranks_per_channel);
    Floors floors{{"instructions of the DPUs", instructions * p.products(1.0) / (dpus * p.number("frequency") * issue)},
                  {"host link", sent / (channels * channel)}};
    if (p.text("preset") == "hardware")
        floors.push_back({"MRAM", (p.work.weights + p.work.head) / (dpus * p.number("mram_bandwidth"))});
    return floors;
}

Phase phase_of(ServedMachine const& machine, Values const& point, bool first) {
    auto model = machine.model(point);
    sim::expects(model.experts == 0, "floors are of dense models");
    double const input = machine.number(point, "input");
    auto const work = first ? prompt_work(model, input) : step_work(model, input + 1.0);
    return {machine, point, std::move(model), work, machine.number(point, "batch"), first ? input : 1.0, input};
}

Floors floors_of(ServedMachine const& machine, Values const& point, bool first) {
    auto const p = phase_of(machine, point, first);
    if (machine.name() == "gpu") return of_gpu(p);
    if (machine.name() == "umdam") return first ? umdam_first(p) : umdam_later(p);
    if (machine.name() == "dplena") return of_dplena(p);
    if (machine.name() == "upmem") return of_upmem(p);
    sim::expects(machine.name() == "cim_mesh", "an architecture has a reference here");
    constexpr double one_after_the_other = 4.0;  // q with k and v; o; gate with up; down
    auto const metrics = machine.answer(point);
    return of_cim_mesh(p, *metrics, first ? 1.0 : one_after_the_other);
}

}  // namespace

PassWork prompt_work(sim::LanguageModel const& model, double tokens) {
    auto const layers = static_cast<double>(model.layers);
    auto const weights = static_cast<double>(sim::layer_weights(model)) * layers;
    double const pairs = tokens * (tokens + 1.0) / 2.0;
    return {tokens * weights, static_cast<double>(sim::lm_head_weights(model)),
            2.0 * pairs * static_cast<double>(model.query_width()) * layers, weights,
            static_cast<double>(sim::kv_elements_per_token(model)) * layers};
}

PassWork step_work(sim::LanguageModel const& model, double context) {
    auto work = prompt_work(model, 1.0);
    work.attention *= context;
    return work;
}

std::vector<UnitFloor> first_token_floors(ServedMachine const& machine, Values const& point) {
    return floors_of(machine, point, true);
}

std::vector<UnitFloor> later_token_floors(ServedMachine const& machine, Values const& point) {
    return floors_of(machine, point, false);
}

}  // namespace pimdse::laws
