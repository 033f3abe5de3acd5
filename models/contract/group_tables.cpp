#include "models/contract/group_tables.hpp"

#include <utility>

namespace pimdse::models {

bool is_read_by_groups_only(Architecture const& architecture, std::string_view constant) {
    return architecture.parts.empty() && constant.find('.') != std::string_view::npos;
}

Inputs with_drawn_for_groups(Architecture const& architecture, Inputs inputs, ModelOptions options) {
    if (architecture.prepare_group != nullptr) inputs.group = architecture.prepare_group(options);
    inputs.options = std::move(options);
    return inputs;
}

}  // namespace pimdse::models
