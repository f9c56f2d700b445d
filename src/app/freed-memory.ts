import { loadFfi } from "../platform/node-modules.ts";

/** By then the temporary memory of the start has been freed. */
const startMs = 10_000;

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
