#pragma once

#include "dse/answers/result_store.hpp"
#include "dse/store/hdf5/group.hpp"
#include "dse/task/columns.hpp"

#include <span>
#include <string_view>

/// The parts of a result file that are no columns over all answers.
namespace pimdse::dse::store::result::tables {

/// CF's flag_values and flag_meanings: names[i] is what i means.
void describe_flags(hdf5::Object& object, std::span<std::string_view const> names);

/// What was read to answer, and its sums.
void write_inputs(hdf5::Group& root, task::Columns const& columns);
/// The choices and items of the parameters that have some.
void write_choices(hdf5::Group& group, models::Parameters const& parameters);
/// Of those rows that are not ok.
void write_failures(hdf5::Group& root, task::Columns const& columns, answers::ResultStore const& store,
                    std::span<answers::ResultStore::Row const> rows);
void write_rules(hdf5::Group& root, answers::ResultStore const& store);
/// Where only fronts are kept: the blocks of ids that are done.
void write_blocks(hdf5::Group& root, answers::ResultStore const& store);
/// The front over the finest answers and how it grew.
void write_front(hdf5::Group& root, task::Columns const& columns, answers::ResultStore const& store);

}  // namespace pimdse::dse::store::result::tables
