#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct evp_md_ctx_st;

namespace pimdse::sim {

/// An incremental SHA-256 computation.
class Sha256 {
  public:
    Sha256();
    ~Sha256();
    Sha256(Sha256 const&) = delete;
    Sha256& operator=(Sha256 const&) = delete;

    Sha256& add(std::span<std::byte const> bytes);
    /// Adds the length first, so that two neighbouring texts cannot be confused with another split of the same
    /// characters.
    Sha256& add(std::string_view text);
    Sha256& add(std::uint64_t number);
    /// The digest as 64 lower-case hexadecimal digits. Ends the computation: nothing may be added afterwards.
    [[nodiscard]] std::string hex();

  private:
    void flush();
    Sha256& flushed_if_full();

    static constexpr std::size_t limit = 65536;
    evp_md_ctx_st* context_;
    std::vector<std::byte> waiting_;  ///< buffers small pieces, because a call costs more than hashing the bytes
};

/// SHA-256 of the text without a length prefix, as `sha256sum` prints it.
[[nodiscard]] std::string sha256(std::string_view text);

/// The CRC-32 of zlib, gzip and PNG (polynomial 0x04C11DB7, bit-reflected). Uses the fastest implementation that the
/// processor supports, because a journal has many short records (tests/bench/store compares implementations).
[[nodiscard]] std::uint32_t crc32(std::span<std::byte const> bytes);

/// The CRC-32 of two concatenated texts, from the CRC-32 of each and the length of the second.
[[nodiscard]] std::uint32_t joined_crc32(std::uint32_t first, std::uint32_t second, std::uint64_t length);

}  // namespace pimdse::sim
