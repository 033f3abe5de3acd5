#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct evp_md_ctx_st;

namespace pimdse::dse::base {

/// SHA-256, fed piece by piece.
class Sha256 {
  public:
    Sha256();
    ~Sha256();
    Sha256(Sha256 const&) = delete;
    Sha256& operator=(Sha256 const&) = delete;

    Sha256& add(std::span<std::byte const> bytes);
    /// Length first, so that neighbouring texts cannot be shifted into each other.
    Sha256& add(std::string_view text);
    Sha256& add(std::uint64_t number);
    /// 64 lower-case digits; ends the sum.
    [[nodiscard]] std::string hex();

  private:
    void flush();
    Sha256& flushed_if_full();

    static constexpr std::size_t limit = 65536;
    evp_md_ctx_st* context_;
    std::vector<std::byte> waiting_;  ///< many small pieces cost more in calls than in bytes
};

/// SHA-256 of the text alone, as `sha256sum` prints it.
[[nodiscard]] std::string sha256(std::string_view text);

/// The CRC-32 of zlib, gzip and PNG (polynomial 0x04C11DB7, bits in reversed order), as fast as the processor does it:
/// records of a journal are short and many (tests/bench/store compares).
[[nodiscard]] std::uint32_t crc32(std::span<std::byte const> bytes);

/// The sum of two texts one after the other, from the sums of both and the length of the second.
[[nodiscard]] std::uint32_t joined_crc32(std::uint32_t first, std::uint32_t second, std::uint64_t length);

}  // namespace pimdse::dse::base
