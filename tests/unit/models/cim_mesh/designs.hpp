#pragma once

#include "models/cim_mesh/design.hpp"
#include "models/cim_mesh/events.hpp"
#include "models/cim_mesh/layer/layer_pass.hpp"
#include "models/cim_mesh/mesh_part.hpp"
#include "models/cim_mesh/metrics.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/contract/toml_file.hpp"
#include "models/contract/validation.hpp"
#include "models/text/result.hpp"
#include "models/text/text.hpp"

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::models::cim_mesh::test {

using Setting = std::pair<std::string, std::string>;

/// Parameters as a person writes them; a type of its own so that {{"llm", "x"}} is one setting and nothing else.
struct Settings {
    std::vector<Setting> list;
    Settings() = default;
    Settings(std::initializer_list<Setting> settings) : list(settings) {}
    explicit Settings(std::vector<Setting> settings) : list(std::move(settings)) {}
};

/// The settings with others behind them: of two with a name the last one counts.
inline Settings with(Settings settings, Settings const& more) {
    settings.list.insert(settings.list.end(), more.list.begin(), more.list.end());
    return settings;
}
inline Settings with(Settings settings, std::string const& name, std::string const& value) {
    settings.list.emplace_back(name, value);
    return settings;
}

/// Events of a request in all layers and the LM head: those of its first pass, and of all later ones.
inline Events events_of_request(MachineConstants const& machine, Design const& d, Partition const& p,
                                MeshCounts const& counts, LayerPass const& pass, double heads) {
    HeldQueries const held(KvCache(machine, d, p), d.context_tile);
    return events_of(machine, d, p, counts, held, pass) + heads * head_events(machine, d, p, counts);
}
inline Events first_events(MachineConstants const& machine, Design const& d, Partition const& p,
                           MeshCounts const& counts) {
    return events_of_request(machine, d, p, counts, first_pass(d), first_heads(d));
}
inline Events later_events(MachineConstants const& machine, Design const& d, Partition const& p,
                           MeshCounts const& counts) {
    return d.later_passes() * events_of_request(machine, d, p, counts, later_pass(machine, d), later_heads(d));
}

/// A short request on a small mesh.
inline Settings small(char const* model, char const* schedule) {
    bool const diffuses = std::string_view(model).starts_with("llada");
    return {{"llm", model},
            {"schedule", schedule},
            {"input", "12"},
            {"output", "10"},
            {"mesh_rows", "16"},
            {"mesh_cols", "16"},
            {"generation", diffuses ? "diffusion" : "autoregressive"},
            {"block_length", "5"},
            {"steps", "3"}};
}

/// The shipped constants, and the shipped machine.
inline MachineConstants load_constants() {
    return MachineConstants{Constants::load(data_directory() / "models" / "cim_mesh" / "constants.toml")};
}
inline Architecture const& shipped_mesh() {
    static Architecture const machine = text::architecture(data_directory() / "models" / "machines" / "cim_mesh.toml");
    return machine;
}
/// The design of a point of a machine whose first unit is a mesh; the inputs live longer.
inline Design design_at(Inputs const& inputs, Point point) {
    auto const design = text::read_design(inputs.as<text::Prepared>(), point);
    return static_cast<MeshPart const&>(*design.hardware.units.front().part).asked();
}

/// The rule that an outcome breaks; "": none.
inline std::string rule_of(Outcome const& outcome) {
    auto const* broken = std::get_if<Infeasible>(&outcome);
    return broken == nullptr ? "" : broken->rule;
}

/// A point of the architecture with everything it refers to, from settings as a person writes them.
struct Given {
    Architecture const& architecture = shipped_mesh();
    Parameters table = architecture.parameters();
    std::vector<Value> point;
    Inputs inputs;
    MachineConstants machine = load_constants();
    Design design;
    Partition parts;

    explicit Given(Settings const& settings = {})
        : point(point_with(table, settings.list)), inputs(prepare(architecture, table)) {
        design = design_at(inputs, point);
        parts = partition(design, machine.value_bits);
    }

    /// Of the point as it is now.
    [[nodiscard]] Outcome outcome(Fidelity fidelity = Fidelity::analytic) const {
        return architecture.evaluate(inputs, point, fidelity);
    }
    [[nodiscard]] std::string rule(Fidelity fidelity = Fidelity::analytic) const { return rule_of(outcome(fidelity)); }
    [[nodiscard]] Breakdown explain(Fidelity fidelity = Fidelity::analytic) const {
        return architecture.explain(inputs, point, fidelity);
    }
    [[nodiscard]] CycleKey key() const { return architecture.proofs.cycle_key(inputs, point); }
    /// Of the point as it was when one was asked for first.
    [[nodiscard]] Estimate metric(std::string_view name, Fidelity fidelity = Fidelity::analytic) const {
        auto& known = known_[fidelity];
        if (known.empty()) known = std::get<Metrics>(outcome(fidelity));
        return known.at(static_cast<std::size_t>(find_metric(architecture.metrics(), name)));
    }
    [[nodiscard]] Ground ground() const { return ground_of(design, parts); }
    [[nodiscard]] LayerKey key(Genes const& genes) const { return layer_key(machine, design, parts, genes); }
    [[nodiscard]] LayerKey packed() const { return key(packed_genes(parts)); }

  private:
    mutable std::map<Fidelity, Metrics> known_;
};

/// The outcome of a point with another model, by the machine file of the architecture.
inline Outcome outcome_with(LanguageModel const& model, Given const& given, Fidelity fidelity) {
    auto const& prepared = given.inputs.as<text::Prepared>();
    Point const point = given.point;
    auto numbers = prepared.numbers(point);
    auto request = prepared.request(point, numbers);
    request.model = &model;
    text::Design const design{request, prepared.hardware(request, std::move(numbers), point, fidelity), &prepared,
                              fidelity};
    if (auto broken = text::broken_rule(design, point)) return *broken;
    static MetricPlan const plan(shipped_mesh().metrics());
    return plan.of(text::request_result(text::analytic(design), economy::Economy::shipped()));
}

/// A point whose model is another one.
struct OfModel {
    Given given;
    LanguageModel model;

    explicit OfModel(Settings const& settings) : given(settings), model(*given.design.model) {
        given.design.model = &model;
    }
    OfModel(OfModel const&) = delete;
    OfModel& operator=(OfModel const&) = delete;

    [[nodiscard]] Outcome outcome(Fidelity fidelity = Fidelity::analytic) const {
        return outcome_with(model, given, fidelity);
    }
    [[nodiscard]] Estimate metric(std::string_view name, Fidelity fidelity = Fidelity::analytic) const {
        return std::get<Metrics>(outcome(fidelity))
            .at(static_cast<std::size_t>(find_metric(given.architecture.metrics(), name)));
    }
};

/// Expects every metric at cycle level, where the point is feasible there, within its analytic interval, whose times
/// and joules are bounded by proofs.
template <class OfPoint>
void expect_bounds(OfPoint const& point, std::string const& where) {
    auto const fine = point.outcome(Fidelity::cycle);
    if (!std::holds_alternative<Metrics>(fine)) return;
    auto const cycle = std::get<Metrics>(fine), coarse = std::get<Metrics>(point.outcome(Fidelity::analytic));
    auto const table = shipped_mesh().metrics();
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (!applies(coarse[i])) continue;
        SCOPED_TRACE(where + " " + table[i].name);
        EXPECT_TRUE(cycle[i].is_exact());
        EXPECT_LE(coarse[i].lower, cycle[i].value);
        EXPECT_GE(coarse[i].upper, cycle[i].value);
        EXPECT_LE(coarse[i].lower, coarse[i].value);
        EXPECT_GE(coarse[i].upper, coarse[i].value);
        if (table[i].unit == "s" || table[i].unit == "J") {
            EXPECT_EQ(coarse[i].kinds.lower, Bound::proved);
        }
    }
}
/// Expects the same bits, with the same ends.
inline void expect_same(Outcome const& one, Outcome const& other) {
    auto const &a = std::get<Metrics>(one), &b = std::get<Metrics>(other);
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(applies(a[i]), applies(b[i]));
        if (!applies(a[i])) continue;
        EXPECT_EQ(a[i].value, b[i].value);
        EXPECT_EQ(a[i].lower, b[i].lower);
        EXPECT_EQ(a[i].upper, b[i].upper);
    }
}

/// A point with its layer placed, what is counted on it and the closed form of that.
struct Placed {
    Given given;
    PlacedLayer layer;
    TreeProgram program;
    MeshCounts counts;
    ClosedForm form;

    explicit Placed(Settings const& settings = {})
        : given(settings),
          layer(given.machine, given.packed()),
          program(layer.program().carrying(vector_flits(given.machine, given.design))),
          counts(count_mesh(given.machine, given.design, given.parts, layer)),
          form(given.machine, given.design, given.parts, counts) {}
    Placed(Placed const&) = delete;
    Placed& operator=(Placed const&) = delete;
};

/// Routers of a matrix column after column, and of a layer in the order of the ribbon.
inline std::vector<sim::noc::Node> routers_of(Placement const& placement, PlacedMatrix const& matrix) {
    std::vector<sim::noc::Node> nodes;
    for (std::int64_t col = 0; col < matrix.cols; ++col) {
        auto const more = routers_of(placement.mesh, placement.column(matrix, col));
        nodes.insert(nodes.end(), more.begin(), more.end());
    }
    return nodes;
}

inline std::vector<sim::noc::Node> routers_of(Placement const& placement) {
    std::vector<sim::noc::Node> nodes;
    for (auto const& column : placement.columns)
        column.path.each([&](Router at) { nodes.push_back(placement.mesh.at(at.row, at.col)); });
    return nodes;
}

/// Whether no router has two crossbars and every column is a path of neighbours on the mesh.
inline bool is_legal(Placement const& placement) {
    auto const& mesh = placement.mesh;
    std::vector<bool> occupied(static_cast<std::size_t>(mesh.nodes()), false);
    for (auto const& column : placement.columns) {
        for (std::int32_t i = 0; i < column.path.length; ++i) {
            auto const at = column.at(i);
            if (at.row < 0 || at.row >= mesh.rows || at.col < 0 || at.col >= mesh.cols) return false;
            auto const node = static_cast<std::size_t>(mesh.at(at.row, at.col));
            if (occupied[node] || (i > 0 && hops_between(column.at(i - 1), at) != 1)) return false;
            occupied[node] = true;
        }
    }
    return true;
}

}  // namespace pimdse::models::cim_mesh::test
