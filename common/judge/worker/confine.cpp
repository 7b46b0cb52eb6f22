// SPDX-License-Identifier: MIT
#include "worker/confine.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstddef>

namespace worker {
namespace {

constexpr unsigned kProtection = offsetof(seccomp_data, args) + 2 * sizeof(seccomp_data::args[0]);

// Reads the lower half of mmap's third argument: both architectures are little endian. The
// sandbox's own filter has refused the system calls of other architectures.
sock_filter g_program[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 5, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execveat, 4, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 2),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kProtection),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};

}  // namespace

void give_up_loading() {
  const sock_fprog program{sizeof g_program / sizeof g_program[0], g_program};
  // It fails outside a sandbox, where the process may still gain privileges.
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

}  // namespace worker
