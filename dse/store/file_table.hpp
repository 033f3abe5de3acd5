#pragma once

#include "dse/search/robust_front.hpp"
#include "dse/store/result_tables.hpp"
#include "sim/base/bounded.hpp"

#include <fmt/format.h>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace pimdse::dse::store::tables {

// How a member is stored, and taken from the file; `group` reports damage.

template <class T>
T stored(T const& value) {
    return value;
}
inline std::uint8_t stored(bool value) { return value ? 1 : 0; }
inline std::int32_t stored(std::uint32_t number) { return static_cast<std::int32_t>(number); }
inline std::uint64_t stored(space::PointId id) { return index_of(id); }
inline std::string stored(search::Distribution kind) { return std::string(name_of(kind)); }
inline std::string stored(sim::Bound kind) { return std::string(sim::name_of(sim::BoundKinds(kind))); }

template <class T>
void take(hdf5::Group const&, std::string const&, T&& value, T& into) {
    into = std::move(value);
}
inline void take(hdf5::Group const& group, std::string const& name, std::uint8_t value, bool& into) {
    if (value > 1) group.damaged(name + " is not 0 or 1");
    into = value != 0;
}
inline void take(hdf5::Group const&, std::string const&, std::uint64_t value, space::PointId& into) {
    into = space::PointId{value};
}
/// Extents of boxes.
inline void take(hdf5::Group const& group, std::string const&, std::int32_t value, std::uint32_t& into) {
    if (value < 1) group.damaged("a box without points");
    into = static_cast<std::uint32_t>(value);
}
/// One of the first `count` values of an enumeration.
template <class Enum>
void take_named(hdf5::Group const& group, std::string_view what, std::string const& name, int count, Enum& into) {
    for (int i = 0; i < count; ++i)
        if (into = static_cast<Enum>(i); stored(into) == name) return;
    group.damaged(fmt::format("unknown {}", what));
}
inline void take(hdf5::Group const& group, std::string const&, std::string const& value, search::Distribution& into) {
    take_named(group, "distribution", value, 4, into);
}
inline void take(hdf5::Group const& group, std::string const&, std::string const& value, sim::Bound& into) {
    take_named(group, "kind of bound", value, 3, into);
}

/// A group of the file whose columns have a row for each element of some vectors. Each function takes what it names to
/// the file, or from the file if Content is not const: one description serves both.
template <class Content>
class FileTable {
  public:
    static constexpr bool reads = !std::is_const_v<Content>;
    using Parent = std::conditional_t<reads, hdf5::Group const, hdf5::Group>;

    FileTable(Parent& parent, std::string const& name) : group_(of(parent, name)) {}

    [[nodiscard]] Parent& group() { return group_; }
    [[nodiscard]] FileTable inner(std::string const& name) { return {group_, name}; }
    /// Whether the file has the group; `wanted`: whether it is to have it.
    [[nodiscard]] bool has(std::string const& name, bool wanted) const { return reads ? group_.has(name) : wanted; }
    void meaning(std::string_view text) {
        if constexpr (!reads) group_.attribute("meaning", text);
    }
    template <class T>
    void attribute(std::string const& name, T& value) {
        using Value = std::remove_const_t<T>;
        if constexpr (!reads && std::same_as<Value, std::vector<double>>)
            group_.attribute(name, std::span<double const>(value));
        else if constexpr (!reads)
            group_.attribute(name, value);
        else if constexpr (std::same_as<Value, std::string>)
            value = group_.text(name);
        else if constexpr (std::same_as<Value, std::uint64_t>)
            value = group_.number(name);
        else if constexpr (std::same_as<Value, std::vector<double>>)
            value = group_.reals(name);
        else
            value = group_.texts(name);
    }
    /// One that older files do not have.
    template <class T>
    void later_attribute(std::string const& name, T& value) {
        if (!reads || group_.has_attribute(name)) attribute(name, value);
    }
    /// A member of every row, as an attribute that is a list.
    template <class Rows, class Get>
    void attribute(std::string const& name, Rows& rows, Get const& get) {
        transfer(name, rows, get, [&](auto& values) { attribute(name, values); });
    }
    /// A member of every row. The first column that is read says how many rows there are.
    template <class Rows, class Get = std::identity>
    void column(std::string const& name, Rows& rows, Get const& get = {}, std::string_view unit = {},
                std::string_view meaning = {}) {
        transfer(name, rows, get, [&]<class Stored>(std::vector<Stored>& values) {
            if constexpr (!reads) {
                auto column = put(name, values);
                if (!unit.empty()) column.attribute("unit", unit);
                if (!meaning.empty()) column.attribute("meaning", meaning);
            } else if constexpr (std::same_as<Stored, std::string>) {
                values = group_.open_column(name).read_texts();
            } else {
                values = group_.open_column(name).template read<Stored>();
            }
        });
    }
    /// The ids of the rows.
    template <class Rows, class Get = std::identity>
    void points(Rows& rows, Get const& get = {}) {
        column(reads ? name_of_points(group_) : points_of_group, rows, get);
    }
    /// A column with a number of rows of its own.
    template <class Rows>
    void list(std::string const& name, Rows& rows) {
        size_.reset();
        column(name, rows);
    }

  private:
    static hdf5::Group of(Parent& parent, std::string const& name) {
        if constexpr (reads)
            return parent.open_group(name);
        else
            return parent.create_group(name);
    }
    template <class Stored>
    hdf5::Column put(std::string const& name, std::vector<Stored> const& values) {
        if constexpr (std::same_as<Stored, std::string>)
            return group_.put_texts(name, values);
        else
            return group_.put(name, values);
    }
    template <class Rows, class Get, class Transfer>
    void transfer(std::string const& name, Rows& rows, Get const& get, Transfer const& transfer_all) {
        using Member = std::remove_cvref_t<decltype(std::invoke(get, rows[0]))>;
        std::vector<decltype(stored(std::declval<Member const&>()))> values;
        if constexpr (!reads)
            for (auto const& row : rows) values.push_back(stored(std::invoke(get, row)));
        transfer_all(values);
        if constexpr (reads) {
            if (values.size() != size_.value_or(values.size())) group_.damaged("columns of different length");
            size_ = values.size();
            rows.resize(values.size());
            for (std::size_t i = 0; i < rows.size(); ++i)
                take(group_, name, std::move(values[i]), std::invoke(get, rows[i]));
        }
    }

    hdf5::Group group_;
    std::optional<std::size_t> size_;  ///< number of rows, if it is known
};

}  // namespace pimdse::dse::store::tables
