#pragma once

#include <fmt/format.h>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::sim {

/// The part of a sentence that marks an input that cannot be read, between its name and the reason; messages keep it
/// while callers add their place to them (cannot_be_read in sim/base/words.hpp).
inline constexpr std::string_view unreadable = ": cannot be read (";

/// An error in the input of the user. Every sentence reads "problem (reason). Suggestion?". Carries all mistakes found,
/// so that a file can be corrected in one pass. `main` prints them and exits with 3, or with 4 if inputs that cannot be
/// read are all that is wrong.
class InputError : public std::runtime_error {
  public:
    explicit InputError(std::string sentence);
    explicit InputError(std::vector<std::string> sentences);
    template <class First, class... Rest>
    explicit InputError(fmt::format_string<First, Rest...> sentence, First&& first, Rest&&... rest)
        : InputError(fmt::format(sentence, std::forward<First>(first), std::forward<Rest>(rest)...)) {}
    [[nodiscard]] std::vector<std::string> const& sentences() const noexcept { return sentences_; }
    /// Whether every sentence contains `unreadable`.
    [[nodiscard]] bool only_unreadable() const;

  private:
    std::vector<std::string> sentences_;
};

/// Work that would take unreasonably long: one sentence with its size. A task that throws it fails with class timeout.
class TooLong : public InputError {
  public:
    using InputError::InputError;
};

/// Call site of a function. clang 14 does not have std::source_location with the standard library of Debian 12.
struct Caller {
    char const* file;
    int line;
    static constexpr Caller here(char const* file = __builtin_FILE(), int line = __builtin_LINE()) {
        return {file, line};
    }
};

/// A bug in pimdse: a violated contract, with the place where it was noticed. A task that throws it yields a Defect.
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

/// True if the host refused memory, a thread, a process or a descriptor. A point is never to blame for that, so nothing
/// may store it as a result; `main` prints one sentence and exits with 7.
[[nodiscard]] bool refused_by_host(std::exception const& error);

}  // namespace pimdse::sim
