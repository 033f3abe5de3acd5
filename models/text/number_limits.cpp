#include "models/text/number_limits.hpp"

#include "models/contract/constant_reader.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>

namespace pimdse::models::text {
namespace {

/// The numbers that are the same at all points and with all constants, in SI; NaN: of the others.
std::vector<double> fixed_numbers(NumberTable const& numbers) {
    using Code = Expression::Code;
    std::vector<double> all(numbers.size(), std::numeric_limits<double>::quiet_NaN());
    for (auto n = numbers.constants(); n < all.size(); ++n) {
        auto const& steps = numbers.expression(n).steps();
        bool const moves = std::ranges::any_of(steps, [&](Expression::Step const& step) {
            return step.code == Code::parameter || (step.code == Code::named && std::isnan(all[step.index]));
        });
        if (!moves) all[n] = numbers.expression(n).number({}, {}, all);
    }
    return all;
}

bool is_limited(Parameter const& key) { return key.lower != 0.0 || key.upper != 0.0; }

/// "tiles.mesh_rows is 257 (it must be a whole number from 1 to 256)": key `key` of the part that is unit `unit`.
std::string refused_key(CompiledMachine const& machine, std::size_t unit, std::size_t key,
                        std::vector<double> const& numbers) {
    auto const& slot = machine.units()[unit].values[key];
    auto const& of = machine.units()[unit].part->keys[key];
    bool const is_whole = of.kind == Kind::integer, has_unit = is_whole && !of.unit.empty() && of.unit != "1";
    std::string range = is_whole ? "a whole number" : "finite";
    if (is_limited(of))
        range = fmt::format("{}from {:g} to {:g}{}", is_whole ? range + " " : "", of.lower, of.upper,
                            has_unit ? " " + of.unit : "");
    return fmt::format("{}.{} is {} (it must be {})", machine.file().units[unit].name, of.name,
                       numbers[*slot.number] / slot.unit, range);
}

/// "work of "*.softmax" is -5 (it must be 0 or more)".
std::string refused_number(CompiledMachine const& machine, std::size_t number, double value) {
    auto const& numbers = machine.numbers();
    return fmt::format("{} is {} (it must be {})", machine.file().written_name(numbers.names()[number].name),
                       numbers.shown(number, value), row_of(numbers.written(number).range).in_words);
}

}  // namespace

std::optional<Value> value_of(PartSlot const& slot, Parameter const& key, Point point,
                              std::vector<double> const& numbers) {
    if (slot.parameter && slot.choices.empty()) return point[*slot.parameter];
    if (slot.parameter) return Value::choice(slot.choices[point[*slot.parameter].as_choice()]);
    if (!slot.number) return slot.fixed;
    double const number = numbers[*slot.number] / slot.unit;
    if (!std::isfinite(number) || (is_limited(key) && (number < key.lower || number > key.upper))) return std::nullopt;
    if (key.kind == Kind::quantity) return Value::quantity(number);
    constexpr double most = 0x1p53;
    if (number != std::round(number) || std::abs(number) > most) return std::nullopt;
    return Value::integer(std::llround(number));
}

std::vector<std::size_t> breakable(CompiledMachine const& machine, std::vector<double> const& numbers) {
    auto const& table = machine.numbers();
    auto all = table.moving();
    for (std::size_t n = 0; n < numbers.size(); ++n)
        if (!(std::abs(numbers[n]) <= max_magnitude()) ||
            (n >= table.constants() && !row_of(table.range(n)).has(numbers[n])))
            all.push_back(n);
    std::ranges::sort(all);
    all.erase(std::ranges::unique(all).begin(), all.end());
    return all;
}

void each_refused(CompiledMachine const& machine, Point point, std::vector<double> const& numbers,
                  std::span<std::size_t const> breakable,
                  std::function<void(std::size_t, std::string const&)> const& refused) {
    auto const& table = machine.numbers();
    for (auto const n : breakable)
        if (n >= table.constants() && !std::isnan(numbers[n]) && !row_of(table.range(n)).has(numbers[n]))
            refused(n, refused_number(machine, n, numbers[n]));
    for (std::size_t m = 0; m < machine.memories().size(); ++m) {
        auto const& memory = machine.memories()[m];
        bool const is_read = m == machine.weights_in() || m == machine.cache_in();
        if (is_read && !memory.simulated && numbers[memory.bandwidth] == 0.0)
            refused(memory.bandwidth,
                    fmt::format("{}.bandwidth is 0 GB/s (it must be above 0 where weights or keys are held)",
                                machine.file().memories[m].name));
    }
    for (std::size_t u = 0; u < machine.units().size(); ++u) {
        auto const& slots = machine.units()[u].values;
        for (std::size_t k = 0; k < slots.size(); ++k)
            if (auto const number = slots[k].number;
                number && !std::isnan(numbers[*number]) &&
                !value_of(slots[k], machine.units()[u].part->keys[k], point, numbers))
                refused(*number, refused_key(machine, u, k, numbers));
    }
}

void check_fixed_numbers(CompiledMachine const& machine, std::vector<std::string>& mistakes) {
    auto const& numbers = machine.numbers();
    auto const fixed = fixed_numbers(numbers);
    each_refused(machine, {}, fixed, breakable(machine, fixed), [&](std::size_t number, std::string const& sentence) {
        mistakes.push_back(fmt::format("{}: {}", numbers.written(number).place, sentence));
    });
}

}  // namespace pimdse::models::text
