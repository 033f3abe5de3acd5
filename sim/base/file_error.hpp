#pragma once

#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

/// What can be wrong with files, apart from their content as input of the user (InputError).
namespace pimdse::sim {

/// The operating system could not store or return data: disk full, no permission, a damaged file, or another run that
/// holds the lock. Data acknowledged before the error are still on disk. `main` prints the message and exits with 7.
class StorageError : public std::runtime_error {
  public:
    StorageError(std::filesystem::path file, std::string const& problem);
    /// The problem as fmt::format makes it.
    template <class First, class... Rest>
    StorageError(std::filesystem::path file, fmt::format_string<First, Rest...> problem, First&& first, Rest&&... rest)
        : StorageError(std::move(file), fmt::format(problem, std::forward<First>(first), std::forward<Rest>(rest)...)) {
    }
    /// "cannot write FILE (No space left on device)", from errno.
    static StorageError from_errno(std::filesystem::path const& file, std::string const& doing, int error);
    [[nodiscard]] std::filesystem::path const& file() const noexcept { return file_; }

  private:
    std::filesystem::path file_;
};

/// Two files that should agree do not: conflicting results in a merge, or a digest that does not match its content.
/// `main` prints the message and exits with 8.
class MismatchError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
    template <class First, class... Rest>
    explicit MismatchError(fmt::format_string<First, Rest...> message, First&& first, Rest&&... rest)
        : std::runtime_error(fmt::format(message, std::forward<First>(first), std::forward<Rest>(rest)...)) {}
};

/// A named input file that does not exist or cannot be read; `main` exits with 4.
class MissingInput : public InputError {
  public:
    using InputError::InputError;
};

}  // namespace pimdse::sim
