#include "models/layer_views.hpp"

#include "models/chips/several.hpp"
#include "models/cim_mesh/cim_mesh.hpp"

namespace pimdse::models {
namespace {

/// One device of a group of meshes.
std::vector<Value> one_mesh(Inputs const& inputs, Point point) {
    return chips::device<cim_mesh::architecture>().device_point(inputs, point);
}

FlowGraph flow_graph_of_mesh(Inputs const& inputs, Point point, Fidelity fidelity) {
    return cim_mesh::flow_graph(inputs, one_mesh(inputs, point), fidelity);
}

std::string network_program_of_mesh(Inputs const& inputs, Point point) {
    return cim_mesh::network_program_text(inputs, one_mesh(inputs, point));
}

}  // namespace

FlowGraphOf find_flow_graph(std::string_view architecture) {
    return architecture == "cim_mesh" ? flow_graph_of_mesh : nullptr;
}

NetworkProgramOf find_network_program(std::string_view architecture) {
    return architecture == "cim_mesh" ? network_program_of_mesh : nullptr;
}

}  // namespace pimdse::models
