#include "sim/base/file_error.hpp"

#include <system_error>

namespace pimdse::sim {

StorageError::StorageError(std::filesystem::path file, std::string const& problem)
    : std::runtime_error(problem), file_(std::move(file)) {}

StorageError StorageError::from_errno(std::filesystem::path const& file, std::string const& doing, int error) {
    return {file, fmt::format("cannot {} {} ({})", doing, file.string(), std::generic_category().message(error))};
}

}  // namespace pimdse::sim
