#include "dse/store/journal/checksums.hpp"

#include "dse/store/checksum.hpp"

#include <array>

namespace pimdse::dse::store::journal {
namespace {

constexpr std::size_t block = 4096;

}  // namespace

std::uint32_t RangeChecksums::of(std::uint64_t begin, std::uint64_t end) {
    // What joining does is linear: joining the sum of the front with nothing leaves what the front contributes to the
    // whole.
    return up_to(end) ^ joined_crc32(up_to(begin), 0, end - begin);
}

std::uint32_t RangeChecksums::up_to(std::uint64_t end) {
    std::uint64_t const number = (end - start_) / block;
    while (blocks_.size() <= number)
        blocks_.push_back(continued(blocks_.back(), start_ + (blocks_.size() - 1) * block, block));
    return continued(blocks_[number], start_ + number * block, static_cast<std::size_t>((end - start_) % block));
}

std::uint32_t RangeChecksums::continued(std::uint32_t sum, std::uint64_t offset, std::size_t length) {
    if (length == 0) return sum;
    std::array<std::byte, block> bytes;
    std::size_t const got = file_.read_at(offset, std::span(bytes).first(length));
    return joined_crc32(sum, crc32(std::span(bytes).first(got)), got);
}

}  // namespace pimdse::dse::store::journal
