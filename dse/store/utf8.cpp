#include "dse/store/utf8.hpp"

#include <boost/locale/utf.hpp>

namespace pimdse::dse::store {
namespace {

using Traits = boost::locale::utf::utf_traits<char>;

/// Moves `at` behind the character there; false if there is none.
bool skip(char const*& at, char const* end) {
    auto const point = Traits::decode(at, end);
    return point != boost::locale::utf::illegal && point != boost::locale::utf::incomplete;
}

}  // namespace

bool is_utf8(std::string_view text) {
    char const* const end = text.data() + text.size();
    for (char const* at = text.data(); at != end;) {
        if (!skip(at, end)) return false;
    }
    return true;
}

std::string as_utf8(std::string_view text) {
    if (is_utf8(text)) return std::string(text);
    std::string made;
    char const* const end = text.data() + text.size();
    for (char const* at = text.data(); at != end;) {
        char const* const start = at;
        if (skip(at, end)) {
            made.append(start, at);
        } else {
            made += "\xEF\xBF\xBD";
            at = start + 1;
        }
    }
    return made;
}

}  // namespace pimdse::dse::store
