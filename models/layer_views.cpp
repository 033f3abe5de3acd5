#include "models/layer_views.hpp"

#include "models/cim_mesh/cim_mesh.hpp"

namespace pimdse::models {

FlowGraphOf find_flow_graph(std::string_view architecture) {
    return architecture == "cim_mesh" ? cim_mesh::flow_graph : nullptr;
}

NetworkProgramOf find_network_program(std::string_view architecture) {
    return architecture == "cim_mesh" ? cim_mesh::network_program_text : nullptr;
}

}  // namespace pimdse::models
