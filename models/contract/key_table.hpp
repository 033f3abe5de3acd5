#pragma once

#include "models/contract/proofs.hpp"
#include "sim/base/check.hpp"

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::models {

/// The cycle key of an architecture, derived from its parameters: every value enters the key unless a declaration says
/// otherwise. So a forgotten parameter makes a search slower, but never wrong. Conditions read a `Used`: the design of
/// a point with what was prepared. A condition must follow from the code of the simulator or be read from `Used`,
/// because constants, models and kernels may be the user's own.
template <class Used>
class KeyTable {
  public:
    using When = std::function<bool(Used const&)>;
    using Instead = std::function<Value(Used const&)>;
    using Write = std::function<void(CycleKeyMaker&, Used const&)>;

    /// What stands for a parameter: of `instead` and `write` one at most is set; without either it has no effect.
    struct Row {
        KeyDeclaration declaration;
        When when{};        ///< none: always
        Instead instead{};  ///< one value
        Write write{};      ///< what does not fit one value
    };

    explicit KeyTable(Parameters const& parameters) : of_parameter_(parameters.size()) {
        for (auto const& parameter : parameters) names_.push_back(parameter.name);
    }

    /// If `when` holds, the value of the parameter does not affect any metric.
    void irrelevant(std::string_view parameter, When when, std::string_view because) {
        declare({{parameter, because, false}, std::move(when), nullptr, nullptr});
    }
    /// The same for each of these.
    void irrelevant(std::initializer_list<std::string_view> parameters, When const& when, std::string_view because) {
        for (auto const parameter : parameters) irrelevant(parameter, when, because);
    }
    /// The parameter never affects a metric; it only decides whether a point is feasible.
    void irrelevant(std::string_view parameter, std::string_view because) {
        declare({{parameter, because, true}, nullptr, nullptr, nullptr});
    }
    /// If `when` holds, the result of `instead` enters the key in place of the value.
    void stands_for(std::string_view parameter, When when, Instead instead, std::string_view because) {
        declare({{parameter, because, false}, std::move(when), std::move(instead), nullptr});
    }
    /// The result of `instead` always enters the key in place of the value.
    void stands_for(std::string_view parameter, Instead instead, std::string_view because) {
        declare({{parameter, because, true}, nullptr, std::move(instead), nullptr});
    }
    /// The same for something that does not fit one value: `write` adds it to the key. What it writes must be
    /// self-delimiting.
    void writes(std::string_view parameter, Write write, std::string_view because) {
        declare({{parameter, because, true}, nullptr, nullptr, std::move(write)});
    }

    void declare(Row row) {
        for (std::size_t p = 0; p < names_.size(); ++p) {
            if (names_[p] != row.declaration.parameter) continue;
            of_parameter_[p].push_back(rows_.size());
            rows_.push_back(std::move(row));
            return;
        }
        sim::expects(false, "a declaration of the key names an existing parameter");
    }

    [[nodiscard]] std::vector<KeyDeclaration> declarations() const {
        std::vector<KeyDeclaration> all;
        for (auto const& row : rows_) all.push_back(row.declaration);
        return all;
    }

    /// Key parts of a point that can be built; see KeyParts::make.
    [[nodiscard]] CycleKeyMaker parts(Point point, Used const& used, std::size_t widened = no_declaration) const {
        CycleKeyMaker key;
        key.add(true);
        for (std::size_t p = 0; p < of_parameter_.size(); ++p) {
            key.begin_part();
            add(key, point[p], used, deciding(p, used, widened));
        }
        return key;
    }
    /// Key parts of a point that cannot be built: every value enters.
    [[nodiscard]] CycleKeyMaker parts_of_infeasible(Point point) const {
        CycleKeyMaker key;
        key.add(false);
        for (auto const& value : point) {
            key.begin_part();
            key.add(value);
        }
        return key;
    }
    /// See KeyParts::deciding.
    [[nodiscard]] std::vector<std::size_t> deciding(Used const& used) const {
        std::vector<std::size_t> all;
        for (std::size_t p = 0; p < of_parameter_.size(); ++p) all.push_back(deciding(p, used, no_declaration));
        return all;
    }

  private:
    /// The first declaration of the parameter whose condition holds.
    [[nodiscard]] std::size_t deciding(std::size_t parameter, Used const& used, std::size_t widened) const {
        for (auto const i : of_parameter_[parameter]) {
            if (i == widened || rows_[i].when == nullptr || rows_[i].when(used)) return i;
        }
        return no_declaration;
    }

    /// Different declarations of irrelevance differ from each other and from every value.
    void add(CycleKeyMaker& key, Value const& value, Used const& used, std::size_t row) const {
        constexpr unsigned char irrelevant_mark = 0xFF, written_mark = 0xFE;
        if (row == no_declaration) {
            key.add(value);
        } else if (rows_[row].instead != nullptr) {
            key.add(rows_[row].instead(used));
        } else if (rows_[row].write != nullptr) {
            key.add(written_mark);
            rows_[row].write(key, used);
        } else {
            key.add(irrelevant_mark).add(row);
        }
    }

    std::vector<std::string> names_;
    std::vector<Row> rows_;
    std::vector<std::vector<std::size_t>> of_parameter_;
};

/// The functions of an Architecture that use its KeyTable. `used_at` returns what its conditions read; if it returns
/// nothing (the design cannot be built), every value enters the key.
template <class Used>
[[nodiscard]] KeyParts key_parts_of(std::shared_ptr<KeyTable<Used> const> table,
                                    std::optional<Used> (*used_at)(Inputs const&, Point)) {
    return {[table] { return table->declarations(); },
            [table, used_at](Inputs const& inputs, Point point, std::size_t widened) {
                auto const used = used_at(inputs, point);
                return used ? table->parts(point, *used, widened) : table->parts_of_infeasible(point);
            },
            [table, used_at](Inputs const& inputs, Point point) {
                auto const used = used_at(inputs, point);
                return used ? table->deciding(*used) : std::vector<std::size_t>(point.size(), no_declaration);
            }};
}

}  // namespace pimdse::models
