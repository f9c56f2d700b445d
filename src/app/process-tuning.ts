import { createHook } from "node:async_hooks";
import { mkdirSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { loadFfi } from "../platform/node-modules.ts";

/** Delay until the growth limit is lifted: the first iterations of the loops load code too. */
const loadingMs = 5_000;

/** Delay until freed memory is returned. The start has freed its temporary memory by then. */
const startMs = 10_000;

const kept: object[] = [];

/**
 * Limits the growth of V8's young generation during the start. Loading code would make V8 grow it
 * to fifty megabytes, which V8 never releases. The returned function ends the limit some seconds
 * later; callers must call it after the start.
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
    // C libraries other than glibc do not have this function and do not need it.
  }
}

/**
 * Returns freed memory to the system after the start. A start compiles on many threads, and glibc
 * retains about ten megabytes of freed memory in the heaps of these threads.
 */
export function returnFreedMemorySoon(): void {
  setTimeout(trim, startMs).unref();
}

/**
 * Retains one tick object for the life of the process. V8 creates tick objects, of which each
 * response needs several, five times faster while it knows their shape. V8 would forget the shape
 * for good if a garbage collection found no tick object.
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
 * shared folder another user could plant code.
 */
export function keepCompiledCode(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  } catch {
    return;
  }
  enableCompileCache(join(dataDir, "compile-cache"));
}
