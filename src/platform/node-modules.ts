/** Node's HTTP modules without `import`, which would also load undici (7 MB and 60 ms). */
export const http = process.getBuiltinModule("node:http");
export const https = process.getBuiltinModule("node:https");

/** Loads `node:ffi` and suppresses its warning that the module is experimental. */
export function loadFfi(): typeof import("node:ffi") {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule("node:ffi");
  } finally {
    process.emitWarning = emitWarning;
  }
}
