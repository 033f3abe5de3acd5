#pragma once

#include "pending_laws.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace pimdse::laws {

inline bool in_campaign() { return std::getenv("PIMDSE_CAMPAIGN") != nullptr; }

/// `normal` designs in a test run, twenty times as many in the campaign.
inline std::uint64_t designs_of(std::uint64_t normal) { return in_campaign() ? 20 * normal : normal; }

/// How often a law was tried on one architecture, and where it did not hold. When it ends it prints both and fails if
/// there was a violation that pending_laws.hpp does not know, or none of those it knows.
class LawCount {
  public:
    LawCount(std::string_view law, std::string_view architecture) : law_(law), architecture_(architecture) {}
    LawCount(LawCount const&) = delete;
    LawCount& operator=(LawCount const&) = delete;
    ~LawCount() {
        fmt::print("{}: {}: {} designs tried, {} violations\n", law_, architecture_, tried_, violations_);
        EXPECT_GT(tried_, 0U) << law_ << " was tried on no design of " << architecture_;
        auto const* pending = pending_law();
        if (pending == nullptr) return;
        fmt::print("{}: {}: known not to hold: {}\n", law_, architecture_, pending->reason);
        EXPECT_GT(violations_, 0U) << law_ << " holds for " << architecture_
                                   << " on all designs tried: take the row out of pending_laws.hpp";
    }

    void tried() { ++tried_; }
    /// `what` says what was found and which command shows it.
    void violated(std::string const& what) {
        constexpr std::uint64_t shown = 4;
        ++violations_;
        bool const known = pending_law() != nullptr;
        if (violations_ > shown && std::getenv("PIMDSE_ALL_VIOLATIONS") == nullptr) return;
        if (known)
            fmt::print("  {}: {}: {}\n", law_, architecture_, what);
        else
            ADD_FAILURE() << law_ << ": " << architecture_ << ": " << what;
    }
    [[nodiscard]] std::uint64_t violations() const { return violations_; }

  private:
    [[nodiscard]] PendingLaw const* pending_law() const {
        auto const* row = find_pending(law_, architecture_);
        return row != nullptr && row->is_rare && !in_campaign() ? nullptr : row;
    }

    std::string law_, architecture_;
    std::uint64_t tried_ = 0, violations_ = 0;
};

}  // namespace pimdse::laws
