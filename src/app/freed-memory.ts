import { loadFfi } from "../platform/ffi.ts";

/** By then everything that a start needs for a moment has been freed. */
const startMs = 10_000;

function trim(): void {
  try {
    const signature = { return: "int32", arguments: ["uint64"] } as const;
    loadFfi().dlopen(null, { malloc_trim: signature }).functions.malloc_trim(0n);
  } catch {
    // Another C library than glibc: it has no such function, and no such need.
  }
}

/**
 * A start compiles on many threads, each with a heap of its own in the C library, which keeps what
 * was freed there: ten megabytes that nobody uses again. Hands them back to the system, once.
 */
export function returnFreedMemorySoon(): void {
  setTimeout(trim, startMs).unref();
}
