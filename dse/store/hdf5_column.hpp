#pragma once

#include "dse/store/hdf5_object.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::dse::store::hdf5 {

/// A column or a table.
class Column : public Object {
  public:
    [[nodiscard]] std::uint64_t rows() const { return shape_.rows; }
    [[nodiscard]] std::uint64_t width() const { return shape_.width; }
    /// Whether both are the same data set under two names.
    [[nodiscard]] bool is(Column const& other) const;
    template <class T>
    void write(std::uint64_t first, std::span<T const> values) {
        write_selected(first, values.size(), ids_in_memory(type_of<T>), values.data());
    }
    /// Writes a chunk that filter_chunk() returned: for the rows from `first` on and the elements from `at` on of each
    /// row, multiples of the shape of a chunk.
    void write_chunk(std::uint64_t first, std::uint64_t at, std::span<std::byte const> filtered,
                     std::uint32_t skipped_filters);
    static constexpr std::size_t max_chunk_rows = 4096;
    /// The shape of a chunk. Its rows divide max_chunk_rows if there are more of them than in one chunk.
    [[nodiscard]] Shape chunk() const;
    [[nodiscard]] std::size_t element_bytes() const;
    /// Texts must not be longer than the length with which the column was created.
    void write(std::uint64_t first, std::span<std::string_view const> texts);

    template <class T>
    [[nodiscard]] std::vector<T> read() const {
        return read<T>(0, rows());
    }
    /// `count` rows from `first` on, which must exist.
    template <class T>
    [[nodiscard]] std::vector<T> read(std::uint64_t first, std::uint64_t count) const {
        return read<T>(first, count, only_element);
    }
    /// The elements `which` (ascending) of each of these rows, row after row.
    template <class T>
    [[nodiscard]] std::vector<T> read(std::uint64_t first, std::uint64_t count,
                                      std::span<std::size_t const> which) const {
        check_type(type_of<T>);
        std::vector<T> values(count * which.size());
        read_rows(first, count, which, ids_in_memory(type_of<T>), values.data());
        return values;
    }
    [[nodiscard]] std::vector<std::string> read_texts() const { return read_texts(0, rows()); }
    [[nodiscard]] std::vector<std::string> read_texts(std::uint64_t first, std::uint64_t count) const;

    /// Adds type, number of rows, values and attributes, whatever the chunks and filters.
    void add_content(sim::Sha256& into) const;

    /// Makes this column a dimension scale, to which other columns are attached.
    void make_scale(std::string const& name);
    /// Attaches a scale to each dimension. The scales do not list the column: the list (REFERENCE_LIST), which readers
    /// do not need, holds 4,000 columns at most, and PyTables cannot read a file with one.
    void attach_scales(std::span<Column const* const> scales);

  private:
    friend class Group;
    friend class ChunkWriter;
    static constexpr std::array<std::size_t, 1> only_element{0};
    Column(Handle handle, std::shared_ptr<Origin const> file, std::string name, Shape shape, std::size_t text_length)
        : Object(std::move(handle), std::move(file)),
          name_(std::move(name)),
          shape_(shape),
          text_length_(text_length) {}
    void write_selected(std::uint64_t first, std::size_t count, Handle::Id memory_type, void const* values);
    [[nodiscard]] static Handle::Id ids_in_memory(Type type);
    void check_type(Type wanted) const;
    void check_storage() const;
    void read_rows(std::uint64_t first, std::uint64_t count, std::span<std::size_t const> which, Handle::Id memory_type,
                   void* values) const;
    [[nodiscard]] std::uint64_t address() const;
    /// CRC-32 of all values.
    [[nodiscard]] std::uint32_t sum() const;
    std::string name_;
    Shape shape_;
    std::size_t text_length_;  ///< bytes of an element
};

/// A chunk of a column as it is stored in the file.
struct FilteredChunk {
    std::vector<std::byte> bytes;
    std::uint32_t skipped = 0;  ///< bit i: filter i of the column was not applied
};

/// Applies the filters shuffle, deflate and fletcher32 to a chunk, in this order, as HDF5 would, but without HDF5, so
/// that any number of threads may call it at once. Deflate is skipped for a chunk that it does not make smaller. The
/// result depends on the arguments only.
[[nodiscard]] FilteredChunk filter_chunk(std::span<std::byte const> raw, std::size_t element_bytes);

/// The unfiltered bytes of some rows of a column.
class RawRows {
  public:
    RawRows(std::size_t rows, std::size_t element_bytes)
        : element_bytes_(element_bytes), bytes_(rows * element_bytes) {}
    template <class T>
    void put(std::size_t row, T const& number) {
        std::memcpy(bytes_.data() + row * sizeof(T), &number, sizeof(T));
    }
    /// `text` must not be longer than element_bytes().
    void put_text(std::size_t row, std::string_view text) {
        std::memcpy(bytes_.data() + row * element_bytes_, text.data(), text.size());
    }
    [[nodiscard]] std::size_t element_bytes() const { return element_bytes_; }
    [[nodiscard]] std::span<std::byte const> bytes() const { return bytes_; }

  private:
    std::size_t element_bytes_;
    std::vector<std::byte> bytes_;
};

/// Writes columns of equal length, or a strip of a table that is one chunk wide, with several threads: all threads fill
/// and compress rows, which are written in order, so that the file does not depend on the number of threads.
class ChunkWriter {
  public:
    /// 0 threads: as many as the host has cores.
    explicit ChunkWriter(int threads) : threads_(threads) {}

    /// Fills one RawRows per column with `count` rows from `first` on; called by several threads at once. The rows of a
    /// table have the elements of one chunk.
    using Fill = std::function<void(std::uint64_t first, std::size_t count, std::span<RawRows> into)>;
    /// `at`: the first elements of the strip in the rows of tables, a multiple of the width of their chunks.
    void write(std::span<Column> columns, Fill const& fill, std::uint64_t at = 0) const;

  private:
    int threads_;
};

}  // namespace pimdse::dse::store::hdf5
