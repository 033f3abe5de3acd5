#include "models/text/directions.hpp"

#include "models/contract/constant_slopes.hpp"
#include "models/expression/slopes.hpp"
#include "models/text/machine.hpp"
#include "models/text/numbers.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <set>

namespace pimdse::models::text {
namespace {

/// How the numbers of a machine move while one of them grows.
class Directions {
  public:
    /// What grows: a parameter, or a constant (both by position).
    enum class Of : std::uint8_t { parameter, constant };
    /// `non_negative`: of the constants, by their values.
    Directions(CompiledMachine const& machine, std::vector<bool> const& non_negative, Of what, std::size_t which)
        : machine_(machine), non_negative_(non_negative), what_(what), which_(which) {}

    [[nodiscard]] ConstantSlope of(std::size_t number) const { return of_number(number).slope; }
    [[nodiscard]] ConstantSlope of(Expression const& expression) const { return followed(expression).slope; }

  private:
    [[nodiscard]] MovedOperand followed(Expression const& expression) const {
        return moved(expression, [this](Expression::Step const& step) { return of_leaf(step); });
    }

    [[nodiscard]] MovedOperand of_number(std::size_t number) const {
        auto const& numbers = machine_.numbers();
        if (number >= numbers.constants()) return followed(numbers.expression(number));
        bool const grows = what_ == Of::constant && number == which_;
        return {grows ? Slope::up : Slope::flat, non_negative_[number]};
    }

    [[nodiscard]] MovedOperand of_leaf(Expression::Step const& step) const {
        using Code = Expression::Code;
        if (step.code == Code::number) return {Slope::flat, step.number >= 0.0};
        if (step.code == Code::named) return of_number(step.index);
        if (step.code != Code::parameter) return {std::nullopt, false};
        auto const& parameter = machine_.parameters()[step.index];
        bool const is_number = parameter.kind == Kind::integer || parameter.kind == Kind::quantity;
        bool const positive = is_number && parameter.lower >= 0.0 && parameter.upper > 0.0;
        if (what_ != Of::parameter || step.index != which_) return {Slope::flat, positive};
        return {is_number ? ConstantSlope(Slope::up) : std::nullopt, positive};
    }

    CompiledMachine const& machine_;
    std::vector<bool> const& non_negative_;
    Of what_;
    std::size_t which_;
};

/// The direction of a lower bound of times: rates in the other direction than work and waiting.
ConstantSlope of_times(CompiledMachine const& machine, Directions const& directions) {
    ConstantSlope all = Slope::flat;
    auto const rate = [&](std::size_t number) { all = joined(all, opposite(directions.of(number))); };
    for (auto const& memory : machine.memories()) {
        if (memory.simulated) continue;
        rate(memory.bandwidth);
        rate(memory.write_bandwidth);
    }
    auto const fixed = [&](std::size_t number) {
        if (directions.of(number) != Slope::flat) all = std::nullopt;
    };
    for (auto const& memory : machine.memories())
        if (memory.simulated) rate(memory.channels);
    for (auto const& unit : machine.units()) {
        if (unit.kind == UnitKind::bank_pim) {  // no law says how the bound of a program moves with these
            for (auto const number : {unit.mac_interval, unit.global_buffer, unit.value_channels}) fixed(number);
            fixed(machine.memories()[unit.memory].channels);
        }
        for (auto const number : unit.rate) rate(number);
        if (unit.kind == UnitKind::vector)
            for (auto const number : {unit.lanes, unit.frequency, unit.per_cycle}) rate(number);
        if (unit.kind == UnitKind::array)
            for (auto const number : {unit.rows, unit.columns, unit.count, unit.frequency}) rate(number);
    }
    for (auto const& rule : machine.rules()) {
        all = joined(all, directions.of(rule.reads));
        all = joined(all, directions.of(rule.work));
    }
    return all;
}

/// Whether a number that grows with a constant moves metrics as the constant's dimension says, or what a plain number
/// acts as: an area may raise power, too.
bool is_in_kind(sim::Dimension constant, std::string const& acts_as, sim::Dimension number) {
    auto const slope = acts_as.empty() ? slope_by_dimension(constant, number) : slope_as(acts_as, number);
    return slope && *slope == Slope::up;
}

/// Whether there is a limit of power, under which the machine slows down as energies grow, or energy chooses a unit.
bool energies_move_times(CompiledMachine const& machine) {
    auto const& steps = machine.numbers().expression(machine.power().limit).steps();
    bool const is_unlimited = steps.size() == 1 && steps[0].code == Expression::Code::number && steps[0].number == 0.0;
    return !is_unlimited || std::ranges::any_of(machine.choices(), &RuleChoice::by_energy);
}

bool has_slope(CompiledMachine const& machine, Directions const& directions, std::size_t constant) {
    auto const names = machine.numbers().names();
    auto const& of_file = machine.file().constants;
    auto const found = of_file.find(names[constant].name);
    auto const acts_as = found == of_file.end() ? std::string() : found->second.acts_as;
    for (auto const& unit : machine.units()) {  // what has more room moves less; laws in C++ may do anything
        if (unit.kind == UnitKind::roof && directions.of(unit.tile_buffer) != Slope::flat) return false;
        for (auto const& value : unit.values)
            if (value.number && directions.of(*value.number) != Slope::flat) return false;
    }
    for (auto number = machine.numbers().constants(); number < machine.numbers().size(); ++number) {
        auto const direction = directions.of(number);
        if (direction == Slope::flat) continue;
        auto const& dimension = names[number].dimension;
        if (dimension.joule != 0 && energies_move_times(machine)) return false;
        // what is faster may take more energy, and be chosen
        if (!machine.choices().empty() && dimension.second != 0 && dimension.joule == 0) return false;
        if (direction != Slope::up || !is_in_kind(names[constant].dimension, acts_as, dimension)) return false;
    }
    return std::ranges::all_of(
        machine.limits(), [&](CompiledLimit const& limit) { return directions.of(limit.condition) == Slope::flat; });
}

/// Numbers of memories of the file that say what their bytes cost.
std::vector<std::size_t> billed_numbers(CompiledMachine const& machine) {
    std::vector<std::size_t> all;
    for (auto const& slots : machine.memories())
        all.insert(all.end(), {slots.capacity, slots.installed, slots.cost, slots.carbon});
    return all;
}

/// The parameter that sets a key of the part of a unit and nothing else but these numbers, or that of the request which
/// has this name, if the part makes the machine alone, by position; nothing: there is none.
std::optional<std::size_t> parameter_of(CompiledMachine const& machine, UnitSlots const& unit, std::string_view key,
                                        std::vector<std::size_t> const& but = {}) {
    auto const& numbers = machine.numbers();
    int const of_key = find_parameter(unit.part->keys, key);
    if (of_key < 0) {
        int const of_request = machine.is_one_part() ? find_parameter(machine.parameters(), key) : -1;
        return of_request < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(of_request));
    }
    auto const& slot = unit.values[static_cast<std::size_t>(of_key)];
    auto parameter = slot.parameter;
    if (slot.number) {
        auto const& steps = numbers.expression(*slot.number).steps();
        if (steps.size() != 1 || steps[0].code != Expression::Code::parameter) return std::nullopt;
        parameter = steps[0].index;
    }
    if (!parameter) return std::nullopt;
    auto const reads = [&](Expression const& expression) {
        return expression.reads_parameter(*parameter) || (slot.number && expression.reads_number(*slot.number));
    };
    for (auto number = numbers.constants(); number < numbers.size(); ++number)
        if (number != slot.number && std::ranges::find(but, number) == but.end() && reads(numbers.expression(number)))
            return std::nullopt;
    for (auto const& limit : machine.limits())
        if (reads(limit.condition)) return std::nullopt;
    for (auto const& any : machine.units())
        for (auto const& other : any.values)
            if (&other != &slot && other.parameter == parameter) return std::nullopt;
    return parameter;
}

/// A point that can be built.
struct Used {
    Design design;
    Point point;
};
using KeyRows = KeyTable<Used>;

bool reads_a_file_format(LlmRequest const& r) {
    return r.stored_as_file() || (r.speculation.has_model() && of_draft(r).stored_as_file());
}

/// Whether two values of a parameter may have the same effect: an expression that reads it chooses or rounds, or
/// nothing reads it.
bool merges_values(CompiledMachine const& machine, std::size_t parameter) {
    using Code = Expression::Code;
    auto const readers = machine.numbers().readers_of(parameter);
    for (auto const& unit : machine.units())
        if (std::ranges::find(unit.values, std::optional(parameter), &PartSlot::parameter) != unit.values.end())
            return false;
    auto const is_value = [&](std::size_t number) {
        auto const& steps = machine.numbers().expression(number).steps();
        return steps.size() == 1 && steps[0].code == Code::parameter;
    };
    if (std::ranges::any_of(readers, is_value)) return false;
    auto const chooses = [](Expression::Step const& step) {
        return (step.code >= Code::less && step.code <= Code::logical_not) || step.code >= Code::minimum;
    };
    return readers.empty() || std::ranges::any_of(readers, [&](std::size_t number) {
               return std::ranges::any_of(machine.numbers().expression(number).steps(), chooses);
           });
}

/// What the kind of a unit says about the parameters that set its keys.
void add_rows_of_part(CompiledMachine const& machine, std::size_t unit, KeyRows& table) {
    auto const& slots = machine.units()[unit];
    for (auto const& row : slots.part->key_rows) {
        auto const at = parameter_of(machine, slots, row.key);
        if (!at) continue;
        KeyRows::Row made{{machine.parameters()[*at].name, row.because, row.when == nullptr}};
        auto const law = [unit](Used const& u) -> PartLaw const& { return *u.design.hardware.units[unit].part; };
        if (row.when != nullptr) made.when = [law, row](Used const& u) { return row.when(law(u)); };
        if (row.instead != nullptr) made.instead = [law, row](Used const& u) { return row.instead(law(u)); };
        if (row.write != nullptr)
            made.write = [law, row](CycleKeyMaker& key, Used const& u) { row.write(key, law(u)); };
        table.declare(std::move(made));
    }
}

/// Whether an expression of the machine fits.
template <class Fits>
bool has_expression(CompiledMachine const& machine, Fits const& fits) {
    auto const& numbers = machine.numbers();
    for (auto number = numbers.constants(); number < numbers.size(); ++number)
        if (fits(numbers.expression(number))) return true;
    return std::ranges::any_of(machine.limits(), [&](CompiledLimit const& limit) { return fits(limit.condition); });
}

/// Whether the machine depends on the model: on the numbers of given_names after the first.
bool reads_model(CompiledMachine const& machine) {
    return has_expression(machine, [](Expression const& one) {
        for (std::size_t of_model = 1; of_model < given_names.size(); ++of_model)
            if (one.reads_number(of_model)) return true;
        return false;
    });
}

/// Whether a parameter says something of the request, and nothing of the machine.
bool is_of_request_alone(CompiledMachine const& machine, std::string_view name) {
    int const at = find_parameter(machine.parameters(), name);
    return at >= 0 && !has_expression(machine, [at](Expression const& one) {
               return one.reads_parameter(static_cast<std::size_t>(at));
           });
}

KeyRows make_key_rows(CompiledMachine const& machine) {
    KeyRows table(machine.parameters());
    for (std::size_t u = 0; u < machine.units().size(); ++u)
        if (machine.units()[u].part != nullptr) add_rows_of_part(machine, u, table);
    auto const irrelevant = [&](std::initializer_list<std::string_view> names, KeyRows::When const& when,
                                std::string_view because) {
        for (auto const name : names)
            if (is_of_request_alone(machine, name)) table.irrelevant(name, when, because);
    };
    if (machine.needed_for_models()) {
        constexpr auto asks_no_model = "an operator alone is asked for, no pass through a model";
        irrelevant(
            {"input", "output", "model_cache", "kv_cache"}, [](Used const& u) { return u.design.alone.has_value(); },
            asks_no_model);
        if (!reads_model(machine))
            irrelevant(
                {"llm"}, [](Used const& u) { return u.design.alone && !u.design.alone->reads_model; }, asks_no_model);
    }
    irrelevant(
        {"steps", "block_length", "model_cache"}, [](Used const& u) { return !u.design.request.diffuses(); },
        "autoregressive generation has no denoising steps");
    irrelevant(
        {"acceptance", "draft_llm"}, [](Used const& u) { return u.design.request.speculation.draft == 0; },
        "no tokens are proposed");
    if (machine.file().weights.empty())
        table.stands_for(
            "weights", [](Used const& u) { return u.design.alone || !reads_a_file_format(u.design.request); },
            [](Used const& u) { return Value::choice(u.design.request.format + 1); },
            "the format of a model whose file names none");
    for (auto const& own : machine.file().parameters) {
        if (own.name == machine.file().variant_parameter) continue;
        auto const at = static_cast<std::size_t>(find_parameter(machine.parameters(), own.name));
        if (!merges_values(machine, at)) continue;
        table.writes(
            own.name,
            [at, &machine, readers = machine.numbers().readers_of(at)](CycleKeyMaker& key, Used const& u) {
                for (auto const number : readers) key.add(u.design.hardware.numbers[number]);
                bool meets_all = true;
                for (auto const& limit : machine.limits())
                    if (limit.condition.reads_parameter(at))
                        meets_all = meets_all &&
                                    limit.condition.truth(u.point, {}, {}, u.design.hardware.numbers) == Truth::yes;
                key.add(meets_all);
                if (!meets_all) key.add(u.point[at]);
            },
            "the numbers of the machine that are computed from it, and the limits that it meets");
    }
    return table;
}

/// Nothing if a part cannot be built whose kind has rows.
std::optional<Used> used_at(Inputs const& inputs, Point point) {
    Used used{read_design(inputs.as<Prepared>(), point), point};
    auto const& units = used.design.prepared->machine().units();
    for (std::size_t u = 0; u < units.size(); ++u) {
        if (units[u].part == nullptr || units[u].part->key_rows.empty()) continue;
        auto const& part = used.design.hardware.units[u].part;
        if (part == nullptr || part->broken_rule(used.design.request)) return std::nullopt;
    }
    return used;
}

/// Numbers of the file that add to areas and to the bill.
std::vector<std::size_t> numbers_of_bill(CompiledMachine const& machine) {
    auto all = machine.cost().areas;
    for (auto const& memory : machine.memories())
        all.insert(all.end(),
                   {memory.area, memory.memory_area, memory.capacity, memory.installed, memory.cost, memory.carbon});
    for (auto const& unit : machine.units()) all.push_back(unit.area);
    return all;
}

/// Numbers of the file that may move with a key of a part beside what the part says: those that may read its parameter,
/// and those of them that count, which must move in the same direction.
struct NumbersBeside {
    std::vector<std::size_t> may_read, count;
    bool keys_too = false;  ///< keys of other parts count, too, and must not move
};

/// Of a part that makes a machine alone, what its bytes cost; of another one, all that areas and the bill are made of,
/// if it speaks of nothing else.
NumbersBeside numbers_beside(CompiledMachine const& machine, MonotoneGroup const& said) {
    static constexpr std::array<std::string_view, 4> of_bill{"area", "memory_area", "cost", "embodied_carbon"};
    if (machine.is_one_part()) return {billed_numbers(machine), billed_numbers(machine)};
    auto const is_of_bill = [](std::string_view metric) { return std::ranges::find(of_bill, metric) != of_bill.end(); };
    if (!std::ranges::all_of(said.metrics, is_of_bill)) return {};
    std::vector<std::size_t> every(machine.numbers().size() - machine.numbers().constants());
    std::iota(every.begin(), every.end(), machine.numbers().constants());
    return {std::move(every), numbers_of_bill(machine), true};
}

/// Whether all that counts beside a key of a part moves as the part says of it.
bool agrees(CompiledMachine const& machine, Directions const& moved, Slope slope, NumbersBeside const& beside,
            PartSlot const* key) {
    auto const moves_other_keys = [&](UnitSlots const& unit) {
        return std::ranges::any_of(unit.values, [&](PartSlot const& other) {
            return &other != key && other.number && moved.of(*other.number) != Slope::flat;
        });
    };
    if (beside.keys_too && std::ranges::any_of(machine.units(), moves_other_keys)) return false;
    return std::ranges::all_of(
        beside.count, [&](std::size_t number) { return joined(slope, moved.of(number)) == ConstantSlope(slope); });
}

/// What the kinds of parts say of their keys: of one that makes a machine alone, and of those to whose times others
/// only add theirs.
std::vector<MonotoneLowerBound> directions_of_parts(CompiledMachine const& machine,
                                                    std::vector<bool> const& non_negative) {
    std::vector<MonotoneLowerBound> all;
    if (energies_move_times(machine)) return all;
    for (auto const& unit : machine.units()) {
        if (unit.part == nullptr || (unit.part->takes_passes() && !machine.is_one_part())) continue;
        for (auto const& said : unit.part->directions) {
            auto const beside = numbers_beside(machine, said);
            for (auto const& key : said.parameters) {
                auto const at = parameter_of(machine, unit, key, beside.may_read);
                if (!at) continue;
                Directions const moved(machine, non_negative, Directions::Of::parameter, *at);
                int const own = find_parameter(unit.part->keys, key);
                auto const* slot = own < 0 ? nullptr : &unit.values[static_cast<std::size_t>(own)];
                if (!agrees(machine, moved, said.slope, beside, slot)) continue;
                for (auto const& metric : said.metrics)
                    all.push_back({machine.parameters()[*at].name, metric, said.slope});
            }
        }
    }
    return all;
}

}  // namespace

std::vector<std::size_t> parameters_moving(CompiledMachine const& machine, UnitSlots const& unit,
                                           std::span<std::string_view const> keys) {
    auto const is_asked = [&](std::string const& name) { return std::ranges::find(keys, name) != keys.end(); };
    auto const& numbers = machine.numbers();
    std::vector<std::size_t> all;
    for (std::size_t p = 0; p < machine.parameters().size(); ++p) {
        std::function<bool(std::size_t)> const reads = [&](std::size_t number) {
            return number >= numbers.constants() &&
                   std::ranges::any_of(numbers.expression(number).steps(), [&](Expression::Step const& step) {
                       if (step.code == Expression::Code::named) return reads(step.index);
                       return step.code == Expression::Code::parameter && step.index == p;
                   });
        };
        bool moves = is_asked(machine.parameters()[p].name);
        for (std::size_t k = 0; k < unit.values.size() && !moves; ++k)
            if (auto const& slot = unit.values[k]; is_asked(unit.part->keys[k].name))
                moves = slot.parameter == p || (slot.number && reads(*slot.number));
        if (moves) all.push_back(p);
    }
    return all;
}

std::vector<MonotoneLowerBound> monotone_lower_bounds_of(Prepared const& prepared) {
    auto const& machine = prepared.machine();
    auto const non_negative = prepared.non_negative_constants();
    static constexpr std::array<std::string_view, 3> times{"ttft", "itl", "latency"};
    if (machine.has_parts()) return directions_of_parts(machine, non_negative);  // bounds are not of peak rates alone
    std::vector<MonotoneLowerBound> all;
    for (auto const time : times) all.push_back({"batch", time, Slope::up});
    for (auto const& own : machine.file().parameters) {
        if (own.kind != Kind::integer && own.kind != Kind::quantity) continue;
        auto const at = static_cast<std::size_t>(find_parameter(machine.parameters(), own.name));
        auto const direction = of_times(machine, Directions(machine, non_negative, Directions::Of::parameter, at));
        if (!direction) continue;
        for (auto const time : times) all.push_back({own.name, time, *direction});
    }
    return all;
}

std::vector<std::string> constants_without_slopes_of(Prepared const& prepared) {
    auto const& machine = prepared.machine();
    auto const& file = machine.file();
    auto const non_negative = prepared.non_negative_constants();
    auto const names = constant_names(file);
    std::set<std::string> rows;
    for (std::size_t i = 0; i < names.size(); ++i) {
        auto const at = given_names.size() + i;
        if (has_slope(machine, Directions(machine, non_negative, Directions::Of::constant, at), at)) continue;
        for (std::size_t v = 0; v < std::max<std::size_t>(1, file.variants.size()); ++v)
            rows.insert(file.row_of(names[i], v));
    }
    for (auto const& unit : machine.units()) {
        if (unit.part == nullptr || unit.part->constants == nullptr) continue;
        if (unit.part->constants_without_slopes != nullptr)
            for (auto& name : unit.part->constants_without_slopes()) rows.insert(std::move(name));
        if (!energies_move_times(machine)) continue;
        auto const shipped = unit.part->constants();
        for (auto const& [name, constant] : shipped.all()) rows.insert(name);
    }
    return {rows.begin(), rows.end()};
}

KeyParts key_parts_of(std::shared_ptr<CompiledMachine const> const& machine) {
    // The table refers to the machine, which lives as long.
    auto const kept =
        std::make_shared<std::pair<std::shared_ptr<CompiledMachine const>, KeyRows>>(machine, make_key_rows(*machine));
    return models::key_parts_of(std::shared_ptr<KeyRows const>(kept, &kept->second), used_at);
}

}  // namespace pimdse::models::text
