import assert from "node:assert/strict";
import { test } from "node:test";
import { explainNpmFailure, findNpm, selectEnvironment } from "./npm.ts";

test("npm is the one that started this process, or the one on the path", () => {
  const started = "/opt/npm/bin/npm-cli.js";
  assert.deepEqual(findNpm({ npm_execpath: started, PATH: "" }), {
    program: process.execPath,
    leading: [started],
  });
  assert.equal(findNpm({ npm_execpath: "/opt/yarn.js", PATH: "/nowhere" }), null);
  assert.equal(findNpm({}), null);
});

test("npm receives its own settings and nothing of the server", () => {
  const selected = selectEnvironment({
    PATH: "/bin",
    https_proxy: "http://proxy",
    npm_config_registry: "http://registry",
    npm_config_local_prefix: "/app",
    DATABASE_URL: "postgres://secret",
    ENCRYPTION_KEY: "secret",
    NODE_OPTIONS: "--inspect",
  });
  assert.deepEqual(Object.keys(selected).sort(), [
    "NODE_OPTIONS",
    "PATH",
    "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD",
    "https_proxy",
    "npm_config_registry",
  ]);
  assert.doesNotMatch(selected.NODE_OPTIONS ?? "", /inspect/);
});

test("a failure of npm is a sentence with what to do", () => {
  const cases = [
    ["ENOTFOUND", "request to http://r/a failed", /cannot be reached: request to .* Check the net/],
    ["SELF_SIGNED_CERT_IN_CHAIN", "bad certificate", /cannot be reached: bad certificate\./],
    ["E503", "503 Service Unavailable", /cannot be reached/],
    ["E404", "404 Not Found - GET http://r/a", /does not provide a package of runtime r/],
    ["EINTEGRITY", "sha512-x integrity checksum failed", /npm cache verify/],
    ["ENOSPC", "no space left on device", /The disk of \/data is full/],
    ["EACCES", "permission denied", /make \/data and npm's cache writable/],
    ["EUSAGE", "`npm ci` can only install packages", /list of runtime r is damaged/],
    ["EODD", "something odd.", /^npm failed \(status 1\): something odd\.$/],
  ] as const;
  for (const [code, detail, expected] of cases) {
    const output = `npm error code ${code}\nnpm error errno -1\nnpm error ${detail}\n`;
    const failure = { name: "r", folder: "/data", output, end: "status 1" };
    assert.match(explainNpmFailure(failure), expected, code);
  }
  const killed = { name: "r", folder: "/data", output: "", end: "SIGKILL" };
  assert.match(explainNpmFailure(killed), /may lack memory/);
});
