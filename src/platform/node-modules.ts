/**
 * Node's HTTP modules, loaded without `import`. An import evaluates all exports of the module, and
 * one of them loads undici, which costs 7 MB and 60 ms and is not needed.
 */
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
