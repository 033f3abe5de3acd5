
#include "dse/store/result_file.hpp"
#include "dse/store/result_parts.hpp"
#include "dse/store/result_writer.hpp"
#include "tests/unit/dse/store/sample.hpp"
#include "tests/unit/refused.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace pimdse::dse::store::certificate_table_test {
namespace {

using models::Bound;
using search::Certificate;
using space::PointId;

/// Numbers as large as they come, in lists of any length; two objectives, as the sample has.
class Maker {
  public:
    explicit Maker(std::uint64_t seed) : random_(seed) {}

    Certificate certificate(bool boxes) {
        Certificate made;
        for (int i = 0; i < 2; ++i)
            made.grounds.push_back({random_() % 2 == 0 ? Bound::proved : Bound::calibrated, real()});
        made.pruned = ids();
        made.witnesses = ids(made.pruned.size());
        made.best = {reals(made.pruned.size()), reals(made.pruned.size())};
        made.equal_keys = ids();
        made.representatives = ids(made.equal_keys.size());
        made.open = ids();
        for (auto* number :
             {&made.infeasible, &made.runs, &made.points, &made.lag, &made.below, &made.audited, &made.audited_wrong})
            *number = random_() / 2;
        made.epsilon = random_() % 2 == 0 ? 0.0 : 0.25;
        for (auto many = random_() % 3; many > 0; --many) made.sensitivities.push_back({real(), random_() / 2});
        if (boxes) add_boxes(made);
        return made;
    }

  private:
    void add_boxes(Certificate& into) {
        std::size_t const axes = 1 + random_() % 4;
        std::uint64_t first = 0;
        for (auto many = 1 + random_() % 3; many > 0; --many, first += 1'000'000) {
            into.grids.push_back({first, {}});
            for (std::size_t a = 0; a < axes; ++a) into.grids.back().sizes.push_back(1 + random_() % 1000);
        }
        into.refused = ids();
        into.pruned_extents = extents(into.pruned.size() * axes);
        into.open_extents = extents(into.open.size() * axes);
        into.refused_extents = extents(into.refused.size() * axes);
    }
    double real() {
        switch (random_() % 8) {
            case 0:
                return 0.0;
            case 1:
                return std::numeric_limits<double>::infinity();
            default:
                return static_cast<double>(random_() % 1'000'000) * 1e-7;
        }
    }
    std::vector<double> reals(std::size_t many) {
        std::vector<double> list(many);
        for (auto& number : list) number = random_() % 2 == 0 ? real() : -real();
        return list;
    }
    std::vector<PointId> ids(std::size_t many) {
        std::vector<PointId> list(many);
        for (auto& id : list) id = PointId{random_() / 2};
        return list;
    }
    std::vector<PointId> ids() { return ids(random_() % 3 == 0 ? 0 : random_() % 40); }
    std::vector<std::uint32_t> extents(std::size_t many) {
        std::vector<std::uint32_t> list(many);
        for (auto& count : list) count = 1 + static_cast<std::uint32_t>(random_() % 1000);
        return list;
    }

    std::mt19937_64 random_;
};

class CertificateTable : public ::testing::Test {
  protected:
    void write(Certificate const* certificate) {
        auto const store = sample::store(sample::results(0, 20));
        seal(path_, sample::columns(), store, {}, 1, usual_rows_per_part, certificate);
    }
    /// What reading says when something of the group /certificate is changed.
    std::string refusal(std::function<void(hid_t certificate)> const& change) {
        sample::set_content(path_, sample::content(path_).substr(seal_head_bytes));
        auto const file = H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
        auto const group = H5Gopen2(file, "certificate", H5P_DEFAULT);
        change(group);
        H5Gclose(group);
        H5Fclose(file);
        return refusal_by<std::exception>([&] { (void)load_result_file(path_); });
    }
    sample::TemporaryDirectory directory_;
    std::filesystem::path path_ = directory_ / "r.h5";
};

TEST_F(CertificateTable, is_read_as_it_was_written) {
    for (std::uint64_t seed = 0; seed < 24; ++seed) {
        auto const made = Maker(seed).certificate(seed % 2 == 0);
        write(&made);
        auto const file = load_result_file(path_);
        ASSERT_TRUE(file.certificate.has_value());
        EXPECT_TRUE(*file.certificate == made) << "seed " << seed;
    }
    write(nullptr);
    EXPECT_FALSE(load_result_file(path_).certificate.has_value());
}

void set_attribute(hid_t group, char const* name, char const* object, std::uint64_t value) {
    auto const opened = H5Oopen(group, object, H5P_DEFAULT);
    auto const attribute = H5Aopen(opened, name, H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_UINT64, &value);
    H5Aclose(attribute);
    H5Oclose(opened);
}

template <class T>
void set_first(hid_t group, char const* name, hid_t type, T value) {
    auto const column = H5Dopen2(group, name, H5P_DEFAULT);
    auto const space = H5Dget_space(column);
    hsize_t const first = 0, one = 1;
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, nullptr, &one, nullptr);
    auto const memory = H5Screate_simple(1, &one, nullptr);
    H5Dwrite(column, type, memory, space, H5P_DEFAULT, &value);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(column);
}

TEST_F(CertificateTable, of_a_foreign_file_is_damaged_where_its_boxes_cannot_be) {
    Certificate made = Maker(2).certificate(true);
    made.grids = {{0, {4, 5}}, {20, {2, 3}}};
    made.pruned = {PointId{3}};
    made.witnesses = {PointId{1}};
    made.best = {{1.0}, {2.0}};
    made.pruned_extents = {2, 1};
    made.open = made.refused = {};
    made.open_extents = made.refused_extents = {};
    using Change = std::function<void(hid_t)>;
    std::vector<std::pair<std::string, Change>> const changes{
        {"", [](hid_t group) { set_attribute(group, "points", ".", 99); }},
        {"without positions",
         [](hid_t group) { set_first(group, "grids/sizes", H5T_NATIVE_UINT64, std::uint64_t{0}); }},
        {"not in ascending order",
         [](hid_t group) { set_first(group, "grids/first", H5T_NATIVE_UINT64, std::uint64_t{21}); }},
        {"without points", [](hid_t group) { set_first(group, "closed/extents", H5T_NATIVE_INT32, std::int32_t{0}); }},
        {"", [](hid_t group) { H5Adelete(group, "audited"); }},
        {"cannot read witness", [](hid_t group) { H5Ldelete(group, "closed/witness", H5P_DEFAULT); }}};
    for (std::size_t i = 0; i < changes.size(); ++i) {
        write(&made);
        auto const said = refusal(changes[i].second);
        EXPECT_EQ(said.empty(), changes[i].first.empty()) << i << ": " << said;
        EXPECT_NE(said.find(changes[i].first), std::string::npos) << i << ": " << said;
    }
}

}  // namespace
}  // namespace pimdse::dse::store::certificate_table_test
