#pragma once

#include "sim/base/random.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pimdse::tests {

/// Numbers and texts that a seed determines.
class Drawing {
  public:
    explicit Drawing(std::uint64_t seed) : at_(seed << 20) {}
    /// From 1 to `last`.
    std::int64_t up_to(std::int64_t last) {
        return 1 + static_cast<std::int64_t>(sim::mixed_sequence(++at_) % static_cast<std::uint64_t>(last));
    }
    /// One of them.
    std::string of(std::vector<std::string> const& texts) {
        return texts[static_cast<std::size_t>(up_to(static_cast<std::int64_t>(texts.size())) - 1)];
    }

  private:
    std::uint64_t at_;
};

}  // namespace pimdse::tests
