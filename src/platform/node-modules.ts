/** The HTTP modules of Node.js. With `import`, Node.js would also load undici (7 MB and 60 ms). */
export const http = process.getBuiltinModule("node:http");
export const https = process.getBuiltinModule("node:https");

/** Loads `node:ffi` without the warning that the module is experimental. */
export function loadFfi(): typeof import("node:ffi") {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule("node:ffi");
  } finally {
    process.emitWarning = emitWarning;
  }
}
