#include "models/umdam/classes.hpp"

#include "sim/base/check.hpp"
#include "sim/dram/mapping/bit_order.hpp"

#include <algorithm>
#include <compare>
#include <optional>
#include <set>
#include <utility>

namespace pimdse::models::umdam {
namespace {

using sim::dram::BitOrder;
using sim::dram::Mapping;

using Mappings = std::vector<std::optional<Mapping>>;

using Orders = std::vector<std::optional<BitOrder>>;

/// The candidate on every memory; nothing where its widths do not fit.
Orders orders_on(MappingCandidate const& candidate, std::vector<MemorySeen> const& memories) {
    Orders orders;
    for (auto const& memory : memories) {
        try {
            orders.emplace_back(order_on(candidate.mapping, memory.organisation, candidate.coll_bits));
        } catch (sim::InputError const&) {
            orders.emplace_back();
        }
    }
    return orders;
}

Mappings mappings_of(Orders const& orders, std::vector<MemorySeen> const& memories) {
    Mappings mappings(orders.size());
    for (std::size_t i = 0; i < orders.size(); ++i) {
        if (!orders[i]) continue;
        try {
            mappings[i] = sim::dram::make_mapping(*orders[i], memories[i].organisation);
        } catch (sim::InputError const&) {  // an order for another organisation is no mistake
        }
    }
    return mappings;
}

bool serves(Mapping const& mapping, MappingCandidate const& candidate, Use const& use, Organisation const& o,
            std::int64_t element_bytes) {
    int const coll = candidate.coll_bits >= 0 ? candidate.coll_bits : matching_coll_bits(mapping);
    std::int64_t const interleave = std::int64_t{o.burst_bytes} << coll;
    if (interleave > o.row_bytes || interleave % element_bytes != 0) return false;
    return std::all_of(use.matrices.begin(), use.matrices.end(), [&](Matrix matrix) {
        return is_legal(mapping, stored_shape(matrix, use.design, o, interleave, element_bytes));
    });
}

/// What two candidates must share to be one class.
struct CandidateClass {
    int coll_bits = -1;
    std::vector<std::optional<sim::dram::MappingClass>> on_memories;
    auto operator<=>(CandidateClass const&) const = default;
};

CandidateClass class_of(Mappings const& mappings, int coll_bits, std::vector<MemorySeen> const& memories) {
    CandidateClass result{coll_bits, {}};
    for (std::size_t i = 0; i < mappings.size(); ++i) {
        auto& here = result.on_memories.emplace_back();
        if (mappings[i]) here = sim::dram::class_of(*mappings[i], memories[i].visible);
    }
    return result;
}

}  // namespace

Census census(std::vector<MappingCandidate> const& candidates, std::vector<MemorySeen> const& memories,
              std::vector<Use> const& uses, std::int64_t element_bytes) {
    Census result;
    result.candidates = candidates.size();
    std::set<std::pair<Orders, int>> orders_seen;  // most candidates are told to be equal by their bits already
    std::set<CandidateClass> seen;
    for (auto const& candidate : candidates) {
        auto const orders = orders_on(candidate, memories);
        if (!orders_seen.emplace(orders, candidate.coll_bits).second) continue;
        auto const mappings = mappings_of(orders, memories);
        bool const fits =
            std::any_of(mappings.begin(), mappings.end(), [](auto const& mapping) { return mapping.has_value(); });
        if (!fits || !seen.insert(class_of(mappings, candidate.coll_bits, memories)).second) continue;
        result.classes.push_back(text_of(candidate.mapping));
        bool const legal = std::any_of(uses.begin(), uses.end(), [&](Use const& use) {
            auto const& mapping = mappings[use.memory];
            return mapping && (use.matrices.empty() ||
                               serves(*mapping, candidate, use, memories[use.memory].organisation, element_bytes));
        });
        if (legal) result.legal.push_back(text_of(candidate.mapping));
    }
    return result;
}

}  // namespace pimdse::models::umdam
