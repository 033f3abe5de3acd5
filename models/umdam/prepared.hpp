#pragma once

#include "models/umdam/constants.hpp"
#include "models/umdam/mapping/field_order.hpp"
#include "models/umdam/mapping/locality.hpp"
#include "models/umdam/npu/npu.hpp"
#include "models/umdam/pim/pim.hpp"
#include "models/umdam/streams/shape.hpp"
#include "sim/dram/mapping/mapping.hpp"
#include "sim/dram/timing/command.hpp"
#include "sim/workload.hpp"

#include <array>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace pimdse::models::umdam {

/// A mapping of a point is told by its value and by what its widths depend on.
using MappingKey = std::tuple<Value, std::array<std::int64_t, 7>>;
/// Either a mapping or the sentence that says why the text is none for this organisation.
using MappingOrReason = std::variant<std::shared_ptr<sim::dram::Mapping const>, std::string>;
/// Mapping, timing set, density, entries of the queue, engines, bursts and direction of a stream.
using PaceKey = std::tuple<sim::dram::Mapping const*, std::size_t, std::int64_t, std::int64_t, std::int64_t,
                           std::uint64_t, sim::dram::Access>;
using LocalityKey = std::tuple<sim::dram::Mapping const*, StoredShape>;

/// A stream that was simulated: cycles with their interval, and rows opened.
struct SimulatedStream {
    double cycles = 0.0, low = 0.0, high = 0.0, activations = 0.0;
    bool exact = false;
};

/// What is fixed while points vary, and the memory of what was found for them. Made once, shared by all threads.
struct Prepared {
    Machine machine;
    std::vector<sim::LanguageModel> models;                     ///< by choice of `llm`
    std::vector<std::map<int, sim::dram::Standard>> standards;  ///< by choice of `dram`, then by density in Gbit
    Parameter mapping_parameter;
    sim::Memo<MappingKey, MappingOrReason> mappings;
    sim::Memo<LocalityKey, Locality> localities;
    WalkMemo walks;
    TilingMemo tilings_of;
    ShapeMemo shapes;
    sim::Memo<PaceKey, double> paces;
    sim::Memo<std::string, SimulatedStream> streams;
};

[[nodiscard]] std::shared_ptr<void const> prepare(Parameters const& parameters);

/// The mapping the NPU's addresses go through at this point; no_interleave has the channel on top whatever `mapping`
/// says.
[[nodiscard]] MappingOrReason const& mapping_of(Prepared const& prepared, Settings const& settings,
                                                Organisation const& organisation);

}  // namespace pimdse::models::umdam
