#include "dse/cli/allocation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pimdse::dse::cli::allocation_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Words = std::vector<std::string>;

TEST(Allocation, reads_how_slurm_writes_tasks_per_node) {
    EXPECT_THAT(tasks_per_node("4"), ElementsAre(4));
    EXPECT_THAT(tasks_per_node("2(x3),1"), ElementsAre(2, 2, 2, 1));
    EXPECT_THAT(tasks_per_node("1,16(x2)"), ElementsAre(1, 16, 16));
}

TEST(Allocation, takes_no_other_text_for_tasks) {
    for (char const* text : {"", "x", "2(", "2(x", "2(x)", "2(x3", "2x3", "2(x3)1", "0", "-1", "2(x-1)",
                             "2(x99999999999)", "2(x9999999)", "1,,2"})
        EXPECT_THAT(tasks_per_node(text), IsEmpty()) << text;
}

std::vector<Node> const left{{"n1", 2}, {"n3", 1}};

TEST(Allocation, mpirun_is_told_hosts_with_their_tasks) {
    EXPECT_EQ(launcher_on({"mpirun", "--bind-to", "none"}, left),
              (Words{"mpirun", "--host", "n1:2,n3:1", "--bind-to", "none"}));
    EXPECT_EQ(launcher_on({"/usr/bin/mpiexec"}, left), (Words{"/usr/bin/mpiexec", "--host", "n1:2,n3:1"}));
}

TEST(Allocation, mpirun_is_not_asked_for_more_ranks_than_there_is_room_for) {
    EXPECT_EQ(launcher_on({"mpirun", "-n", "8"}, left), (Words{"mpirun", "--host", "n1:2,n3:1", "-n", "3"}));
    EXPECT_EQ(launcher_on({"mpirun", "-np", "2"}, left), (Words{"mpirun", "--host", "n1:2,n3:1", "-np", "2"}));
}

TEST(Allocation, srun_is_told_nodes_and_tasks_last_because_the_last_word_counts) {
    EXPECT_EQ(launcher_on({"srun", "-N", "3", "--mpi=pmix"}, left),
              (Words{"srun", "-N", "3", "--mpi=pmix", "--overlap", "--nodes=2", "--ntasks=3", "--nodelist=n1,n3"}));
}

TEST(Allocation, nodes_cannot_be_named_to_another_launcher) {
    EXPECT_THAT(launcher_on({"./start", "-n", "2"}, left), IsEmpty());
    EXPECT_THAT(launcher_on({}, left), IsEmpty());
}

}  // namespace
}  // namespace pimdse::dse::cli::allocation_test
