#pragma once

#include "sim/pim/bank_units.hpp"
#include "sim/pim/program.hpp"

#include <compare>
#include <cstdint>
#include <vector>

namespace pimdse::sim::pim {

/// Attention of one query position over a cache in the banks. The keys of a token lie together in the banks of one
/// unit, and tokens go round the units (`key_units` of them, on all channels and devices that share the cache). The
/// values of a head lie in one channel, or in `head_channels` of them (heads go round `value_channels`), its dimensions
/// go round the units, and the tokens of a dimension follow each other in a row.
struct Attention {
    std::int64_t heads = 1;       ///< query heads, a multiple of kv_heads
    std::int64_t kv_heads = 1;    ///< heads of keys and values
    std::int64_t head_size = 1;   ///< of keys
    std::int64_t value_size = 0;  ///< of values; 0: head_size
    std::int64_t context = 1;     ///< tokens in the cache, with the one that this position adds
    std::int64_t key_units = 1;
    std::int64_t value_channels = 1;
    std::int64_t head_channels = 1;  ///< at most value_channels; 1 in CENT
    /// Of units that carry sums: outputs whose sums are written and read together (at most the registers of a unit); 1
    /// in CENT. Units that keep sums read them when their registers are full, or all inputs have passed.
    std::int64_t sums_together = 1;
    int cache_bits = 16, activation_bits = 16;
    auto operator<=>(Attention const&) const = default;

    [[nodiscard]] std::int64_t queries_per_kv_head() const { return heads / kv_heads; }
};

enum class AttentionPart : std::uint8_t {
    /// Queries times keys: for each row of a token's keys and each token of a unit, each query of a group writes its
    /// part to the operand buffer and multiplies head by head.
    scores,
    /// Scores times values: for each head of the channel and each of its queries, each part of the scores is written to
    /// the operand buffer and multiplied with every dimension.
    values,
    /// Writes of the new token's keys (rows of one bank) and values (one word in all banks for each dimension of a
    /// unit).
    append,
    append_values  ///< the same on a channel that does not hold the keys of the new token
};

/// A part of attention on the channel with the longest share of it.
struct AttentionProduct {
    AttentionPart part = AttentionPart::scores;
    Attention attention;
    auto operator<=>(AttentionProduct const&) const = default;
};
[[nodiscard]] Program program_of(BankUnits const& units, AttentionProduct const& product);

/// The shares of a part of attention on all channels, the longest first. Tokens fill a place of all units of a channel
/// before the next channel, as in CENT. Channels without tokens, or without heads, have no share.
[[nodiscard]] std::vector<ChannelShare<AttentionProduct>> shares_of(BankUnits const& units,
                                                                    AttentionProduct const& whole);

}  // namespace pimdse::sim::pim
