#pragma once

#include "models/upmem/prepared.hpp"

namespace pimdse::models::upmem {

enum class Direction : std::uint8_t { in, out };

/// Time of one transfer call: `bytes` to or from each of `dpus` DPUs spread over `ranks` ranks. Zero bytes take no
/// time.
///   table1     every DPU at the bandwidth Table 1 gives a single one, all at once
///   parallel   call + dpus x bytes / B(n), B(n) = B1 n^p for the n DPUs of a rank, ranks side by side
///   serial     dpus x the table1 time
///   broadcast  as parallel with the broadcast bandwidth; results still come back in parallel
///   constant   uPIMulator's two constants per DPU
/// All of them but serial end at what a rank of 64 DPUs was measured to move, at the ranks that the host feeds at once,
/// and at the pins of the memory channels, which several ranks share.
[[nodiscard]] sim::Time transfer_time(Prepared const& prepared, Transfer how, Direction direction, double bytes,
                                      std::int64_t dpus, std::int64_t ranks);

}  // namespace pimdse::models::upmem
