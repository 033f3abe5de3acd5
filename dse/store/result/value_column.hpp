#pragma once

#include "dse/answers/packed_column.hpp"
#include "dse/task/answer.hpp"
#include "models/contract/value.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace pimdse::dse::answers {
class ResultStore;
}  // namespace pimdse::dse::answers

namespace pimdse::dse::store::result {

/// The values of a parameter, one per row; a byte or none each where they are few. A copy shares what is packed.
class ValueColumn {
  public:
    void push_back(models::Value const& value);
    [[nodiscard]] models::Value operator[](std::size_t row) const;
    [[nodiscard]] std::size_t size() const { return kinds_.size(); }

  private:
    answers::PackedColumn kinds_, words_;
};

/// Finds points of `store` by their ids and says their values, one column per parameter with a value per row. Any
/// number of threads at once. Asking for a point that is not there is a ContractViolation.
[[nodiscard]] std::function<void(task::PointId, std::vector<models::Value>&)> decoder_of(
    answers::ResultStore const& store, std::vector<ValueColumn> values);

}  // namespace pimdse::dse::store::result
