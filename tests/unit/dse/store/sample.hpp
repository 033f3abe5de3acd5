#pragma once

#include "dse/search/result_store.hpp"
#include "dse/space/columns.hpp"
#include "dse/space/result.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

/// A small made-up space and results in it, all a function of their arguments.
namespace pimdse::dse::store::sample {

/// 4 modes x 3 clocks x 2 flags x 6 orderings x 100 sizes, and three metrics: latency and energy (less is better),
/// speed.
[[nodiscard]] space::Columns columns();
inline constexpr std::uint64_t points = 4 * 3 * 2 * 6 * 100;

/// One of every kind: mostly feasible, exact and bounded estimates, a result that does not apply, broken rules,
/// defects.
[[nodiscard]] space::Result result(std::uint64_t id, models::Fidelity fidelity = models::Fidelity::analytic,
                                   std::uint64_t variant = 0);
[[nodiscard]] std::vector<space::Result> results(std::uint64_t first, std::uint64_t count);
[[nodiscard]] search::ResultStore store(std::vector<space::Result> const& results);

/// True if they are the same bit for bit, seconds and rank included.
[[nodiscard]] bool identical(space::Result const& a, space::Result const& b);

/// A directory that goes away with the test.
class TemporaryDirectory {
  public:
    TemporaryDirectory();
    ~TemporaryDirectory();
    TemporaryDirectory(TemporaryDirectory const&) = delete;
    TemporaryDirectory& operator=(TemporaryDirectory const&) = delete;
    [[nodiscard]] std::filesystem::path operator/(std::string const& name) const { return path_ / name; }
    [[nodiscard]] std::filesystem::path const& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

[[nodiscard]] std::string content(std::filesystem::path const& file);
void set_content(std::filesystem::path const& file, std::string const& text);

}  // namespace pimdse::dse::store::sample
