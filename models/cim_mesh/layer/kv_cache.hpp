#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/placement/partition.hpp"

#include <cstdint>

namespace pimdse::models::cim_mesh {

/// Slices of keys and values spread cyclically over a pool of routers.
class CacheRing {
  public:
    CacheRing(std::int64_t slices, std::int64_t routers) : slices_(slices), routers_(routers) {}

    struct Slot {
        std::int64_t router = 0;  ///< position in the pool
        std::int64_t slot = 0;
    };
    /// Where slice `slice` of token `token` lies: keys are slices 0..kv-1, values kv..2 kv-1.
    [[nodiscard]] Slot place(std::int64_t token, std::int64_t slice) const;
    [[nodiscard]] std::int64_t slices() const { return slices_; }
    [[nodiscard]] std::int64_t routers() const { return routers_; }
    [[nodiscard]] std::int64_t needed(std::int64_t context) const { return slices_ * context; }

  private:
    std::int64_t slices_;
    std::int64_t routers_;
};

/// The KV cache of one layer. A slot holds one slice of one key or value: `crossbar` values of 8 bit. Requests of a
/// batch lie one behind the other; a `context` is of one.
class KvCache : public CacheRing {
  public:
    KvCache(MachineConstants const& machine, Design const& design, Partition const& partition);

    [[nodiscard]] std::int64_t slots_per_router() const { return slots_; }
    /// The same of all requests that keep their keys.
    [[nodiscard]] std::int64_t needed_by_all(std::int64_t context) const { return keepers_ * needed(context); }
    [[nodiscard]] std::int64_t capacity() const { return slots_ * routers(); }
    /// Slots a router of the pool fills when all requests are at this context.
    [[nodiscard]] std::int64_t filled(std::int64_t router, std::int64_t context) const;
    [[nodiscard]] double slot_bytes() const { return slot_bytes_; }

  private:
    std::int64_t slots_;
    double slot_bytes_;
    std::int64_t keepers_;
};

}  // namespace pimdse::models::cim_mesh
