#include "models/umdam/classes.hpp"

#include <algorithm>
#include <set>

namespace pimdse::models::umdam {

Census census(std::vector<std::string> const& texts, Organisation const& organisation, Groups groups,
              std::vector<StoredShape> const& shapes) {
    Census result;
    result.texts = texts.size();
    std::set<std::vector<std::uint64_t>> seen;
    for (auto const& text : texts) {
        auto const mapping = sim::dram::Mapping::parse(text, organisation);
        if (!seen.insert(class_key(mapping, groups)).second) continue;
        result.classes.push_back(text);
        bool const legal = std::all_of(shapes.begin(), shapes.end(), [&](StoredShape const& shape) {
            auto const locality = locality_of(mapping, shape);
            return locality.split == 1 && locality.lock_step;
        });
        if (legal) result.legal.push_back(text);
    }
    return result;
}

}  // namespace pimdse::models::umdam
