#pragma once

#include "models/contract/architecture.hpp"
#include "sim/base/check.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::models {

/// The cycle key of an architecture, derived from its parameters: every value enters as it is, unless a declaration
/// says that it does not. So a parameter nobody thought of makes a search slower, never wrong. `Used` is what
/// declarations look at: the design that a point stands for, with what is prepared. A condition must follow from the
/// code of the simulator or be read from `Used`, since constants, models and kernels may be the user's own.
template <class Used>
class KeyTable {
  public:
    using When = bool (*)(Used const&);
    using Instead = Value (*)(Used const&);
    using Write = void (*)(CycleKeyMaker&, Used const&);

    explicit KeyTable(Parameters const& parameters) : of_parameter_(parameters.size()) {
        for (auto const& parameter : parameters) names_.push_back(parameter.name);
    }

    /// Where `when` holds, no value of the parameter makes a difference to any metric.
    void irrelevant(std::string_view parameter, When when, std::string_view because) {
        declare({{parameter, because, false}, when, nullptr, nullptr});
    }
    /// The parameter only decides whether a point is feasible.
    void irrelevant(std::string_view parameter, std::string_view because) {
        declare({{parameter, because, true}, nullptr, nullptr, nullptr});
    }
    /// Where `when` holds, the value stands for this one.
    void stands_for(std::string_view parameter, When when, Instead instead, std::string_view because) {
        declare({{parameter, because, false}, when, instead, nullptr});
    }
    /// Whatever the value is, this is what it stands for.
    void stands_for(std::string_view parameter, Instead instead, std::string_view because) {
        declare({{parameter, because, true}, nullptr, instead, nullptr});
    }
    /// The same of what no one value says. What is written must tell where it ends.
    void writes(std::string_view parameter, Write write, std::string_view because) {
        declare({{parameter, because, true}, nullptr, nullptr, write});
    }

    [[nodiscard]] std::vector<KeyDeclaration> declarations() const {
        std::vector<KeyDeclaration> all;
        for (auto const& row : rows_) all.push_back(row.declaration);
        return all;
    }

    /// Of a point that can be built; see KeyParts::make.
    [[nodiscard]] CycleKeyMaker parts(Point point, Used const& used, std::size_t widened = no_declaration) const {
        CycleKeyMaker key;
        key.add(true);
        for (std::size_t p = 0; p < of_parameter_.size(); ++p) {
            key.begin_part();
            add(key, point[p], used, deciding(p, used, widened));
        }
        return key;
    }
    /// Of one that cannot: every value as it is.
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
    struct Row {
        KeyDeclaration declaration;
        When when = nullptr;
        Instead instead = nullptr;
        Write write = nullptr;
    };

    void declare(Row row) {
        for (std::size_t p = 0; p < names_.size(); ++p) {
            if (names_[p] != row.declaration.parameter) continue;
            of_parameter_[p].push_back(rows_.size());
            rows_.push_back(std::move(row));
            return;
        }
        sim::expects(false, "a declaration of the key names a parameter");
    }

    /// The first whose condition holds.
    [[nodiscard]] std::size_t deciding(std::size_t parameter, Used const& used, std::size_t widened) const {
        for (auto const i : of_parameter_[parameter]) {
            if (i == widened || rows_[i].when == nullptr || rows_[i].when(used)) return i;
        }
        return no_declaration;
    }

    /// Declared irrelevances are told apart from each other and from every value.
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

}  // namespace pimdse::models
