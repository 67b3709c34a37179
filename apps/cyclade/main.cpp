// The command line: one program, the same alone and under mpirun. Here: start, parse, run, and turn every way
// to end into an exit status that is the same on all ranks: 0 ok, 1 numerical, 2 usage, 3 file, 4 internal.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <csignal>

#include "apps/cyclade/environment.hpp"
#include "apps/cyclade/program.hpp"
#include "cyclade/mpi/session.hpp"

namespace {

using namespace cyclade;

int status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::argument:
      return app::usage;
    case ErrorKind::file:
      return app::file_error;
    default:
      return app::internal_error;
  }
}

int run(int argc, char** argv, const Communicator& world) {
  app::Program program{world};
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
  Session session(argc, argv);
  const Communicator world = Communicator::duplicate(session.world());
  int status = app::internal_error;
  try {
    status = run(argc, argv, world);
  } catch (const Error& error) {
    if (world.rank() == 0) std::fprintf(stderr, "cyclade: %s\n", error.what());
    status = status_of(error.kind());
  } catch (const std::exception& error) {
    if (world.rank() == 0) std::fprintf(stderr, "cyclade: %s\n", error.what());
  }
  return status;
}
