/**
 * Builds the filter of system calls for scripts, as a BPF program for the kernel. The filter denies
 * calls that Node.js and Chromium do not need and that attacks on kernels use. The filter is an
 * additional protection: namespaces or Landlock are the security boundary.
 */

export interface FilterRules {
  readonly architecture: "arm64" | "x64";
  /**
   * Whether sockets are limited to TCP and socket pairs, without fast open. Set for sandboxes
   * without namespaces, because Landlock does not control UDP, Multipath TCP and Unix sockets with
   * a path. If set, the filter also denies changes to limits and priorities of other processes,
   * which Landlock would allow.
   */
  readonly isTcpOnly: boolean;
}

interface CallNumbers {
  readonly auditArchitecture: number;
  readonly clone: number;
  readonly socket: number;
  readonly sendto: number;
  readonly sendmsg: number;
  readonly sendmmsg: number;
  readonly setpriority: number;
  readonly setsockopt: number;
  readonly denied: Readonly<Record<string, number>>;
  /**
   * Calls whose first argument is a process id. Without namespaces, they are allowed only for the
   * calling process.
   */
  readonly ownProcessOnly: Readonly<Record<string, number>>;
  /** System calls that affect the whole machine, denied unless a namespace isolates them. */
  readonly shared: Readonly<Record<string, number>>;
}

const numbers: Readonly<Record<FilterRules["architecture"], CallNumbers>> = {
  arm64: {
    auditArchitecture: 0xc000_00b7,
    clone: 220,
    socket: 198,
    sendto: 206,
    sendmsg: 211,
    sendmmsg: 269,
    setpriority: 140,
    setsockopt: 208,
    ownProcessOnly: {
      prlimit64: 261,
      sched_setaffinity: 122,
      sched_setparam: 118,
      sched_setscheduler: 119,
      sched_setattr: 274,
    },
    shared: { ioprio_set: 30 },
    denied: {
      ptrace: 117,
      process_vm_readv: 270,
      process_vm_writev: 271,
      mount: 40,
      umount2: 39,
      unshare: 97,
      setns: 268,
      bpf: 280,
      perf_event_open: 241,
      add_key: 217,
      request_key: 218,
      keyctl: 219,
      userfaultfd: 282,
      pivot_root: 41,
      chroot: 51,
      init_module: 105,
      finit_module: 273,
      delete_module: 106,
      kexec_load: 104,
      kexec_file_load: 294,
      reboot: 142,
      swapon: 224,
      swapoff: 225,
      open_by_handle_at: 265,
      name_to_handle_at: 264,
      quotactl: 60,
      acct: 89,
      syslog: 116,
      kcmp: 272,
      fanotify_init: 262,
      settimeofday: 170,
      clock_settime: 112,
      clock_adjtime: 266,
      adjtimex: 171,
      sethostname: 161,
      setdomainname: 162,
      vhangup: 58,
      personality: 92,
      mbind: 235,
      migrate_pages: 238,
      move_pages: 239,
      memfd_create: 279,
      ...{ shmget: 194, msgget: 186, semget: 190, mq_open: 180, vmsplice: 75 },
    },
  },
  x64: {
    auditArchitecture: 0xc000_003e,
    clone: 56,
    socket: 41,
    sendto: 44,
    sendmsg: 46,
    sendmmsg: 307,
    setpriority: 141,
    setsockopt: 54,
    ownProcessOnly: {
      prlimit64: 302,
      sched_setaffinity: 203,
      sched_setparam: 142,
      sched_setscheduler: 144,
      sched_setattr: 314,
    },
    shared: { ioprio_set: 251 },
    denied: {
      ptrace: 101,
      process_vm_readv: 310,
      process_vm_writev: 311,
      mount: 165,
      umount2: 166,
      unshare: 272,
      setns: 308,
      bpf: 321,
      perf_event_open: 298,
      add_key: 248,
      request_key: 249,
      keyctl: 250,
      userfaultfd: 323,
      pivot_root: 155,
      chroot: 161,
      init_module: 175,
      finit_module: 313,
      delete_module: 176,
      kexec_load: 246,
      kexec_file_load: 320,
      reboot: 169,
      swapon: 167,
      swapoff: 168,
      open_by_handle_at: 304,
      name_to_handle_at: 303,
      quotactl: 179,
      acct: 163,
      syslog: 103,
      kcmp: 312,
      fanotify_init: 300,
      iopl: 172,
      ioperm: 173,
      modify_ldt: 154,
      settimeofday: 164,
      clock_settime: 227,
      clock_adjtime: 305,
      adjtimex: 159,
      sethostname: 170,
      setdomainname: 171,
      vhangup: 153,
      personality: 135,
      mbind: 237,
      migrate_pages: 256,
      move_pages: 279,
      memfd_create: 319,
      ...{ shmget: 29, msgget: 68, semget: 64, mq_open: 240, vmsplice: 278 },
    },
  },
};

/**
 * Newer calls, whose numbers are equal on all architectures. The filter reports these calls as
 * missing, so that programs use older calls instead. For example, a program uses `clone` instead of
 * `clone3`, because a filter can read the flags only of `clone`.
 */
const missing: Readonly<Record<string, number>> = {
  // Denies only the setup of io_uring, because all other io_uring calls need a ring. The warden can
  // still use a ring that it created before the filter was installed.
  io_uring_setup: 425,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  clone3: 435,
  pidfd_getfd: 438,
  process_madvise: 440,
  mount_setattr: 442,
  process_mrelease: 448,
};

const errno = { EPERM: 1, ENOSYS: 38, EOPNOTSUPP: 95, EAFNOSUPPORT: 97 } as const;
const newNamespaceFlags = 0x7e02_0080;
const messageFastOpen = 0x2000_0000;
const families = { unix: 1, internet: 2, internet6: 10, netlink: 16 } as const;
const socketLevel = 1;
/** SO_SNDBUF, SO_RCVBUF, SO_SNDBUFFORCE and SO_RCVBUFFORCE. */
const bufferOptions = [7, 8, 32, 33];
const firstX32Call = 0x4000_0000;

const loadWord = 0x20;
const and = 0x54;
const jumpIfEqual = 0x15;
const jumpIfAnyBit = 0x45;
const jumpIfAtLeast = 0x35;
const end = 0x06;
const allow = 0x7fff_0000;
const kill = 0x8000_0000;
/** Returns 0 to the program without making the call. */
const succeed = 0x0005_0000;

/** Offsets in the data structure that the kernel passes to a filter. */
const callNumber = 0;
const architectureOffset = 4;
/** Returns the offset of the lower 32 bits of an argument. */
const argument = (index: number) => 16 + index * 8;

interface Instruction {
  readonly code: number;
  readonly value: number;
  /** Label of the instruction to continue with; `null` continues with the next instruction. */
  readonly onTrue: string | null;
  readonly onFalse: string | null;
}

class FilterProgram {
  readonly #instructions: Instruction[] = [];
  readonly #labels = new Map<string, number>();

  add(code: number, value: number, onTrue: string | null, onFalse: string | null): void {
    this.#instructions.push({ code, value, onTrue, onFalse });
  }

  load(offset: number): void {
    this.add(loadWord, offset, null, null);
  }

  return(value: number): void {
    this.add(end, value, null, null);
  }

  fail(code: keyof typeof errno): void {
    this.return(0x0005_0000 | errno[code]);
  }

  label(name: string): void {
    this.#labels.set(name, this.#instructions.length);
  }

  failCall(call: number, code: keyof typeof errno): void {
    const next = `after call ${call}`;
    this.add(jumpIfEqual, call, null, next);
    this.fail(code);
    this.label(next);
  }

  encode(): Buffer {
    const bytes = Buffer.alloc(this.#instructions.length * 8);
    for (const [index, { code, value, onTrue, onFalse }] of this.#instructions.entries()) {
      bytes.writeUInt16LE(code, index * 8);
      bytes.writeUInt8(this.#distance(index, onTrue), index * 8 + 2);
      bytes.writeUInt8(this.#distance(index, onFalse), index * 8 + 3);
      bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
    }
    return bytes;
  }

  #distance(from: number, label: string | null): number {
    if (label === null) return 0;
    const to = this.#labels.get(label);
    if (to === undefined) throw new Error(`The filter has no label ${label}.`);
    return to - from - 1;
  }
}

/** Returns the filter program in the kernel's binary format. */
export function buildFilter({ architecture, isTcpOnly }: FilterRules): Buffer {
  const calls = numbers[architecture];
  const program = new FilterProgram();
  program.load(architectureOffset);
  program.add(jumpIfEqual, calls.auditArchitecture, "native", null);
  program.return(kill);
  program.label("native");
  program.load(callNumber);
  if (architecture === "x64") {
    program.add(jumpIfAtLeast, firstX32Call, null, "no x32");
    program.return(kill);
    program.label("no x32");
  }
  for (const call of Object.values(calls.denied)) program.failCall(call, "EPERM");
  for (const call of Object.values(missing)) program.failCall(call, "ENOSYS");
  denyNewNamespaces(program, calls.clone);
  if (isTcpOnly) {
    denyFastOpen(program, calls.sendto, 3);
    denyFastOpen(program, calls.sendmsg, 2);
    denyFastOpen(program, calls.sendmmsg, 3);
    for (const call of Object.values(calls.shared)) program.failCall(call, "EPERM");
    for (const call of Object.values(calls.ownProcessOnly)) limitToOwnProcess(program, call, [0]);
    // The first argument of `setpriority` specifies whether the second is a process, a process
    // group or a user.
    limitToOwnProcess(program, calls.setpriority, [0, 1]);
  }
  ignoreBufferSizes(program, calls.setsockopt);
  limitSockets(program, calls.socket, isTcpOnly);
  return program.encode();
}

function denyNewNamespaces(program: FilterProgram, clone: number): void {
  program.add(jumpIfEqual, clone, null, "not clone");
  program.load(argument(0));
  program.add(jumpIfAnyBit, newNamespaceFlags, null, "plain clone");
  program.fail("EPERM");
  program.label("plain clone");
  program.load(callNumber);
  program.label("not clone");
}

/** Allows a call only if the specified arguments are 0, which stands for the calling process. */
function limitToOwnProcess(program: FilterProgram, call: number, zeros: readonly number[]): void {
  program.add(jumpIfEqual, call, null, `not ${call}`);
  for (const index of zeros) {
    program.load(argument(index));
    program.add(jumpIfEqual, 0, null, `other process in ${call}`);
  }
  program.return(allow);
  program.label(`other process in ${call}`);
  program.fail("EPERM");
  program.label(`not ${call}`);
}

/** Denies TCP fast open, which connects without the `connect` call that Landlock checks. */
function denyFastOpen(program: FilterProgram, call: number, flagsArgument: number): void {
  program.add(jumpIfEqual, call, null, `not ${call}`);
  program.load(argument(flagsArgument));
  program.add(jumpIfAnyBit, messageFastOpen, null, `plain ${call}`);
  program.fail("EOPNOTSUPP");
  program.label(`plain ${call}`);
  program.load(callNumber);
  program.label(`not ${call}`);
}

/**
 * Lets calls that set the size of a socket's buffers succeed without effect. No limit of a process
 * includes what the kernel stores in these buffers.
 */
function ignoreBufferSizes(program: FilterProgram, setsockopt: number): void {
  program.add(jumpIfEqual, setsockopt, null, "not setsockopt");
  program.load(argument(1));
  program.add(jumpIfEqual, socketLevel, null, "plain option");
  program.load(argument(2));
  for (const option of bufferOptions) program.add(jumpIfEqual, option, "buffer", null);
  program.add(jumpIfEqual, 0, "plain option", "plain option");
  program.label("buffer");
  program.return(succeed);
  program.label("plain option");
  program.load(callNumber);
  program.label("not setsockopt");
}

function limitSockets(program: FilterProgram, socket: number, isTcpOnly: boolean): void {
  program.add(jumpIfEqual, socket, null, "allow");
  program.load(argument(0));
  if (!isTcpOnly) program.add(jumpIfEqual, families.unix, "allow", null);
  program.add(jumpIfEqual, families.internet, "internet", null);
  program.add(jumpIfEqual, families.internet6, "internet", null);
  program.add(jumpIfEqual, families.netlink, null, "other family");
  // Allows only the netlink protocol that lists network interfaces, because Node.js needs this
  // list.
  program.load(argument(2));
  program.add(jumpIfEqual, 0, "allow", null);
  program.label("other family");
  program.fail("EAFNOSUPPORT");
  program.label("internet");
  if (isTcpOnly) {
    const stream = 1;
    const tcp = 6;
    program.load(argument(1));
    program.add(and, 0xf, null, null);
    program.add(jumpIfEqual, stream, null, "not TCP");
    program.load(argument(2));
    program.add(jumpIfEqual, 0, "allow", null);
    program.add(jumpIfEqual, tcp, "allow", null);
    program.label("not TCP");
    program.fail("EAFNOSUPPORT");
  }
  program.label("allow");
  program.return(allow);
}

/** Lists the filtered calls by name, for tests of the filter. */
export function listFilteredCalls(architecture: FilterRules["architecture"]): {
  readonly denied: Readonly<Record<string, number>>;
  readonly missing: Readonly<Record<string, number>>;
} {
  return { denied: numbers[architecture].denied, missing };
}
