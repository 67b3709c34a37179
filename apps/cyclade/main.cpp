// The command line: one program, the same alone and under mpirun. Here: start, parse, run, and turn every way
// to end into an exit status that is the same on all ranks: 0 ok, 1 numerical, 2 usage, 3 file, 4 internal.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

#include "apps/cyclade/environment.hpp"
#include "apps/cyclade/program.hpp"
#include "cyclade/mpi/session.hpp"

namespace {

using namespace cyclade;

/// How a command ended on this rank.
struct Outcome {
  int status = app::success;
  std::string error = {};  ///< what to tell the user; empty: nothing
  bool alone = false;      ///< perhaps on this rank only: the others may be waiting for it in a message
};

Outcome outcome_of(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::argument:
      return {app::usage, error.what()};
    case ErrorKind::file:
      return {app::file_error, error.what()};
    case ErrorKind::memory:
    case ErrorKind::mpi:
    case ErrorKind::internal:
      break;
  }
  return {app::internal_error, error.what(), true};
}

Outcome attempt(const std::function<int()>& work) {
  try {
    return {work()};
  } catch (const Error& error) {
    return outcome_of(error);
  } catch (const std::exception& error) {
    return {app::internal_error, error.what(), true};
  }
}

void print_error(int rank, const std::string& text) {
  std::fflush(stdout);
  if (rank == 0) std::fprintf(stderr, "cyclade: %s\n", text.c_str());
  if (rank != 0) std::fprintf(stderr, "cyclade (rank %d): %s\n", rank, text.c_str());
  std::fflush(stderr);
}

/// The worst status of all ranks; the lowest rank with something to say says it. A rank that may have failed
/// alone waits for the others a while, and then ends the run for all: no hang.
int conclude(const Communicator& world, const Outcome& outcome) {
  const int mine[2] = {outcome.status, outcome.error.empty() ? 0 : world.size() - world.rank()};
  int worst[2] = {0, 0};
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iallreduce(mine, worst, 2, MPI_INT, MPI_MAX, world.handle(), &request), "MPI_Iallreduce");
  const double start = now(), patience = 3;  // seconds
  for (int done = 0; done == 0;) {
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) break;
    if (outcome.alone && now() - start > patience) {
      print_error(world.rank(), outcome.error);
      MPI_Abort(world.handle(), outcome.status);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (mine[1] != 0 && mine[1] == worst[1]) print_error(world.rank(), outcome.error);
  return worst[0];
}

int run(int argc, char** argv, const Communicator& world) {
  app::Program program{world};
  program.cores = app::settle_threads(world);
  CLI::App cli(
      "Cyclade inverts dense matrices that are too large or too slow for one process.\n"
      "Runs alone or under MPI:  mpirun -n 4 cyclade invert a.npy -o x.npy",
      "cyclade");
  cli.set_version_flag("--version", "cyclade " CYCLADE_VERSION);
  cli.require_subcommand(1);
  cli.footer(
      "cyclade COMMAND --help explains a command, with examples.\nExit status: 0 ok, 1 numerical, 2 usage, 3 "
      "file, 4 internal.");
  for (const auto add : {app::add_invert, app::add_verify, app::add_multiply, app::add_generate,
                         app::add_layout, app::add_plan, app::add_convert, app::add_info, app::add_bench})
    add(cli, program);
  try {
    cli.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked = error.get_exit_code() == 0;  // --help, --version
    if (program.root()) cli.exit(error);
    return asked ? app::success : app::usage;
  }
  return program.run();
}

}  // namespace

int main(int argc, char** argv) {
  app::prepare_environment(argv);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error to report, not a way to die
  const Session session(argc, argv);
  const Communicator world = Communicator::duplicate(session.world());
  return conclude(world, attempt([&] { return run(argc, argv, world); }));
}
