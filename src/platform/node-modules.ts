/**
 * Node's HTTP modules without `import`: an import reads all exports, one of which loads undici.
 * That costs 7 MB and 60 ms, and nothing here uses it.
 */
export const http = process.getBuiltinModule("node:http");
export const https = process.getBuiltinModule("node:https");

/** Loads `node:ffi` without its warning that the module is experimental. */
export function loadFfi(): typeof import("node:ffi") {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule("node:ffi");
  } finally {
    process.emitWarning = emitWarning;
  }
}
