#include "models/text/cycle_key.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace pimdse::models::text {
namespace {

/// A point that can be built.
struct Used {
    Design design;
    Point point;
};
using KeyRows = KeyTable<Used>;

bool reads_a_file_format(LlmRequest const& r) {
    return r.stored_as_file() || (r.speculation.has_model() && r.of_draft().stored_as_file());
}

/// Whether two values of a parameter may have the same effect: an expression that reads it chooses or rounds, or
/// nothing reads it.
bool merges_values(CompiledMachine const& machine, std::size_t parameter) {
    using Code = Expression::Code;
    auto const readers = machine.numbers().readers_of(parameter);
    auto const chooses = [](Expression::Step const& step) {
        return (step.code >= Code::less && step.code <= Code::logical_not) || step.code >= Code::minimum;
    };
    return readers.empty() || std::ranges::any_of(readers, [&](std::size_t number) {
               return std::ranges::any_of(machine.numbers().expression(number).steps(), chooses);
           });
}

KeyRows make_key_rows(CompiledMachine const& machine) {
    KeyRows table(machine.parameters());
    for (auto const* denoising : {"steps", "block_length", "model_cache"})
        table.irrelevant(
            denoising, [](Used const& u) { return !u.design.request.diffuses(); },
            "autoregressive generation has no denoising steps");
    for (auto const* proposing : {"acceptance", "draft_llm"})
        table.irrelevant(
            proposing, [](Used const& u) { return u.design.request.speculation.draft == 0; }, "no tokens are proposed");
    table.stands_for(
        "weights", [](Used const& u) { return !reads_a_file_format(u.design.request); },
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

std::optional<Used> used_at(Inputs const& inputs, Point point) {
    return Used{read_design(inputs.as<Prepared>(), point), point};
}

// Directions of expressions.

/// How a number moves when a parameter grows; nothing: unknown.
using Direction = std::optional<Slope>;

Direction opposite(Direction d) {
    if (!d || *d == Slope::flat) return d;
    return *d == Slope::up ? Slope::down : Slope::up;
}

Direction joined(Direction a, Direction b) {
    if (!a || !b) return std::nullopt;
    if (*a == *b || *b == Slope::flat) return a;
    return *a == Slope::flat ? b : std::nullopt;
}

/// Follows the steps of an expression. Products and quotients of numbers that cannot be negative only.
class Directions {
  public:
    /// `non_negative`: of the constants, by their values.
    Directions(CompiledMachine const& machine, std::vector<bool> const& non_negative, std::size_t parameter)
        : machine_(machine), non_negative_(non_negative), parameter_(parameter) {}

    [[nodiscard]] Direction of(std::size_t number) const { return sign_and_direction(number).direction; }

  private:
    struct Known {
        Direction direction;
        bool non_negative = false;
    };

    [[nodiscard]] Known sign_and_direction(std::size_t number) const {
        auto const& numbers = machine_.numbers();
        if (number < numbers.constants()) return {Slope::flat, non_negative_[number]};
        std::vector<Known> stack;
        for (auto const& step : numbers.expression(number).steps()) {
            auto const count = static_cast<std::size_t>(Expression::operands_of(step.code));
            std::vector<Known> const operands(stack.end() - static_cast<std::ptrdiff_t>(count), stack.end());
            stack.resize(stack.size() - count);
            stack.push_back(after(step, operands));
        }
        return stack.back();
    }

    [[nodiscard]] Known after(Expression::Step const& step, std::vector<Known> const& of) const {
        using Code = Expression::Code;
        switch (step.code) {
            case Code::number:
                return {Slope::flat, step.number >= 0.0};
            case Code::parameter: {
                auto const& parameter = machine_.parameters()[step.index];
                bool const is_number = parameter.kind == Kind::integer || parameter.kind == Kind::quantity;
                bool const positive = is_number && parameter.lower >= 0.0 && parameter.upper > 0.0;
                if (step.index != parameter_) return {Slope::flat, positive};
                return {is_number ? Direction(Slope::up) : std::nullopt, positive};
            }
            case Code::named:
                return sign_and_direction(step.index);
            case Code::add:
            case Code::minimum:
            case Code::maximum:
                return {joined(of[0].direction, of[1].direction), of[0].non_negative && of[1].non_negative};
            case Code::subtract:
                return {joined(of[0].direction, opposite(of[1].direction)), false};
            case Code::multiply:
            case Code::divide: {
                bool const positive = of[0].non_negative && of[1].non_negative;
                auto const second = step.code == Code::multiply ? of[1].direction : opposite(of[1].direction);
                bool const constant = of[0].direction == Slope::flat && of[1].direction == Slope::flat;
                return {constant   ? Direction(Slope::flat)
                        : positive ? joined(of[0].direction, second)
                                   : std::nullopt,
                        positive};
            }
            case Code::negate:
                return {opposite(of[0].direction), false};
            case Code::ceiling:
            case Code::floor:
                return of[0];
            default: {
                bool constant = true, positive = step.code == Code::select;
                for (std::size_t i = 0; i < of.size(); ++i) {
                    constant = constant && of[i].direction == Slope::flat;
                    positive = positive && (i == 0 || of[i].non_negative);
                }
                if (step.code == Code::select && of[0].direction == Slope::flat)
                    return {joined(of[1].direction, of[2].direction), positive};
                return {constant ? Direction(Slope::flat) : std::nullopt, positive};
            }
        }
    }

    CompiledMachine const& machine_;
    std::vector<bool> const& non_negative_;
    std::size_t parameter_;
};

/// The direction of a lower bound of times: rates in the other direction than work and waiting.
Direction of_times(CompiledMachine const& machine, Directions const& directions) {
    Direction all = Slope::flat;
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

}  // namespace

KeyParts key_parts_of(std::shared_ptr<CompiledMachine const> const& machine) {
    auto const table = std::make_shared<KeyRows const>(make_key_rows(*machine));
    auto const make = [machine, table](Inputs const& inputs, Point point, std::size_t widened) {
        auto const used = used_at(inputs, point);
        return used ? table->parts(point, *used, widened) : table->parts_of_infeasible(point);
    };
    auto const deciding = [machine, table](Inputs const& inputs, Point point) {
        auto const used = used_at(inputs, point);
        return used ? table->deciding(*used) : std::vector<std::size_t>(point.size(), no_declaration);
    };
    return {[machine, table] { return table->declarations(); }, make, deciding};
}

std::vector<MonotoneLowerBound> monotone_lower_bounds_of(Prepared const& prepared) {
    auto const& machine = prepared.machine();
    auto const non_negative = prepared.non_negative_constants();
    static constexpr std::array<std::string_view, 3> times{"ttft", "itl", "latency"};
    std::vector<MonotoneLowerBound> all;
    for (auto const time : times) all.push_back({"batch", time, Slope::up});
    for (auto const& own : machine.file().parameters) {
        if (own.kind != Kind::integer && own.kind != Kind::quantity) continue;
        auto const at = static_cast<std::size_t>(find_parameter(machine.parameters(), own.name));
        auto const direction = of_times(machine, Directions(machine, non_negative, at));
        if (!direction) continue;
        for (auto const time : times) all.push_back({own.name, time, *direction});
    }
    return all;
}

}  // namespace pimdse::models::text
