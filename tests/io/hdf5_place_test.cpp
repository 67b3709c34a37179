// Names of datasets: what is the file, what the dataset, what the part. Whether or not there is an HDF5.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cyclade/io/matrix_file.hpp"

namespace cyclade::hdf5 {
namespace {

using testing::HasSubstr;

TEST(Hdf5Place, file_and_dataset) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"a.h5", "a.h5", ""},
      {"a.hdf5", "a.hdf5", ""},
      {"a.h5:", "a.h5", ""},
      {"a.h5:/", "a.h5", ""},
      {"a.h5:/x", "a.h5", "/x"},
      {"a.h5:x", "a.h5", "/x"},
      {"d.e/A.H5:/g/x", "d.e/A.H5", "/g/x"},
      {"a.hdf5:/b.h5:c", "a.hdf5", "/b.h5:c"},
      {"a.h5:/x.npy", "a.h5", "/x.npy"},
  };
  for (const auto& [text, file, dataset] : cases) {
    ASSERT_TRUE(is_place(text)) << text;
    const Place place = parse(text);
    EXPECT_EQ(place.text, text);
    EXPECT_EQ(place.file, file);
    EXPECT_EQ(place.dataset, dataset);
    EXPECT_FALSE(place.window);
    EXPECT_EQ(format_of(text), FileFormat::hdf5);
  }
  for (const char* text : {"", "a", "h5", "a.h5x", "a.npy", "a.h5/x.npy", "ah5:/x"})
    EXPECT_FALSE(is_place(text)) << text;
}

TEST(Hdf5Place, parts) {
  const Place place = parse("a.h5:/g/x[2:10,0:3]");
  EXPECT_EQ(place.dataset, "/g/x");
  EXPECT_EQ(place.window, (Window{2, 10, 0, 3}));
  EXPECT_EQ(parse("a.h5:[0:0,1:1]").dataset, "");
  for (const char* text :
       {"a.h5:/x[]", "a.h5:/x[1:2]", "a.h5:/x[1:2,3]", "a.h5:/x[2:1,0:1]", "a.h5:/x[-1:1,0:1]",
        "a.h5:/x[0:1,0:99999999999999999999]", "a.h5:/x[0:1,0:1,0:1]", "a.h5:/x[a:b,c:d]"}) {
    try {
      parse(text);
      ADD_FAILURE() << text;
    } catch (const ArgumentError& error) {
      EXPECT_THAT(error.what(),
                  HasSubstr(std::string(text) + ": a part of a dataset is written [I0:I1,J0:J1]"));
    }
  }
  EXPECT_THROW(parse("a.h5:/g/"), ArgumentError);
}

}  // namespace
}  // namespace cyclade::hdf5
