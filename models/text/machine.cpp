#include "models/text/machine.hpp"

#include "models/dram/pim_units.hpp"
#include "models/text/component_kinds.hpp"
#include "models/text/number_limits.hpp"
#include "models/text/request.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

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

std::vector<std::string> all_patterns() {
    std::vector<std::string> all{"*.weights", "*.attention"};
    for (auto const op : operator_names) all.push_back("*." + std::string(op));
    return all;
}

/// In the order of keys_of("run").
constexpr std::array numbers_of_rules{&Rule::wait, &Rule::kernel, &Rule::task,  &Rule::at_once, &Rule::reads,
                                      &Rule::work, &Rule::sends,  &Rule::moves, &Rule::results};

/// An operator that is asked alone is that of one part: every other one always has passes of a model.
void check_asked_alone(std::vector<UnitSlots> const& units, MachineFile const& file,
                       std::vector<std::string>& mistakes) {
    std::size_t first = no_component;
    for (std::size_t u = 0; u < units.size(); ++u) {
        auto const* const part = units[u].part;
        if (part == nullptr || part->asked_by.empty()) continue;
        auto const key = static_cast<std::size_t>(find_parameter(part->keys, part->asked_by));
        auto const& slot = units[u].values[key];
        if (!slot.parameter && part->keys[key].choices[slot.fixed.as_choice()] == part->of_models) continue;
        if (first == no_component)
            first = u;
        else
            mistakes.push_back(fmt::format("{}: '{}' and '{}' may both be asked alone. Fix {} = \"{}\" in one of them?",
                                           file.units[u].place, file.units[first].name, file.units[u].name,
                                           part->asked_by, part->of_models));
    }
}

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
    check_asked_alone(units_, file_, mistakes);
    check_query_tiles(mistakes);
    check_tiles(mistakes);
    bind_groups();
    bind_limits(mistakes);
    check_names_in_texts(mistakes);
    check_fixed_numbers(*this, mistakes);
    if (!mistakes.empty()) throw sim::InputError(mistakes);
}

void CompiledMachine::bind_components(std::vector<std::string>& mistakes) {
    SlotsOfFile const slots(file_, parameters_, numbers_, mistakes);
    for (auto const& m : file_.memories) {
        if (m.kind == "tier" && tier_ != no_component)
            mistakes.push_back(fmt::format("{}: '{}' is a second tier, and one is modelled", m.place, m.name));
        if (m.kind == "tier") tier_ = memories_.size();
        memories_.push_back(slots.of_memory(m));
    }
    for (auto const& u : file_.units) {
        units_.push_back(slots.of_unit(u));
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
        return held == file_.hold.end() ? no_component : memory_at(file_, held->second);
    };
    weights_ = holding("weights");
    cache_ = holding("kv");
    activations_ = holding("activations");
    stage_ = holding("stage");
    repeated_ = holding("repeated");
    power_ = {numbers_.at("power.idle"), numbers_.at("power.limit"), numbers_.at("power.voltage_floor"),
              numbers_.at("power.lowest_clock")};
    power_.is_stated = says_something_of_power();
    cost_ = {numbers_.at("cost.node"), numbers_.at("cost.dies"), numbers_.at("cost.product"), {}, {}};
    for (auto const& entry : file_.area) {
        if (entry.number.empty()) continue;
        cost_.areas.push_back(numbers_.at(entry.number));
        if (entry.row == "in_bank_logic") cost_.area_in_banks = cost_.areas.back();
    }
    if (!file_.links.empty()) {
        auto const number = [&](char const* key) { return numbers_.at(file_.links.front().of(key)); };
        link_.devices = number("devices");
        link_.bandwidth = number("bandwidth");
        link_.latency = number("latency");
        link_.start = number("start");
        link_.fill = number("fill");
        link_.standby = number("standby");
        link_.cost = number("cost");
        link_.carbon = number("carbon");
        if (!file_.links.front().energies.empty()) link_.energy = number("energy.links");
    }
    slower_ = numbers_.at("bounds.slower");
    spread_ = numbers_.at("bounds.spread");
    long_steps_ = numbers_.at("service.long_steps");
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

/// Keys of rules that no result would read.
void CompiledMachine::check_idle_keys(std::vector<std::string>& mistakes) const {
    auto const has = [](Rule const& rule, auto const& of) {
        for (std::size_t o = 0; o < operator_names.size(); ++o)
            for (auto const phase : phase_names)
                if (of(static_cast<Operator>(o)) && fit(rule.pattern, phase, operator_names[o])) return true;
        return false;
    };
    for (auto const& rule : rules_) {
        auto const mistake = [&](std::string_view what) {
            if (!rule.alternative) mistakes.push_back(fmt::format("{}: \"{}\" {}", rule.place, rule.pattern, what));
        };
        if (numbers_.is_stated(rule.at_once) && !numbers_.is_stated(rule.task))
            mistake("has at_once, which says how many tasks start with a kernel, and no task");
        if (numbers_.is_stated(rule.results) && !has(rule, has_products))
            mistake("has results, which are values that products make, and no products");
        auto const is_taken = [&](Operator op) { return rule.part->takes_passes() || rule.part->takes_operator(op); };
        if (rule.part == nullptr || !has(rule, is_taken)) continue;
        for (auto const& key : keys_of("run")) {
            bool const waits = key.name == "wait" || key.name == "kernel";
            auto const& text = numbers_.written(numbers_.at(rule.number + "." + key.name)).text;
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
    for (auto const& rule : rules_)
        if (rule.multiplies && tiles(rule.unit) && numbers_.is_stated(rule.moves))
            mistakes.push_back(fmt::format("{}: moves: the tile_buffer of {} says which activations are moved",
                                           rule.place, file_.units[rule.unit].name));
}

/// Elementwise operators of vector units share the roof of products.
void CompiledMachine::bind_beside(std::vector<std::string>& mistakes) {
    for (auto& rule : rules_) {
        if (rule.beside.empty()) continue;
        auto const mistake = [&](std::string const& what) {
            mistakes.push_back(fmt::format("{}: beside: {}", rule.place, what));
        };
        auto const other = std::ranges::find(rules_, rule.beside, &Rule::pattern);
        if (other == rules_.end()) {
            std::vector<std::string> patterns;
            for (auto const& known : rules_) patterns.push_back(known.pattern);
            mistake(fmt::format("\"{}\" is not a rule of [run].{}", sim::clipped(rule.beside),
                                sim::suggestion(rule.beside, patterns)));
        } else if (!other->together || other->position != no_component || other->unit == no_component ||
                   !other->beside.empty()) {
            mistake(fmt::format("\"{}\" is not the rule of one component with together = true", rule.beside));
        } else if (rule.unit == no_component || rule.unit == other->unit ||
                   !(units_[rule.unit].kind == UnitKind::vector ||
                     (units_[rule.unit].part != nullptr && units_[rule.unit].part->is_vector))) {
            mistake("only a vector unit of its own works beside another component");
        } else {
            rule.roof_of = static_cast<std::size_t>(other - rules_.begin());
        }
    }
}

/// A part does what its kind takes, in rules of its own, and as a vector unit what else is elementwise; one that takes
/// whole passes does all of a phase.
void CompiledMachine::bind_parts(std::vector<std::string>& mistakes) {
    auto const mistake = [&](Rule const& rule, std::string_view what) {
        mistakes.push_back(fmt::format("{}: \"{}\": {} (a {}) {}", rule.place, rule.pattern,
                                       file_.units[rule.unit].name, file_.units[rule.unit].kind, what));
    };
    for (auto& rule : rules_) {
        if (rule.unit == no_component || units_[rule.unit].part == nullptr) continue;
        rule.part = units_[rule.unit].part;
        if (rule.position != no_component) mistake(rule, "is not one of several that a pass chooses");
        if (!rule.together) continue;
        if (rule.roof_of == max_rules) mistake(rule, "shares a roof as a vector unit only, with beside = \"PATTERN\"");
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
    auto const of_models = needed_for_models();
    for (auto& metric : metrics_of_parts_)  // kinds name the key
        std::erase_if(metric.needs, [&](Need& need) {
            bool const is_key = std::ranges::any_of(units_, [&](UnitSlots const& unit) {
                return unit.part != nullptr && !need.parameter.empty() && unit.part->asked_by == need.parameter;
            });
            if (is_key && of_models) need = *of_models;
            return is_key && !of_models;
        });
}

std::optional<Need> CompiledMachine::needed_for_models() const {
    for (auto const& unit : units_) {
        if (unit.part == nullptr || unit.part->asked_by.empty()) continue;
        auto const key = static_cast<std::size_t>(find_parameter(unit.part->keys, unit.part->asked_by));
        auto const& slot = unit.values[key];
        if (!slot.parameter) continue;
        auto const& choices = unit.part->keys[key].choices;
        auto const chosen =
            static_cast<std::size_t>(std::ranges::find(choices, unit.part->of_models) - choices.begin());
        auto const at = slot.choices.empty()
                            ? chosen
                            : static_cast<std::size_t>(std::ranges::find(slot.choices, chosen) - slot.choices.begin());
        auto const& parameter = parameters_[*slot.parameter];
        if (at < parameter.choices.size()) return needs(parameter.name, parameter.choices[at]);
    }
    return std::nullopt;
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
                    rule.place, file_.units[filling].name, file_.units[rule.unit].name));
                return;
            }
    }
}

void CompiledMachine::bind_rules(std::vector<std::string>& mistakes) {
    std::vector<bool> fits_something(file_.rules.size(), false);
    for (auto const& written : file_.rules) {
        Rule rule{written};
        rule.continues = written.continues || written.alternative;
        auto const unit = std::ranges::find(file_.units, written.on, &Component::name);
        if (unit != file_.units.end()) rule.unit = static_cast<std::size_t>(unit - file_.units.begin());
        for (std::size_t i = 0; i < numbers_of_rules.size(); ++i)
            rule.*numbers_of_rules[i] = numbers_.at(fmt::format("{}.{}", written.number, keys_of("run")[i].name));
        auto const& sent = numbers_.expression(rule.sends).steps();
        bool const sends = sent.size() != 1 || sent[0].code != Expression::Code::number || sent[0].number != 0.0;
        link_.is_used = link_.is_used || sends;
        if (sends && file_.links.empty())
            mistakes.push_back(fmt::format("{}: \"{}\" sends bytes, and the machine has no link ([link.NAME])",
                                           written.place, written.pattern));
        if (written.choose != Choose::nothing) choices_.push_back({rules_.size(), 0, written.choose == Choose::energy});
        if (written.choose != Choose::nothing || written.alternative) {
            ++choices_.back().count;
            rule.position = alternatives_++;
        }
        rules_.push_back(std::move(rule));
    }
    auto const set_multiplies = [&](std::size_t first) {
        rules_[first].multiplies = true;
        for (auto r = first + 1; r < rules_.size() && rules_[r].alternative; ++r) rules_[r].multiplies = true;
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
            mistakes.push_back(fmt::format("{}: \"{}\" is not an operator.{}", rules_[r].place,
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
