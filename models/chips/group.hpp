#pragma once

#include "models/chips/links.hpp"
#include "models/contract/cycle_key.hpp"
#include "models/contract/inputs.hpp"
#include "models/contract/outcome.hpp"
#include "models/economy/economy.hpp"
#include "models/llm/shard.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

/// A group of equal devices (boards, chips, machines of one architecture) that serve one model. docs/models.md.
namespace pimdse::models::chips {

/// How the devices of a group share the work, and what joins them. Their number is the product of the five divisions.
/// All that follows counts machines: `joined` devices are one.
struct DeviceGroup {
    std::int64_t devices = 1;
    std::int64_t tensor = 1;         ///< devices that divide the matrices of a layer
    std::int64_t joined = 1;         ///< devices that share layers as one machine (ChipLink::makes_one)
    std::int64_t pipeline = 1;       ///< stages that share the layers
    std::int64_t expert = 1;         ///< devices that share the experts; each has sequences of its own
    std::int64_t data = 1;           ///< copies of all that, each with sequences of its own
    std::int64_t micro_batches = 1;  ///< parts of the batch that follow each other through a pipeline
    ChipLink link;                   ///< between the devices of a stage
    ChipLink stage_link;             ///< from stage to stage
    double links_cost = 0.0, links_carbon = 0.0, links_standby = 0.0;  ///< USD, kg, W of both for all devices

    [[nodiscard]] Division division() const { return {tensor, expert, pipeline, joined}; }
    /// Machines of one stage in all copies.
    [[nodiscard]] std::int64_t width() const { return tensor * expert * data; }
    /// Parts of the batch that are served at the same time, or one after the other.
    [[nodiscard]] std::int64_t batch_parts() const { return expert * data * micro_batches; }
};

/// The parameters of a group, which follow those of one device in the table of every architecture: devices,
/// tensor_parallel, pipeline_parallel, expert_parallel, data_parallel, micro_batches, link, stage_link, link_bandwidth,
/// link_latency, link_topology.
[[nodiscard]] Parameters group_parameters();

/// Number of devices of these values of group_parameters.
[[nodiscard]] inline std::int64_t devices_of(Point group) { return group[0].as_integer(); }

/// What a group needs beyond its devices.
struct GroupInputs {
    explicit GroupInputs(ModelOptions const& options);
    economy::Economy economy;
    KnownLinks links;  ///< with their costs
};

/// Architecture::prepare_group: GroupInputs.
[[nodiscard]] std::shared_ptr<void const> prepare_group(ModelOptions const& options);
/// A kind of link under the assumptions of these inputs.
[[nodiscard]] inline ChipLink const& known_link(Inputs const& inputs, std::size_t kind) {
    return static_cast<GroupInputs const*>(inputs.group.get())->links.at(kind);
}
/// What things cost under these assumptions; as shipped for a machine that was prepared without a group.
[[nodiscard]] inline economy::Economy const& economy_of(Inputs const& inputs) {
    return inputs.group == nullptr ? economy::Economy::shipped()
                                   : static_cast<GroupInputs const*>(inputs.group.get())->economy;
}
/// OneOfMany::own_link of machines that one kind of link joins, however many they are.
template <std::size_t kind>
[[nodiscard]] std::variant<ChipLink, Infeasible> joined_by(Inputs const& inputs, Point, std::int64_t) {
    return known_link(inputs, kind);
}

/// The link of one device if `link` is "own", for groups of so many devices that it joins.
using OwnLink = std::function<std::variant<ChipLink, Infeasible>(std::int64_t devices)>;

/// The group of these values of group_parameters. Rules: devices, micro_batches, and those of the own link.
[[nodiscard]] std::variant<DeviceGroup, Infeasible> read_group(Inputs const& inputs, Point group,
                                                               OwnLink const& own_link);

/// What the values of group_parameters enter a cycle key as: nothing for one device.
[[nodiscard]] std::vector<KeyDeclaration> group_declarations();
/// One part for each of group_parameters; `widened` is an index into group_declarations.
[[nodiscard]] CycleKeyMaker group_key(Point group, std::size_t widened);
/// As in KeyParts.
[[nodiscard]] std::vector<std::size_t> group_deciding(Point group);

}  // namespace pimdse::models::chips
