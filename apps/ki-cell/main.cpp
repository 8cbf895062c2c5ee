// ki-cell: started by `ki` only. `ki-cell enter` makes the sandbox; `ki-cell inside` is what runs
// in it.
#include "ki_cell.h"

#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "enter") == 0) ki::cell::enter();
  if (argc == 2 && strcmp(argv[1], "inside") == 0) {
    ki::cell::read_launch();
    switch (ki::cell::launch().mode) {
      case ki::sandbox::wire::Mode::kCell:
        ki::cell::serve();
      case ki::sandbox::wire::Mode::kBuild:
        ki::cell::build();
      case ki::sandbox::wire::Mode::kProbeMemory:
      case ki::sandbox::wire::Mode::kProbeProcesses:
      case ki::sandbox::wire::Mode::kProbeIdle:
        ki::cell::probe();
    }
  }
  static const char text[] = "ki-cell is a part of ki, which starts it; it has no use by itself.\n";
  (void)!write(2, text, sizeof text - 1);
  return 2;
}
