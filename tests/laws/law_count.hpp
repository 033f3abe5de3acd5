#pragma once

#include "pending_laws.hpp"
#include "tests/support/campaign.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace pimdse::laws {

using tests::in_campaign;

/// Twenty times `tenfold` designs in the campaign, one in `part` of these in a test run.
inline std::uint64_t designs_of(std::uint64_t tenfold, std::uint64_t part = 200) {
    return tests::draws(20 * tenfold, 3, part);
}

/// How often a law was tried on one architecture, and where it did not hold. Every test asserts holds() at its end.
class LawCount {
  public:
    LawCount(std::string_view law, std::string_view architecture) : law_(law), architecture_(architecture) {}
    LawCount(LawCount const&) = delete;
    LawCount& operator=(LawCount const&) = delete;
    ~LawCount() { EXPECT_TRUE(is_asserted_) << law_ << ": the test does not assert that the law holds"; }

    void tried() { ++tried_; }
    /// `what`: the violation and the command that shows it.
    void violated(std::string const& what) {
        constexpr std::uint64_t shown = 4;
        ++violations_;
        if (violations_ <= shown || std::getenv("PIMDSE_ALL_VIOLATIONS") != nullptr)
            found_ += fmt::format("  {}: {}\n", architecture_, what);
    }
    [[nodiscard]] std::uint64_t violations() const { return violations_; }

    /// Prints the counts. Fails if the law was never tried, if it was violated and pending_laws.hpp does not list it,
    /// and if it is listed there although nothing violated it.
    [[nodiscard]] ::testing::AssertionResult holds() {
        is_asserted_ = true;
        fmt::print("{}: {}: {} designs tried, {} violations\n", law_, architecture_, tried_, violations_);
        if (tried_ == 0) return ::testing::AssertionFailure() << law_ << " was tried on no design of " << architecture_;
        if (auto const* pending = find_pending(law_, architecture_)) {
            fmt::print("{}: {}: known not to hold: {}\n{}", law_, architecture_, pending->reason, found_);
            if (violations_ > 0 || (pending->is_rare && !in_campaign())) return ::testing::AssertionSuccess();
            return ::testing::AssertionFailure() << law_ << " holds for " << architecture_
                                                 << " on all designs tried: remove its row of pending_laws.hpp";
        }
        if (violations_ > 0) return ::testing::AssertionFailure() << law_ << " is violated:\n" << found_;
        return ::testing::AssertionSuccess();
    }

  private:
    std::string law_, architecture_;
    std::string found_;  ///< the first violations, a line each
    std::uint64_t tried_ = 0, violations_ = 0;
    bool is_asserted_ = false;
};

}  // namespace pimdse::laws
