#pragma once

#include "dse/search/result_columns.hpp"
#include "dse/space/result.hpp"
#include "dse/store/hdf5_file.hpp"
#include "models/contract/architecture.hpp"
#include "models/contract/value.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace pimdse::dse::search {
class ResultStore;
}  // namespace pimdse::dse::search

namespace pimdse::dse::store {

/// The values of a parameter, one per row; a byte or none each where they are few. A copy shares what is packed.
class ValueColumn {
  public:
    void push_back(models::Value const& value);
    [[nodiscard]] models::Value operator[](std::size_t row) const;
    [[nodiscard]] std::size_t size() const { return kinds_.size(); }

  private:
    search::PackedColumn kinds_, words_;
};

/// Finds points of `store` by their ids and says their values, one column per parameter with a value per row. Any
/// number of threads at once. RequestScheduler for a point that is not there is a ContractViolation.
[[nodiscard]] std::function<void(space::PointId, std::vector<models::Value>&)> decoder_of(
    search::ResultStore const& store, std::vector<ValueColumn> values);

/// What a file says of the parameter in the column `opened`. Throws StorageError and InputError.
[[nodiscard]] models::Parameter read_parameter(store::hdf5::Group const& root, std::string const& name,
                                               store::hdf5::Column const& opened);

/// Appends its values; an ordering that is none of the choices is read by its items. Throws StorageError.
void read_values(models::Parameter const& parameter, store::hdf5::Column const& opened, ValueColumn& into);

}  // namespace pimdse::dse::store
