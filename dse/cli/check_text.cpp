#include "dse/cli/check_text.hpp"

#include <fmt/format.h>
#include <iostream>

namespace pimdse::dse::cli {
namespace {

void print_fields(sim::Json const& result, std::string const& indent) {
    for (auto const& [key, value] : result.items()) {
        if (value.is_object()) {
            std::cout << indent << key << "\n";
            print_fields(value, indent + "  ");
        } else {
            std::cout << fmt::format("{}{:<{}} {}\n", indent, key, 30 - indent.size(),
                                     value.is_null() ? "-" : value.dump());
        }
    }
}

}  // namespace

void print_result(sim::Json const& result, Format format) {
    if (format == Format::json)
        std::cout << result.dump(1) << "\n";
    else
        print_fields(result, "");
}

}  // namespace pimdse::dse::cli
