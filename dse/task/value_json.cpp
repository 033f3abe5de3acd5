#include "dse/task/value_json.hpp"

#include "models/contract/parameter_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pimdse::dse::task {

nlohmann::ordered_json value_json(models::Parameter const& parameter, models::Value const& value) {
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

}  // namespace pimdse::dse::task
