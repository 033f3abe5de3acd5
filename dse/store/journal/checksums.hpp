#pragma once

#include "dse/store/durable_file.hpp"

#include <cstdint>
#include <vector>

namespace pimdse::dse::store::journal {

/// CRC-32 of any range of bytes of a file for the price of two blocks, from sums over everything up to each block. A
/// search for records would otherwise sum a damaged stretch again from every byte that looks like the head of one.
class RangeChecksums {
  public:
    /// For ranges behind `start`; the file must outlive this.
    RangeChecksums(DurableFile const& file, std::uint64_t start) : file_(file), start_(start) {}

    /// Of the bytes [begin, end); start <= begin <= end <= size of the file.
    [[nodiscard]] std::uint32_t of(std::uint64_t begin, std::uint64_t end);

  private:
    /// Of everything from start to `end`.
    [[nodiscard]] std::uint32_t up_to(std::uint64_t end);
    /// Of `sum`, continued by the bytes from `offset` on, at most a block of them.
    [[nodiscard]] std::uint32_t continued(std::uint32_t sum, std::uint64_t offset, std::size_t length);

    DurableFile const& file_;
    std::uint64_t start_;
    std::vector<std::uint32_t> blocks_{0};  ///< blocks_[k]: of k blocks from start
};

}  // namespace pimdse::dse::store::journal
