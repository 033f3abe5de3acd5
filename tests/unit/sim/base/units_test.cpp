#include "sim/base/units.hpp"

#include <gtest/gtest.h>
#include <type_traits>

namespace pimdse::sim::units_test {
namespace {

template <class A, class B>
concept Addable = requires(A a, B b) {
    a + b;
};

TEST(Quantity, has_the_dimension_of_its_formula) {
    static_assert(std::is_same_v<decltype(Data{} / Time{}), Bandwidth>);
    static_assert(std::is_same_v<decltype(Energy{} / Time{}), Power>);
    static_assert(std::is_same_v<decltype(Time{} / Time{}), double>);
    static_assert(std::is_same_v<decltype(1.0 / Time{}), Frequency>);
    static_assert(!Addable<Time, Data>);
    EXPECT_DOUBLE_EQ((Data{10.0} / Bandwidth{5.0}).si, 2.0);
    EXPECT_DOUBLE_EQ(cycles_at(350e6, Frequency{350e6}).si, 1.0);
}

}  // namespace
}  // namespace pimdse::sim::units_test
