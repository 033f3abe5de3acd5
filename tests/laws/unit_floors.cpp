#include "unit_floors.hpp"

#include "models/contract/constants.hpp"
#include "models/contract/technology.hpp"
#include "models/dram/dram_standard.hpp"
#include "models/find_architecture.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace pimdse::laws {
namespace {

using Floors = std::vector<UnitFloor>;

/// A phase of a request on a machine: its work and how many sequences and positions it has.
struct Phase {
    ServedMachine const& machine;
    Values const& point;
    models::LanguageModel model;
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
/// The format of weights of a board: the files of the models here name none.
std::string weights_of(ServedMachine const& machine, Values const& point) {
    auto const format = machine.text(point, "weights");
    return format == "model" ? "fp16" : format;
}

Floors of_gpu(Phase const& p) {
    static auto const sheet = models::constants_of(models::find_architecture("gpu"));
    auto const row = [&](std::string const& name) { return sheet.all().at(p.text("device") + "_" + name).si; };
    auto const format = weights_of(p.machine, p.point);
    double const bytes = format == "fp16" ? 2.0 : 1.0;
    double const cache_bytes = p.text("kv_cache") == "8bit" ? 1.0 : 2.0;
    double const moved = bytes * (p.work.weights + p.work.head) + cache_bytes * p.batch * p.context * p.work.cache;
    return {{"arithmetic at the data sheet's peak", 2.0 * p.products(1.0) / row(format + "_peak")},
            {"memory at the data sheet's bandwidth", moved / row("bandwidth")}};
}

/// The NPU at its peak, twice as high for int8, the pins of the channels at a burst each nBL, and the banks at a burst
/// times `pim_vectors` every interval.
struct UmdamUnits {
    double npu = 0.0, pins = 0.0, banks = 0.0;  ///< MAC/s, B/s, bytes multiplied per second

    /// Products on the unit that is named, or on the faster one; `elements` of so many bytes come over the pins to the
    /// NPU.
    [[nodiscard]] double products(std::string const& unit, double count, double elements, double bytes = 2.0) const {
        double const by_npu = std::max(count / npu, bytes * elements / pins), by_banks = bytes * count / banks;
        if (unit == "npu" || banks == 0.0) return by_npu;
        return unit == "pim" ? by_banks : std::min(by_npu, by_banks);
    }
};

UmdamUnits umdam_units(Phase const& p) {
    static std::map<std::string, sim::dram::Standard> read;
    auto const name = p.text("dram");
    if (!read.contains(name)) read[name] = models::load_dram_standard(name);
    auto const& dram = read[name];
    double const burst = static_cast<double>(dram.organisation.burst_bytes);
    double const pins = burst / (std::max(dram.timing.nBL, dram.timing.nCCDS) * dram.clock.si);
    double const banks = p.number("channels") * p.number("ranks") * p.number("bank_groups") * p.number("banks");
    double const products = banks * burst * p.number("pim_vectors") / p.number("pim_mac_interval");
    return {p.number("npu_flops") / (p.text("products") == "int8" ? 1.0 : 2.0), p.number("channels") * pins,
            p.text("baseline") == "npu_only" ? 0.0 : products};
}

double umdam_weight_bytes(ServedMachine const& machine, Values const& point) {
    constexpr double bits_per_byte = 8.0;
    auto const bits = machine.text(point, "weight_bits");
    return (bits == "model" ? 16.0 : std::stod(bits)) / bits_per_byte;
}

/// The layers, and behind them the LM head at the last position.
Floors umdam_first(Phase const& p) {
    auto const u = umdam_units(p);
    auto const unit = p.text("prefill_unit");
    double const bytes = umdam_weight_bytes(p.machine, p.point);
    // keys and values are on chip where the NPU has made them; what the banks multiply, `attention` attends to
    auto const attends = unit == "pim" ? p.text("attention") : unit;
    double const layers = u.products(unit, p.batch * p.work.products, p.work.weights, bytes) +
                          u.products(attends, p.batch * p.work.attention, 0.0);
    double const head =
        p.text("lm_head") == "skip" ? 0.0 : u.products(p.text("lm_head"), p.batch * p.work.head, p.work.head, bytes);
    return {{"products at the peak of NPU or banks", layers + head}};
}

/// Products with weights, and behind them those with keys and values, which the NPU's traffic may hide behind PIM.
Floors umdam_later(Phase const& p) {
    auto const u = umdam_units(p);
    double const head = p.text("lm_head") == "skip" ? 0.0 : p.work.head;
    double const weights = u.products(p.text("decode_unit"), p.batch * (p.work.products + head), p.work.weights + head,
                                      umdam_weight_bytes(p.machine, p.point));
    bool const in_turns = p.text("concurrency") == "exclusive";
    double const cache =
        u.products(p.text("attention"), p.batch * p.work.attention, p.batch * p.context * p.work.cache);
    return {{"products at the peak of NPU or banks", weights + (in_turns ? cache : 0.0)}};
}

/// A matrix unit of MLEN x BLEN products a cycle at 1 GHz, an HBM channel of 64 B in two ticks (1.6 times as often
/// with HBM2e), VLEN lanes that see each logit once.
Floors of_dplena(Phase const& p) {
    constexpr double clock = 1e9, line = 64.0, ticks = 2.0, bits_per_byte = 8.0;
    double const weights = p.number("weight_bits") / bits_per_byte * (p.work.weights + p.work.head);
    double const cache = p.batch * p.context * p.work.cache;
    double const logits = p.batch * static_cast<double>(p.model.vocabulary);
    double const faster = p.text("hbm") == "hbm2e" ? 1.6 : 1.0;
    double const hbm = p.number("channels") * line / ticks * clock * faster;
    return {{"matrix unit", p.products(1.0) / (p.number("matrix_depth") * p.number("matrix_block") * clock)},
            {"HBM channels", (weights + cache) / hbm},
            {"vector unit", logits / (p.number("vlen") * clock)}};
}

/// One request's positions follow each other through a layer, layer after layer: each crossbar multiplies once for
/// each, the vectors come in over the four links of one router, and all routers that a layer may have share the
/// products of attention.
Floors of_cim_mesh(Phase const& p, models::Metrics const& metrics, double dependent_products) {
    double const clock = p.number("frequency");
    double const routers = p.machine.value(metrics, "placed_tiles") * p.number("mesh_rows") * p.number("mesh_cols");
    constexpr double value_bits = 8.0, links = 4.0;
    double const vector = static_cast<double>(p.model.hidden) * value_bits / (links * p.number("link_bits"));
    // Baselines multiply keys elsewhere: in arrays without a rate, or on 64 multipliers of each pair.
    auto const unit = p.text("dynamic_products");
    double const multipliers = unit == "digital"                       ? 64.0
                               : unit == "routers" || unit == "shared" ? p.number("dmacs")
                                                                       : 0.0;
    double const attention = multipliers > 0.0 ? p.work.attention / (routers * multipliers * clock) : 0.0;
    return {{"crossbar products", p.layers() * p.positions * dependent_products * p.number("smac_cycles") / clock},
            {"multipliers of keys and values", attention},
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
    for (auto const& matrix : models::layer_matrices(p.model)) {
        if (!with_last)
            sent += static_cast<double>(matrix.inputs) * std::min(dpus, static_cast<double>(matrix.outputs));
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

/// Floors of one device with all of the work.
Floors floors_alone(ServedMachine const& machine, Values const& point, bool first) {
    auto const p = phase_of(machine, point, first);
    if (machine.name() == "gpu") return of_gpu(p);
    if (machine.name() == "umdam") return first ? umdam_first(p) : umdam_later(p);
    if (machine.name() == "dplena") return of_dplena(p);
    if (machine.name() == "upmem") return of_upmem(p);
    sim::expects(machine.name() == "cim_mesh", "an architecture has a reference here");
    constexpr double one_after_the_other = 4.0;  // q with k and v; o; gate with up; down
    auto const metrics = machine.result(point);
    return of_cim_mesh(p, *metrics, first ? 1.0 : one_after_the_other);
}

/// Devices that share the work have at least their part of it.
Floors floors_of(ServedMachine const& machine, Values const& point, bool first) {
    auto floors = floors_alone(machine, point, first);
    for (auto& floor : floors) floor.seconds /= machine.number(point, "devices");
    return floors;
}

/// What a machine multiplies in and where its operands come from, as rows of models/technology.toml; bytes an element.
struct Operands {
    std::string product, memory;  ///< memory "": weights and cache stay where they are multiplied
    double weight_bytes = 1.0, cache_bytes = 1.0;
};

/// Of a read of the memory, what reading the weights or the cache takes that meet so many vectors.
double read_share(ServedMachine const& machine, Values const& point, char const* unit, double vectors) {
    if (machine.name() != "umdam" || machine.text(point, "baseline") == "npu_only") return 1.0;
    // The script behind dram_array_lpddr5 has 0.28 of its 2.14 pJ/bit for reads of all banks at once, which units in
    // the banks repeat for the vectors that they cannot take together.
    constexpr double inside_bank = 0.28 / 2.14;
    auto const named = machine.text(point, unit);
    if (named == "npu") return 1.0;
    double const in_banks = inside_bank * std::ceil(vectors / machine.number(point, "pim_vectors"));
    return named == "pim" ? in_banks : std::min(1.0, in_banks);
}

Operands operands_of(ServedMachine const& machine, Values const& point) {
    constexpr double bits_per_byte = 8.0;
    auto const name = machine.name();
    if (name == "umdam") {
        double const bytes = umdam_weight_bytes(machine, point);
        auto const* product = bytes == 2.0 ? "mac_fp16" : bytes == 1.0 ? "mac_int8" : "mac_int4";
        return {product, "dram_array_lpddr5", bytes, 2.0};
    }
    if (name == "upmem") return {"mac_int8", "dram_array_ddr4", 1.0, 0.0};
    if (name == "cim_mesh") return {"mac_int8", "", 0.0, 0.0};
    if (name == "dplena") {
        double const bits = machine.number(point, "weight_bits");
        return {bits > 4.0 ? "mac_int8" : "mac_int4", "dram_array_hbm2", bits / bits_per_byte, 1.0};
    }
    sim::expects(name == "gpu", "an architecture has a reference here");
    auto const format = weights_of(machine, point);
    bool const has_stacks = !machine.text(point, "device").starts_with("rtx_");
    return {"mac_" + format, has_stacks ? "dram_array_hbm2" : "dram_array_gddr6", format == "fp16" ? 2.0 : 1.0,
            machine.text(point, "kv_cache") == "8bit" ? 1.0 : 2.0};
}

/// Share of the energy of a product that remains where converters round sums to fewer bits than resolve them: 8 bits
/// for a crossbar of 128 rows, half as much per bit.
double rounded_share(ServedMachine const& machine, Values const& point) {
    if (machine.find("adc_bits") < 0 || machine.number(point, "adc_bits") == 0.0) return 1.0;
    bool const leap = machine.text(point, "machine") != "primal" && machine.number(point, "crossbar") == 256.0;
    double const full = 8.0 + std::log2((leap ? 128.0 : machine.number(point, "crossbar")) / 128.0);
    return std::min(1.0, std::exp2(machine.number(point, "adc_bits") - full));
}

/// Energy of a product below the nominal clock, whose voltage is a third and two thirds of the clock (cim_mesh).
double voltage_share(ServedMachine const& machine, Values const& point) {
    if (machine.name() != "cim_mesh") return 1.0;
    constexpr double nominal = 1e9, floor = 0.33;
    double const volts = floor + (1.0 - floor) * machine.number(point, "frequency") / nominal;
    return std::min(1.0, volts * volts);
}

}  // namespace

PassWork prompt_work(models::LanguageModel const& model, double tokens) {
    double const pairs = tokens * (tokens + 1.0) / 2.0;
    PassWork work;
    work.head = static_cast<double>(models::lm_head_weights(model));
    for (auto const& kind : models::alike_layers(model)) {
        auto const layers = static_cast<double>(kind.layers);
        auto const weights = static_cast<double>(models::layer_weights(kind)) * layers;
        auto const cached = static_cast<double>(models::kv_elements_per_token(kind)) * layers;
        work.weights += weights;
        work.products += tokens * weights;
        work.cache += cached;
        if (cached > 0.0) work.attention += 2.0 * pairs * static_cast<double>(kind.query_width()) * layers;
    }
    return work;
}

PassWork step_work(models::LanguageModel const& model, double context) {
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

double request_energy_floor(ServedMachine const& machine, Values const& point) {
    static auto const technology = models::Technology::load(models::Assumptions{});
    auto const model = machine.model(point);
    auto const operands = operands_of(machine, point);
    double const batch = machine.number(point, "batch"), input = machine.number(point, "input");
    double const later = machine.number(point, "output") - 1.0;
    auto const prompt = prompt_work(model, input), step = step_work(model, input + (later + 1.0) / 2.0);
    bool const head = machine.text(point, "lm_head") != "skip";  // a request without one is what some papers count
    double const rounded = rounded_share(machine, point);
    auto const products = [&](PassWork const& w) {
        return rounded * (w.products + (head ? w.head : 0.0)) + w.attention;
    };
    double const volts = voltage_share(machine, point);
    double const multiplied = volts * batch * (products(prompt) + later * products(step));
    auto const share = [&](char const* unit, double vectors) { return read_share(machine, point, unit, vectors); };
    double const group = static_cast<double>(model.heads) / static_cast<double>(model.kv_heads);
    double const of_layers = share("prefill_unit", batch * input) + later * share("decode_unit", batch);
    double const of_head = share("lm_head", batch) + later * share("decode_unit", batch);
    double bytes = (of_layers * prompt.weights + (head ? of_head * prompt.head : 0.0)) * operands.weight_bytes;
    bytes +=
        share("attention", group) * batch * later * (input + (later + 1.0) / 2.0) * step.cache * operands.cache_bytes;
    constexpr double half = 0.5;
    double const memory = operands.memory.empty() ? 0.0 : technology.row(operands.memory).lower;
    return half * multiplied * technology.row(operands.product).constant.si + bytes * memory;
}

}  // namespace pimdse::laws
