#include "dse/store/result_file.hpp"
#include "dse/store/result_parts.hpp"
#include "dse/store/result_writer.hpp"
#include "sim/base/check.hpp"
#include "sim/base/file_error.hpp"
#include "tests/unit/dse/store/sample.hpp"
#include "tests/unit/says.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <algorithm>
#include <string>
#include <vector>

/// Files that another program changed: everything in them may be anything.
namespace pimdse::dse::store::result_foreign_test {
namespace {

/// A result file without a seal, open to be changed by HDF5 itself.
class ForeignResultFile : public ::testing::Test {
  protected:
    ForeignResultFile() {
        seal(directory / "sealed.h5", sample::columns(), sample::store(sample::results(0, 60)), {});
        sample::set_content(path, sample::content(directory / "sealed.h5").substr(seal_head_bytes));
        file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    }
    ~ForeignResultFile() override {
        if (file >= 0) H5Fclose(file);
    }

    /// A new attribute in the place of another.
    void attribute(char const* object, char const* name, hid_t type, std::vector<hsize_t> const& extent,
                   void const* value) const {
        H5Adelete_by_name(file, object, name, H5P_DEFAULT);
        hid_t const space = extent.empty() ? H5Screate(H5S_SCALAR)
                                           : H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr);
        hid_t const made = H5Acreate_by_name(file, object, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        ASSERT_GE(H5Awrite(made, type, value), 0);
        H5Aclose(made);
        H5Sclose(space);
    }

    void text(char const* object, char const* name, std::string const& value) const {
        hid_t const type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, H5T_VARIABLE);
        H5Tset_cset(type, H5T_CSET_UTF8);
        char const* const data = value.c_str();
        attribute(object, name, type, {}, &data);
        H5Tclose(type);
    }

    /// A new column in the place of another; nothing is written into it.
    void column(char const* name, hid_t type, std::vector<hsize_t> const& extent) const {
        H5Ldelete(file, name, H5P_DEFAULT);
        hid_t const space = H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr);
        hid_t const properties = H5Pcreate(H5P_DATASET_CREATE);
        std::vector<hsize_t> chunk(extent);
        for (auto& rows : chunk) rows = std::min<hsize_t>(rows, 64);
        H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data());
        hid_t const made = H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
        ASSERT_GE(made, 0);
        H5Dclose(made);
        H5Pclose(properties);
        H5Sclose(space);
    }

    template <class T>
    void set_row(char const* name, hid_t type, hsize_t row, T value) const {
        hid_t const opened = H5Dopen2(file, name, H5P_DEFAULT);
        hid_t const space = H5Dget_space(opened);
        hsize_t const one = 1;
        hid_t const memory = H5Screate_simple(1, &one, nullptr);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &row, nullptr, &one, nullptr);
        ASSERT_GE(H5Dwrite(opened, type, memory, space, H5P_DEFAULT, &value), 0);
        H5Sclose(memory);
        H5Sclose(space);
        H5Dclose(opened);
    }

    /// What reading says; "" if it says nothing, "InputError" before mistakes of the caller.
    [[nodiscard]] std::string refusal() {
        H5Fclose(file);
        file = -1;
        try {
            static_cast<void>(load_result_file(path));
        } catch (sim::StorageError const& error) {
            return error.what();
        } catch (sim::InputError const& error) {
            return std::string("InputError: ") + error.what();
        }
        return "";
    }

    void expect_damage(std::string const& part) {
        auto const said = refusal();
        EXPECT_NE(said.find("is damaged"), std::string::npos) << said;
        EXPECT_NE(said.find(part), std::string::npos) << said;
    }

    sample::TemporaryDirectory directory;
    std::filesystem::path path = directory / "r.h5";
    hid_t file = -1;
};

TEST_F(ForeignResultFile, is_read_where_nothing_is_changed) { EXPECT_EQ(refusal(), ""); }

TEST_F(ForeignResultFile, with_an_array_for_a_number_is_damaged) {
    std::vector<std::uint64_t> const many(4096, 1);
    attribute("/", "seed", H5T_NATIVE_UINT64, {many.size()}, many.data());
    expect_damage("seed is not one whole number");
}

TEST_F(ForeignResultFile, with_an_array_for_its_schema_is_damaged) {
    std::vector<std::uint64_t> const many(4096, 1);
    attribute("/", "schema", H5T_NATIVE_UINT64, {64, 64}, many.data());
    expect_damage("schema is not one whole number");
}

TEST_F(ForeignResultFile, with_a_text_for_a_number_or_a_number_for_a_text_is_damaged) {
    text("/", "seed", "forty-two");
    expect_damage("seed is not one whole number");
}

TEST_F(ForeignResultFile, with_a_number_for_a_text_is_damaged) {
    double const number = 1.0;
    attribute("/", "architecture", H5T_NATIVE_DOUBLE, {}, &number);
    expect_damage("architecture is not a text");
}

TEST_F(ForeignResultFile, with_a_negative_number_is_damaged) {
    std::int64_t const number = -1;
    attribute("/", "points_in_space", H5T_NATIVE_INT64, {}, &number);
    expect_damage("points_in_space is negative");
}

TEST_F(ForeignResultFile, that_claims_more_rows_than_it_can_hold_is_damaged) {
    column("point_id", H5T_STD_U64LE, {hsize_t{1} << 40});
    expect_damage("more than the file can hold");
}

TEST_F(ForeignResultFile, whose_other_columns_claim_more_is_damaged) {
    column("timing/seconds", H5T_IEEE_F64LE, {hsize_t{1} << 50});
    expect_damage("more than the file can hold");
}

TEST_F(ForeignResultFile, with_a_table_for_a_column_is_damaged) {
    column("point_id", H5T_STD_U64LE, {60, 2});
    expect_damage("point_id is not a column");
}

TEST_F(ForeignResultFile, with_numbers_of_another_type_is_damaged) {
    column("timing/seconds", H5T_STD_I32LE, {60});
    expect_damage("seconds has another type");
}

TEST_F(ForeignResultFile, with_numbers_for_texts_is_damaged) {
    column("failures/rule", H5T_STD_I32LE, {5});
    expect_damage("rule does not hold texts");
}

TEST_F(ForeignResultFile, with_texts_of_any_length_is_damaged) {
    hid_t const type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    column("failures/reason", type, {5});
    H5Tclose(type);
    expect_damage("reason does not hold texts");
}

TEST_F(ForeignResultFile, with_a_text_that_is_not_UTF_8_is_damaged) {
    text("/", "canonical_space", "{\"architecture\": \"caf\xE9\"}");
    expect_damage("canonical_space is not UTF-8");
}

TEST_F(ForeignResultFile, with_an_id_beyond_its_space_is_damaged) {
    set_row("point_id", H5T_NATIVE_UINT64, 59, std::uint64_t{1} << 60);
    expect_damage("is beyond the 14400 points");
}

TEST_F(ForeignResultFile, with_a_point_twice_is_damaged) {
    set_row("point_id", H5T_NATIVE_UINT64, 59, std::uint64_t{0});
    expect_damage("point 0 occurs twice");
}

TEST_F(ForeignResultFile, with_an_objective_that_has_no_sense_is_damaged) {
    hid_t const type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    char const* const senses[] = {"minimize", "none"};
    attribute("/front", "better", type, {2}, senses);
    H5Tclose(type);
    expect_damage("energy is neither minimized nor maximized");
}

TEST_F(ForeignResultFile, with_a_kind_of_parameter_that_nobody_knows_is_refused) {
    text("/parameters/mode", "kind", "colour");
    EXPECT_THAT(refusal(), says("unknown-kind-parameter-colour"));
}

TEST_F(ForeignResultFile, with_an_unknown_status_is_damaged) {
    set_row("status", H5T_NATIVE_UINT8, 3, std::uint8_t{77});
    expect_damage("unknown fidelity or status");
}

TEST_F(ForeignResultFile, with_a_failure_fewer_than_it_lists_is_damaged) {
    set_row("status", H5T_NATIVE_UINT8, 3, std::uint8_t{0});
    expect_damage("/failures");
}

TEST_F(ForeignResultFile, with_a_flag_that_is_neither_is_damaged) {
    set_row("parameters/gated", H5T_NATIVE_UINT8, 3, std::uint8_t{2});
    expect_damage("the flag gated is 2");
}

TEST_F(ForeignResultFile, with_a_choice_nobody_knows_is_damaged) {
    hid_t const opened = H5Dopen2(file, "parameters/mode", H5P_DEFAULT);
    hid_t const type = H5Dget_type(opened);
    std::vector<char> const texts(60 * H5Tget_size(type), 'z');
    ASSERT_GE(H5Dwrite(opened, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data()), 0);
    H5Tclose(type);
    H5Dclose(opened);
    expect_damage("is not one of its choices");
}

TEST_F(ForeignResultFile, without_a_group_is_refused) {
    H5Ldelete(file, "timing", H5P_DEFAULT);
    EXPECT_THAT(refusal(), says("cannot-read-timing"));
}

TEST_F(ForeignResultFile, with_a_name_that_is_a_path_is_damaged) {
    hid_t const type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    char const* const names[] = {"/metrics/latency", "energy", "speed"};
    attribute("/metrics", "names", type, {3}, names);
    H5Tclose(type);
    expect_damage("'/metrics/latency' is not the name of a column");
}

TEST_F(ForeignResultFile, with_a_division_by_nothing_for_a_name_is_damaged) {
    hid_t const type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    char const* const names[] = {"latency / ", "energy", "speed"};
    attribute("/metrics", "names", type, {3}, names);
    H5Tclose(type);
    expect_damage("is not the name of a column");
}

}  // namespace
}  // namespace pimdse::dse::store::result_foreign_test
