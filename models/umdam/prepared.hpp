#pragma once

#include "models/llm/workload.hpp"
#include "models/umdam/constants.hpp"
#include "models/umdam/layout.hpp"
#include "models/umdam/npu.hpp"
#include "models/umdam/pim/pim.hpp"
#include "models/umdam/streams.hpp"
#include "models/umdam/written_mapping.hpp"
#include "sim/base/memo.hpp"
#include "sim/dram/mapping.hpp"

#include <compare>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace pimdse::models::umdam {

/// A mapping as it was read, or the sentence that says why it is none.
using WrittenOrReason = std::variant<WrittenMapping, std::string>;
/// Either a mapping or the sentence that says why it is none for this organisation.
using MappingOrReason = std::variant<std::shared_ptr<sim::dram::Mapping const>, std::string>;

/// A mapping of a point is told by its value and by what its widths depend on.
struct MappingKey {
    Value value;
    std::int64_t coll_bits = 0;
    Organisation organisation;
    auto operator<=>(MappingKey const&) const = default;
};

struct LocalityKey {
    sim::dram::Mapping const* mapping = nullptr;  ///< remembered in Prepared, which has one of each
    StoredShape shape;
    auto operator<=>(LocalityKey const&) const = default;
};

/// What is fixed while points vary, and the memory of what was found for them. Made once, shared by all threads.
struct Prepared {
    MachineConstants machine;
    std::vector<LanguageModel> models;                          ///< by choice of `llm`
    std::vector<std::map<int, sim::dram::Standard>> standards;  ///< by choice of `dram`, then by density in Gbit
    std::vector<WrittenOrReason> written;                       ///< by choice of `mapping`
    std::size_t channel_highest = 0;  ///< the choice of `mapping` that does not interleave channels
    sim::Memo<MappingKey, MappingOrReason> mappings;
    sim::Memo<LocalityKey, Locality> localities;
    sim::Memo<BankWork, GemvWalk> walks;
    sim::Memo<GemmShape, std::vector<GemmTraffic>> tilings;
    StreamMemory streams;
};

[[nodiscard]] std::shared_ptr<void const> prepare(Parameters const& parameters, ModelOptions const& options);

/// The mapping the NPU's addresses go through at this point; no_interleave has the channel on top whatever `mapping`
/// says.
[[nodiscard]] MappingOrReason const& mapping_of(Prepared const& prepared, Design const& design,
                                                Organisation const& organisation);

}  // namespace pimdse::models::umdam
