#pragma once

#include "models/contract/parameter.hpp"
#include "models/umdam/constants.hpp"
#include "models/umdam/layout.hpp"
#include "models/umdam/npu.hpp"
#include "models/umdam/streams.hpp"
#include "models/umdam/written_mapping.hpp"
#include "sim/base/memo.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/pim/bank_work.hpp"

#include <compare>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

namespace pimdse::models::umdam {

/// A mapping as read from its text, or a sentence that gives the reason why the text is invalid.
using WrittenOrReason = std::variant<WrittenMapping, std::string>;
/// A mapping, or a sentence that gives the reason why it does not fit this organisation.
using MappingOrReason = std::variant<std::shared_ptr<sim::dram::Mapping const>, std::string>;

/// Identifies the mapping of a point: its value and everything that its widths depend on.
struct MappingKey {
    Value value;
    std::int64_t coll_bits = 0;
    Organisation organisation;
    auto operator<=>(MappingKey const&) const = default;
};

/// A mapping of `column_in_bank`.
struct ColumnsInBanksKey {
    std::int64_t column_bytes = 0;
    Organisation organisation;
    auto operator<=>(ColumnsInBanksKey const&) const = default;
};

struct ReadOrderKey {
    sim::dram::Mapping const* mapping = nullptr;  ///< cached in Prepared
    StoredShape shape;
    Organisation organisation;
    auto operator<=>(ReadOrderKey const&) const = default;
};

struct LocalityKey {
    sim::dram::Mapping const* mapping = nullptr;  ///< cached in Prepared, which has one object per mapping
    StoredShape shape;
    auto operator<=>(LocalityKey const&) const = default;
};

/// Everything that is the same for all points of the part, and the caches of partial results. Built once and shared by
/// all threads.
struct Prepared {
    MachineConstants machine;
    std::vector<std::map<int, sim::dram::Standard>> standards;  ///< by choice of `dram`, then by density in Gbit
    std::vector<WrittenOrReason> written;                       ///< by choice of `mapping`
    std::size_t channel_highest = 0;  ///< the choice of `mapping` that does not interleave channels
    sim::Memo<MappingKey, MappingOrReason> mappings;
    sim::Memo<ColumnsInBanksKey, MappingOrReason> column_mappings;
    sim::Memo<ReadOrderKey, std::shared_ptr<sim::dram::Mapping const>> read_orders;
    sim::Memo<LocalityKey, Locality> localities;
    sim::Memo<sim::pim::BankWork, sim::pim::GemvWalk> walks;
    sim::Memo<GemmShape, std::vector<GemmTraffic>> tilings;
    sim::Memo<GemmShape, GemmTraffic> min_tilings;
    StreamMemory streams;
};

/// `keys`: of the part, with all choices of their values.
[[nodiscard]] std::shared_ptr<Prepared const> prepared_with(Parameters const& keys, MachineConstants machine);

/// The mapping of the NPU's addresses at this point. Regardless of `mapping`, no_interleave uses the channel as the
/// highest field, and column_in_bank leaves `granule` bytes in one bank.
[[nodiscard]] MappingOrReason const& mapping_of(Prepared const& prepared, Design const& design,
                                                Organisation const& organisation, std::int64_t granule);

/// The mapping under which consecutive pieces of `piece` bytes lie in different banks, channels first.
[[nodiscard]] MappingOrReason const& pieces_over_banks(Prepared const& prepared, Organisation const& organisation,
                                                       std::int64_t piece);

}  // namespace pimdse::models::umdam
