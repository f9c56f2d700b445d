/**
 * Node's HTTP modules without an `import` of them: that reads all of their exports, and one of
 * those loads a whole second client, which takes 7 MB and 60 ms and nothing here uses.
 */
export const http = process.getBuiltinModule("node:http");
export const https = process.getBuiltinModule("node:https");
