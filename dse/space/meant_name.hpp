#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::space {

/// A word that people say, and what it is called here.
struct Synonym {
    std::string_view word, name;
};

/// As sim::suggestion, but also for a word, or a near miss of one, that means a known name.
[[nodiscard]] std::string suggestion_by_meaning(std::string_view wrong, std::vector<std::string> const& known,
                                                std::span<Synonym const> synonyms);

}  // namespace pimdse::dse::space
