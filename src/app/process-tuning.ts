import { createHook } from "node:async_hooks";
import { mkdirSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { loadFfi } from "../platform/node-modules.ts";

/** The first turns of all loops load code too. */
const loadingMs = 5_000;

/** By then the temporary memory of the start has been freed. */
const startMs = 10_000;

const kept: object[] = [];

/**
 * Loading code makes V8 double the young generation up to fifty megabytes, which it never releases.
 * So its size is fixed while the server starts. Call the returned function after the start: from
 * then on it may grow with the load.
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
    // Not glibc: other C libraries have no such function and no such need.
  }
}

/**
 * A start compiles on many threads, each with its own heap in glibc, which retains about ten
 * megabytes of freed memory. Returns it to the system once.
 */
export function returnFreedMemorySoon(): void {
  setTimeout(trim, startMs).unref();
}

/**
 * Every response schedules several ticks. V8 creates their objects five times faster while it knows
 * their shape, and it drops that shape for good if a garbage collection finds no tick waiting. So
 * one tick object is retained while the server runs.
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
 * Caches compiled code for the next start. The cache is in the data folder and not in a shared one,
 * where another user could plant code. Without the cache a start is only slower.
 */
export function keepCompiledCode(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  } catch {
    return;
  }
  enableCompileCache(join(dataDir, "compile-cache"));
}
