#include "models/umdam/parameters.hpp"

#include "models/contract/parameter_table.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/contract/toml_file.hpp"
#include "models/dram/dram_standard.hpp"
#include "models/llm/layer_support.hpp"
#include "models/llm/request_passes.hpp"
#include "models/llm/state.hpp"
#include "models/llm/weight_format.hpp"
#include "models/text/parameter_reader.hpp"
#include "models/umdam/latent.hpp"
#include "models/umdam/ledger.hpp"
#include "models/umdam/npu.hpp"
#include "models/umdam/request.hpp"
#include "models/umdam/written_mapping.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

namespace pimdse::models::umdam {
namespace {

using Table = ParameterTable<Design>;

constexpr char const* no_pim = "PIM commands are modelled on LPDDR5 only";

/// Every timing set. Families without PIM commands are listed but not built.
Parameter dram_parameter(Parameter p) {
    for (auto const& name : dram_standard_names()) {
        if (std::find(p.choices.begin(), p.choices.end(), name) == p.choices.end()) p.choices.push_back(name);
        if (load_dram_standard(name).family != sim::dram::Family::lpddr5) p.not_built.push_back({name, no_pim});
    }
    auto const check = [](std::string const& file) {
        if (load_dram_standard(file).family != sim::dram::Family::lpddr5)
            throw sim::InputError(fmt::format("{} is not an LPDDR5 timing set ({})", file, no_pim));
    };
    return or_own_file(std::move(p), check, {".toml"}, "pimdse list dram");
}

Parameter mapping_parameter(Parameter p) {
    p.items = field_items();
    p.accepts = refusal_of_mapping;
    return p;
}

/// What the keys set. `auto` of a unit selects the one that needs less time, according to the simulation or closed form
/// that evaluates the point; what programs attain: see Assumptions.
Table make_table() {
    text::KeyFile const keys(data_directory() / "models" / "umdam" / "keys.toml");
    Table table;
    table.row<&Design::baseline>(keys["baseline"]);
    table.row<&Design::dram>(dram_parameter(keys["dram"]));
    table.row<&Design::mapping>(mapping_parameter(keys["mapping"]));
    table.row<&Design::coll_bits>(keys["coll_bits"]);
    table.row<&Design::channels>(keys["channels"]);
    table.row<&Design::ranks>(keys["ranks"]);
    table.row<&Design::groups>(keys["bank_groups"]);
    table.row<&Design::banks>(keys["banks"]);
    table.row<&Design::row_bytes>(keys["row_bytes"]);
    table.row<&Design::density>(keys["density"]);
    table.row<&Design::queue_depth>(keys["queue_depth"]);
    table.row<&Design::scheduler>(keys["scheduler"]);
    table.row<&Design::engines>(keys["engines"]);
    table.row<&Design::npu_flops>(keys["npu_flops"]);
    table.row<&Design::npu_buffer>(keys["npu_buffer"]);
    table.row<&Design::npu_l1>(keys["npu_l1"]);
    table.row<&Design::mac_interval>(keys["pim_mac_interval"]);
    table.row<&Design::buffer_elements>(keys["global_buffer_elements"]);
    table.row<&Design::double_buffer>(keys["double_buffer"]);
    table.row<&Design::loop_order>(keys["loop_order"]);
    table.row<&Design::activation>(keys["activation"]);
    table.row<&Design::pim_vectors>(keys["pim_vectors"]);
    table.row<&Design::count_first>(keys["count_first"]);
    table.row<&Design::ignore_capacity>(keys["ignore_capacity"]);
    table.row<&Design::prefill_unit>(keys["prefill_unit"]);
    table.row<&Design::decode_unit>(keys["decode_unit"]);
    table.row<&Design::attention>(keys["attention"]);
    table.row<&Design::lm_head>(keys["lm_head"]);
    table.row<&Design::attained_share>(keys["attained_share"]);
    table.row<&Design::layer_overhead>(keys["layer_overhead"]);
    table.row<&Design::refresh>(keys["refresh"]);
    table.row<&Design::row_pad>(keys["row_pad"]);
    table.row<&Design::split_k>(keys["split_k"]);
    table.row<&Design::staging>(keys["staging"]);
    table.row<&Design::concurrency>(keys["concurrency"]);
    table.row<&Design::mac_command>(keys["mac_command"]);
    table.row<&Design::tile_width>(keys["tile_width"]);
    table.row<&Design::tile_order>(keys["tile_order"]);
    table.row<&Design::weight_bits>(keys["weight_bits"]);
    table.row<&Design::products>(keys["products"]);
    table.row<&Design::weight_load>(keys["weight_load"]);
    table.row<&Design::tier_capacity>(keys["tier_capacity"]);
    table.row<&Design::denoising>(keys["denoising"]);
    return table;
}

Table const& table() {
    static auto const made = make_table();
    return made;
}

using Refusal = std::optional<Infeasible>;

bool power_of_two(std::int64_t count) { return std::has_single_bit(static_cast<std::uint64_t>(count)); }

double gib(double bytes) { return bytes / 0x1p30; }

Refusal check_global_buffer(System const& d) {
    auto const& s = d.design;
    std::int64_t const step = d.standard.organisation.burst_bytes * 8 / d.design.stored_bits();
    if (s.buffer_elements % step != 0) {
        return infeasible("global_buffer", "a global buffer of {} elements is not filled by whole bursts of {}",
                          s.buffer_elements, step);
    }
    auto const places = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(s.pim_vectors)));
    if (s.buffer_elements < places * step) {
        return infeasible("global_buffer",
                          "{} vectors at once take {} elements of the global buffer, "
                          "which holds {}",
                          s.pim_vectors, places * step, s.buffer_elements);
    }
    std::int64_t longest = 0;
    for (auto const& m : d.matrices) longest = std::max(longest, m.inputs);
    if (s.loop_order == LoopOrder::res && s.buffer_elements < longest * places) {
        return infeasible(
            "global_buffer", "loop order res keeps all {} inputs of a matrix in the global buffer{}, which holds {}",
            longest, s.pim_vectors > 1 ? fmt::format(" for each of {} vectors", s.pim_vectors) : "", s.buffer_elements);
    }
    return std::nullopt;
}

Refusal check_npu_buffer(System const& d, std::int64_t edge, std::int64_t chips) {
    std::int64_t const height = d.interleave * 8 / d.design.stored_bits();
    std::int64_t const width = d.tile_width();
    std::int64_t const weights = height * width * d.design.stored_bits() / 8;
    std::int64_t const needed = 2 * (edge * height * d.design.activation_bytes() + weights) + edge * width * sum_bytes;
    if (d.design.npu_l1 > 0 && needed > d.design.npu_l1) {
        return infeasible("npu_l1",
                          "two weight tiles of {} x {} and their operands take {} B of the {} B of "
                          "a first-level memory",
                          height, width, needed, d.design.npu_l1);
    }
    if (chips * d.design.npu_l1 > d.design.npu_buffer) {
        return infeasible("npu_l1",
                          "the first-level memories of {} chips hold {} B each, more than the {} B "
                          "of the buffer in front of them",
                          chips, d.design.npu_l1, d.design.npu_buffer);
    }
    if (needed <= d.design.npu_buffer) return std::nullopt;
    return infeasible("npu_buffer", "two weight tiles of {} x {} and their operands take {} B of the NPU's {} B",
                      height, width, needed, d.design.npu_buffer);
}

/// Weights are not rounded to the format of the products.
Refusal check_products(Design const& s) {
    if (!s.multiplies_bytes() || s.weight_bits != WeightBits::sixteen) return std::nullopt;
    return Infeasible{"products",
                      "the NPU multiplies int8, and the weights have 16 bits (weight_bits = 8, or products = fp16)"};
}

/// The clock of the units in the banks.
Refusal check_clock(Design const& s, Supply const& pim) {
    auto const clock = pim_clock(s);
    if (pim.allows(clock)) return std::nullopt;
    return infeasible("clock", "a multiplication every {} is {}, units in the banks run at {} to {}",
                      sim::print_quantity(s.mac_interval, "s"), sim::print_quantity(clock.si, "Hz"),
                      sim::print_quantity(pim.lowest.si, "Hz"), sim::print_quantity(pim.highest.si, "Hz"));
}

/// Tiles that are wider than the banks, or in another order, leave pieces of several columns in turn in a bank.
Refusal check_tiles(System const& d) {
    auto const& s = d.design;
    bool const in_turn = d.tile_width() > lanes(d.standard.organisation) || s.tile_order != TileCurve::column_major;
    if (s.baseline != Baseline::umdam || !in_turn) return std::nullopt;
    for (auto const& m : d.matrices) {
        if (m.locality.split > 1) {
            return infeasible("pim_locality",
                              "the mapping spreads one column of a {} x {} matrix over {} banks (split_k "
                              "needs tile_order = column and at most one output of a tile in a bank)",
                              m.inputs, m.outputs, m.locality.split);
        }
    }
    if (s.loop_order == LoopOrder::kseg) return std::nullopt;
    return Infeasible{"loop_order",
                      "a unit in a bank has one sum, and pieces of several outputs follow each other in storage order: "
                      "loop_order = kseg takes one output after the other"};
}

Refusal check_locality(System const& d) {
    if (d.design.baseline == Baseline::pimnast) return std::nullopt;  // parts of a column are in other banks on purpose
    for (auto const& m : d.matrices) {
        if (m.locality.split > 1 && !d.design.split_k) {
            return infeasible("pim_locality",
                              "the mapping spreads one column of a {} x {} matrix over {} banks (PIM adds up "
                              "inside a bank only; split_k = true sums on the NPU)",
                              m.inputs, m.outputs, m.locality.split);
        }
        if (m.locality.split == 1 && !m.locality.lock_step) {
            return infeasible("pim_lock_step",
                              "the mapping puts equal inputs of a {} x {} matrix at different rows or columns "
                              "of its banks (all-bank commands name one)",
                              m.inputs, m.outputs);
        }
    }
    return std::nullopt;
}

/// The schedule hides work behind the products of the values of every layer.
Refusal check_scheduled_layers(System const& d) {
    if (d.design.concurrency != Concurrency::scheduled) return std::nullopt;
    for (auto const& alike : alike_layers(*d.model)) {
        if (alike.attends && !has_state(alike) && !alike.values_from_keys) continue;
        return infeasible("concurrency",
                          "the schedule hides scores behind the products of values in every layer, and "
                          "layers of {} have {} (concurrency = exclusive)",
                          d.model->name, has_state(alike) ? text_of(alike.state.kind) : "no values");
    }
    return std::nullopt;
}

Refusal check_layers(System const& d) {
    auto const& model = *d.model;
    if (auto refused = check_scheduled_layers(d)) return refused;
    if (d.design.diffuses() && std::ranges::any_of(d.spans, &Span::limited)) {
        return infeasible("window",
                          "blocks are denoised with attention to all {} positions of the request, "
                          "and layers of {} have shorter windows",
                          d.design.input + d.design.output, model.name);
    }
    if (!has_latent_attention(model)) return std::nullopt;
    if (d.design.diffuses()) {
        return infeasible("latent_attention",
                          "{} has latent attention, whose cached vectors every step of a block would expand "
                          "anew (generation = autoregressive)",
                          model.name);
    }
    if (d.uses_pim() && d.design.attention == PhaseUnit::pim) {
        return infeasible("latent_attention",
                          "{} has latent attention: scores sum along a cached vector and weighted sums "
                          "along positions, and a unit in a bank sums along one of them (attention = npu)",
                          model.name);
    }
    return std::nullopt;
}

/// Refuses tiles that the point chooses for pimnast, which chooses them itself.
Refusal check_own_tiles(Design const& s) {
    bool const chosen = s.tile_width != 0 || s.tile_order != TileCurve::column_major;
    if (s.baseline != Baseline::pimnast || !chosen) return std::nullopt;
    return Infeasible{
        "placement",
        "baseline = pimnast chooses width and order of the tiles of each matrix by the time of its product "
        "in the banks (leave tile_width = 0 and tile_order = column)"};
}

/// The power of a DRAM package while its banks multiply, if this request may use them.
Refusal check_package(System const& d, MachineConstants const& machine) {
    bool banks = false;
    for (std::size_t i = 0; i < static_cast<std::size_t>(Choice::end); ++i) {
        auto const units = open_units(d, static_cast<Choice>(i));
        banks = banks || std::ranges::find(units, PhaseUnit::pim) != units.end();
    }
    double const power = banks ? EnergyLaw(d, machine).package_power_at_work() : 0.0, limit = machine.package.limit.si;
    if (power <= limit) return std::nullopt;
    return infeasible("package_power",
                      "banks that multiply draw {:.3g} W in a DRAM package of {} channels and {} ranks, "
                      "which sheds {:.3g} W (slower units, fewer ranks, or the NPU for every phase)",
                      power, std::min<double>(machine.package.channels, static_cast<double>(d.design.channels)),
                      d.design.ranks, limit);
}

}  // namespace

Parameters pim_npu_keys() { return table().parameters(); }

std::variant<Design, Infeasible> read_pim_npu(Point values, text::LlmRequest const& request,
                                              MachineConstants const& machine) {
    constexpr std::array<double, 3> widths{16, 8, 4};
    constexpr double bits_per_byte = 8, cached = widths.front();
    auto design = table().read(values);
    static_cast<text::LlmRequest&>(design) = request;
    design.cache_bytes = machine.element_bytes;
    if (double const bits = bits_per_byte * request.cache_bytes; bits != cached)
        return infeasible("kv_cache", "keys and values have {:g} bits in the banks, not {:g}", cached, bits);
    if (request.follows_file) return design;
    if (design.weight_bits != WeightBits::model)
        return infeasible("weights", "weight_bits = {:g} states the bits of a weight (weights = {} leaves them to it)",
                          widths.at(static_cast<std::size_t>(design.weight_bits)), as_model_says);
    double const bits = bits_per_byte * request.weight_bytes;
    auto const width = std::ranges::find(widths, bits);
    if (width == widths.end())
        return infeasible("weights", "weights have 16, 8 or 4 bits in the banks, not {:g}", bits);
    design.weight_bits = static_cast<WeightBits>(width - widths.begin());
    return design;
}

Refusal check_numbers(Design const& s, Prepared const& prepared) {
    bool const has_width = s.baseline == Baseline::umdam && s.tile_width != 0;
    for (auto const& [name, count] :
         std::initializer_list<std::pair<char const*, std::int64_t>>{{"channels", s.channels},
                                                                     {"ranks", s.ranks},
                                                                     {"bank_groups", s.groups},
                                                                     {"banks", s.banks},
                                                                     {"row_bytes", s.row_bytes},
                                                                     {"tile_width", has_width ? s.tile_width : 1}}) {
        if (!power_of_two(count))
            return infeasible("power_of_two", "{} must be a power of two, because address bits select it (got {})",
                              name, count);
    }
    if (s.concurrency == Concurrency::partition && s.channels < 2)
        return Infeasible{"partition", "one channel cannot be partitioned between NPU and PIM"};
    auto const& densities = prepared.standards.at(s.dram);
    if (!densities.contains(static_cast<int>(s.density))) {
        std::vector<int> known;
        for (auto const& [density, _] : densities) known.push_back(density);
        return infeasible("density", "density = {} Gbit is not one the timing set has ({})", s.density,
                          fmt::join(known, ", "));
    }
    if (std::int64_t const banks = s.ranks * s.groups * s.banks; banks > 64) {
        return infeasible("banks", "{} banks on one channel are more than a controller tracks (64)", banks);
    }
    return check_clock(s, prepared.machine.energy.pim);
}

Refusal check_organisation(System const& d) {
    auto const& organisation = d.standard.organisation;
    if (organisation.rows < 1)
        return infeasible("density", "density = {} Gbit leaves no row of {} B per bank", d.design.density,
                          organisation.row_bytes);
    if (int const bits = std::countr_zero(static_cast<unsigned>(organisation.columns())); d.design.coll_bits > bits) {
        return infeasible("coll_bits", "coll_bits = {} exceeds the {} column bits of a {} B row", d.design.coll_bits,
                          bits, organisation.row_bytes);
    }
    if (refresh_share(d.standard) >= 1.0)
        return infeasible("refresh", "refresh takes {} of every {} cycles", d.standard.timing.nRFC,
                          d.standard.timing.nREFI);
    return std::nullopt;
}

Refusal check_generation(System const& d) {
    auto const& s = d.design;
    if (auto refused = broken_generation(s, true)) return refused;
    if (auto refused =
            unserved_layers(*d.model, "umdam",
                            {LayerFeature::state, LayerFeature::no_attention, LayerFeature::no_network,
                             LayerFeature::values_from_keys, LayerFeature::output_gate, LayerFeature::layer_embedding,
                             LayerFeature::matrices, LayerFeature::expert_width, LayerFeature::few_experts}))
        return refused;
    if (auto refused = check_layers(d)) return refused;
    if (s.diffuses() && s.concurrency != Concurrency::exclusive)
        return Infeasible{"concurrency", "NPU and PIM take turns while blocks are denoised (concurrency = exclusive)"};
    return check_own_tiles(s);
}

Refusal check_buffers(System const& d, Prepared const& prepared) {
    auto const& npu = prepared.machine.npu;
    if (auto refused = check_products(d.design)) return refused;
    if (auto refused = check_npu_buffer(d, sim::whole_part(npu.cube_edge), sim::whole_part(npu.chips))) return refused;
    return d.uses_pim() ? check_global_buffer(d) : std::nullopt;
}

Refusal check_placement(System const& d, MachineConstants const& machine) {
    if (auto refused = check_tiles(d)) return refused;
    if (auto refused = check_locality(d)) return refused;
    if (auto refused = check_capacity(d)) return refused;
    return check_package(d, machine);
}

Refusal check_capacity(System const& d) {
    double const capacity = d.standard.organisation.capacity_bytes();
    bool const apart = d.design.concurrency == Concurrency::partition;
    double const weights = d.all_weights(), caches = d.all_caches();
    double const needed = apart ? std::max(weights, caches) : weights + caches;
    if (needed > capacity && !d.design.ignore_capacity) {
        return infeasible("capacity", "weights {:.2f} GiB and KV cache {:.2f} GiB do not fit {:.2f} GiB of DRAM{}",
                          gib(weights), gib(caches), gib(capacity), apart ? " each" : "");
    }
    return std::nullopt;
}

Refusal check_speculation(System const& d) {
    auto const& s = d.design;
    if (auto refused = broken_speculation(s.speculation, s.diffuses(), s.input, s.output)) return refused;
    if (s.speculation.draft == 0 || s.concurrency != Concurrency::scheduled) return std::nullopt;
    return infeasible("concurrency",
                      "the schedule hides the scores of one position of a request behind its values, and "
                      "draft = {} verifies several together (concurrency = exclusive)",
                      s.speculation.draft);
}

}  // namespace pimdse::models::umdam
