#pragma once

#include "models/text/part.hpp"

namespace pimdse::models::umdam {

/// NPU and banks that share a memory through a layout and a mapping as a part of machine files (docs/own_machine.md),
/// which takes whole passes and keeps weights, keys and values itself. Its cache is what the weights leave of the
/// memory; every layer keeps every position, also with a window, because blocks of the cache are shared by all layers.
/// It serves tokens one after the other, without a draft model; pimnast places weights for one vector.
[[nodiscard]] text::PartKind pim_npu();

}  // namespace pimdse::models::umdam
