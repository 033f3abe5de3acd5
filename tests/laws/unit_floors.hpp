#pragma once

#include "served_points.hpp"

#include <string>
#include <vector>

/// What a request asks of each unit of a machine, over what the unit can do at most: written from parameters, data
/// sheets and the shape of the model alone, and from nothing that an architecture computes.
namespace pimdse::laws {

/// What a pass of a dense model asks for: of one sequence, all layers.
struct PassWork {
    double products = 0.0;   ///< multiply-accumulates with weights of the layers
    double head = 0.0;       ///< with those of the LM head, of one position
    double attention = 0.0;  ///< with keys and values
    double weights = 0.0;    ///< of the layers, elements read once for all sequences
    double cache = 0.0;      ///< elements of keys and values that a token adds in all layers
};
[[nodiscard]] PassWork prompt_work(models::LanguageModel const& model, double tokens);
/// One token at this context, itself included.
[[nodiscard]] PassWork step_work(models::LanguageModel const& model, double context);

/// A time that no phase can be shorter than, and the unit that says so.
struct UnitFloor {
    std::string unit;
    double seconds = 0.0;
};

/// Of the first token and of a later one, at the context behind the prompt.
[[nodiscard]] std::vector<UnitFloor> first_token_floors(ServedMachine const& machine, Values const& point);
[[nodiscard]] std::vector<UnitFloor> later_token_floors(ServedMachine const& machine, Values const& point);

/// Joules that a request cannot take less than: half of what each multiply-accumulate takes in its format, and the
/// least that is stated of the memory that weights, keys and values come from, by models/technology.toml at 7 nm.
[[nodiscard]] double request_energy_floor(ServedMachine const& machine, Values const& point);

}  // namespace pimdse::laws
