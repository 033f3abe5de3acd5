#pragma once

#include "dse/store/hdf5/column.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace pimdse::dse::store::hdf5 {

/// The bytes of some rows of a column.
class RawRows {
  public:
    RawRows(std::size_t rows, std::size_t element_bytes)
        : element_bytes_(element_bytes), bytes_(rows * element_bytes) {}
    template <class T>
    void put(std::size_t row, T const& number) {
        std::memcpy(bytes_.data() + row * sizeof(T), &number, sizeof(T));
    }
    /// A text that fits.
    void put_text(std::size_t row, std::string_view text) {
        std::memcpy(bytes_.data() + row * element_bytes_, text.data(), text.size());
    }
    [[nodiscard]] std::size_t element_bytes() const { return element_bytes_; }
    [[nodiscard]] std::span<std::byte const> bytes() const { return bytes_; }

  private:
    std::size_t element_bytes_;
    std::vector<std::byte> bytes_;
};

/// Writes columns of equal length with several threads: rows are made and compressed by any of them, written in order,
/// so that the file does not depend on how many there are.
class ChunkWriter {
  public:
    explicit ChunkWriter(int threads) : threads_(threads) {}

    /// Puts the rows from `first` on, `count` of them, into one RawRows per column; called by several threads at once.
    using Fill = std::function<void(std::uint64_t first, std::size_t count, std::span<RawRows> into)>;
    void write(std::span<hdf5::Column> columns, Fill const& fill) const;

  private:
    int threads_;
};

}  // namespace pimdse::dse::store::hdf5
