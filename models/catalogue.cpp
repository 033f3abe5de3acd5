#include "models/catalogue.hpp"

#include "models/chips/several.hpp"
#include "models/contract/toml_file.hpp"
#include "models/text/text.hpp"
#include "models/upmem/upmem.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <mutex>

namespace pimdse::models {
namespace {

constexpr std::array<std::string_view, 5> names{"umdam", "upmem", "dplena", "cim_mesh", "gpu"};

Architecture made(std::string_view name) {
    if (name == "upmem") return chips::several<upmem::architecture>();
    return text::architecture(data_directory() / "models" / "machines" / fmt::format("{}.toml", name));
}

/// Each is made once, when it is first asked for: whoever names one does not wait for the others.
class Table {
  public:
    Architecture const& at(std::size_t i) {
        std::call_once(once_[i], [&] { all_[i] = made(names[i]); });
        return all_[i];
    }
    [[nodiscard]] std::span<Architecture const> all() {
        for (std::size_t i = 0; i < names.size(); ++i) (void)at(i);
        return all_;
    }

  private:
    std::array<std::once_flag, names.size()> once_;
    std::array<Architecture, names.size()> all_;
};

Table& table() {
    static Table made_so_far;
    return made_so_far;
}

}  // namespace

std::span<std::string_view const> catalogue_names() { return names; }

Architecture const* find_in_catalogue(std::string_view name) {
    auto const found = std::ranges::find(names, name);
    return found == names.end() ? nullptr : &table().at(static_cast<std::size_t>(found - names.begin()));
}

std::span<Architecture const> catalogue() { return table().all(); }

}  // namespace pimdse::models
