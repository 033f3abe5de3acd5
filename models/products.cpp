#include "models/products.hpp"

#include "models/text/text.hpp"
#include "models/umdam/umdam.hpp"

namespace pimdse::models {

std::string products_of(Architecture const& machine, Inputs const& inputs, Point point) {
    if (machine.name == "umdam") return umdam::products(inputs, point);
    return machine.files.empty() || !machine.parts.empty() ? "" : text::products(inputs, point);
}

}  // namespace pimdse::models
