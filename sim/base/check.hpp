#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::sim {

/// A mistake in what a person wrote: one sentence per mistake, "problem (why it is one). Suggestion?".
/// Carries every mistake found, so that a file is corrected in one go. `main` prints it and exits with 3.
class InputError : public std::runtime_error {
  public:
    explicit InputError(std::string sentence);
    explicit InputError(std::vector<std::string> sentences);
    [[nodiscard]] std::vector<std::string> const& sentences() const noexcept { return sentences_; }

  private:
    std::vector<std::string> sentences_;
};

/// Work that takes longer than anybody waits for: one sentence with its size. At a task's edge it is a failure of class
/// timeout.
class TooLong : public InputError {
  public:
    using InputError::InputError;
};

/// Where a function was called from. clang 14 has no std::source_location with Debian 12's library.
struct Caller {
    char const* file;
    int line;
    static constexpr Caller here(char const* file = __builtin_FILE(), int line = __builtin_LINE()) {
        return {file, line};
    }
};

/// A bug of ours: a broken contract, with the place where it was noticed. Becomes a Defect at the task's edge.
class ContractViolation : public std::logic_error {
  public:
    ContractViolation(std::string_view kind, std::string_view what, Caller where);
};

/// Precondition, always on. Throws ContractViolation.
inline void expects(bool holds, std::string_view what, Caller where = Caller::here()) {
    if (!holds) [[unlikely]] {
        throw ContractViolation("precondition", what, where);
    }
}

/// Postcondition, always on. Throws ContractViolation.
inline void ensures(bool holds, std::string_view what, Caller where = Caller::here()) {
    if (!holds) [[unlikely]] {
        throw ContractViolation("postcondition", what, where);
    }
}

}  // namespace pimdse::sim
