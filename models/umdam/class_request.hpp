#pragma once

#include "models/contract/architecture.hpp"

namespace pimdse::models::umdam {

/// { classes = "all" | "row_highest" | "bits", xor = ["x.ba.ro.6.2", ...] } of `mapping`, for the memories and models
/// of a space: orders of fields, those of UMDAM's family, or orders of single bits; ColL as in coll_bits, or every one.
/// A class decides coll_bits (-1: what suits the mapping). Throws InputError.
[[nodiscard]] Classes classes(Parameters const& parameters, ClassRequest const& request, AxisValues const& values);

}  // namespace pimdse::models::umdam
