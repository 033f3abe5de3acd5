#pragma once

#include "sim/base/check.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>

namespace pimdse::dse::store {

/// The machine failed to keep or return what was stored: disk full, no permission, a damaged file, another run holding
/// the lock. What was acknowledged before is still on disk. `main` prints it and exits with 7.
class StorageError : public std::runtime_error {
  public:
    StorageError(std::filesystem::path file, std::string const& problem);
    /// "cannot write FILE (No space left on device)", from errno.
    static StorageError from_errno(std::filesystem::path const& file, std::string const& doing, int error);
    [[nodiscard]] std::filesystem::path const& file() const noexcept { return file_; }

  private:
    std::filesystem::path file_;
};

/// Two files that should agree do not: conflicting answers in a merge, a digest that is not that of its content.
/// `main` prints it and exits with 8.
class MismatchError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// A file that is named but not there or not readable; `main` exits with 4.
class MissingInput : public sim::InputError {
  public:
    using sim::InputError::InputError;
};

}  // namespace pimdse::dse::store
