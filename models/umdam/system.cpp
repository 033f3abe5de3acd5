#include "models/umdam/system.hpp"

#include "models/llm/weight_format.hpp"
#include "models/llm/workload.hpp"
#include "models/text/request.hpp"
#include "models/umdam/costs.hpp"
#include "models/umdam/latent.hpp"
#include "models/umdam/layout.hpp"
#include "models/umdam/parameters.hpp"
#include "models/umdam/weight_order.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace pimdse::models::umdam {

namespace {

/// The design with the bits and bytes of its weights: those of the file of its model, if it leaves them to it, without
/// what that has beside them.
Design with_weight_bits(Design design) {
    if (design.weight_bits == WeightBits::model) {
        auto const bits = whole_bits(*design.model);
        design.weight_bits = bits == 8 ? WeightBits::eight : bits == 4 ? WeightBits::four : WeightBits::sixteen;
    }
    design.follows_file = false;
    constexpr std::int64_t byte_bits = 8;
    auto const stored = design.element_bytes() * byte_bits / design.weights_per_element();
    design.weight_bytes = static_cast<double>(std::max<std::int64_t>(1, stored)) / byte_bits;
    return design;
}

/// Whether tokens choose among as many matrices in both.
bool chosen_alike(LanguageModel const* a, LanguageModel const* b) {
    if (a == nullptr || b == nullptr) return a == b;
    return a->experts == b->experts && a->experts_active == b->experts_active;
}

/// Adds a matrix of all layers of one kind.
void add_layers(LanguageModel const& alike, WeightMatrix const& m, std::vector<Matrix>& list) {
    auto const* const experts = of_experts(m) ? &alike : nullptr;
    auto const same = std::ranges::find_if(list, [&](Matrix const& other) {
        return other.inputs == m.inputs && other.outputs == m.outputs && chosen_alike(other.experts, experts);
    });
    auto const layers = static_cast<double>(alike.layers);
    double const stored = layers * static_cast<double>(m.count), active = layers * static_cast<double>(m.active);
    if (same == list.end()) {
        list.push_back(
            Matrix{.inputs = m.inputs, .outputs = m.outputs, .stored = stored, .active = active, .experts = experts});
    } else {
        same->stored += stored;
        same->active += active;
    }
}

/// ColL of weights that lie in the banks without regard to the mapping.
std::int64_t own_coll_bits(Design const& s, Organisation const& o) {
    if (s.coll_bits >= 0) return s.coll_bits;
    return std::min(paper_coll_bits, std::countr_zero(static_cast<unsigned>(o.columns())));
}

/// ColL of the weights in the banks: the value of the point, or the value that matches the mapping under which they are
/// read and multiplied.
std::int64_t layout_coll_bits(Design const& s, Organisation const& o, sim::dram::Mapping const& mapping) {
    if (s.coll_bits < 0 && s.baseline == Baseline::umdam) return matching_coll_bits(mapping);
    return own_coll_bits(s, o);
}

Locality locality_for(LocalityKey const& key, MappingAllowances const& allowances) {
    return locality_of(*key.mapping, key.shape, allowances.tiles_looked_at);
}

/// Sets tile_rows, tile_columns, bytes and span.
void store_as(Matrix& m, Layout const& layout) {
    m.tile_rows = layout.tile_rows();
    m.tile_columns = layout.tile_columns();
    m.bytes = m.tile_rows * m.tile_columns * layout.tile_bytes();
    m.span = layout.bytes();
}

/// Where the columns of a tile, or tiles of several columns, follow each other in a bank, sets what a bank finds. In
/// the order of a column, tiles that are narrower than the banks leave whole columns or whole parts of them.
void take_turns(Matrix& m, StoredShape const& shape, std::int64_t banks) {
    std::int64_t const columns_of_tile = std::max<std::int64_t>(1, shape.width / banks);
    if (shape.curve == TileCurve::column_major && columns_of_tile == 1) return;
    m.piece_bytes = shape.interleave;
    m.columns_of_tile = columns_of_tile;
    m.tiles_of_bank = shape.grid();
    if (shape.width < banks) m.tiles_of_bank.columns = std::max<std::int64_t>(1, m.tile_columns * shape.width / banks);
}

/// Stores every matrix at the placement with the shortest closed form of its product in the banks with the vectors of a
/// batch, sums of parts on the NPU included; of equal ones the first. Preconditions: matrices stored as relayout does,
/// mappings chosen.
void balance(System& d, Prepared const& prepared) {
    OperationCosts costs(prepared, d, Fidelity::analytic);
    auto const list = placements(d);
    std::vector<Matrix> balanced;
    for (auto const& m : d.matrices) {
        Matrix best;
        double least = std::numeric_limits<double>::infinity();
        for (auto const& placement : list) {
            auto stored = placed_at(placement, m, d);
            double const seconds = costs.gemv(stored, static_cast<double>(d.design.batch), 1.0).seconds.value;
            if (seconds < least) least = seconds, best = std::move(stored);
        }
        balanced.push_back(std::move(best));
    }
    d.matrices = std::move(balanced);
}

void store(System& d, MachineConstants const& machine, Prepared const& prepared) {
    auto const banks = lanes(d.standard.organisation);
    for (auto& m : d.matrices) {
        auto const shape = stored_shape(m, d.design, d.standard.organisation, d.interleave);
        m.locality.busiest = m.bytes / banks;
        if (d.design.baseline == Baseline::umdam || d.design.baseline == Baseline::column_in_bank) {
            m.locality = prepared.localities.get({d.placed.get(), shape}, locality_for, machine.mappings);
            take_turns(m, shape, banks);
        }
        m.column_bytes = m.tile_rows * d.interleave / m.locality.split;
    }
    if (d.design.baseline == Baseline::pimnast) balance(d, prepared);
    double useful = 0.0, slots = 0.0;
    for (auto const& m : d.matrices) {
        useful += m.active * m.weights();
        slots += m.active * static_cast<double>(m.locality.busiest * banks) / d.design.weight_bytes;
        d.split = std::max(d.split, m.locality.split);
    }
    d.lane_utilisation = d.uses_pim() ? useful / slots : 0.0;
}

/// The NPU reads tile columns. Of the matrices of a layer, the one with the most bytes decides.
void choose_read_order(System& d, Prepared const& prepared) {
    d.read_order = d.mapping;
    if (d.design.tile_order == TileCurve::column_major) return;
    auto const most = std::ranges::max_element(
        d.matrices, {}, [](Matrix const& m) { return m.head ? 0.0 : m.stored * static_cast<double>(m.bytes); });
    StoredShape const shape{most->tile_rows, most->tile_columns, d.interleave, d.tile_width(), d.design.tile_order};
    d.read_order =
        prepared.read_orders.get({d.mapping.get(), shape, d.standard.organisation}, [](ReadOrderKey const& key) {
            return std::make_shared<sim::dram::Mapping const>(
                read_by_columns(*key.mapping, key.shape, key.organisation));
        });
}

double padding(System const& d) {
    double bytes = 0.0;
    for (auto const& m : d.matrices)
        bytes += m.stored * (static_cast<double>(m.span) - m.weights() * d.design.weight_bytes);
    return bytes;
}

/// Bytes from one column to the next of the matrix whose shape has the most weights in a layer: whole pieces of
/// `interleave` bytes.
std::int64_t granule_of(System const& d) {
    auto const most =
        std::ranges::max_element(d.matrices, {}, [](Matrix const& m) { return m.head ? 0.0 : m.stored * m.weights(); });
    auto const column = static_cast<std::int64_t>(std::ceil(static_cast<double>(most->inputs) * d.design.weight_bytes));
    return sim::round_up(column, d.interleave);
}

/// Bytes of the weights of the largest layer.
double layer_bytes(System const& d) {
    std::int64_t largest = 0;
    for (auto const& alike : alike_layers(*d.model)) largest = std::max(largest, layer_weights(alike));
    return d.design.weight_bytes * static_cast<double>(largest);
}

double largest_layer(System const& d) {
    double const head = d.design.weight_bytes * static_cast<double>(lm_head_weights(*d.model));
    return std::max(layer_bytes(d), d.design.lm_head == LmHead::skip ? 0.0 : head);
}

double huge_page_loss(System const& d, double page) {
    double bytes = 0.0;
    for (auto const& m : d.matrices)
        bytes += m.stored * (std::ceil(static_cast<double>(m.bytes) / page) * page - static_cast<double>(m.bytes));
    return bytes;
}

/// Bytes of DRAM that the weights occupy under each baseline (README.md, table of baselines).
double footprint(System const& d, MachineConstants const& machine) {
    double const row_major = text::weight_footprint(d.design), tiled = row_major + padding(d);
    switch (d.design.baseline) {
        case Baseline::umdam:
        case Baseline::no_interleave:
        case Baseline::column_in_bank:
            return tiled;
        case Baseline::relayout:
        case Baseline::pimnast:
            return tiled + (d.design.staging == Staging::model ? row_major : largest_layer(d));
        case Baseline::duplicate:
            return tiled + row_major;
        case Baseline::fused:
            return tiled + 2.0 * layer_bytes(d);
        case Baseline::facil:
            return tiled + huge_page_loss(d, machine.baseline.huge_page.si);
        case Baseline::npu_only:
            break;
    }
    return row_major;
}

std::optional<Infeasible> choose_mappings(System& d, Prepared const& prepared) {
    auto const& o = d.standard.organisation;
    bool const by_columns = d.design.baseline == Baseline::column_in_bank;
    bool const own = by_columns || d.design.baseline == Baseline::pimnast;
    auto const interleave_of = [&](std::int64_t coll_bits) { return std::int64_t{o.burst_bytes} << coll_bits; };
    if (own) d.interleave = interleave_of(own_coll_bits(d.design, o));
    std::int64_t const granule = by_columns ? granule_of(d) : 0;
    auto const& mapping = mapping_of(prepared, d.design, o, granule);
    if (auto const* reason = std::get_if<std::string>(&mapping)) return Infeasible{"mapping", *reason};
    d.read_order = d.placed = d.mapping = std::get<0>(mapping);
    if (own)
        d.placed = std::get<0>(pieces_over_banks(prepared, o, d.interleave));
    else
        d.interleave = interleave_of(layout_coll_bits(d.design, o, *d.mapping));
    return std::nullopt;
}

/// The timing set of a file with the point's channels, ranks, banks and rows; with half of the channels where the KV
/// cache occupies the other half.
sim::dram::Standard standard_of(Design const& d, sim::dram::Standard const& timing_set) {
    auto standard = timing_set;
    auto& o = standard.organisation;
    o.channels = static_cast<int>(d.channels);
    o.ranks = static_cast<int>(d.ranks);
    o.bank_groups = static_cast<int>(d.groups);
    o.banks = static_cast<int>(d.banks);
    o.row_bytes = static_cast<int>(d.row_bytes);
    std::int64_t const rank_bytes = d.density << 27;
    o.rows = static_cast<int>(rank_bytes / (d.groups * d.banks * d.row_bytes));
    if (d.concurrency == Concurrency::partition) o.channels /= 2;  // the other half holds the KV cache
    return standard;
}

/// The system of one model.
std::variant<System, Infeasible> system_of(Prepared const& prepared, Design const& asked) {
    auto made = hardware_of(prepared, asked);
    if (std::holds_alternative<Infeasible>(made)) return made;
    auto& d = std::get<System>(made);
    auto const design = d.design;
    d.spans = spans_of(*d.model, design.input + design.output);
    if (auto refused = check_generation(d)) return *refused;
    if (auto refused = check_organisation(d)) return *refused;
    // only a design of umdam chooses its tiles
    if (design.baseline != Baseline::umdam) d.design.tile_width = 0, d.design.tile_order = TileCurve::column_major;
    d.matrices = matrices_of(*d.model, design);
    if (auto refused = choose_mappings(d, prepared)) return *refused;
    if (auto refused = check_buffers(d, prepared)) return *refused;
    store(d, prepared.machine, prepared);
    choose_read_order(d, prepared);
    d.footprint = footprint(d, prepared.machine);
    d.kv_cache = text::cache_footprint(design);
    if (auto refused = check_placement(d, prepared.machine)) return *refused;
    return made;
}

}  // namespace

std::variant<System, Infeasible> hardware_of(Prepared const& prepared, Design const& asked) {
    auto const design = with_weight_bits(asked);
    if (auto refused = check_numbers(design, prepared)) return *refused;
    System d;
    d.design = design;
    d.timing_set = &prepared.standards.at(design.dram).at(static_cast<int>(design.density));
    d.standard = standard_of(design, *d.timing_set);
    d.model = design.model;
    return d;
}

std::vector<Matrix> matrices_of(LanguageModel const& model, Design const& s) {
    std::vector<Matrix> list;
    for (auto const& alike : alike_layers(model))
        for (auto const& m : stored_matrices(alike)) add_layers(alike, m, list);
    std::int64_t const width = model.embedding_projection != 0 ? model.embedding_projection : model.hidden;
    if (width != model.hidden) {
        list.push_back(Matrix{.inputs = width, .outputs = model.hidden});
        list.push_back(Matrix{.inputs = model.hidden, .outputs = width});
    }
    if (s.lm_head != LmHead::skip) list.push_back(Matrix{.inputs = width, .outputs = model.vocabulary, .head = true});
    return list;
}

LayoutOptions layout_options(Design const& design, std::int64_t interleave) {
    LayoutOptions options;
    options.interleave = interleave;
    options.element_bits = design.stored_bits();
    options.tile_width = design.tile_width;
    options.order = design.tile_order;
    options.row_pad = design.row_pad ? RowPad::on : RowPad::off;
    return options;
}

StoredShape stored_shape(Matrix& m, Design const& design, Organisation const& organisation, std::int64_t interleave) {
    Layout const layout(m.inputs, m.outputs, organisation, layout_options(design, interleave));
    store_as(m, layout);
    return {m.tile_rows, m.tile_columns, interleave, layout.width(), design.tile_order};
}

std::variant<System, Infeasible> make_system(Prepared const& prepared, Design const& design) {
    auto made = system_of(prepared, design);
    auto* d = std::get_if<System>(&made);
    if (d == nullptr) return made;
    auto const& speculation = design.speculation;
    if (auto refused = check_speculation(*d)) return *refused;
    d->passes = verification_passes(speculation, design.input, design.decode_steps());
    if (!speculation.has_model()) return made;
    auto draft = design;
    draft.model = speculation.draft_model;
    auto proposing = system_of(prepared, draft);
    if (auto const* refused = std::get_if<Infeasible>(&proposing)) return *refused;
    auto& proposer = std::get<System>(proposing);
    proposer.passes = draft_passes(speculation, design.input, design.decode_steps());
    d->draft = std::make_shared<System const>(std::move(proposer));
    if (auto refused = check_capacity(*d)) return *refused;
    return made;
}

std::vector<TilePlacement> placements(System const& d) {
    std::vector<TilePlacement> list;
    auto const& o = d.standard.organisation;
    for (auto const order : {TileCurve::column_major, TileCurve::row_major, TileCurve::morton}) {
        for (std::int64_t const width : {lanes(o), 2 * lanes(o)}) {
            bool const in_turn = order != TileCurve::column_major || width > lanes(o);
            if (in_turn && d.design.loop_order != LoopOrder::kseg) continue;  // a unit has one sum
            for (std::int64_t parts = 1; parts <= o.channels; parts *= 2) list.push_back({parts, width, order});
        }
    }
    return list;
}

Matrix placed_at(TilePlacement const& placement, Matrix m, System const& d) {
    auto const& o = d.standard.organisation;
    auto options = layout_options(d.design, d.interleave);
    options.split = placement.parts;
    options.tile_width = placement.width;
    options.order = placement.order;
    Layout const layout(m.inputs, m.outputs, o, options);
    store_as(m, layout);
    m.placement = placement;
    m.locality = {};
    m.locality.split = placement.parts;
    m.locality.busiest = m.bytes / lanes(o);
    m.column_bytes = m.tile_rows * d.interleave;
    m.piece_bytes = 0;
    m.columns_of_tile = 1;
    take_turns(m, {m.tile_rows, m.tile_columns, d.interleave, placement.width, placement.order}, lanes(o));
    return m;
}

sim::pim::PimTiming pim_timing(Design const& design, sim::dram::Standard const& dram, PimConstants const& constants) {
    sim::pim::PimTiming timing;
    timing.clock = dram.clock.si;
    timing.mac_interval = design.mac_interval / dram.clock.si;
    // the command bus of a channel carries one command a cycle
    if (design.mac_command == MacCommand::single)
        timing.mac_interval = std::max<double>(timing.mac_interval, dram.organisation.banks_per_channel());
    timing.activate_to_mac = dram.timing.nRCDRD + constants.extra_activate_to_mac.si / dram.clock.si;
    timing.nRAS = dram.timing.nRAS;
    timing.nRP = dram.timing.nRP;
    timing.nRTP = constants.read_to_precharge;
    timing.buffer_write = constants.buffer_write_cycles;
    timing.double_buffer = design.double_buffer;
    double const banks = dram.organisation.banks_per_rank();
    if (design.activation == Activation::four)
        timing.stagger = std::max(0.0, banks / sim::dram::activations_per_window - 1) * dram.timing.nFAW;
    if (design.activation == Activation::single)
        timing.stagger = (banks - 1) * std::max<double>(dram.timing.nRRDS,
                                                        1.0 * dram.timing.nFAW / sim::dram::activations_per_window);
    if (design.refresh == DramRefresh::all_bank) timing.refresh_share = refresh_share(dram);
    return timing;
}

}  // namespace pimdse::models::umdam
