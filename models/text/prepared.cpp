#include "models/text/prepared.hpp"

#include "models/contract/constant_reader.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/contract/technology.hpp"
#include "models/llm/state.hpp"
#include "models/llm/weight_format.hpp"
#include "models/text/component_kinds.hpp"
#include "models/text/number_limits.hpp"
#include "sim/base/check.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/dram/family.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <utility>

namespace pimdse::models::text {
namespace {

/// Whether the unit of a rule is a roof that needs a rate in the format of products.
bool needs_rate(CompiledMachine const& machine, Rule const& rule, std::vector<double> const& numbers) {
    return rule.unit != no_component && machine.units()[rule.unit].kind == UnitKind::roof &&
           (rule.multiplies || numbers[rule.work] != 0.0);
}

/// Whether every roof that multiplies computes in a format.
bool runs_in(CompiledMachine const& machine, std::vector<double> const& numbers, std::size_t format) {
    return std::ranges::none_of(machine.rules(), [&](Rule const& rule) {
        return needs_rate(machine, rule, numbers) && !(numbers[machine.units()[rule.unit].rate[format]] > 0.0);
    });
}

/// A condition on constants as a rule for one variant. `rows`: the constants of the variant.
ConstantRule rule_of(CompiledLimit const& rule, std::shared_ptr<std::vector<std::string> const> const& rows) {
    ConstantRule made{rule.condition.text(), {}, rule.reason, {}, false};
    for (std::size_t i = 0; i < rows->size(); ++i)
        if (rule.condition.reads_number(i + given_names.size())) made.names.push_back((*rows)[i]);
    made.holds = [&rule, rows](ConstantValues const& value) {
        std::vector<double> numbers(given_names.size(), 0.0);
        for (auto const& row : *rows) numbers.push_back(value(row));
        return rule.condition.truth({}, {}, {}, numbers) == Truth::yes;
    };
    return made;
}

/// A text with text_of(name) in the place of each name in braces.
template <class TextOf>
std::string filled(std::string const& text, TextOf const& text_of) {
    std::string all;
    for (std::size_t at = 0; at < text.size();) {
        auto const open = text.find('{', at), close = text.find('}', at);
        if (open == std::string::npos || close == std::string::npos) return all + text.substr(at);
        all += text.substr(at, open - at) + text_of(text.substr(open + 1, close - open - 1));
        at = close + 1;
    }
    return all;
}

using Streams = std::vector<std::optional<DramStream>>;  // by memory

/// The streams of a machine's memories, which no constant changes: they are simulated once, however often the machine
/// is prepared.
Streams streams_of(std::shared_ptr<CompiledMachine const> const& machine) {
    static std::mutex guard;
    static std::map<std::weak_ptr<CompiledMachine const>, Streams, std::owner_less<>> known;
    {
        std::scoped_lock const lock(guard);
        if (auto const found = known.find(machine); found != known.end()) return found->second;
    }
    Streams streams;
    for (auto const& memory : machine->memories())
        streams.push_back(memory.simulated ? std::optional(dram_stream(memory.standard, memory.mapping))
                                           : std::nullopt);
    std::scoped_lock const lock(guard);
    std::erase_if(known, [](auto const& one) { return one.first.expired(); });
    return known.try_emplace(machine, std::move(streams)).first->second;
}

using Broken = std::optional<Infeasible>;

/// The value of a name at a point, for a sentence.
std::string value_text(std::string const& name, CompiledMachine const& machine, MachineFigures const& hardware,
                       Point point) {
    if (name == machine.file().chosen_parameter) return machine.file().name;
    if (auto const at = find_parameter(machine.parameters(), name); at >= 0)
        return print_value(machine.parameters()[static_cast<std::size_t>(at)], point[static_cast<std::size_t>(at)]);
    auto const number = machine.numbers().at(name);
    return machine.numbers().shown(number, hardware.numbers[number]);
}

std::string name_of_machine(Design const& d, Point point) { return name_at(d.prepared->machine(), point); }

Broken format_rule(Design const& d, Point point) {
    auto const& machine = d.prepared->machine();
    for (auto const& rule : machine.rules()) {
        if (!needs_rate(machine, rule, d.hardware.numbers) || d.hardware.units[rule.unit].peak > 0.0) continue;
        return infeasible("weights", "{} does not compute in {}", name_of_machine(d, point),
                          machine.file().formats[d.request.format]);
    }
    return std::nullopt;
}

/// Units in banks multiply weights and keys of heads: states, and latent attention, of which scores sum along a cached
/// vector and weighted sums along positions, are for other components.
Broken bank_rule(Design const& d, LanguageModel const& model, Point point) {
    auto const& machine = d.prepared->machine();
    auto const in_banks = [&](Rule const& rule) {
        return rule.unit != no_component && machine.units()[rule.unit].kind == UnitKind::bank_pim;
    };
    auto const refusal = [&](std::string_view what, Operator op) -> Broken {
        for (auto const phase : {Phase::prefill, Phase::decode}) {
            auto const rules = machine.rules_of(phase, op);
            bool const chosen = rules.front().position != no_component;
            auto const bank = std::ranges::find_if(rules, in_banks);
            if (bank == rules.end() || (chosen && !std::ranges::all_of(rules, in_banks))) continue;
            return infeasible("layers",
                              "layers of {} have {}, and {} of {} multiplies weights and keys only ([run] may "
                              "give \"{}.{}\" to another component)",
                              model.name, what, machine.file().units[bank->unit].name, name_of_machine(d, point),
                              phase_names[static_cast<std::size_t>(phase)],
                              operator_names[static_cast<std::size_t>(op)]);
        }
        return std::nullopt;
    };
    for (auto const& alike : alike_layers(model)) {
        if (has_state(alike))
            if (auto rule = refusal(text_of(alike.state.kind), Operator::state)) return rule;
        if (!alike.attends || alike.kv_rank == 0) continue;
        for (auto const op : {Operator::scores, Operator::values})
            if (auto rule = refusal("latent attention", op)) return rule;
    }
    return std::nullopt;
}

Broken own_limits(Design const& d, Point point) {
    auto const& machine = d.prepared->machine();
    for (auto const& limit : machine.limits())
        if (limit.condition.truth(point, {}, {}, d.hardware.numbers) != Truth::yes)
            return Infeasible{limit.name, filled(limit.reason, [&](std::string const& name) {
                                  return value_text(name, machine, d.hardware, point);
                              })};
    return std::nullopt;
}

/// Limits the power of a memory package at the attained bandwidth.
Broken package_rule(Design const& d, Point point) {
    auto const& file = d.prepared->machine().file();
    for (std::size_t m = 0; m < d.hardware.memories.size(); ++m) {
        auto const& memory = d.hardware.memories[m];
        if (memory.packages <= 0.0 || memory.package_limit <= 0.0) continue;
        double const watts = memory.fixed * memory.attained / memory.packages;
        if (watts <= memory.package_limit) continue;
        return infeasible("package_power",
                          "a package of {} of {} draws {:.3g} W at full rate, more than the {:.3g} W that "
                          "it may",
                          file.memories[m].name, name_of_machine(d, point), watts, memory.package_limit);
    }
    return std::nullopt;
}

Broken capacity_rule(Design const& d, Point point) {
    auto const needed = footprint(d);
    for (std::size_t m = 0; m < needed.size(); ++m) {
        double const has = d.hardware.memories[m].capacity;
        if (needed[m] <= has || needed[m] == 0.0) continue;
        return infeasible("memory", "weights, keys and values take {} of {}, and {} has {} for them",
                          sim::print_quantity(needed[m], "B"), d.prepared->machine().file().memories[m].name,
                          name_of_machine(d, point), sim::print_quantity(has, "B"));
    }
    return std::nullopt;
}

/// Numbers that are undefined, or that no machine has.
Broken number_rule(Design const& d) {
    static double const max = max_magnitude();
    auto const& numbers = d.hardware.numbers;
    auto const wrong = std::ranges::find_if(numbers, [](double number) { return !(std::abs(number) <= max); });
    if (wrong == numbers.end()) return std::nullopt;
    auto const& name = d.prepared->machine().numbers().names()[static_cast<std::size_t>(wrong - numbers.begin())].name;
    if (!std::isfinite(*wrong)) return infeasible("machine", "{} is not a number at this point", name);
    return infeasible("machine", "{} is {:g} in SI (no machine has more than {:g})", name, *wrong, max);
}

/// What the laws of parts refuse.
Broken part_rule(Design const& d) {
    for (auto const& unit : d.hardware.units)
        if (unit.part != nullptr)
            if (auto rule = unit.part->broken_rule(d.request)) return rule;
    return std::nullopt;
}

/// A node of [cost] without a process in economy.toml.
Broken process_rule(Design const& d) {
    double const node = d.hardware.numbers[d.prepared->machine().cost().node];
    if (node == 0.0 || economy::process_of(node)) return std::nullopt;
    return infeasible("cost", "cost.node = {} is not a process of models/economy.toml: {} nm (docs/cost.md)",
                      sim::print_quantity(node, "m"), fmt::join(economy::process_nanometres, ", "));
}

/// Numbers that no machine can have: negative energies, shares above 1, a limit that leaves no power for work.
Broken range_rule(Design const& d, Point point) {
    auto const& machine = d.prepared->machine();
    Broken broken;
    each_refused(machine, point, d.hardware.numbers, [&](std::size_t, std::string const& sentence) {
        if (!broken) broken = Infeasible{"machine", sentence};
    });
    if (broken) return broken;
    for (std::size_t u = 0; u < d.hardware.units.size(); ++u)
        if (double const bytes = d.hardware.units[u].tile_buffer; bytes > 0.0 && bytes < min_buffer)
            return infeasible("machine",
                              "{}.tile_buffer is {} (two blocks of weights and inputs and their "
                              "sums take {} B)",
                              machine.file().units[u].name, sim::print_quantity(bytes, "B"), min_buffer);
    if (d.hardware.limit > 0.0 && d.hardware.limit <= d.hardware.rest.waiting())
        return infeasible("machine",
                          "a power limit of {:.4g} W leaves nothing for work, as {:.4g} W flow whatever it does",
                          d.hardware.limit, d.hardware.rest.waiting());
    return std::nullopt;
}

/// The keys of a part with the choices of the parameters whose values they take.
Parameters keys_of(UnitSlots const& unit, Parameters const& parameters) {
    auto keys = unit.part->keys;
    for (std::size_t k = 0; k < keys.size(); ++k)
        if (auto const& slot = unit.values[k]; slot.parameter && slot.choices.empty())
            keys[k].choices = parameters[*slot.parameter].choices;
    return keys;
}

}  // namespace

ConstantRules constant_rules_of(CompiledMachine const& machine) {
    std::vector<std::shared_ptr<std::vector<std::string> const>> rows;  // by variant
    for (std::size_t v = 0; v < std::max<std::size_t>(1, machine.file().variants.size()); ++v) {
        auto names = constant_names(machine.file());
        for (auto& name : names) name = machine.file().row_of(name, v);
        rows.push_back(std::make_shared<std::vector<std::string> const>(std::move(names)));
    }
    ConstantRules rules;
    for (auto const& rule : machine.rules_of_constants())
        for (auto const& of_variant : rows) rules.push_back(rule_of(rule, of_variant));
    for (auto const& unit : machine.units())
        if (unit.part != nullptr && unit.part->constant_rules != nullptr)
            rules = together({std::move(rules), unit.part->constant_rules()});
    return rules;
}

std::variant<std::size_t, std::string> link_like(CompiledMachine const& machine, std::vector<double> const& numbers) {
    auto const& texts = machine.file().links.front().texts;
    auto const like = texts.find("like");
    auto kind = filled(like == texts.end() ? "pcie5" : like->second, [&](std::string const& name) {
        return fmt::format("{:g}", numbers[machine.numbers().at(name)]);
    });
    auto const known = std::ranges::find(chips::link_names, kind);
    if (known == chips::link_names.end()) return kind;
    return static_cast<std::size_t>(known - chips::link_names.begin());
}

Constants constants_of_machine(CompiledMachine const& machine, ModelOptions const& options) {
    auto const& file = machine.file();
    Constants of_parts;
    std::map<std::string, PartKind const*, std::less<>> read_by;
    for (auto const& unit : machine.units()) {
        if (unit.part == nullptr || unit.part->constants == nullptr) continue;
        auto const own = unit.part->constants();
        for (auto const& [name, _] : own.all())
            if (auto const other = read_by.try_emplace(name, unit.part).first->second; other != unit.part)
                throw sim::InputError(
                    fmt::format("{}: a {} and a {} stand in no file together: both have a constant '{}'",
                                file.file.string(), other->name, unit.part->name, name));
        of_parts.add(own);
    }
    return Constants::load(file.constants, file.file.string(), options, constant_rules_of(machine), of_parts);
}

Prepared::Prepared(std::shared_ptr<CompiledMachine const> machine, Parameters const& parameters,
                   ModelOptions const& options, ModelList const* models)
    : machine_(std::move(machine)),
      requests_(machine_->file(), parameters, models),
      variant_(machine_->file().variant_parameter.empty()
                   ? -1
                   : find_parameter(parameters, machine_->file().variant_parameter)),
      default_point_(default_point(parameters)) {
    auto const& file = machine_->file();
    auto const constants = constants_of_machine(*machine_, options);
    auto const names = constant_names(file);
    for (std::size_t v = 0; v < std::max<std::size_t>(1, file.variants.size()); ++v) {
        std::vector<double> values(given_names.size(), 0.0);
        values.front() = options.assumptions.view == View::hardware ? 1.0 : 0.0;
        for (auto const& name : names) values.push_back(constants.all().at(file.row_of(name, v)).si);
        numbers_.push_back(machine_->numbers().values(default_point_, values));
    }
    streams_ = streams_of(machine_);
    for (auto const& unit : machine_->units())
        parts_.push_back(unit.part == nullptr || unit.part->prepare == nullptr
                             ? nullptr
                             : unit.part->prepare(constants, keys_of(unit, parameters), options.assumptions));
    if (machine_->link().is_used) links_ = chips::load_links(options);
    if (options.assumptions.host == Host::included)
        host_ = Technology::load(options.assumptions).row("host_power").constant.si;
}

std::vector<double> Prepared::numbers(Point point) const {
    auto const variant = variant_ < 0 ? 0 : point[static_cast<std::size_t>(variant_)].as_choice();
    auto all = numbers_[variant];
    auto const& model = requests_.model(point);
    auto const products = products_of(model.weight_format.usual);
    bool const narrow = products.floating && products.bits < ProductFormat{}.bits;
    std::array<double, given_names.size() - 1> const of_model{
        sim::as_double(model.layers),     sim::as_double(model.hidden),        sim::as_double(model.heads),
        sim::as_double(model.kv_heads),   sim::as_double(model.kv_width()),    sim::as_double(model.ffn),
        sim::as_double(model.vocabulary), narrow ? products.bits : 0.0,        cache_bits(model),
        sim::as_double(model.kv_rank),    sim::as_double(model.joined_devices)};
    std::ranges::copy(of_model, all.begin() + 1);
    machine_->numbers().move_to(point, default_point_, all);
    return all;
}

std::vector<bool> Prepared::non_negative_constants() const {
    std::vector<bool> all(machine_->numbers().constants(), true);
    for (auto const& variant : numbers_)
        for (std::size_t i = 0; i < all.size(); ++i)
            if (variant[i] < 0.0) all[i] = false;
    return all;
}

LlmRequest Prepared::request(Point point, std::vector<double> const& numbers) const {
    std::vector<bool> runs;
    for (std::size_t f = 0; f < machine_->file().formats.size(); ++f) runs.push_back(runs_in(*machine_, numbers, f));
    auto r = requests_.read(point, runs);
    r.weight_scale = numbers[machine_->weight_scale()];
    double const bits = numbers[machine_->weight_bits()];
    r.each_weight_bytes([&](double own) { return (bits > 0.0 ? bits / bits_per_byte : own) + r.weight_scale; });
    auto const in_banks = [](auto const& unit) { return unit.kind == UnitKind::bank_pim; };
    if (!r.follows_file || std::ranges::none_of(machine_->units(), in_banks)) return r;
    r.follows_file = false;  // nothing expands what the rows of banks hold: it is what their units multiply
    r.weight_bytes = bits_of_format(machine_->file().formats[r.format]) / bits_per_byte;
    return r;
}

void Prepared::set_dram(MemorySlots const& slots, DramStream const& stream, Fidelity fidelity,
                        MachineFigures const& all, MemoryFigures& memory) const {
    auto const& standard = slots.standard;
    auto const& o = standard.organisation;
    double const written = all.numbers[slots.channels];
    double const channels = written > 0.0 ? written : static_cast<double>(o.channels);
    double const share = fidelity == Fidelity::cycle ? stream.simulated : stream.estimated;
    memory.channels = static_cast<std::int64_t>(channels);
    memory.bandwidth = channels * stream.peak;
    memory.attained = memory.bandwidth * share * all.numbers[slots.share];
    if (memory.capacity == 0.0)
        memory.capacity = o.capacity_bytes() / o.channels * channels * all.numbers[slots.usable];
    if (!slots.energies.empty()) return;
    constexpr auto array = energy_row("dram_array"), pins = energy_row("dram_interface");
    auto const burst = static_cast<double>(o.burst_bytes), row = static_cast<double>(o.row_bytes);
    double const opened = standard.energy.activate.si / row;
    memory.energy[array] = standard.energy.read.si / burst + opened;
    memory.write_energy[array] = standard.energy.write.si / burst + opened;
    memory.energy[pins] = memory.write_energy[pins] = standard.energy.transfer.si / burst;
    memory.fixed = memory.energy[array] + memory.energy[pins];
    memory.write_fixed = memory.write_energy[array] + memory.write_energy[pins];
}

/// The peak is that of all units at the interval of their commands.
void Prepared::set_bank(UnitSlots const& slots, LlmRequest const& request, MachineFigures& all,
                        UnitFigures& unit) const {
    auto const& memory = machine_->memories()[slots.memory];
    auto const cycles = std::llround(all.numbers[slots.mac_interval] / memory.standard.clock.si);
    BankKey const key{slots.memory, {cycles, static_cast<std::int64_t>(all.numbers[slots.global_buffer])}};
    unit.bank = banks_
                    .get(
                        key,
                        [](BankKey const& of, std::vector<MemorySlots> const& memories) {
                            return std::make_shared<BankProducts const>(*memories[of.memory].units, of.changes);
                        },
                        machine_->memories())
                    .get();
    unit.standby_share = all.numbers[slots.standby_share];
    unit.value_channels = static_cast<std::int64_t>(all.numbers[slots.value_channels]);
    unit.channels = all.memories[slots.memory].channels * sim::dram::data_ports(memory.standard) /
                    memory.standard.organisation.channels;
    auto const& units = unit.bank->units();
    double const lanes = static_cast<double>(units.sizes.word_bytes * units.sizes.units()) / request.weight_bytes;
    unit.peak = 2.0 * lanes * static_cast<double>(unit.channels) /
                (static_cast<double>(units.timing.mac_interval) * units.timing.clock.si);
    unit.attained = unit.peak;
    all.rest.add("dram_background/standby",
                 unit.standby_share * units.energy.standby.si * static_cast<double>(unit.channels));
}

/// Its energies of a file are those of elementwise operators, beside what it draws at work for their time.
void Prepared::set_part(PartKind const& kind, PartLaw const& part, MachineFigures& all, UnitFigures& unit) {
    auto const vector = part.vector();
    if (vector.rate > 0.0) {
        unit.peak = vector.rate;
        unit.attained = vector.rate;
        unit.energy[energy_row("arithmetic")] += vector.working / vector.rate;
        unit.scaled += vector.working / vector.rate;
        unit.waiting += vector.waiting;
        all.rest.add("idle_units", vector.waiting);
    }
    for (auto const& share : part.areas()) {
        all.area += share.amount;
        if (kind.process == AreaProcess::dram || share.what.starts_with("in_bank_logic")) all.bank_area += share.amount;
    }
    all.memory_area += part.memory_area();
    part.add_rest(all.rest);
}

MachineFigures Prepared::hardware(LlmRequest const& request, std::vector<double> numbers, Point point,
                                  Fidelity fidelity) const {
    auto all = hardware_at(*machine_, std::move(numbers), request.format);
    if (links_) {
        auto const like = link_like(*machine_, all.numbers);
        if (auto const* kind = std::get_if<std::size_t>(&like)) all.link_energy = links_->at(*kind).energy.si;
        if (machine_->link().energy) all.link_energy = all.numbers[*machine_->link().energy];
    }
    for (std::size_t m = 0; m < all.memories.size(); ++m)
        if (streams_[m]) set_dram(machine_->memories()[m], *streams_[m], fidelity, all, all.memories[m]);
    for (auto& unit : all.units) unit.tilings = &tilings_;
    for (std::size_t u = 0; u < all.units.size(); ++u)
        if (machine_->units()[u].kind == UnitKind::bank_pim) set_bank(machine_->units()[u], request, all, all.units[u]);
    for (std::size_t u = 0; u < all.units.size(); ++u) {
        auto const& slots = machine_->units()[u];
        PartValues values;
        values.reserve(slots.values.size());
        for (std::size_t k = 0; k < slots.values.size(); ++k)
            if (auto const value = value_of(slots.values[k], slots.part->keys[k], point, all.numbers))
                values.push_back(*value);
        if (slots.part == nullptr || values.size() < slots.values.size()) continue;
        all.units[u].part = slots.part->at(parts_[u].get(), values, request, fidelity);
        set_part(*slots.part, *all.units[u].part, all, all.units[u]);
    }
    return all;
}

bool Design::differs_in_parts_only() const {
    auto const& machine = prepared->machine();
    return machine.has_parts() && hardware.slower == 0.0 &&
           std::ranges::none_of(machine.memories(), &MemorySlots::simulated);
}

double Design::logit_bytes() const {
    for (auto const& unit : hardware.units)
        if (unit.part != nullptr)
            if (auto const bytes = unit.part->logit_bytes()) return *bytes;
    return hardware.numbers[prepared->machine().logit()];
}

std::string name_at(CompiledMachine const& machine, Point point) {
    auto const& file = machine.file();
    if (file.variant_parameter.empty()) return file.name;
    auto const at = static_cast<std::size_t>(find_parameter(machine.parameters(), file.variant_parameter));
    return file.variants[point[at].as_choice()];
}

Design read_design(Prepared const& prepared, Point point, Fidelity fidelity) {
    auto numbers = prepared.numbers(point);
    auto request = prepared.request(point, numbers);
    auto hardware = prepared.hardware(request, std::move(numbers), point, fidelity);
    for (auto const& unit : hardware.units) {
        if (unit.part == nullptr) continue;
        request.steps = unit.part->needed_steps(request.steps);
        if (auto const bytes = unit.part->weight_bytes(request))
            request.each_weight_bytes([&](double) { return *bytes; });
        request.keeps_logits = request.keeps_logits || unit.part->logit_bytes().has_value();
    }
    if (request.keeps_logits && !request.diffuses()) request.block_length = request.speculation.positions();
    return {request, std::move(hardware), &prepared, fidelity};
}

std::vector<double> footprint(Design const& design) {
    auto const& machine = design.prepared->machine();
    std::vector<double> bytes(machine.memories().size(), 0.0);
    if (bytes.empty()) return bytes;
    auto const add = [&](std::size_t memory, double of_it) {
        if (memory != no_component) bytes[memory] += of_it;
    };
    auto const add_model = [&](LlmRequest const& r) {
        add(machine.weights_in(), weight_footprint(r));
        add(machine.cache_in(), cache_footprint(r));
    };
    add_model(design.request);
    add(machine.weights_in(), logit_footprint(design.request, design.logit_bytes()));
    if (design.request.speculation.has_model()) add_model(of_draft(design.request));  // its logits take their place
    return bytes;
}

std::optional<Infeasible> broken_operator_rule(Design const& d, Point point) {
    if (auto rule = number_rule(d)) return rule;
    if (auto rule = format_rule(d, point)) return rule;
    if (auto rule = own_limits(d, point)) return rule;
    if (auto rule = part_rule(d)) return rule;
    return range_rule(d, point);
}

std::optional<Infeasible> broken_rule(Design const& d, Point point) {
    auto const& r = d.request;
    if (auto rule = number_rule(d)) return rule;
    bool const denoises_any = std::ranges::any_of(d.prepared->machine().units(), [](UnitSlots const& unit) {
        return unit.part != nullptr && unit.part->denoises_any_model;
    });
    if (auto rule = broken_generation(r, denoises_any)) return rule;
    if (auto rule = format_rule(d, point)) return rule;
    if (auto rule = bank_rule(d, *r.model, point)) return rule;
    if (auto rule = own_limits(d, point)) return rule;
    if (auto rule = part_rule(d)) return rule;
    if (auto rule = range_rule(d, point)) return rule;
    if (auto rule = process_rule(d)) return rule;
    if (auto rule = package_rule(d, point)) return rule;
    if (auto rule = broken_speculation(r.speculation, r.diffuses(), r.input, r.output)) return rule;
    if (r.speculation.has_model())
        if (auto rule = bank_rule(d, *r.speculation.draft_model, point)) return rule;
    return capacity_rule(d, point);
}

}  // namespace pimdse::models::text
