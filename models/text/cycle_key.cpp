#include "models/text/cycle_key.hpp"

#include <algorithm>
#include <optional>

namespace pimdse::models::text {
namespace {

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

}  // namespace pimdse::models::text
