#include "dse/space/space.hpp"
#include "dse/space/space_reader.hpp"
#include "input.hpp"

#include <algorithm>
#include <string>

/// Space files; what is read decodes its first and last point and says what it is. Classes of mappings are left out:
/// enumerating them is work, not reading.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace pimdse;
    auto const text = fuzz::text_of(data, size);
    if (text.find("classes") != std::string_view::npos || text.find("permute") != std::string_view::npos) return 0;
    return fuzz::attempt([&] {
        auto const space = dse::space::parse_space(std::string(text), "space.toml");
        std::vector<models::Value> point;
        for (std::uint64_t const id : {std::uint64_t{0}, space.size() - 1})
            space.decode(dse::space::PointId{id}, point);
        (void)space.canonical_text();
    });
}
