#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

/// Constants found together from what somebody measured.
namespace pimdse::dse::cli {

/// A constant of a machine with its range, in SI.
struct FittedConstant {
    std::string name, unit;
    double before = 0.0, value = 0.0, lower = 0.0, upper = 0.0;
    /// With each value between these two, others of the other constants were found that fit nearly as well.
    double nearly_from = 0.0, nearly_to = 0.0;
    /// That is most of its range, or it moves nothing: it keeps the value before.
    bool flat = false;
    /// Index of the constant that moved with it where they fit nearly as well.
    std::optional<std::size_t> alike;
};

/// Logarithms of predicted over measured values with these constants, in an order that does not depend on them.
using LogErrors = std::function<std::vector<double>(std::vector<FittedConstant> const&)>;

/// Moves the constants within their ranges to where the mean size of the logarithms is least. There is one at least.
/// Values fit nearly as well if it is larger by the share that as many rows as there are leave open, one over the root
/// of their number. A constant that moves no row costs two evaluations.
void fit(std::vector<FittedConstant>& constants, LogErrors const& errors);

}  // namespace pimdse::dse::cli
