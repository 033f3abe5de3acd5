#pragma once

#include "models/contract/toml_file.hpp"
#include "sim/base/memo.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <tuple>
#include <type_traits>

namespace pimdse::models {

/// What `read(table, file, of...)` makes of a TOML file, made once while the file stays as it is: machines are prepared
/// for every draw of uncertain constants. `read`: a lambda without captures.
template <class Result, class Read, class... Of>
[[nodiscard]] std::shared_ptr<Result const> read_once(std::filesystem::path const& file, Read const& read,
                                                      Of const&... of) {
    static_assert(std::is_empty_v<Read>, "every lambda has a cache of its own");
    struct Kept {
        Result result;
        [[nodiscard]] static constexpr std::size_t weight() { return 1; }
    };
    using Key = std::tuple<std::shared_ptr<toml::table const>, Of...>;
    constexpr std::size_t max_kept = 256;
    static sim::LruCache<Key, Kept> const lately{max_kept};
    auto const make = [](Key const& key, std::filesystem::path const& from, Read const& reader) {
        auto const result = [&](auto const& table, auto const&... more) { return reader(*table, from, more...); };
        return std::make_shared<Kept const>(Kept{std::apply(result, key)});
    };
    auto const kept = lately.get(Key{read_toml(file), of...}, make, file, read);
    return {kept, &kept->result};
}

}  // namespace pimdse::models
