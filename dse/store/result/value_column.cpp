#include "dse/store/result/value_column.hpp"

#include "dse/answers/result_store.hpp"
#include "sim/base/check.hpp"

#include <algorithm>
#include <bit>
#include <memory>

namespace pimdse::dse::store::result {
namespace {

using models::Kind;
using models::Value;

std::uint64_t word_of(Value const& value) {
    switch (value.kind()) {
        case Kind::integer:
            return std::bit_cast<std::uint64_t>(value.as_integer());
        case Kind::quantity:
            return std::bit_cast<std::uint64_t>(value.as_quantity());
        case Kind::choice:
            return value.as_choice();
        case Kind::flag:
            return value.as_flag() ? 1 : 0;
        case Kind::permutation:
            return value.as_permutation();
    }
    return 0;
}

Value value_of(Kind kind, std::uint64_t word) {
    switch (kind) {
        case Kind::integer:
            return Value::integer(std::bit_cast<std::int64_t>(word));
        case Kind::quantity:
            return Value::quantity(std::bit_cast<double>(word));
        case Kind::choice:
            return Value::choice(word);
        case Kind::flag:
            return Value::flag(word != 0);
        case Kind::permutation:
            return Value::permutation(word);
    }
    return {};
}

/// Rows by the ids of their points.
struct Points {
    Points(answers::ResultStore const& store, std::vector<ValueColumn> columns) : values(std::move(columns)) {
        for (auto const row : store.sorted()) {
            ids.push_back(index_of(store.task(row).point));
            rows.push_back(row);
        }
    }

    /// Ids ascend.
    [[nodiscard]] std::size_t row_of(task::PointId id) const {
        std::size_t first = 0;
        for (std::size_t count = ids.size(); count > 0;) {
            std::size_t const half = count / 2;
            bool const before = ids[first + half] < index_of(id);
            first = before ? first + half + 1 : first;
            count = before ? count - half - 1 : half;
        }
        sim::expects(first < ids.size() && ids[first] == index_of(id), "the point is in the file");
        return rows[first];
    }

    answers::PackedColumn ids, rows;
    std::vector<ValueColumn> values;
};

}  // namespace

void ValueColumn::push_back(Value const& value) {
    kinds_.push_back(static_cast<std::uint64_t>(value.kind()));
    words_.push_back(word_of(value));
}

Value ValueColumn::operator[](std::size_t row) const { return value_of(static_cast<Kind>(kinds_[row]), words_[row]); }

std::function<void(task::PointId, std::vector<Value>&)> decoder_of(answers::ResultStore const& store,
                                                                   std::vector<ValueColumn> values) {
    return [points = std::make_shared<Points const>(store, std::move(values))](task::PointId id,
                                                                               std::vector<Value>& into) {
        std::size_t const row = points->row_of(id);
        into.clear();
        for (auto const& column : points->values) into.push_back(column[row]);
    };
}

}  // namespace pimdse::dse::store::result
