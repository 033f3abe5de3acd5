#pragma once

#include "models/dplena/hbm/fetching.hpp"
#include "models/dplena/program/program.hpp"

#include <array>
#include <compare>

namespace pimdse::models::dplena {

/// The prefetches of logits of a design: `units` stretches (rows, or all there is if they follow each other without a
/// gap) of `stride` elements, of which the first `fetched` are fetched, `repeats` times in turn.
struct LogitStream {
    std::int64_t width = 0, stride = 0, fetched = 0, repeats = 1, units = 0;
    std::int64_t scales = 0;  ///< first scale byte

    auto operator<=>(LogitStream const&) const = default;
    [[nodiscard]] std::int64_t per_unit() const { return fetched / width * repeats; }
    [[nodiscard]] std::int64_t count() const { return per_unit() * units; }
    [[nodiscard]] std::int64_t offset(std::int64_t index) const {
        return index / per_unit() * stride + index % per_unit() % (fetched / width) * width;
    }
    /// Prefetches after which data and scales are at the same places within the spans of their rows.
    [[nodiscard]] std::int64_t period(Fetching const& fetching) const;
    /// What a period of it looks like, however long it is: the same scales within the span of a row, so far away that
    /// no row holds data and scales.
    [[nodiscard]] LogitStream endless(Fetching const& fetching) const;
};

[[nodiscard]] LogitStream stream_of(Program const& program);

/// Ticks between the fetches of a serial program, where they matter: within a preload, and between preloads by pass.
struct Gaps {
    std::int64_t within_preload = 0;
    std::array<std::int64_t, 2> between_preloads{};  ///< by pass
    std::int64_t prefetches_per_preload = 1, preloads_per_pass = 1;

    auto operator<=>(Gaps const&) const = default;
    [[nodiscard]] std::int64_t before(std::int64_t index) const {
        if (index % prefetches_per_preload != 0) return within_preload;
        auto const previous = index / prefetches_per_preload - 1;
        return between_preloads[static_cast<std::size_t>(previous / preloads_per_pass & 1)];
    }
};

/// None unless there is refresh, and none where fetches run ahead of the work.
[[nodiscard]] Gaps gaps_of(Program const& program);

}  // namespace pimdse::models::dplena
