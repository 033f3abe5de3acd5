#pragma once

#include "models/text/part.hpp"
#include "models/umdam/design.hpp"
#include "models/umdam/system.hpp"

#include <variant>

namespace pimdse::models::umdam {

/// NPU and banks that share a memory through a layout and a mapping as a part of machine files (docs/own_machine.md),
/// which takes whole passes and keeps weights, keys and values itself. Its cache is what the weights leave of the
/// memory; every layer keeps every position, also with a window, because blocks of the cache are shared by all layers.
/// It serves tokens one after the other, without a draft model; pimnast places weights for one vector.
[[nodiscard]] text::PartKind pim_npu();

/// The part at a point, as its key rows, classes and tests see it.
class PimNpuLaw : public text::PartLaw {
  public:
    /// What is asked for, if banks have its formats.
    [[nodiscard]] virtual std::variant<Design, Infeasible> const& design() const = 0;
    /// The same made concrete, unless a rule is broken.
    [[nodiscard]] virtual std::variant<System, Infeasible> const& system() const = 0;
};

}  // namespace pimdse::models::umdam
