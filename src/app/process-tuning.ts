import { createHook } from "node:async_hooks";
import { mkdirSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { setTemporaryFolder } from "../config.ts";
import { findScratchFolder } from "../platform/data-folder.ts";
import { isReachableByOthers } from "../platform/embedded-postgres/operator.ts";
import { loadFfi } from "../platform/node-modules.ts";

/**
 * How long the growth of V8's young generation stays limited after the start. The limit must
 * outlast the first iterations of the background loops, because these iterations still load code.
 */
const loadingMs = 5_000;

/**
 * Delay after the start until freed memory is returned. By then, temporary memory has been freed.
 */
const startMs = 10_000;

const kept: object[] = [];

/**
 * Limits the growth of V8's young generation during the start. Without the limit, loading code
 * would make V8 grow it to fifty megabytes, which V8 never releases. Callers must call the returned
 * function after the start; it lifts the limit some seconds later.
 */
export function keepYoungHeapSmall(): () => void {
  setFlagsFromString("--semi-space-growth-factor=1");
  return () => {
    setTimeout(() => setFlagsFromString("--semi-space-growth-factor=2"), loadingMs).unref();
  };
}

function trim(): void {
  try {
    const signature = { return: "int32", arguments: ["uint64"] } as const;
    loadFfi().dlopen(null, { malloc_trim: signature }).functions.malloc_trim(0n);
  } catch {
    // C libraries other than glibc do not have `malloc_trim` and do not need it.
  }
}

/**
 * Returns freed memory to the system some seconds after the start. V8 compiles on many threads, and
 * glibc keeps about ten megabytes of freed memory in the heaps of these threads.
 */
export function returnFreedMemorySoon(): void {
  setTimeout(trim, startMs).unref();
}

/**
 * Keeps one of Node's tick objects alive for the life of the process. Each response creates several
 * tick objects. V8 creates them five times faster while it knows their shape, and it forgets the
 * shape permanently if a garbage collection finds no tick object.
 */
export function keepTicksFast(): void {
  const hook = createHook({
    init: (_id, type, _trigger, resource) => {
      if (type === "TickObject") kept.push(resource);
    },
  });
  hook.enable();
  process.nextTick(() => {});
  hook.disable();
}

/**
 * Caches compiled code to make the next start faster. The cache is in the data folder, because in a
 * shared folder another user could insert malicious code.
 */
export function keepCompiledCode(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  } catch {
    return;
  }
  enableCompileCache(join(dataDir, "compile-cache"));
}

/**
 * Keeps temporary files in the data folder unless TMPDIR is set. As root, scripts may run as other
 * users, who must be able to enter the folder.
 */
export function keepTemporaryFiles(dataDir: string): void {
  const folder = findScratchFolder(dataDir);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o711 });
  } catch {
    return;
  }
  if (process.getuid?.() === 0 && !isReachableByOthers(folder)) return;
  setTemporaryFolder(folder);
}
