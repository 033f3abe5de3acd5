#pragma once

#include "dse/store/hdf5/column.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::dse::store::hdf5 {

class Group : public Object {
  public:
    [[nodiscard]] Group create_group(std::string const& name);
    [[nodiscard]] Group open_group(std::string const& name) const;
    [[nodiscard]] bool has(std::string const& name) const;

    /// Chunks of 4096 rows (fewer of long texts), shuffled, deflated at level 1, with a checksum.
    template <class T>
    [[nodiscard]] Column create_column(std::string const& name, std::uint64_t rows) {
        return create(name, rows, type_of<T>());
    }
    [[nodiscard]] Column create_text_column(std::string const& name, std::uint64_t rows, std::size_t longest);
    [[nodiscard]] Column open_column(std::string const& name) const;

    /// A second name for what is at `path` in the same file.
    void link(std::string const& name, std::string const& path);

    /// A whole column at once.
    template <class T>
    Column put(std::string const& name, std::vector<T> const& values) {
        auto column = create_column<T>(name, values.size());
        column.write(0, std::span<T const>(values));
        return column;
    }
    /// Where a text is not UTF-8, what is no character becomes U+FFFD.
    Column put_texts(std::string const& name, std::vector<std::string_view> const& texts);
    Column put_texts(std::string const& name, std::vector<std::string> const& texts) {
        return put_texts(name, std::vector<std::string_view>(texts.begin(), texts.end()));
    }

  private:
    friend class File;
    Group(Handle handle, std::shared_ptr<Origin const> file) : Object(std::move(handle), std::move(file)) {}
    [[nodiscard]] Column create(std::string const& name, std::uint64_t rows, Type type);
    [[nodiscard]] Column create_of_type(std::string const& name, std::uint64_t rows, Handle::Id type,
                                        std::size_t text_length);
};

}  // namespace pimdse::dse::store::hdf5
