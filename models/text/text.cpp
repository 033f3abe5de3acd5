#include "models/text/text.hpp"

#include "models/chips/group.hpp"
#include "models/chips/several.hpp"
#include "models/contract/constants.hpp"
#include "models/dram/dram_standard.hpp"
#include "models/llm/weight_format.hpp"
#include "models/text/component_kinds.hpp"
#include "models/text/directions.hpp"
#include "models/text/ledger.hpp"
#include "models/text/machine_reader.hpp"
#include "models/text/result.hpp"
#include "models/text/source_files.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <memory>
#include <utility>

namespace pimdse::models::text {
namespace {

/// The link of the file, which joins so many devices at most; without one, devices are joined by the links of
/// models/chips.
std::variant<chips::ChipLink, Infeasible> own_link(CompiledMachine const& machine, Inputs const& inputs, Point point,
                                                   std::int64_t devices) {
    auto const& file = machine.file();
    if (file.links.empty())
        return infeasible("link", "{} has no link of its own: link = pcie5 joins devices", file.name);
    auto const& own = file.links.front();
    auto const numbers = inputs.as<Prepared>().numbers(point);
    auto const& at = machine.link();
    bool const has_limit = machine.numbers().is_stated(at.devices);
    auto const joins = static_cast<std::int64_t>(numbers[at.devices]);
    if (devices > 1 && joins == 1)
        return Infeasible{own.name, fmt::format("{} has no {} for {} devices: link = pcie5, or stage_link between the "
                                                "stages of a pipeline, joins them",
                                                name_at(machine, point), own.name, devices)};
    if (has_limit && devices > joins)
        return Infeasible{own.name, fmt::format("{} joins {} devices of {} at most, not {}: link = pcie5, or "
                                                "stage_link between the stages of a pipeline, joins more",
                                                own.name, joins, name_at(machine, point), devices)};
    auto const like = link_like(machine, numbers);
    if (auto const* unknown = std::get_if<std::string>(&like))
        return Infeasible{own.name, fmt::format("'{}' is not a kind of link", *unknown)};
    auto link = chips::known_link(inputs, std::get<std::size_t>(like));
    if (numbers[at.bandwidth] >= 0.0) link.set_bandwidth(numbers[at.bandwidth]);
    if (devices > 1 && link.bandwidth.si == 0.0)
        return infeasible("machine", "{}.bandwidth is 0 GB/s (it must be above 0 where it joins devices)", own.name);
    if (numbers[at.latency] >= 0.0) link.set_latency(numbers[at.latency]);
    for (auto const& [number, of_kind] :
         {std::pair{at.start, &link.collective_start.si}, std::pair{at.fill, &link.fill.si},
          std::pair{at.standby, &link.standby.si}, std::pair{at.cost, &link.cost}, std::pair{at.carbon, &link.carbon}})
        if (numbers[number] >= 0.0) *of_kind = numbers[number];
    if (at.energy) link.energy.si = numbers[*at.energy];
    link.makes_one = file.makes_one();
    return link;
}

/// The part that takes all passes of a design; nullptr: none does.
PartLaw const* whole_part(Design const& design) {
    auto const unit = design.prepared->machine().whole_unit();
    return unit == no_component ? nullptr : design.hardware.units[unit].part.get();
}

std::string multiplied_formats(Inputs const& inputs, Point point) {
    auto const design = read_design(inputs.as<Prepared>(), point);
    if (auto const* const part = whole_part(design))
        if (auto own = part->products(); !own.empty()) return own;
    auto const& r = design.request;
    auto const& machine = design.prepared->machine();
    auto const& formats = machine.file().formats;
    // Cells of a part that is made for a model have the bits of its products.
    bool const in_cells = machine.is_one_part() && machine.units().front().part->sized_by_model;
    double const bits = design.hardware.numbers[machine.weight_bits()];
    bool const is_other_width = bits > 0.0 && bits != bits_of_format(formats[r.format]);
    if (!r.stored_as_file() || in_cells)
        return fmt::format("{} x {}", is_other_width ? fmt::format("{:g}-bit", bits) : formats[r.format],
                           formats[r.format]);
    std::vector<std::string> all{fmt::format("{} x {}", stored_name(*r.model), formats[r.format])};
    for (auto const& alike : alike_layers(*r.model))
        for (auto const& matrix : layer_matrices(alike)) {
            auto const& stored = format_of(alike, matrix);
            auto one = fmt::format("{:g}-bit x {}", stored.bits, formats[r.products_in(stored).format]);
            if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
        }
    return fmt::format("{}", fmt::join(all, " and "));
}

/// The design of a point whose layers a part shows, or throws InputError with the rule that it breaks.
Design shown_design(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto design = read_design(inputs.as<Prepared>(), point, fidelity);
    if (auto const rule = broken_rule(design, point)) throw sim::InputError(rule->reason);
    return design;
}

std::optional<Infeasible> broken_step_rule_of_parts(Design const& design) {
    for (auto const& unit : design.hardware.units)
        if (unit.part != nullptr)
            if (auto rule = unit.part->broken_step_rule()) return rule;
    return std::nullopt;
}

WeightLayouts layouts_of(Inputs const& inputs, Point point) {
    auto const design = read_design(inputs.as<Prepared>(), point);
    if (auto rule = broken_rule(design, point)) return {{}, std::move(rule)};
    return whole_part(design)->weight_layouts();
}

/// Classes of values of a key of the part that takes all passes.
Classes classes_of(std::shared_ptr<CompiledMachine const> const& machine, Parameters const& parameters,
                   ClassRequest const& request, AxisValues const& values) {
    Prepared const prepared(machine, parameters, {});
    auto const unit = machine->whole_unit();
    auto const moving = [&](std::span<std::string_view const> keys) {
        return parameters_moving(*machine, machine->units()[unit], keys);
    };
    auto const at = [&](Point point) { return read_design(prepared, point).hardware.units[unit].part; };
    return machine->units()[unit].part->classes({parameters, values, prepared.part_inputs(unit).get(), moving, at},
                                                request);
}

/// What the part that takes all passes shows.
void add_shown(std::shared_ptr<CompiledMachine const> const& machine, Architecture& a) {
    auto const unit = machine->whole_unit();
    if (unit == no_component) return;
    auto const& kind = *machine->units()[unit].part;
    if (kind.shows_layouts) a.weight_layouts = layouts_of;
    if (kind.classes != nullptr)
        a.classes = [machine](Parameters const& parameters, ClassRequest const& request, AxisValues const& values) {
            return classes_of(machine, parameters, request, values);
        };
    if (!kind.shows_layers) return;
    a.flow_graph = [](Inputs const& inputs, Point point, Fidelity fidelity) {
        return whole_part(shown_design(inputs, point, fidelity))->flow_graph();
    };
    a.network_program = [](Inputs const& inputs, Point point) {
        return whole_part(shown_design(inputs, point, Fidelity::cycle))->network_program();
    };
}

Architecture one(std::shared_ptr<CompiledMachine const> const& machine) {
    auto const ledger = std::make_shared<LedgerTexts const>(*machine);
    Architecture a;
    a.name = machine->file().name;
    a.summary = machine->file().summary;
    a.results_version = machine->file().results_version;
    for (auto const& unit : machine->units())
        if (unit.part != nullptr) a.results_version += unit.part->results_version - 1;
    a.built_for_batch = machine->is_built_for_batch();
    a.fidelities = {Fidelity::analytic};
    if (machine->has_cycle_level()) a.fidelities.push_back(Fidelity::cycle);
    a.parameters = [machine] { return machine->parameters(); };
    a.metrics = [machine] { return metrics_of_machine(*machine); };
    a.prepare = [machine](Parameters const& parameters, ModelOptions const& options) -> std::shared_ptr<void const> {
        return std::make_shared<Prepared const>(machine, parameters, options);
    };
    a.request = [](Inputs const& inputs, Point point, Fidelity fidelity, Breakdown* breakdown) {
        return request_at(inputs.as<Prepared>(), point, fidelity, chips::economy_of(inputs), breakdown);
    };
    a.trace = [](Inputs const& inputs, Point point, Fidelity fidelity) {
        auto const design = read_design(inputs.as<Prepared>(), point, fidelity);
        if (broken_rule(design, point)) return Trace{};
        if (design.alone ||
            inputs.as<Prepared>().machine().parts_take_all())  // bars of a part are of what it does alone
            for (auto const& unit : design.hardware.units)
                if (unit.part != nullptr)
                    if (auto bars = unit.part->trace(); !bars.empty()) return bars;
        return trace_of(analytic(design));
    };
    add_shown(machine, a);
    a.engine = [](Inputs const& inputs, Point point, Fidelity fidelity) {
        return engine_at(inputs.as<Prepared>(), point, fidelity);
    };
    a.products = multiplied_formats;
    a.ledger = [ledger] { return ledger->ledger(); };
    a.proofs = {{},
                key_parts_of(machine),
                [](Inputs const& inputs) { return monotone_lower_bounds_of(inputs.as<Prepared>()); },
                [](Inputs const& inputs) { return constants_without_slopes_of(inputs.as<Prepared>()); }};
    a.constants = [machine](ModelOptions const& options) { return constants_of_machine(*machine, options); };
    a.one_of_many.models = [](Inputs const& inputs) -> ModelList const& {
        return inputs.as<Prepared>().requests().models();
    };
    a.one_of_many.host = [](Inputs const& inputs) { return inputs.as<Prepared>().host(); };
    a.one_of_many.own_link = [machine](Inputs const& inputs, Point point, std::int64_t devices) {
        return own_link(*machine, inputs, point, devices);
    };
    if (auto const need = machine->needed_for_models()) a.workload.implied = {{need->parameter, need->choice}};
    if (machine->file().makes_one()) return a;  // its own numbers say what several have
    bool const follows_model = std::ranges::any_of(
        machine->units(), [](UnitSlots const& unit) { return unit.part != nullptr && unit.part->sized_by_model; });
    a.one_of_many.resources = {"memory_area"};
    if (!follows_model)
        a.one_of_many.resources = {"area", "memory_area", "silicon", "idle_power", "cost", "embodied_carbon"};
    return a;
}

/// A block whose layout is another one in the tier is written and read again in the memory of the cache, so many times,
/// in turn with the link.
KeyTier tier_of(Design const& design) {
    auto const& machine = design.prepared->machine();
    auto const at = machine.tier();
    if (at == no_component) return {};
    auto const& memory = design.hardware.memories[at];
    auto const write = memory.write_attained > 0.0 ? memory.write_attained : memory.attained;
    KeyTier tier{memory.capacity,
                 memory.attained,
                 write,
                 memory.latency,
                 memory.fixed + memory.scaled,
                 memory.write_fixed + memory.write_scaled};
    double const times = design.hardware.numbers[machine.memories()[at].relayout];
    if (times == 0.0 || machine.cache_in() == no_component) return tier;
    auto const& cache = design.hardware.memories[machine.cache_in()];
    auto const bytes_per_second = [&](double of_link) {
        return 1.0 / (1.0 / of_link + times * MemoryFigures::seconds(1.0, 1.0, cache.attained, cache.write_attained));
    };
    double const joules = times * (cache.fixed + cache.scaled + cache.write_fixed + cache.write_scaled);
    tier.read_bandwidth = bytes_per_second(tier.read_bandwidth);
    tier.write_bandwidth = bytes_per_second(tier.write_bandwidth);
    tier.read_energy += joules;
    tier.write_energy += joules;
    return tier;
}

/// An array whose tiles are filled by the queries of each sequence.
bool fills_tiles(UnitFigures const& unit) { return unit.packed && unit.fill == 0.0 && unit.buffer == no_component; }

/// Parts of a prompt may fit the tiles of a roof, or the cache between kernels, better than the whole: costs of steps
/// that no part of a prompt goes below, without tiles and with room for all activations.
std::shared_ptr<StepCosts const> min_costs(Design design, std::shared_ptr<StepCosts const> costs) {
    constexpr double for_all = 0x1p200;
    auto const cache = design.prepared->machine().repeated();
    bool differs = cache != no_component;
    if (differs) design.hardware.memories[cache].capacity = for_all;
    for (auto& unit : design.hardware.units) {
        differs = differs || fills_tiles(unit);
        if (unit.rows > 0.0 || unit.tile <= 1.0) continue;
        unit.tile = 1.0;
        differs = true;
    }
    return differs ? std::make_shared<StepCosts const>(std::move(design), false) : std::move(costs);
}

}  // namespace

Architecture architecture(std::filesystem::path const& file, std::vector<SourceFile> const& kept) {
    SourceFiles sources(kept);
    auto const machine = std::make_shared<CompiledMachine const>(read_machine(file, sources));
    // Results depend on timing sets and constants of parts as on the machine.
    for (auto const& memory : machine->file().memories)
        if (auto const timing = memory.texts.find("timing"); timing != memory.texts.end())
            (void)sources.read(dram_file(timing->second));
    for (auto const& unit : machine->units())
        if (unit.part != nullptr && unit.part->constants != nullptr) (void)sources.read(unit.part->constants().file());
    auto of_one = one(machine);
    of_one.files = sources.files();
    return chips::several(std::make_shared<chips::Device const>(std::move(of_one)));
}

std::variant<RequestResult, Infeasible> request_at(Prepared const& prepared, Point point, Fidelity fidelity,
                                                   economy::Economy const& economy, Breakdown* breakdown) {
    auto const design = read_design(prepared, point, fidelity);
    if (auto rule = broken_rule(design, point)) return *std::move(rule);
    auto const result = analytic(design);
    if (breakdown != nullptr) *breakdown = breakdown_of(result);
    return request_result(result, economy);
}

std::variant<ServiceEngine, Infeasible> engine_at(Prepared const& prepared, Point point, Fidelity fidelity) {
    auto const design = read_design(prepared, point, fidelity);
    if (design.alone)
        if (auto rule = broken_step_rule_of_parts(design)) return *std::move(rule);
    auto smallest = design;
    smallest.request.batch = smallest.request.input = 1;
    smallest.request.output = design.request.diffuses() ? design.request.block_length : 1;
    if (auto rule = broken_rule(smallest, point)) return *std::move(rule);
    return service_engine(design);
}

using sim::as_double;
using sim::serving::StepCost;
using sim::serving::StepWork;

StepCosts::StepCosts(Design design, bool whole_tiles)
    : design_(std::move(design)),
      law_(design_.prepared->machine(), design_.hardware, design_.fidelity),
      passes_(law_, design_.request, design_.logit_bytes(), whole_tiles),
      standing_(design_.hardware.rest.waiting() + design_.prepared->host()) {
    sim::expects(!broken_step_rule(design_.request), "the steps of the design are modelled");
    if (design_.hardware.limit > 0.0) return;  // which the passes obey
    whole_ = whole_part(design_);
}

StepCost StepCosts::cost_of(PassCost const& cost) const {
    double const seconds = cost.total();
    return {seconds, standing_ * seconds + law_.joules(cost)};
}

/// First tokens of a block come with the first of its denoising steps.
StepCost StepCosts::one(StepWork const& work) const {
    if (whole_ != nullptr)
        if (auto const own = whole_->step(work, false)) return {own->seconds, standing_ * own->seconds + own->joules};
    auto passes = passes_.of(work);
    if (!passes.rest) return cost_of(passes.first);
    double const first = passes.first.total();
    auto all = cost_of(passes.first += *passes.rest);
    all.first_tokens = first;
    return all;
}

double StepCosts::min_seconds(StepWork const& work) const {
    if (whole_ != nullptr)
        if (auto const own = whole_->step(work, true)) return own->seconds;
    auto const passes = passes_.of(work);
    double const rest = passes.rest ? passes.rest->total() : 0.0, below = passes.rest ? passes.rest->below : 0.0;
    return (passes.first.total() + rest) - (passes.first.below + below);
}

void StepCosts::many(StepWork const& first, std::span<StepCost> costs) const {
    sim::expects(first.chunks.empty() && !first.contexts.empty(), "all sequences of several steps decode");
    auto const& request = design_.request;
    if (request.diffuses() && request.cache != PassCache::prefix) {  // what is computed does not change
        std::ranges::fill(costs, one(first));
        return;
    }
    auto const begun = passes_.begun_tokens(first);
    auto work = first;
    for (auto& cost : costs) {
        cost = request.diffuses() ? one(work) : cost_of(passes_.of_tokens(begun, work));
        advance(request, work);
    }
}

std::variant<ServiceEngine, Infeasible> service_engine(Design const& design) {
    auto const& r = design.request;
    if (auto rule = broken_step_rule_of_parts(design)) return *std::move(rule);
    if (auto rule = broken_step_rule(r)) return *std::move(rule);
    auto const& machine = design.prepared->machine();
    auto const costs = std::make_shared<StepCosts const>(design);
    ServiceEngine engine;
    engine.law.one = [costs](StepWork const& work) { return costs->one(work); };
    if (machine.whole(Phase::decode) == max_rules)  // the law of a part may be none of the sum of the contexts
        engine.law.many = [costs](StepWork const& first, std::span<StepCost> many) { costs->many(first, many); };
    engine.min_seconds = [min = min_costs(design, costs)](StepWork const& work) { return min->min_seconds(work); };
    // Arrays and rounds in banks may fit the parts of a prompt better, too, and a unit that is chosen by energy may be
    // slower for a sequence alone.
    engine.bounds_requests =
        machine.choices().empty() && std::ranges::none_of(design.hardware.units, [](UnitFigures const& unit) {
            return (unit.rows > 0.0 && !fills_tiles(unit)) || unit.bank != nullptr || unit.tile_buffer > 0.0;
        });
    engine.spread = design.hardware.numbers[machine.spread()];
    engine.stand_by(design.hardware.rest, design.prepared->host());
    if (machine.cache_in() != no_component) {
        double const memory = design.hardware.memories[machine.cache_in()].capacity;
        double left = memory;
        if (machine.weights_in() == machine.cache_in()) left -= weight_footprint(r);
        if (machine.is_built_for_batch()) left -= logit_footprint(r, design.logit_bytes());
        engine.cache_bytes = std::max(0.0, left);
        if (!machine.is_built_for_batch()) {  // programs choose nothing by a memory that is made for them
            if (design.hardware.numbers[machine.long_steps()] > 0.0)
                engine.device_memory = memory / design.hardware.numbers[machine.memories()[machine.cache_in()].usable];
            if (left > 0.0) engine.memory_over_cache = memory / left;
        }
    }
    if (machine.is_built_for_batch()) engine.max_sequences = r.batch;
    engine.tier = tier_of(design);
    set_sequences(engine, r, [&](LanguageModel const& alike) { return position_bytes(alike, r); });
    if (machine.weights_in() == machine.cache_in() && machine.cache_in() != no_component &&
        !machine.is_built_for_batch())
        engine.state_bytes += logit_bytes(as_double(r.block_length), r, design.logit_bytes());
    for (auto const& unit : design.hardware.units)
        if (unit.part != nullptr) unit.part->set_engine(engine);
    return engine;
}

}  // namespace pimdse::models::text
