/**
 * What Docker permits a container by default, stated as what it denies. The facts are those of
 * moby's default seccomp profile and capabilities (Docker 28). A container without AppArmor.
 */

/** Capabilities of Docker's bounding set. A user other than root has none of them in effect. */
export const defaultCapabilities = [
  ...["CHOWN", "DAC_OVERRIDE", "FSETID", "FOWNER", "MKNOD", "NET_RAW", "SETGID", "SETUID"],
  ...["SETFCAP", "SETPCAP", "NET_BIND_SERVICE", "SYS_CHROOT", "KILL", "AUDIT_WRITE"],
].map((name) => `CAP_${name}`);

/** System calls of this and older kernels that the profile does not permit. */
const denied =
  "_sysctl acct add_key afs_syscall bpf clock_settime create_module delete_module fanotify_init " +
  "finit_module fsconfig fsmount fsopen fspick get_kernel_syms get_mempolicy getpmsg init_module " +
  "io_uring_enter io_uring_register io_uring_setup ioperm iopl kcmp kexec_file_load kexec_load " +
  "keyctl lookup_dcookie mbind migrate_pages mount mount_setattr move_mount move_pages " +
  "nfsservctl open_by_handle_at open_tree perf_event_open pidfd_getfd pivot_root " +
  "process_madvise putpmsg query_module quotactl quotactl_fd reboot request_key security " +
  "set_mempolicy set_mempolicy_home_node setdomainname sethostname setns settimeofday swapoff " +
  "swapon sysfs syslog tuxcall umount2 unshare uselib userfaultfd ustat vhangup vserver";

const notPermitted = { action: "SCMP_ACT_ERRNO", errnoRet: 1 };
const notImplemented = { action: "SCMP_ACT_ERRNO", errnoRet: 38 };
/** Flags of `clone` for new namespaces: mount, cgroup, UTS, IPC, user, PID and network. */
const namespaceFlags = [17, 25, 26, 27, 28, 29, 30].map((bit) => 2 ** bit);
/** Families of sockets that bypass the network namespace or reach the kernel's ciphers. */
const deniedFamilies = { AF_ALG: 38, AF_VSOCK: 40 };

export const seccompProfile = {
  defaultAction: "SCMP_ACT_ALLOW",
  syscalls: [
    { names: denied.split(" "), ...notPermitted },
    // glibc then uses `clone`, whose flags the profile can read.
    { names: ["clone3"], ...notImplemented },
    ...namespaceFlags.map((value) => ({
      names: ["clone"],
      args: [{ index: 0, value, valueTwo: value, op: "SCMP_CMP_MASKED_EQ" }],
      ...notPermitted,
    })),
    ...Object.values(deniedFamilies).map((value) => ({
      names: ["socket"],
      args: [{ index: 0, value, op: "SCMP_CMP_EQ" }],
      ...notPermitted,
    })),
  ],
};

const mount = (destination: string, type: string, ...options: string[]) => ({
  ...{ destination, type, source: type },
  options: ["nosuid", ...options],
});

/** Mounts that Docker adds to every container. */
export const systemMounts = [
  mount("/proc", "proc", "noexec", "nodev"),
  mount("/dev", "tmpfs", "strictatime", "mode=755", "size=65536k"),
  mount("/dev/pts", "devpts", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5"),
  mount("/sys", "sysfs", "noexec", "nodev", "ro"),
  mount("/dev/shm", "tmpfs", "noexec", "nodev", "mode=1777", "size=65536k"),
  mount("/dev/mqueue", "mqueue", "noexec", "nodev"),
];

export const maskedPaths = ["acpi", "asound", "kcore", "keys", "latency_stats", "timer_list"]
  .map((name) => `/proc/${name}`)
  .concat("/proc/sched_debug", "/proc/scsi", "/sys/firmware");

export const readonlyPaths = ["bus", "fs", "irq", "sys", "sysrq-trigger"].map(
  (name) => `/proc/${name}`,
);
