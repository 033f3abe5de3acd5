#pragma once

#include "dse/store/result/result_file.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::store::result {

/// Throws InputError where two files are not about the same points and metrics.
void check_same_space(ResultFile const& a, ResultFile const& b);

/// Conditions that the space of one file has and that of the other has not, a sentence each. Throws InputError where
/// anything else of their spaces differs.
[[nodiscard]] std::vector<std::string> differing_conditions(ResultFile const& a, ResultFile const& b);

/// What two tables say differently of the columns they share and which they do not share, a sentence each. Choices are
/// not compared: files of one space may know different ones. The names are those of the tables, for the sentences.
[[nodiscard]] std::vector<std::string> differing_definitions(task::Columns const& left, std::string_view left_name,
                                                             task::Columns const& right, std::string_view right_name);

/// Parameters that two files give differently to the same task: a sentence for each parameter, with the first such
/// point.
[[nodiscard]] std::vector<std::string> differing_values(ResultFile const& left, ResultFile const& right);

}  // namespace pimdse::dse::store::result
