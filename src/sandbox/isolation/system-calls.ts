import { dlopen, getRawPointer, toArrayBuffer } from "node:ffi";

/**
 * libc functions for the system calls that set up a sandbox, used only by the processes that build
 * the sandbox. Hiding the functions from scripts would not protect anything, because a script can
 * load `node:ffi` too.
 */
const signatures = {
  mount: { return: "int32", arguments: ["pointer", "pointer", "pointer", "uint64", "pointer"] },
  umount2: { return: "int32", arguments: ["pointer", "int32"] },
  prctl: { return: "int32", arguments: ["int32", "uint64", "uint64", "uint64", "uint64"] },
  sethostname: { return: "int32", arguments: ["pointer", "uint64"] },
  socket: { return: "int32", arguments: ["int32", "int32", "int32"] },
  fcntl: { return: "int32", arguments: ["int32", "int32", "int32"] },
  open: { return: "int32", arguments: ["pointer", "int32"] },
  ioctl: { return: "int32", arguments: ["int32", "uint64", "pointer"] },
  send: { return: "int64", arguments: ["int32", "pointer", "uint64", "int32"] },
  recv: { return: "int64", arguments: ["int32", "pointer", "uint64", "int32"] },
  close: { return: "int32", arguments: ["int32"] },
  waitpid: { return: "int32", arguments: ["int32", "pointer", "int32"] },
  setrlimit: { return: "int32", arguments: ["int32", "pointer"] },
  syscall: {
    return: "int64",
    arguments: ["int64", "uint64", "uint64", "uint64", "uint64", "uint64"],
  },
  __errno_location: { return: "pointer", arguments: [] },
} as const;

const { functions: libc } = dlopen(null, signatures);
const errnoView = new Int32Array(toArrayBuffer(libc.__errno_location(), 4, false));

/**
 * Buffers whose addresses the kernel received. They are never released, because the process ends
 * soon.
 */
const kept: ArrayBufferView[] = [];

export function pointerTo(bytes: ArrayBufferView): bigint {
  kept.push(bytes);
  return getRawPointer(bytes as Uint8Array);
}

const textPointer = (text: string) => pointerTo(Buffer.from(`${text}\0`));

const errorNames: Readonly<Record<number, string>> = {
  1: "EPERM",
  2: "ENOENT",
  12: "ENOMEM",
  13: "EACCES",
  16: "EBUSY",
  22: "EINVAL",
  28: "ENOSPC",
  38: "ENOSYS",
  95: "EOPNOTSUPP",
};

export class SystemCallError extends Error {
  readonly code: string;

  constructor(call: string, errno: number) {
    const code = errorNames[errno] ?? `errno ${errno}`;
    super(`${call}: ${code}`);
    this.code = code;
  }
}

function expectSuccess(call: string, returned: number | bigint): number {
  if (Number(returned) < 0) throw new SystemCallError(call, errnoView[0] ?? 0);
  return Number(returned);
}

const isArm = process.arch === "arm64";

/**
 * Numbers of system calls without a libc function. The numbers of newer calls are equal on all
 * architectures.
 */
const callNumbers = {
  capget: isArm ? 90 : 125,
  capset: isArm ? 91 : 126,
  seccomp: isArm ? 277 : 317,
  pivotRoot: isArm ? 41 : 155,
  mountSetattr: 442,
  landlockCreateRuleset: 444,
  landlockAddRule: 445,
  landlockRestrictSelf: 446,
} as const;

/** Makes a system call by its number. Missing arguments are 0. */
export function callKernel(name: keyof typeof callNumbers, ...values: (bigint | number)[]): number {
  const [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n] = values.map(BigInt);
  return expectSuccess(name, libc.syscall(BigInt(callNumbers[name]), a, b, c, d, e));
}

const anyChild = -1;
const withoutWaiting = 1;

/**
 * Reaps ended children, because they count towards the process limit of their user. Returns whether
 * other children are still running. Call this function only after the children that Node.js waits
 * for have ended.
 */
export function reapChildren(): boolean {
  let id = 1;
  while (id > 0) id = libc.waitpid(anyChild, 0n, withoutWaiting);
  return id === 0;
}

export const mountFlags = {
  noSuid: 2,
  noDevices: 4,
  noExecution: 8,
  bind: 4096,
  recursive: 16_384,
  private: 1 << 18,
} as const;

export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly type?: string;
  readonly flags: number;
  readonly options?: string;
}

export function mount({ source, target, type = "none", flags, options = "" }: Mount): void {
  const texts = [source, target, type].map(textPointer) as [bigint, bigint, bigint];
  const returned = libc.mount(...texts, BigInt(flags), textPointer(options));
  expectSuccess(`mount ${target}`, returned);
}

const detach = 2;

export function unmount(path: string): void {
  expectSuccess(`umount ${path}`, libc.umount2(textPointer(path), detach));
}

const currentFolder = -100;
const wholeTree = 0x8000;

/**
 * Adds flags to a mount and to all mounts below it. Existing flags remain, because a user namespace
 * would deny their removal.
 */
export function restrictMount(path: string, flags: number): void {
  const attributes = new BigUint64Array([BigInt(flags), 0n, 0n, 0n]);
  const folder = BigInt.asUintN(64, BigInt(currentFolder));
  const bytes = attributes.byteLength;
  callKernel("mountSetattr", folder, textPointer(path), wholeTree, pointerTo(attributes), bytes);
}

export const readOnly = 1;

/** Replaces the root folder and unmounts the former root. */
export function changeRoot(folder: string, formerRoot: string): void {
  callKernel("pivotRoot", textPointer(folder), textPointer(folder + formerRoot));
  process.chdir("/");
  unmount(formerRoot);
}

export function setHostName(name: string): void {
  expectSuccess("sethostname", libc.sethostname(textPointer(name), BigInt(name.length)));
}

const internet = 2;
const datagram = 2;
const setInterfaceFlags = 0x8914n;
const isUpAndRunning = 0x49;

export function startLoopback(): void {
  const socket = expectSuccess("socket", libc.socket(internet, datagram, 0));
  const request = Buffer.alloc(40);
  request.write("lo");
  request.writeUInt16LE(isUpAndRunning, 16);
  expectSuccess("ioctl SIOCSIFFLAGS", libc.ioctl(socket, setInterfaceFlags, pointerTo(request)));
  libc.close(socket);
}

/**
 * Makes every IP address local to this network namespace, with a route of type "local" to the
 * loopback interface. Listeners then receive the connections of a script to any host.
 */
export function makeEveryAddressLocal(): void {
  for (const family of [2, 10]) addLocalRoute(family);
}

const netlink = { family: 16, raw: 3, newRoute: 24, requestCreateAcknowledge: 0x405 } as const;

function addLocalRoute(family: number): void {
  const socket = expectSuccess("socket", libc.socket(netlink.family, netlink.raw, 0));
  const message = Buffer.alloc(36);
  message.writeUInt32LE(message.length, 0);
  message.writeUInt16LE(netlink.newRoute, 4);
  message.writeUInt16LE(netlink.requestCreateAcknowledge, 6);
  message.writeUInt32LE(1, 8);
  // rtmsg: family, prefix length 0, table "local", protocol "static", scope "host", type "local".
  message.set([family, 0, 0, 0, 255, 4, 254, 2], 16);
  // The only attribute is the output interface: number 1, the loopback interface.
  message.writeUInt16LE(8, 28);
  message.writeUInt16LE(4, 30);
  message.writeUInt32LE(1, 32);
  expectSuccess("send", libc.send(socket, pointerTo(message), BigInt(message.length), 0));
  const answer = Buffer.alloc(256);
  expectSuccess("recv", libc.recv(socket, pointerTo(answer), BigInt(answer.length), 0));
  libc.close(socket);
  const errno = -answer.readInt32LE(16);
  if (errno !== 0) throw new SystemCallError("add a local route", errno);
}

const pathOnly = 0x20_0000;
const closeOnExecution = 0x8_0000;

/** Opens a descriptor that identifies a file without access to its content. */
export function openPath(path: string): number {
  const returned = libc.open(textPointer(path), pathOnly | closeOnExecution);
  return expectSuccess(`open ${path}`, returned);
}

const setDescriptorFlags = 2;

/**
 * Lets an executed program inherit a descriptor. By default, Node.js closes its inherited
 * descriptors when it executes a program.
 */
export function passOn(descriptor: number): void {
  expectSuccess("fcntl", libc.fcntl(descriptor, setDescriptorFlags, 0));
}

export function closeDescriptor(descriptor: number): void {
  libc.close(descriptor);
}

const resources = {
  cpuSeconds: 0,
  fileBytes: 1,
  dataBytes: 2,
  coreBytes: 4,
  processes: 6,
  openFiles: 7,
} as const;

export function limitResource(resource: keyof typeof resources, value: number): void {
  const limits = new BigUint64Array([BigInt(value), BigInt(value)]);
  const returned = libc.setrlimit(resources[resource], pointerTo(limits));
  expectSuccess(`setrlimit ${resource}`, returned);
}

const options = {
  dropBounding: 24,
  secureBits: 28,
  /** Makes this process the parent of descendants whose parent ended. */
  adoptOrphans: 36,
  noNewPrivileges: 38,
  signalOfParentsDeath: 1,
} as const;

export function setProcessOption(option: keyof typeof options, value = 0): void {
  const returned = libc.prctl(options[option], BigInt(value), 0n, 0n, 0n);
  expectSuccess(`prctl ${option}`, returned);
}

const highestCapability = 40;
/**
 * Secure bits with which user id 0 has no privileges. The bits are locked and cannot be changed
 * again.
 */
const lockedWithoutRoot = 0x2f;

/** Removes the capabilities of all programs that this process starts, even if they run as root. */
export function dropCapabilities(): void {
  for (let capability = 0; capability <= highestCapability; capability += 1) {
    attempt(() => setProcessOption("dropBounding", capability));
  }
  attempt(() => setProcessOption("secureBits", lockedWithoutRoot));
  clearInheritable();
}

const capabilityVersion = 0x2008_0522;

/**
 * Removes the capabilities that programs inherit without being privileged. Needs no privilege. The
 * service may have such a CAP_NET_RAW for its own measurements.
 */
function clearInheritable(): void {
  const header = new Uint32Array([capabilityVersion, 0]);
  /** Effective, permitted and inheritable capabilities, in two words each. */
  const sets = new Uint32Array(6);
  callKernel("capget", pointerTo(header), pointerTo(sets));
  sets[2] = 0;
  sets[5] = 0;
  callKernel("capset", pointerTo(header), pointerTo(sets));
}

/**
 * Calls a function that drops privileges. The kernel permits the necessary system calls only for
 * privileged processes, so failed system calls are ignored.
 */
function attempt(call: () => void): void {
  try {
    call();
  } catch (error) {
    if (!(error instanceof SystemCallError)) throw error;
  }
}
