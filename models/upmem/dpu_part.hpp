#pragma once

#include "models/text/part.hpp"

namespace pimdse::models::upmem {

/// The kind `dpu` of a compute component of a machine file: ranks of DPUs and the host that drives them, which take all
/// operators of a pass, in int8. Its keys are the parameters of upmem that a request to a language model depends on.
[[nodiscard]] text::PartKind dpu_kind();

}  // namespace pimdse::models::upmem
