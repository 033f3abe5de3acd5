#pragma once

#include "models/contract/parameter.hpp"
#include "models/llm/shard.hpp"
#include "models/llm/workload.hpp"

#include <cstddef>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

namespace pimdse::models {

using SharedModels = std::vector<std::shared_ptr<LanguageModel const>>;

/// The models that the choices of a parameter name; that of "none" has no layers. Throws InputError for one that cannot
/// be read.
[[nodiscard]] SharedModels models_of(Parameters const& parameters, std::string_view parameter);

/// The models that the choices of a parameter stand for, by position, and the parts of them that a device of several
/// has. Parts are made when they are first asked for, and get positions after those of the choices, so that a machine
/// evaluates a part as any other model. Which position a part gets depends on the order of the requests: results may
/// not depend on it.
class ModelList {
  public:
    /// The models of the choices.
    explicit ModelList(SharedModels models = {});

    /// Throws std::out_of_range. References stay valid; thread-safe.
    [[nodiscard]] LanguageModel const& at(std::size_t position) const {
        return position < models_.size() ? *models_[position] : part_at(position);
    }
    [[nodiscard]] LanguageModel const& operator[](std::size_t position) const { return at(position); }
    /// Number of choices.
    [[nodiscard]] std::size_t size() const { return models_.size(); }

    /// Position of a part (shard_of) of the model at `position`, or why there is none. Thread-safe.
    [[nodiscard]] std::variant<std::size_t, NotDivisible> part_of(std::size_t position, Division const& division,
                                                                  std::int64_t stage) const;

  private:
    struct Parts;
    [[nodiscard]] LanguageModel const& part_at(std::size_t position) const;

    SharedModels models_;
    std::shared_ptr<Parts> parts_;  ///< shared by copies
};

}  // namespace pimdse::models
