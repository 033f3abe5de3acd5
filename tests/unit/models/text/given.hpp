#pragma once

#include "models/contract/assumptions.hpp"
#include "models/contract/toml_file.hpp"
#include "models/contract/validation.hpp"
#include "models/text/result.hpp"
#include "models/text/text.hpp"

#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::models::text::test {

using Setting = std::pair<std::string, std::string>;

/// Parameters as the user writes them; a separate type, so that {{"llm", "x"}} can only be one setting.
struct Settings {
    std::vector<Setting> list;
    Settings() = default;
    Settings(std::initializer_list<Setting> settings) : list(settings) {}
    explicit Settings(std::vector<Setting> settings) : list(std::move(settings)) {}
    [[nodiscard]] Settings with(std::string const& name, std::string const& text) const {
        auto more = list;
        more.emplace_back(name, text);
        return Settings(more);
    }
};

/// A machine of models/machines, made once.
inline Architecture const& shipped(std::string const& name = "gpu") {
    static std::map<std::string, Architecture> made;
    auto const found = made.find(name);
    if (found != made.end()) return found->second;
    return made.emplace(name, architecture(data_directory() / "models" / "machines" / (name + ".toml"))).first->second;
}

/// A point of a machine with everything that it refers to, from settings as the user writes them.
struct Given {
    Architecture const* machine;
    Parameters table;
    std::vector<Value> point;
    Inputs inputs;

    Given(Architecture const& of, Settings const& settings, Assumptions const& assumptions = {})
        : machine(&of), table(of.parameters()), point(point_with(table, settings.list)) {
        inputs = prepare(of, table, ModelOptions({}, assumptions));
    }
    explicit Given(Settings const& settings = {}, Assumptions const& assumptions = {})
        : Given(shipped(), settings, assumptions) {}

    [[nodiscard]] Prepared const& prepared() const { return inputs.as<Prepared>(); }
    [[nodiscard]] Design design() const { return read_design(prepared(), point); }
    [[nodiscard]] Outcome outcome() const { return machine->evaluate(inputs, point, Fidelity::analytic); }
    [[nodiscard]] Estimate metric(std::string_view name) const {
        auto const metrics = std::get<Metrics>(outcome());
        return metrics.at(static_cast<std::size_t>(find_metric(machine->metrics(), name)));
    }
    /// The rule that the point violates; "" if it is feasible.
    [[nodiscard]] std::string rule() const {
        auto const found = outcome();
        auto const* broken = std::get_if<Infeasible>(&found);
        return broken == nullptr ? "" : broken->rule;
    }
    /// Position of the rule of [run] that has an operator of tokens.
    [[nodiscard]] std::size_t rule_of(Operator op) const { return prepared().machine().rule_of(Phase::decode, op); }
};

/// Bytes that a design holds in all of its memories.
inline double bytes_held(Design const& design) {
    auto const bytes = footprint(design);
    return std::accumulate(bytes.begin(), bytes.end(), 0.0);
}

/// J beyond the idle power.
inline double joules_of(Design const& design, PassCost const& cost) {
    return CostLaw(design.prepared->machine(), design.hardware, design.fidelity).joules(cost);
}

/// Cost of one pass.
inline PassCost cost_of(Design const& design, LlmRequest const& request, PassShape const& shape, Phase phase) {
    CostLaw const law(design.prepared->machine(), design.hardware, design.fidelity);
    return ModelPasses(law, request, design.logit_bytes()).of(shape, phase);
}

inline double sum(std::array<double, max_units> const& all) { return std::accumulate(all.begin(), all.end(), 0.0); }

/// Of all memories, read and written.
inline double bytes_of(PassCost const& cost) {
    double bytes = 0.0;
    for (std::size_t m = 0; m < max_memories; ++m) bytes += cost.bytes(m);
    return bytes;
}

/// Work of the operators of a pass whose names start so, "" for all.
inline OperatorWork work_of(PassShape const& shape, Design const& design, std::string_view start) {
    auto const& r = design.request;
    OperatorWork all;
    auto const take = [&](Operator op, OperatorWork const& work) {
        if (!operator_names[static_cast<std::size_t>(op)].starts_with(start)) return;
        all.operations += work.operations;
        all.elements += work.elements;
        all.weight_bytes += work.weight_bytes;
        all.cache_read += work.cache_read;
        all.cache_written += work.cache_written;
        all.logit_bytes += work.logit_bytes;
    };
    for (auto const& layers : layer_work(r)) {
        layer_operators(layers, r, r.sequences() * shape.queries, take);
        attention_operators(layers, summed(*layers.alike, shape, r.sequences()), take);
    }
    head_operators({r.sequences() * shape.queries, r.sequences() * shape.heads}, r, design.logit_bytes(), take);
    return all;
}

}  // namespace pimdse::models::text::test
