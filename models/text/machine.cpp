#include "models/text/machine.hpp"

#include "models/dram/dram_standard.hpp"
#include "models/dram/pim_units.hpp"
#include "models/text/component_kinds.hpp"
#include "models/text/number_limits.hpp"
#include "models/text/part_kinds.hpp"
#include "models/text/request.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"
#include "sim/dram/mapping.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <iterator>
#include <limits>

namespace pimdse::models::text {
namespace {

constexpr std::size_t no_rule = std::numeric_limits<std::size_t>::max();

/// How well a pattern fits an operator: number of letters that it names; nothing if it does not fit. "weights" fits
/// "weights.q".
std::optional<std::size_t> fit(std::string_view pattern, std::string_view phase, std::string_view op) {
    constexpr std::string_view any = "*.";
    std::size_t named = 0;
    if (pattern.starts_with(any)) {
        pattern.remove_prefix(any.size());
    } else if (pattern.starts_with(std::string(phase) + ".")) {
        pattern.remove_prefix(phase.size() + 1);
        named = 1;
    } else {
        for (auto const other : phase_names)
            if (pattern.starts_with(std::string(other) + ".")) return std::nullopt;
    }
    if (pattern == "*") return named;
    bool const fits = op == pattern || (op.starts_with(pattern) && op[pattern.size()] == '.');
    return fits ? std::optional(named + 2 * pattern.size()) : std::nullopt;
}

bool has_products(Operator op) {
    auto const name = operator_names[static_cast<std::size_t>(op)];
    return name.starts_with("weights.") || name.starts_with("attention.") || op == Operator::lm_head;
}

/// The names in braces of a sentence.
std::vector<std::string> in_braces(std::string const& sentence) {
    std::vector<std::string> names;
    for (auto open = sentence.find('{'); open != std::string::npos; open = sentence.find('{', open + 1)) {
        auto const close = sentence.find('}', open);
        if (close != std::string::npos) names.push_back(sentence.substr(open + 1, close - open - 1));
    }
    return names;
}

std::vector<std::string> all_patterns() {
    std::vector<std::string> all{"*.weights", "*.attention"};
    for (auto const op : operator_names) all.push_back("*." + std::string(op));
    return all;
}

UnitKind kind_of(Component const& unit) {
    if (unit.kind == "vector") return UnitKind::vector;
    if (unit.kind == "bank_pim") return UnitKind::bank_pim;
    if (part_kind(unit.kind) != nullptr) return UnitKind::part;
    return unit.kind == "array" ? UnitKind::array : UnitKind::roof;
}

/// The type that a memory names, or that of its timing set; nothing if it has neither.
std::optional<economy::MemoryKind> memory_type(Component const& memory, sim::dram::Standard const& standard) {
    auto const named = memory.texts.find("type");
    if (named != memory.texts.end()) {
        auto const known = std::ranges::find(economy::memory_names, named->second);
        sim::expects(known != economy::memory_names.end(), "the reader knows the type");
        return static_cast<economy::MemoryKind>(known - economy::memory_names.begin());
    }
    if (memory.kind != "dram") return std::nullopt;
    switch (standard.family) {
        case sim::dram::Family::ddr4:
            return economy::MemoryKind::ddr4;
        case sim::dram::Family::lpddr5:
            return economy::MemoryKind::lpddr5;
        case sim::dram::Family::gddr6:
            return economy::MemoryKind::gddr6;
        case sim::dram::Family::hbm2:
            return economy::MemoryKind::hbm2;
    }
    return std::nullopt;
}

constexpr std::array<std::pair<std::string_view, std::size_t Rule::*>, 9> numbers_of_rules{
    {{"wait", &Rule::wait},
     {"kernel", &Rule::kernel},
     {"task", &Rule::task},
     {"at_once", &Rule::at_once},
     {"reads", &Rule::reads},
     {"work", &Rule::work},
     {"sends", &Rule::sends},
     {"moves", &Rule::moves},
     {"results", &Rule::results}}};

}  // namespace

CompiledMachine::CompiledMachine(MachineFile file)
    : file_(std::move(file)), parameters_(parameters_of(file_)), numbers_(file_, parameters_) {
    std::vector<std::string> mistakes;
    auto const at_most = [&](std::size_t count, std::size_t max, std::string_view what) {
        if (count > max)
            mistakes.push_back(
                fmt::format("{}: it has {} {}, and at most {} are accepted", file_.file.string(), count, what, max));
    };
    at_most(file_.memories.size(), max_memories, "memories");
    at_most(file_.units.size(), max_units, "compute components");
    at_most(file_.rules.size(), max_rules, "rules in [run]");
    if (!mistakes.empty()) throw sim::InputError(mistakes);
    bind_components(mistakes);
    bind_rules(mistakes);
    bind_beside(mistakes);
    bind_parts(mistakes);
    check_idle_keys(mistakes);
    check_query_tiles(mistakes);
    check_tiles(mistakes);
    bind_groups();
    bind_limits(mistakes);
    check_names_in_texts(mistakes);
    check_fixed_numbers(*this, mistakes);
    if (!mistakes.empty()) throw sim::InputError(mistakes);
}

EnergySlots CompiledMachine::slots_of(std::string const& prefix, std::vector<std::string> const& rows,
                                      std::string const& format) const {
    EnergySlots slots;
    for (auto const& row : rows) {
        auto const name = prefix + "." + row;
        slots.emplace_back(energy_row(row), numbers_.at(format.empty() ? name : name + "." + format));
    }
    return slots;
}

MemorySlots CompiledMachine::memory_slots(Component const& m, std::vector<std::string>& mistakes) const {
    auto const at = [&](std::string_view key) { return numbers_.at(m.of(key)); };
    MemorySlots slots;
    slots.simulated = m.kind == "dram";
    slots.is_tier = m.kind == "tier";
    if (slots.simulated) {
        slots.channels = at("channels");
        slots.timing = m.texts.at("timing");
        auto const mapping = m.texts.find("mapping");
        slots.mapping = mapping == m.texts.end() ? "conventional" : mapping->second;
        try {
            slots.standard = load_dram_standard(slots.timing);
            (void)sim::dram::parse_mapping(slots.mapping, slots.standard.organisation);
        } catch (sim::InputError const& error) {
            mistakes.push_back(fmt::format("{}: {}", m.place, error.what()));
        }
    } else {
        slots.bandwidth = at("bandwidth");
        slots.write_bandwidth = at("write_bandwidth");
    }
    slots.share = at("share");
    (slots.is_tier ? slots.latency : slots.clock_share) = at(slots.is_tier ? "latency" : "clock_share");
    if (slots.is_tier) slots.relayout = at("relayout");
    slots.capacity = at("capacity");
    slots.usable = at("usable");
    slots.area = at("area");
    slots.memory_area = at("memory_area");
    slots.static_power = at("static_power");
    slots.working_power = at("working_power");
    slots.packages = at("packages");
    slots.package_limit = at("package_limit");
    slots.cost = at("cost");
    slots.carbon = at("carbon");
    slots.installed = at("installed");
    slots.type = memory_type(m, slots.standard);
    slots.energies = slots_of(m.of("energy"), m.energies);
    slots.write_energies = m.write_energies.empty() ? slots.energies : slots_of(m.of("write_energy"), m.write_energies);
    return slots;
}

/// Choices that a parameter decides must all be those of the key.
std::vector<PartSlot> CompiledMachine::part_slots(Component const& u, std::vector<std::string>& mistakes) const {
    std::vector<PartSlot> slots;
    for (auto const& key : part_kind(u.kind)->keys) {
        auto& slot = slots.emplace_back();
        slot.fixed = key.default_value;
        auto const known = PartKind::texts_of(key);
        if (known.empty()) {
            slot.number = numbers_.at(u.of(key.name));
            if (key.kind == Kind::integer && !key.unit.empty()) slot.unit = sim::parse_unit(key.unit).in_si;
            continue;
        }
        auto const text = u.texts.find(key.name);
        if (text == u.texts.end()) continue;
        auto const position = [&](std::string const& one) {
            auto const found = std::ranges::find(known, one);
            if (found == known.end())
                mistakes.push_back(fmt::format("{}: {} may be {}, and '{}' is none of them.{}", u.place, u.of(key.name),
                                               fmt::join(known, ", "), sim::clipped(one), sim::suggestion(one, known)));
            return static_cast<std::size_t>(found - known.begin());
        };
        auto const names = in_braces(text->second);
        if (names.empty()) {
            auto const at = position(text->second);
            slot.fixed = key.kind == Kind::flag ? Value::flag(at == 1) : Value::choice(at);
            continue;
        }
        auto const parameter = find_parameter(parameters_, names.front());
        if (parameter < 0 || parameters_[static_cast<std::size_t>(parameter)].kind != key.kind) {
            mistakes.push_back(fmt::format("{}: '{}' of {} is not a parameter {}", u.place, sim::clipped(names.front()),
                                           u.of(key.name), key.kind == Kind::flag ? "that is a flag" : "with choices"));
            continue;
        }
        slot.parameter = static_cast<std::size_t>(parameter);
        if (parameters_[*slot.parameter].accepts != nullptr) continue;
        for (auto const& choice : parameters_[*slot.parameter].choices) slot.choices.push_back(position(choice));
    }
    return slots;
}

UnitSlots CompiledMachine::unit_slots(Component const& u, std::vector<std::string>& mistakes) const {
    auto const at = [&](std::string_view key) { return numbers_.at(u.of(key)); };
    UnitSlots slots;
    slots.kind = kind_of(u);
    for (auto const& format : file_.formats) {
        if (slots.kind == UnitKind::roof) slots.rate.push_back(at("rate." + format));
        slots.share.push_back(at("share." + format));
        slots.energies.push_back(slots_of(u.of("energy"), u.energies, format));
    }
    switch (slots.kind) {
        case UnitKind::roof:
            slots.tile = at("tile");
            slots.tile_buffer = at("tile_buffer");
            break;
        case UnitKind::vector:
            slots.frequency = at("frequency");
            slots.lanes = at("lanes");
            slots.per_cycle = at("per_cycle");
            break;
        case UnitKind::array:
            slots.frequency = at("frequency");
            slots.rows = at("rows");
            slots.columns = at("columns");
            slots.count = at("count");
            slots.fill = at("fill");
            slots.tile = at("tile");
            slots.packed = at("packed");
            slots.cycle_energy = at("cycle_energy");
            if (auto const buffer = u.texts.find("buffer"); buffer != u.texts.end())
                slots.buffer = memory_at(buffer->second);
            break;
        case UnitKind::bank_pim:
            slots.memory = memory_at(u.texts.at("memory"));
            slots.mac_interval = at("mac_interval");
            slots.global_buffer = at("global_buffer");
            slots.value_channels = at("value_channels");
            slots.standby_share = at("standby_share");
            break;
        case UnitKind::part:
            slots.part = part_kind(u.kind);
            slots.values = part_slots(u, mistakes);
            break;
    }
    slots.waiting_power = at("waiting_power");
    slots.area = at("area");
    slots.static_power = at("static_power");
    return slots;
}

void CompiledMachine::bind_components(std::vector<std::string>& mistakes) {
    for (auto const& m : file_.memories) {
        if (m.kind == "tier" && tier_ != no_component)
            mistakes.push_back(fmt::format("{}: '{}' is a second tier, and one is modelled", m.place, m.name));
        if (m.kind == "tier") tier_ = memories_.size();
        memories_.push_back(memory_slots(m, mistakes));
    }
    for (auto const& u : file_.units) {
        units_.push_back(unit_slots(u, mistakes));
        auto const memory = units_.back().memory;
        if (memory == no_component) continue;
        try {
            if (!memories_[memory].simulated)
                throw sim::InputError(fmt::format("{} is not a memory of kind dram", file_.memories[memory].name));
            memories_[memory].units = load_pim_units(memories_[memory].timing);
        } catch (sim::InputError const& error) {
            mistakes.push_back(fmt::format("{}: {}", u.place, error.what()));
        }
    }
    auto const holding = [&](char const* what) {
        auto const held = file_.hold.find(what);
        return held == file_.hold.end() ? no_component : memory_at(held->second);
    };
    weights_ = holding("weights");
    cache_ = holding("kv");
    activations_ = holding("activations");
    stage_ = holding("stage");
    repeated_ = holding("repeated");
    power_ = {numbers_.at("power.idle"), numbers_.at("power.limit"), numbers_.at("power.voltage_floor"),
              numbers_.at("power.lowest_clock")};
    power_.is_stated = says_something_of_power();
    cost_ = {numbers_.at("cost.node"), numbers_.at("cost.dies"), numbers_.at("cost.product"), {}};
    for (auto const& entry : file_.area)
        if (entry.row == "in_bank_logic" && !entry.number.empty()) cost_.area_in_banks = numbers_.at(entry.number);
    if (!file_.links.empty() && !file_.links.front().energies.empty())
        link_.energy = numbers_.at(file_.links.front().of("energy.links"));
    slower_ = numbers_.at("bounds.slower");
    spread_ = numbers_.at("bounds.spread");
    logit_ = numbers_.at("format.logit");
    weight_bits_ = numbers_.at("format.weight_bits");
    weight_scale_ = numbers_.at("format.weight_scale");
}

bool CompiledMachine::says_something_of_power() const {
    auto const some = [&](std::size_t number) { return numbers_.is_stated(number); };
    return some(power_.idle) ||
           std::ranges::any_of(memories_,
                               [&](MemorySlots const& memory) {
                                   return memory.simulated || !memory.energies.empty() ||
                                          !memory.write_energies.empty() || some(memory.static_power) ||
                                          some(memory.working_power);
                               }) ||
           std::ranges::any_of(units_, [&](UnitSlots const& unit) {
               return unit.part != nullptr || some(unit.static_power) || some(unit.waiting_power) ||
                      std::ranges::any_of(unit.energies, [](EnergySlots const& of) { return !of.empty(); });
           });
}

bool CompiledMachine::is_built_for_batch() const {
    return std::ranges::any_of(units_, [](auto const& u) { return u.part != nullptr && u.part->built_for_batch; });
}

bool CompiledMachine::has_cycle_level() const {
    return has_parts() || std::ranges::any_of(memories_, &MemorySlots::simulated);
}

std::size_t CompiledMachine::memory_at(std::string_view name) const {
    auto const found = std::ranges::find(file_.memories, name, &Component::name);
    return static_cast<std::size_t>(found - file_.memories.begin());
}

/// Keys of rules that no result would read.
void CompiledMachine::check_idle_keys(std::vector<std::string>& mistakes) const {
    auto const has = [](Rule const& rule, auto const& of) {
        for (std::size_t o = 0; o < operator_names.size(); ++o)
            for (auto const phase : phase_names)
                if (of(static_cast<Operator>(o)) && fit(rule.pattern, phase, operator_names[o])) return true;
        return false;
    };
    for (std::size_t at = 0; at < rules_.size(); ++at) {
        auto const& rule = rules_[at];
        auto const mistake = [&](std::string_view what) {
            if (!file_.rules[at].alternative)
                mistakes.push_back(fmt::format("{}: \"{}\" {}", file_.rules[at].place, rule.pattern, what));
        };
        if (numbers_.is_stated(rule.at_once) && !numbers_.is_stated(rule.task))
            mistake("has at_once, which says how many tasks start with a kernel, and no task");
        if (numbers_.is_stated(rule.results) && !has(rule, has_products))
            mistake("has results, which are values that products make, and no products");
        auto const is_taken = [&](Operator op) { return rule.part->takes_passes() || rule.part->takes_operator(op); };
        if (rule.part == nullptr || !has(rule, is_taken)) continue;
        for (auto const& key : rule_keys()) {
            bool const waits = key.name == "wait" || key.name == "kernel";
            auto const& text = numbers_.written(numbers_.at(file_.rules[at].number + "." + key.name)).text;
            if (text != key.default_text && (!waits || rule.part->takes_passes()))
                mistake(fmt::format("has {}, which the laws of a {} do not read", key.name, rule.part->name));
        }
    }
}

/// A tiling through a buffer decides where the activations of products go.
void CompiledMachine::check_tiles(std::vector<std::string>& mistakes) const {
    auto const tiles = [&](std::size_t u) {
        return u < units_.size() && units_[u].kind == UnitKind::roof && numbers_.is_stated(units_[u].tile_buffer);
    };
    for (std::size_t u = 0; u < units_.size(); ++u)
        if (activations_ != no_component && tiles(u))
            mistakes.push_back(
                fmt::format("{}: tile_buffer: activations that it has no room for go to the memory of "
                            "weights, and hold.activations says that all go to another",
                            file_.units[u].place));
    for (std::size_t at = 0; at < rules_.size(); ++at)
        if (auto const& rule = rules_[at]; rule.multiplies && tiles(rule.unit) && numbers_.is_stated(rule.moves))
            mistakes.push_back(fmt::format("{}: moves: the tile_buffer of {} says which activations are moved",
                                           file_.rules[at].place, file_.units[rule.unit].name));
}

/// Elementwise operators of vector units share the roof of products.
void CompiledMachine::bind_beside(std::vector<std::string>& mistakes) {
    for (std::size_t at = 0; at < rules_.size(); ++at) {
        auto const& written = file_.rules[at];
        if (written.beside.empty()) continue;
        auto& rule = rules_[at];
        auto const mistake = [&](std::string const& what) {
            mistakes.push_back(fmt::format("{}: beside: {}", written.place, what));
        };
        auto const other = std::ranges::find(rules_, written.beside, &Rule::pattern);
        if (other == rules_.end()) {
            std::vector<std::string> patterns;
            for (auto const& known : rules_) patterns.push_back(known.pattern);
            mistake(fmt::format("\"{}\" is not a rule of [run].{}", sim::clipped(written.beside),
                                sim::suggestion(written.beside, patterns)));
        } else if (!other->together || other->alternative != no_component || other->unit == no_component ||
                   !file_.rules[static_cast<std::size_t>(other - rules_.begin())].beside.empty()) {
            mistake(fmt::format("\"{}\" is not the rule of one component with together = true", written.beside));
        } else if (rule.unit == no_component || rule.unit == other->unit ||
                   !(units_[rule.unit].kind == UnitKind::vector ||
                     (units_[rule.unit].part != nullptr && units_[rule.unit].part->is_vector))) {
            mistake("only a vector unit of its own works beside another component");
        } else {
            rule.beside = static_cast<std::size_t>(other - rules_.begin());
        }
    }
}

/// A part does what its kind takes, in rules of its own, and as a vector unit what else is elementwise; one that takes
/// whole passes does all of a phase.
void CompiledMachine::bind_parts(std::vector<std::string>& mistakes) {
    auto const mistake = [&](Rule const& rule, std::string_view what) {
        auto const& written = file_.rules[static_cast<std::size_t>(&rule - rules_.data())];
        mistakes.push_back(fmt::format("{}: \"{}\": {} (a {}) {}", written.place, rule.pattern,
                                       file_.units[rule.unit].name, file_.units[rule.unit].kind, what));
    };
    for (auto& rule : rules_) {
        if (rule.unit == no_component || units_[rule.unit].part == nullptr) continue;
        rule.part = units_[rule.unit].part;
        if (rule.alternative != no_component) mistake(rule, "is not one of several that a pass chooses");
        if (!rule.together) continue;
        if (rule.beside == max_rules) mistake(rule, "shares a roof as a vector unit only, with beside = \"PATTERN\"");
        rule.part = nullptr;
    }
    for (std::size_t p = 0; p < phase_names.size(); ++p) {
        auto const rules_for = [&](std::size_t o) { return rules_of(static_cast<Phase>(p), static_cast<Operator>(o)); };
        for (std::size_t o = 0; o < operator_names.size(); ++o)
            for (auto const& rule : rules_for(o)) {
                if (rule.part == nullptr || rule.part->takes_operator(static_cast<Operator>(o))) continue;
                if (rule.part->takes_passes())
                    whole_[p] = static_cast<std::size_t>(&rule - rules_.data());
                else if (!rule.part->is_vector || has_products(static_cast<Operator>(o)))
                    return mistake(rule, fmt::format("does not compute {}", operator_names[o]));
            }
        for (std::size_t o = 0; whole_[p] != max_rules && o < operator_names.size(); ++o)
            for (auto const& rule : rules_for(o))
                if (rule.unit != rules_[whole_[p]].unit)
                    return mistake(rules_[whole_[p]],
                                   fmt::format("takes whole passes, and \"{}\" gives {} to another (write \"{}.*\")",
                                               rule.pattern, operator_names[o], phase_names[p]));
    }
    for (std::size_t u = 0; u < units_.size(); ++u)
        if (has_own_metrics(u)) std::ranges::copy(units_[u].part->metrics, std::back_inserter(metrics_of_parts_));
}

/// Tiles of queries are summed up once for all units that attend in a phase.
void CompiledMachine::check_query_tiles(std::vector<std::string>& mistakes) const {
    auto const fills = [&](Rule const& rule) {
        if (rule.unit == no_component) return false;
        auto const& unit = units_[rule.unit];
        return (unit.kind == UnitKind::array && numbers_.is_stated(unit.packed)) ||
               (unit.kind == UnitKind::roof && numbers_.written(unit.tile).text != "1");
    };
    for (auto const phase : {Phase::prefill, Phase::decode}) {
        std::size_t filling = no_component;
        for (auto const op : tiled_operators)
            for (auto const& rule : rules_of(phase, op)) {
                if (!fills(rule)) continue;
                if (filling == no_component) filling = rule.unit;
                if (rule.unit == filling) continue;
                mistakes.push_back(fmt::format(
                    "{}: '{}' and '{}' both fill tiles with queries of attention (tile, packed): one unit can",
                    file_.rules[static_cast<std::size_t>(&rule - rules_.data())].place, file_.units[filling].name,
                    file_.units[rule.unit].name));
                return;
            }
    }
}

/// A choice begins with its first rule; the alternatives follow it.
void CompiledMachine::bind_choice(WrittenRule const& written, Rule& rule) {
    if (written.choose == Choose::nothing && !written.alternative) return;
    if (written.choose != Choose::nothing) choices_.push_back({rules_.size(), 0, written.choose == Choose::energy});
    ++choices_.back().count;
    rule.alternative = alternatives_++;
}

void CompiledMachine::bind_rules(std::vector<std::string>& mistakes) {
    std::vector<bool> fits_something(file_.rules.size(), false);
    for (auto const& written : file_.rules) {
        Rule rule;
        rule.pattern = written.pattern;
        rule.name = written.name;
        rule.together = written.together;
        rule.per_token = written.per_token;
        rule.masked = written.masked;
        rule.continues = written.continues || written.alternative;
        rule.is_free = !written.free.empty();
        auto const unit = std::ranges::find(file_.units, written.on, &Component::name);
        if (unit != file_.units.end()) rule.unit = static_cast<std::size_t>(unit - file_.units.begin());
        for (auto const& [key, number] : numbers_of_rules)
            rule.*number = numbers_.at(fmt::format("{}.{}", written.number, key));
        auto const& sent = numbers_.expression(rule.sends).steps();
        bool const sends = sent.size() != 1 || sent[0].code != Expression::Code::number || sent[0].number != 0.0;
        link_.is_used = link_.is_used || sends;
        if (sends && file_.links.empty())
            mistakes.push_back(fmt::format("{}: \"{}\" sends bytes, and the machine has no link ([link.NAME])",
                                           written.place, written.pattern));
        bind_choice(written, rule);
        rules_.push_back(std::move(rule));
    }
    auto const set_multiplies = [&](std::size_t first) {
        rules_[first].multiplies = true;
        for (auto r = first + 1; r < rules_.size() && file_.rules[r].alternative; ++r) rules_[r].multiplies = true;
    };
    for (std::size_t p = 0; p < phase_names.size(); ++p) {
        for (std::size_t o = 0; o < operator_names.size(); ++o) {
            std::size_t best = no_rule, best_fit = 0;
            for (std::size_t r = 0; r < rules_.size(); ++r) {
                auto const how = fit(rules_[r].pattern, phase_names[p], operator_names[o]);
                if (!how) continue;
                fits_something[r] = true;
                if (rules_[r].continues) continue;
                if (best == no_rule || *how > best_fit) {
                    best = r;
                    best_fit = *how;
                }
            }
            rule_of_[p][o] = best;
            if (best != no_rule && has_products(static_cast<Operator>(o))) set_multiplies(best);
            if (best == no_rule)
                mistakes.push_back(fmt::format(
                    "{}: no rule of [run] has {}.{} (write \"*.{}\" = \"COMPONENT\", or = {{ free = \"why\" }})",
                    file_.file.string(), phase_names[p], operator_names[o], operator_names[o]));
        }
    }
    for (std::size_t r = 0; r < rules_.size(); ++r)
        if (!fits_something[r])
            mistakes.push_back(fmt::format("{}: \"{}\" is not an operator.{}", file_.rules[r].place,
                                           sim::clipped(rules_[r].pattern),
                                           sim::suggestion(rules_[r].pattern, all_patterns())));
}

/// Sets that share a component are joined.
void CompiledMachine::bind_groups() {
    for (std::size_t i = 0; i < groups_.size(); ++i) groups_[i] = i;
    auto const component_at = [&](std::string const& name) {
        auto const memory = std::ranges::find(file_.memories, name, &Component::name);
        if (memory != file_.memories.end()) return static_cast<std::size_t>(memory - file_.memories.begin());
        auto const unit = std::ranges::find(file_.units, name, &Component::name);
        return unit == file_.units.end() ? no_component
                                         : max_memories + static_cast<std::size_t>(unit - file_.units.begin());
    };
    for (auto const& set : file_.overlap) {
        if (set.empty()) continue;
        auto const first = component_at(set.front());
        for (auto const& name : set) {
            auto const other = component_at(name);
            if (first == no_component || other == no_component) continue;
            auto const from = groups_[other], to = groups_[first];
            for (auto& group : groups_)
                if (group == from) group = to;
        }
    }
}

void CompiledMachine::bind_limits(std::vector<std::string>& mistakes) {
    MetricList const no_metrics;
    Parameters const no_parameters;
    auto const constants = numbers_.names().first(numbers_.constants());
    auto const bind = [&](WrittenLimit const& written, std::string_view what, Vocabulary const& names,
                          std::vector<CompiledLimit>& to) {
        try {
            to.push_back({written.name, written.reason, parse_condition(written.condition, names)});
        } catch (sim::InputError const& error) {
            mistakes.push_back(fmt::format("{}: {} '{}': {}", written.place, what, written.name, error.what()));
        }
    };
    for (auto const& limit : file_.limits) bind(limit, "limit", {parameters_, no_metrics, numbers_.names()}, limits_);
    for (auto const& rule : file_.rules_of_constants)
        bind(rule, "rule", {no_parameters, no_metrics, constants}, rules_of_constants_);
}

void CompiledMachine::check_names_in_texts(std::vector<std::string>& mistakes) const {
    std::vector<std::string> numbers, known;
    for (auto const& number : numbers_.names()) numbers.push_back(number.name);
    for (auto const& parameter : parameters_) known.push_back(parameter.name);
    if (!file_.chosen_parameter.empty()) known.push_back(file_.chosen_parameter);
    known.insert(known.end(), numbers.begin(), numbers.end());
    auto const check = [&](std::string const& text, std::string const& place, std::vector<std::string> const& names,
                           std::string_view what) {
        for (auto const& name : in_braces(text))
            if (std::ranges::find(names, name) == names.end())
                mistakes.push_back(
                    fmt::format("{}: '{}' is {}.{}", place, sim::clipped(name), what, sim::suggestion(name, names)));
    };
    for (auto const& limit : file_.limits)
        check(limit.reason, limit.place, known, "neither a parameter nor a number of the machine");
    for (auto const& link : file_.links)
        if (auto const like = link.texts.find("like"); like != link.texts.end())
            check(like->second, link.place, numbers, "not a number of the machine");
}

}  // namespace pimdse::models::text
