import {
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import {
  devices,
  type Mount,
  type SandboxLimits,
  scriptFolder,
  systemPaths,
  temporaryFolder,
} from "./plan.ts";
import { maxFiles } from "./processes.ts";
import { changeRoot, mount, mountFlags, readOnly, restrictMount } from "./system-calls.ts";

/**
 * Parts of /proc with settings of the whole machine. They are made read-only, because the kernel
 * checks only the user id of a writer. In a user namespace that root created, a process may have
 * the user id of root.
 */
const kernelSettings = ["sys", "sysrq-trigger", "irq", "bus", "fs", "acpi"].map(
  (name) => `/proc/${name}`,
);

/**
 * Folder in which the file tree is assembled. The folder exists on every Linux, and no sandbox
 * needs it.
 */
const assembly = "/sys";
const formerRoot = "/former";
const ownFiles = mountFlags.noSuid | mountFlags.noDevices;

/** Minimum, default and maximum size of the buffer of a TCP connection in bytes. */
const tcpBuffers = "4096 65536 131072";

const hosts = "127.0.0.1 localhost\n::1 localhost\n";
const nameServer = "nameserver 127.0.0.1\noptions timeout:3 attempts:1\n";

export interface TreeOptions {
  readonly mounts: readonly Mount[];
  readonly limits: SandboxLimits;
  readonly userId: number;
}

/**
 * Replaces the root folder of this mount namespace by a new tree. Of the files of this machine, the
 * tree contains only the system files, some devices and the mounts of the run. The folders for
 * files of the script are in memory. Files can be changed only in these folders and in writable
 * mounts.
 */
export function buildTree({ mounts, limits, userId }: TreeOptions): void {
  mount({ source: "none", target: "/", flags: mountFlags.recursive | mountFlags.private });
  mountMemory(assembly, ownFiles, "mode=755,size=4m");
  const system = systemPaths.map((path) => ({ source: path, target: path }));
  for (const one of [...system, ...mounts]) bind(one);
  for (const path of devices) bindDevice(path);
  const size = `size=${limits.folderBytes},nr_inodes=${maxFiles}`;
  mountMemory(within(scriptFolder), ownFiles, `mode=700,${size},uid=${userId},gid=${userId}`);
  mountMemory(within(temporaryFolder), ownFiles, `mode=1777,${size}`);
  mountMemory(within("/dev/shm"), ownFiles | mountFlags.noExecution, `mode=1777,${size}`);
  writeFileSync(
    within("/etc/passwd"),
    `script:x:${userId}:${userId}::${scriptFolder}:/bin/false\n`,
  );
  writeFileSync(within("/etc/hosts"), hosts);
  writeFileSync(within("/etc/resolv.conf"), nameServer);
  writeFileSync(within("/etc/nsswitch.conf"), "hosts: files dns\n");
  mkdirSync(within("/proc"));
  mount({
    source: "proc",
    target: within("/proc"),
    type: "proc",
    flags: ownFiles | mountFlags.noExecution,
    options: "hidepid=invisible",
  });
  limitTcpBuffers();
  for (const path of kernelSettings) protect(within(path));
  mkdirSync(within(formerRoot));
  changeRoot(assembly, formerRoot);
  rmdirSync(formerRoot);
  restrictOnly("/");
}

const within = (path: string) => `${assembly}${path}`;

function mountMemory(target: string, flags: number, options: string): void {
  mkdirSync(target, { recursive: true });
  mount({ source: "tmpfs", target, type: "tmpfs", flags, options });
}

/**
 * Mounts a file or folder. A symbolic link of the system is recreated as a link, and a missing
 * source is skipped.
 */
function bind({ source, target, isWritable = false }: Mount): void {
  const place = within(target);
  if (!existsSync(source)) return;
  if (lstatSync(source).isSymbolicLink() && source === target) {
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(readlinkSync(source), place);
    return;
  }
  createMountPoint(source, place);
  mount({ source, target: place, flags: mountFlags.bind | mountFlags.recursive });
  restrictMount(place, ownFiles | (isWritable ? 0 : readOnly));
}

function createMountPoint(source: string, place: string): void {
  if (lstatSync(source).isDirectory()) {
    mkdirSync(place, { recursive: true });
    return;
  }
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, "");
}

/**
 * Limits the memory of each TCP connection in this network namespace. Older kernels do not permit
 * the change in a user namespace.
 */
function limitTcpBuffers(): void {
  for (const name of ["tcp_rmem", "tcp_wmem"]) {
    try {
      writeFileSync(within(`/proc/sys/net/ipv4/${name}`), tcpBuffers);
    } catch {
      // The limit of the number of sockets remains.
    }
  }
}

function protect(path: string): void {
  if (!existsSync(path)) return;
  mount({ source: path, target: path, flags: mountFlags.bind });
  restrictMount(path, readOnly);
}

function bindDevice(path: string): void {
  createMountPoint(path, within(path));
  mount({ source: path, target: within(path), flags: mountFlags.bind });
}

const bindRemount = mountFlags.bind | 32 | readOnly;

/** Makes only the root folder read-only, but not the mounts below it. */
function restrictOnly(path: string): void {
  mount({ source: "none", target: path, flags: bindRemount | ownFiles });
}
