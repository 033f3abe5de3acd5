#include "models/upmem/listing_check.hpp"

#include "models/upmem/prepared.hpp"
#include "sim/base/check.hpp"
#include "support.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <algorithm>
#include <utility>

namespace pimdse::models::upmem::listing_check_test {
namespace {

using ::testing::HasSubstr;

struct Count {
    char const* name;
    double ListingCounts::*field;
    double change;  ///< towards a bound that is too high
};

/// What the comparison says of a kernel whose kernel file is changed; empty where nothing differs.
template <class Change>
std::string refusal(std::string const& kernel, Change const& change) {
    auto prepared = upmem().inputs().as<Prepared>();
    auto const found = std::ranges::find_if(prepared.kernels, [&](Kernel const& k) { return k.name == kernel; });
    change(*found);
    try {
        check_listing(prepared, static_cast<std::size_t>(found - prepared.kernels.begin()), "mine.toml");
    } catch (sim::InputError const& error) {
        return error.what();
    }
    return "";
}

TEST(ListingCheck, finds_every_shipped_listing_as_its_file_counts_it) {
    int counted = 0;
    for (auto const& kernel : upmem().inputs().as<Prepared>().kernels) {
        if (kernel.listing.empty()) continue;
        ++counted;
        EXPECT_EQ(refusal(kernel.name, [](Kernel&) {}), "") << kernel.name;
    }
    EXPECT_GE(counted, 9);
}

TEST(ListingCheck, refuses_counts_that_make_a_bound_wrong_and_names_both_numbers) {
    using C = ListingCounts;
    std::vector<Count> const counts{{"start", &C::start, 1.0},
                                    {"lead", &C::lead, 1.0},
                                    {"loaded", &C::loaded, -1.0},
                                    {"block", &C::block, 1.0},
                                    {"element", &C::element, 1.0},
                                    {"last", &C::last, 1.0},
                                    {"behind_writes", &C::behind_writes, 1.0},
                                    {"end", &C::end, 1.0},
                                    {"block_extras", &C::block_extras, 2.0},
                                    {"operands", &C::operands, 2.0},
                                    {"row_changes", &C::row_changes, 2.0}};
    for (auto const& [name, field, change] : counts) {
        auto const said = refusal("va", [&, field = field, change = change](Kernel& k) { k.counts.*field += change; });
        EXPECT_THAT(said, says("counts-state")) << name;
        EXPECT_THAT(said, says("listing-executes")) << name;
    }
    for (auto const& [kernel, field] : {std::pair{"gemv-rows", &C::chunk},
                                        {"gemv-rows", &C::skip},
                                        {"gemv-rows", &C::element_extras},
                                        {"mutex", &C::element},
                                        {"red", &C::last}})
        EXPECT_NE(refusal(kernel, [field = field](Kernel& k) { k.counts.*field += 1.0; }), "") << kernel;
}

TEST(ListingCheck, refuses_fewer_instructions_than_the_listing_has) {
    EXPECT_THAT(refusal("va", [](Kernel& k) { k.counts.element -= 1.0; }), says("instructions-total"));
    EXPECT_THAT(refusal("dma1", [](Kernel& k) { k.counts.block -= 1.0; }), says("instructions-total-2"));
}

TEST(ListingCheck, refuses_other_transfers_than_the_listing_makes) {
    EXPECT_THAT(refusal("va", [](Kernel& k) { k.reads = 3; }), HasSubstr("reads from MRAM"));
    EXPECT_THAT(refusal("va", [](Kernel& k) { k.writes = 0; }), HasSubstr("writes to MRAM"));
}

/// Without counts no bound rests on any.
TEST(ListingCheck, leaves_a_listing_alone_that_nobody_counted) {
    EXPECT_EQ(refusal("va",
                      [](Kernel& k) {
                          k.counts = {};
                          k.reads = 3;
                      }),
              "");
}

}  // namespace
}  // namespace pimdse::models::upmem::listing_check_test
