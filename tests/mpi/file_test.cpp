// Files that many ranks read and write: whole or not at all, and the same error on all.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "cyclade/mpi/file.hpp"

#include <filesystem>
#include <fstream>
#include <memory>

#include <gtest/gtest.h>

namespace cyclade {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  const Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  fs::path folder = fs::temp_directory_path() / ("cyclade_file_test_" + std::to_string(world.size()));

  void SetUp() override {
    if (world.rank() == 0) {
      fs::remove_all(folder);
      fs::create_directories(folder);
    }
    world.barrier();
  }
  void TearDown() override {
    world.barrier();
    if (world.rank() == 0) fs::remove_all(folder);
  }
  std::string path(const char* name) const { return (folder / name).string(); }
};

TEST_F(Files, are_written_in_parts_and_read_back) {
  const std::string mine(5, static_cast<char>('a' + world.rank()));
  {
    OutputFile out(world, path("x"));
    out.write(5 * world.rank(), mine);
    EXPECT_FALSE(fs::exists(path("x")));
    out.commit(5 * world.size());
  }
  world.barrier();
  EXPECT_TRUE(fs::exists(path("x")));
  EXPECT_FALSE(fs::exists(path("x.part")));
  const InputFile in(world, path("x"));
  EXPECT_EQ(in.size(), 5 * world.size());
  std::string got(5, ' ');
  in.read(5 * world.rank(), got);
  EXPECT_EQ(got, mine);
  EXPECT_THROW(in.read(5 * world.size() - 2, got), FileError);
}

TEST_F(Files, vanish_unless_they_are_committed) {
  {
    OutputFile out(world, path("x"));
    out.write(0, std::string("half"));
    world.barrier();
  }
  world.barrier();
  EXPECT_TRUE(fs::is_empty(folder));
  world.barrier();
  {
    OutputFile out(world, path("x"));
    EXPECT_THROW(out.commit(17), FileError);  // 17 bytes are not there
  }
  world.barrier();
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(Files, that_cannot_be_opened_are_told_on_all_ranks) {
  EXPECT_THROW(InputFile(world, path("nothing")), FileError);
  EXPECT_THROW(InputFile(world, folder.string()), FileError);
  EXPECT_THROW(OutputFile(world, path("no/where")), FileError);
  EXPECT_THROW(OutputFile(world, folder.string()), FileError);
  EXPECT_THROW(InputFile(world, "/dev/null"), FileError);   // a pipe would wait for ever
  EXPECT_THROW(OutputFile(world, "/dev/null"), FileError);  // it would be replaced
}

TEST_F(Files, are_let_go_by_each_rank_alone) {
  auto out = std::make_unique<OutputFile>(world, path("x"));
  if (world.rank() == 0) out.reset();  // as after an error there: the others are still at work
  world.barrier();
  out.reset();
  world.barrier();
  EXPECT_TRUE(fs::is_empty(folder));
}

}  // namespace
}  // namespace cyclade
