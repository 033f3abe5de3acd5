#pragma once

#include "dse/answers/result_store.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace pimdse::dse {

/// SHA-256, fed piece by piece.
class Sha256 {
  public:
    Sha256();
    ~Sha256();
    Sha256(Sha256&&) noexcept;
    Sha256& operator=(Sha256&&) noexcept;

    Sha256& add(std::span<std::byte const> bytes);
    /// Length first, so that neighbouring texts cannot be shifted into each other.
    Sha256& add(std::string_view text);
    Sha256& add(std::uint64_t number);
    /// The bit pattern; every NaN is the same one.
    Sha256& add(double number);
    /// 64 lower-case digits; ends the sum.
    [[nodiscard]] std::string hex();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// SHA-256 of the text alone, as `sha256sum` prints it.
[[nodiscard]] std::string sha256(std::string_view text);

/// What a result file says: the space and every kept answer by point and fidelity, bit for bit. Seconds, ranks and the
/// wording of failures that are bugs are not in it.
[[nodiscard]] std::string digest(std::string_view canonical_text, ResultStore const& store);

}  // namespace pimdse::dse
