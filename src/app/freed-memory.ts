/** By then everything that a start needs for a moment has been freed. */
const startMs = 10_000;

/** Node says on every load that this module is experimental, which is no news for an operator. */
function loadFfi() {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule("node:ffi");
  } finally {
    process.emitWarning = emitWarning;
  }
}

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
