/**
 * Node's HTTP modules without `import`: an import reads all exports, one of which loads undici.
 * That costs 7 MB and 60 ms, and nothing here uses it.
 */
export const http = process.getBuiltinModule("node:http");
export const https = process.getBuiltinModule("node:https");
