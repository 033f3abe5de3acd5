#include "models/cim_mesh/layer/kv_cache.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::cim_mesh {

KvCache::KvCache(MachineConstants const& machine, Design const& design, Partition const& partition)
    : CacheRing(2 * partition.kv, kv_pool_tiles(design.kv_pool, partition.matrices)),
      slots_(0),
      slot_bytes_(machine.vector_bytes(static_cast<double>(design.crossbar))),
      keepers_(design.keeps_keys() ? design.batch : 0) {
    double const reserve = 2.0 * machine.live_intermediates * slot_bytes_;
    double const pads = design.machine == Machine::leap_d ? machine.leap_decode_scratchpads : 1.0;
    double const bytes = pads * static_cast<double>(design.scratchpad) - reserve;
    slots_ = std::max<std::int64_t>(0, sim::whole_part(std::floor(bytes / slot_bytes_)));
}

CacheRing::Slot CacheRing::place(std::int64_t token, std::int64_t slice) const {
    std::int64_t const at = slices_ * token + slice;
    return {at % routers_, at / routers_};
}

std::int64_t KvCache::filled(std::int64_t router, std::int64_t context) const {
    std::int64_t const total = needed_by_all(context);
    return total / routers() + (router < total % routers() ? 1 : 0);
}

}  // namespace pimdse::models::cim_mesh
