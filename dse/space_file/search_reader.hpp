#pragma once

#include "dse/space/space.hpp"

#include <span>

namespace pimdse::models {
class TableReader;
}

namespace pimdse::dse::space_file {

/// The settings in a [search] table; what it leaves out is as in SearchSettings. Adds every mistake to the reader's.
[[nodiscard]] space::SearchSettings search_settings(models::TableReader& reader,
                                                    std::span<models::Architecture const* const> architectures);

}  // namespace pimdse::dse::space_file
