#pragma once

#include "models/contract/architecture.hpp"

namespace pimdse::workbench {

/// An architecture for tests of the runtime: points of any cost whose answers are cheap, and points that go wrong on
/// request.
[[nodiscard]] models::Architecture architecture();

}  // namespace pimdse::workbench
