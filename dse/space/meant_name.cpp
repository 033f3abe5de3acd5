#include "dse/space/meant_name.hpp"

#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace pimdse::dse::space {

std::string suggestion_by_meaning(std::string_view wrong, std::vector<std::string> const& known,
                                  std::span<Synonym const> synonyms) {
    auto words = known;
    for (auto const& synonym : synonyms) {
        if (std::find(known.begin(), known.end(), synonym.name) != known.end()) words.emplace_back(synonym.word);
    }
    auto const near = sim::nearest_name(wrong, words);
    if (near.empty() || std::find(known.begin(), known.end(), near) != known.end())
        return sim::suggestion(wrong, known);
    auto const meant = std::find_if(synonyms.begin(), synonyms.end(), [&](auto const& m) {
        return m.word == near && std::find(known.begin(), known.end(), m.name) != known.end();
    });
    return fmt::format(" Did you mean '{}'?", meant->name);
}

}  // namespace pimdse::dse::space
