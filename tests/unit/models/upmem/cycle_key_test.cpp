#include "models/upmem/listing_check.hpp"
#include "support.hpp"

namespace pimdse::models::upmem::cycle_key_test {
namespace {

Kernel even(std::string listing, std::vector<std::string> arguments = {}) {
    Kernel kernel;
    kernel.shape = WorkShape::even;
    kernel.element_bytes = 8;
    kernel.listing = std::move(listing);
    kernel.arguments = std::move(arguments);
    return kernel;
}

TEST(ListingReadsBlock, is_read_from_what_the_listing_and_its_arguments_name) {
    EXPECT_FALSE(listing_reads_block(even("\tmove r3, ITERATIONS\n\tjump r21\n", {"ELEMENTS", "16"})));
    for (auto const* name : {"BLOCK", "LOG2_BLOCK", "BLOCK_LENGTH", "BLOCK_WORDS", "ALL_BLOCKS"}) {
        EXPECT_TRUE(listing_reads_block(even(std::string("\tmove r3, ") + name + "\n"))) << name;
        EXPECT_TRUE(listing_reads_block(even("\tjump r21\n", {name}))) << name;
    }
    auto stream = even("\tmove r3, ITERATIONS\n");
    stream.shape = WorkShape::stream;
    EXPECT_TRUE(listing_reads_block(stream)) << "blocks are dealt to the tasklets";
}

/// Keys of two points of this kernel that differ in the DMA block.
bool block_matters(std::string const& kernel) {
    auto const row = architecture();
    auto parameters = row.parameters();
    auto const small = point_with(parameters, {{"kernel", kernel}, {"dma_block", "64"}});
    auto const large = point_with(parameters, {{"kernel", kernel}, {"dma_block", "128"}});
    auto const inputs = prepare(row, parameters);
    return row.proofs.cycle_key(inputs, small) != row.proofs.cycle_key(inputs, large);
}

TEST(CycleKey, drops_the_block_of_even_kernels_that_do_not_read_it) {
    EXPECT_FALSE(block_matters("alu1"));
    EXPECT_FALSE(block_matters("va-paper"));
    EXPECT_TRUE(block_matters("va"));
    EXPECT_TRUE(block_matters(std::string(PIMDSE_TEST_DATA) + "/keys/passes.toml"));
}

}  // namespace
}  // namespace pimdse::models::upmem::cycle_key_test
