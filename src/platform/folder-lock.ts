import { closeSync, constants, openSync } from "node:fs";
import { loadFfi } from "./ffi.ts";

const exclusiveAtOnce = 2 | 4;
const wouldBlock = 11;
const signatures = {
  flock: { return: "int32", arguments: ["int32", "int32"] },
  __errno_location: { return: "pointer", arguments: [] },
} as const;

/** Returns `null` if the C library has no such function. */
function openLibc() {
  try {
    const { dlopen, toArrayBuffer } = loadFfi();
    const { functions } = dlopen(null, signatures);
    const errno = new Int32Array(toArrayBuffer(functions.__errno_location(), 4, false));
    return { flock: functions.flock, errno: () => errno[0] ?? 0 };
  } catch {
    return null;
  }
}

/** Closes at most once: after that the descriptor may belong to another file. */
function closeOnce(file: number): () => void {
  let isOpen = true;
  return () => {
    if (isOpen) closeSync(file);
    isOpen = false;
  };
}

/**
 * Acquires the kernel's lock on a folder, which is released when the process ends for any reason.
 * It also works across containers that share a volume, where pids are not comparable. Returns
 * "unsupported" if the system or the file system has no such locks.
 */
export function lockFolder(folder: string): { release: () => void } | "held" | "unsupported" {
  const libc = openLibc();
  if (libc === null) return "unsupported";
  const file = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  if (libc.flock(file, exclusiveAtOnce) === 0) return { release: closeOnce(file) };
  const isHeld = libc.errno() === wouldBlock;
  closeSync(file);
  return isHeld ? "held" : "unsupported";
}
