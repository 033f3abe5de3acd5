#include "dse/store/storage_error.hpp"

#include <fmt/format.h>
#include <system_error>
#include <utility>

namespace pimdse::dse::store {

StorageError::StorageError(std::filesystem::path file, std::string const& problem)
    : std::runtime_error(problem), file_(std::move(file)) {}

StorageError StorageError::from_errno(std::filesystem::path const& file, std::string const& doing, int error) {
    return {file, fmt::format("cannot {} {} ({})", doing, file.string(), std::generic_category().message(error))};
}

}  // namespace pimdse::dse::store
