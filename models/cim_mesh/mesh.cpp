#include "models/cim_mesh/mesh.hpp"

#include "models/cim_mesh/ledger.hpp"
#include "models/cim_mesh/mesh_part.hpp"
#include "models/cim_mesh/metrics.hpp"

#include <utility>

namespace pimdse::models::cim_mesh {

text::PartKind mesh() {
    text::PartKind kind;
    kind.name = "mesh";
    kind.results_version = 4;
    kind.keys = machine_keys();
    kind.sized_by_model = true;
    kind.shows_layers = true;
    kind.key_rows = key_rows();
    kind.directions = directions();
    kind.constants = shipped_constants;
    kind.constant_rules = constant_rules;
    kind.metrics = own_metrics();
    kind.metric_notes = metric_notes();
    kind.prepare = [](Constants const& constants, Parameters const& keys,
                      Assumptions const& assumptions) -> std::shared_ptr<void const> {
        (void)assumptions;
        return std::shared_ptr<Prepared const>(new Prepared{MachineConstants{constants}, bind_choices(keys), {}});
    };
    kind.at = [](void const* prepared, text::PartValues const& values, text::LlmRequest const& request,
                 Fidelity fidelity) -> std::shared_ptr<text::PartLaw const> {
        auto const& inputs = *static_cast<Prepared const*>(prepared);
        auto design = on_its_machine(inputs.machine, read_design(inputs.bindings, values, request));
        return std::make_shared<MeshPart const>(inputs, std::move(design), fidelity);
    };
    auto own = ledger();
    kind.energy = std::move(own.energy);
    kind.area = std::move(own.area);
    return kind;
}

}  // namespace pimdse::models::cim_mesh
