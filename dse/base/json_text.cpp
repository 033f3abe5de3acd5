#include "dse/base/json_text.hpp"

#include "models/contract/parameter_text.hpp"

#include <fmt/format.h>
#include <boost/locale/utf.hpp>

namespace pimdse::dse::base {
namespace {

using Traits = boost::locale::utf::utf_traits<char>;

/// Advances `at` past one UTF-8 character; false if the bytes there are not one.
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
    std::string valid;
    char const* const end = text.data() + text.size();
    for (char const* at = text.data(); at != end;) {
        char const* const start = at;
        if (skip(at, end)) {
            valid.append(start, at);
        } else {
            valid += "\xEF\xBF\xBD";
            at = start + 1;
        }
    }
    return valid;
}

sim::Json value_json(models::Parameter const& parameter, models::Value const& value) {
    switch (value.kind()) {
        case models::Kind::integer:
            return value.as_integer();
        case models::Kind::quantity:
            return value.as_quantity();
        case models::Kind::flag:
            return value.as_flag();
        default:
            return models::print_value(parameter, value);
    }
}

std::string value_cell(models::Parameter const& parameter, models::Value const& value) {
    if (value.kind() == models::Kind::quantity) return fmt::format("{}", value.as_quantity());
    return models::print_value(parameter, value);
}

}  // namespace pimdse::dse::base
