#pragma once

#include "dse/space/expression.hpp"
#include "dse/task/answer.hpp"
#include "dse/task/columns.hpp"
#include "dse/task/objective.hpp"
#include "models/contract/architecture.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse {

/// The values one parameter takes: a list, or all orderings of the parameter's items (never stored, decoded by rank).
class Axis {
  public:
    static Axis list(std::vector<models::Value> values) { return Axis(std::move(values), 0); }
    static Axis permutations(std::size_t items);

    [[nodiscard]] std::uint64_t size() const { return orderings_ != 0 ? orderings_ : values_.size(); }
    [[nodiscard]] models::Value at(std::uint64_t index) const {
        return orderings_ != 0 ? models::Value::permutation(index) : values_[static_cast<std::size_t>(index)];
    }
    /// Position of a value on this axis; size() if it is not there.
    [[nodiscard]] std::uint64_t find(models::Value const& value) const;

  private:
    Axis(std::vector<models::Value> values, std::uint64_t orderings)
        : values_(std::move(values)), orderings_(orderings) {}
    std::vector<models::Value> values_;
    std::uint64_t orderings_ = 0;
};

/// A condition a point must meet. `before` = it reads parameters only and is checked before simulation.
struct Constraint {
    std::string name;
    Expression expression;
    bool before = false;
};

/// Which answers stay: every one, or of each block of ids only what nobody in the block dominates.
enum class Keep : std::uint8_t { all, front };

struct SearchSettings {
    std::string strategy = "sweep";
    std::uint64_t budget = 0;  ///< evaluations; 0 = the whole space
    std::uint64_t seed = 1;
    models::Fidelity fidelity = models::Fidelity::analytic;
    Keep keep = Keep::all;
    std::uint64_t shard = 0;  ///< of `shards` equal parts of what would be asked, this one is
    std::uint64_t shards = 1;
};

/// "name=value" from the command line; replaces what the file says of a parameter, workload or search setting.
using Override = std::pair<std::string, std::string>;

/// A finite, numbered set of points of one architecture, with what is asked of it. Immutable; shared by all threads.
class Space {
  public:
    /// Reads a space file. Throws InputError with every mistake in it (file, line, suggestion).
    static Space load(std::filesystem::path const& file, std::vector<Override> const& overrides = {});
    /// The same from text; `name` stands for the file in messages.
    static Space parse(std::string const& text, std::string const& name, std::vector<Override> const& overrides = {});

    /// The space that a result file's answers belong to, command line included, from its canonical text. Throws
    /// StorageError where that is no such text, InputError where this program lacks what it names.
    static Space from_columns(Columns const& columns, std::filesystem::path const& file = "the result file");

    [[nodiscard]] models::Architecture const& architecture() const { return *architecture_; }
    [[nodiscard]] models::Inputs const& inputs() const { return inputs_; }
    /// The bound table: every accepted text is among its choices.
    [[nodiscard]] models::Parameters const& parameters() const { return inputs_.parameters; }
    [[nodiscard]] models::MetricList const& metrics() const { return metrics_; }
    [[nodiscard]] std::vector<Axis> const& axes() const { return axes_; }
    [[nodiscard]] std::vector<Objective> const& objectives() const { return objectives_; }
    [[nodiscard]] std::vector<Constraint> const& constraints() const { return constraints_; }
    [[nodiscard]] SearchSettings const& search() const { return search_; }
    /// The file as written, for provenance.
    [[nodiscard]] std::string const& text() const { return text_; }
    /// JSON of everything that decides which points exist and what they answer: architecture, every axis, constraints
    /// and fixed inputs; the part of the digest that stands for the space. Equal spaces have equal text.
    [[nodiscard]] std::string canonical_text() const;

    /// What became of the values a parameter could take before any was evaluated ("mapping", "5040 candidates, 912
    /// distinct, 63 legal"), where the architecture enumerates classes.
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> const& notes() const { return notes_; }

    /// Number of points, exact. At most 2^64 - 1 (a larger space is refused when loaded).
    [[nodiscard]] std::uint64_t size() const { return size_; }
    /// The point with this id; `into` has one value per parameter.
    void decode(PointId id, std::vector<models::Value>& into) const;
    /// The id of a point; throws ContractViolation if a value is not on its axis.
    [[nodiscard]] PointId encode(models::Point point) const;

    /// What a result file of this space must know; `decode` refers to this space, which must outlive it.
    [[nodiscard]] Columns columns() const;

    void set_objectives(std::vector<Objective> objectives) { objectives_ = std::move(objectives); }
    void set_search(SearchSettings search) { search_ = std::move(search); }

  private:
    friend class SpaceReader;
    Space() = default;
    static Space from_text(Columns const& columns);
    models::Architecture const* architecture_ = nullptr;
    models::Inputs inputs_;
    models::MetricList metrics_;
    std::vector<Axis> axes_;
    std::vector<Objective> objectives_;
    std::vector<Constraint> constraints_;
    SearchSettings search_;
    std::string text_;
    std::vector<std::pair<std::string, std::string>> notes_;
    std::uint64_t size_ = 1;
};

/// A file that is named but not there or not readable; `main` exits with 4.
class MissingInput : public sim::InputError {
  public:
    using sim::InputError::InputError;
};

/// A space file as written. Throws MissingInput.
[[nodiscard]] std::string read_space_text(std::filesystem::path const& file);

/// Objectives by metric name. Throws InputError: unknown, given twice, no better way, not one to six.
[[nodiscard]] std::vector<Objective> parse_objectives(models::MetricList const& metrics,
                                                      std::vector<std::string> const& names);

/// "all" or "front". Throws InputError.
[[nodiscard]] Keep parse_keep(std::string_view name);

/// "analytic", "hybrid" or "cycle". Throws InputError: unknown, or not built for this architecture.
[[nodiscard]] models::Fidelity parse_fidelity(models::Architecture const& architecture, std::string_view name);

}  // namespace pimdse::dse
