#pragma once

#include "sim/dram/stream_kind.hpp"

#include <string_view>

namespace pimdse::sim::dram {

/// `seq:B seqw:B stride:S:n rand:n:R copy:B:W:R colwalk:n tile:H:W:C:n utile:n`, and `engines:E:B` (E engines in turn,
/// each reading its own B/E bytes in order). `transaction_bytes` is the burst. Throws InputError naming the field, and
/// for a burst that is not of 1 to 65,536 bytes.
[[nodiscard]] Stream parse_stream(std::string_view spec, int transaction_bytes);

}  // namespace pimdse::sim::dram
