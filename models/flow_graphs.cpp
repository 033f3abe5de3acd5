#include "models/flow_graphs.hpp"

#include "models/cim_mesh/cim_mesh.hpp"

namespace pimdse::models {

FlowGraphOf find_flow_graph(std::string_view architecture) {
    return architecture == "cim_mesh" ? cim_mesh::flow_graph : nullptr;
}

}  // namespace pimdse::models
