// The parts of ki-cell. It starts as a launcher (enter), then runs again inside the sandbox as the
// process that serves calls, builds, or probes a limit.
#pragma once

#include "ki/sandbox/wire.h"

#include <stddef.h>

namespace ki::cell {

namespace wire = sandbox::wire;

// Says on the start socket what failed, with errno, and ends the process.
[[noreturn]] void give_up(const char* what);
void send_message(const wire::Message& message, int descriptor = -1);
// Waits for a message; ends the process when the parent is gone.
wire::Message receive_message();
const wire::Launch& launch();
void read_launch();
// Nothing of it changes from now on: the filter that is still to come lies in it.
void protect_launch();
void set_limit(int resource, uint64_t value);
// No privileges from now on, dies with the parent.
void renounce();
void copy_text(char* target, size_t size, const char* source);
bool write_all(int fd, const void* bytes, size_t size);

[[noreturn]] void enter();  // launcher: namespaces, mounts, limits; starts the two processes
[[noreturn]] void serve();  // loads the candidate and answers the doorbell
[[noreturn]] void build();  // runs the commands of a build
[[noreturn]] void probe();  // attempts what a limit must refuse

}  // namespace ki::cell
