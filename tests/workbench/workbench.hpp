#pragma once

#include "models/contract/architecture.hpp"

namespace pimdse::workbench {

/// An architecture for tests of the runtime: points of any cost whose results are cheap, and points that go wrong on
/// request.
[[nodiscard]] models::Architecture architecture();

}  // namespace pimdse::workbench
