#pragma once

#include "dse/store/hdf5/group.hpp"
#include "dse/store/result/value_column.hpp"
#include "models/contract/architecture.hpp"

#include <string>

namespace pimdse::dse::store::result {

/// What a file says of the parameter in the column `opened`. Throws StorageError and InputError.
[[nodiscard]] models::Parameter read_parameter(hdf5::Group const& root, std::string const& name,
                                               hdf5::Column const& opened);

/// Appends its values; an ordering that is none of the choices is read by its items. Throws StorageError.
void read_values(models::Parameter const& parameter, hdf5::Column const& opened, ValueColumn& into);

}  // namespace pimdse::dse::store::result
