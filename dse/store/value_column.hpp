#pragma once

#include "dse/search/result_columns.hpp"
#include "dse/space/result.hpp"
#include "dse/store/hdf5_file.hpp"
#include "models/contract/parameter.hpp"
#include "models/contract/value.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace pimdse::dse::search {
class ResultStore;
}  // namespace pimdse::dse::search

namespace pimdse::dse::store {

/// The values of a parameter, one per row, packed: if there are few different values, each takes a byte or less. A copy
/// shares the packed memory.
class ValueColumn {
  public:
    void push_back(models::Value const& value);
    [[nodiscard]] models::Value operator[](std::size_t row) const;
    [[nodiscard]] std::size_t size() const { return kinds_.size(); }

  private:
    search::PackedColumn kinds_, words_;
};

/// A function that finds a point of `store` by its id and returns its values; `values` has one column per parameter,
/// with a value per row. Thread-safe. A point that is not in the store is a ContractViolation.
[[nodiscard]] std::function<void(space::PointId, std::vector<models::Value>&)> decoder_of(
    search::ResultStore const& store, std::vector<ValueColumn> values);

/// The definition of the parameter in the column `opened`. Throws StorageError and InputError.
[[nodiscard]] models::Parameter read_parameter(hdf5::Group const& root, std::string const& name,
                                               hdf5::Column const& opened);

/// Appends the values of the column; an ordering that is not among the choices is read by its items. Throws
/// StorageError.
void read_values(models::Parameter const& parameter, hdf5::Column const& opened, ValueColumn& into);

}  // namespace pimdse::dse::store
