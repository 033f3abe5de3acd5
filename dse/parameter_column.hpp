#pragma once

#include "dse/hdf5.hpp"
#include "models/architecture.hpp"

#include <string>
#include <vector>

namespace pimdse::dse {

/// What a result file says of a parameter, and its value in every row.
struct ParameterColumn {
    models::Parameter parameter;
    std::vector<models::Value> values;
};

/// An ordering that is none of the choices is read by its items. Throws StorageError and InputError.
[[nodiscard]] ParameterColumn read_parameter_column(std::string const& name, hdf5::Column const& opened);

}  // namespace pimdse::dse
