import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { RuntimeInstaller } from "../../sandbox/runtimes/installer.ts";
import { runtimeStages } from "../../sandbox/runtimes/runtime.ts";
import { toWireMachine } from "./schema.ts";

let app: TestApp;
before(async () => {
  app = await shareTestApp();
});
after(() => app.stop());

const names = ["2025.04", "2024.09", "2024.02", "2023.09", "2023.02", "2022.10"];

test("the six runtimes are listed, newest first", async () => {
  const { status, body } = await app.call("GET", "/v1/runtimes");
  assert.equal(status, 200);
  assert.deepEqual(
    body.map((runtime: { name: string }) => runtime.name),
    names,
  );
});

test("each runtime is read by its name, exactly as the list shows it", async () => {
  const list = await app.call("GET", "/v1/runtimes");
  for (const [index, name] of names.entries()) {
    const { status, body } = await app.call("GET", `/v1/runtimes/${name}`);
    assert.equal(status, 200);
    const { machine, ...listed } = body;
    assert.deepEqual(listed, list.body[index]);
    assert.deepEqual([machine.isolation, machine.isolationMessage], ["A1", null]);
    assert.equal(machine.browser.version, "150.0.7871.100");
    assert.ok(runtimeStages.includes(body.stage));
    assert.match(body.nodeJsVersion, /^v\d+\.\d+\.\d+$/);
    assert.equal(typeof body.multiStepSupport, "boolean");
    assert.ok(body.description.length > 20);
    assert.ok(Object.keys(body.dependencies).length >= 20);
    assert.ok(Object.values(body.dependencies).every((version) => typeof version === "string"));
    assert.equal("runtimeEndOfLife" in body, false);
  }
});

test("requests in quick succession read the state of a runtime from its files only once", async (t) => {
  const describe = t.mock.method(RuntimeInstaller.prototype, "describe");
  for (let request = 0; request < 40; request += 1) {
    await app.call("GET", "/v1/runtimes/2025.04");
  }
  assert.ok(describe.mock.callCount() < 20, `${describe.mock.callCount()} times`);
});

test("one runtime is current", async () => {
  const { body } = await app.call("GET", "/v1/runtimes");
  const current = body.filter((runtime: { stage: string }) => runtime.stage === "CURRENT");
  assert.deepEqual(
    current.map((runtime: { name: string }) => runtime.name),
    ["2025.04"],
  );
});

test("a server without isolation or browser reports why and what to do", () => {
  const reasons = { isolationMessage: "Scripts cannot run.", isolationAdvice: "Use Linux." };
  const found = { isolation: null, browser: null, browserMessage: "No browser." };
  assert.deepEqual(toWireMachine({ ...reasons, ...found }), {
    ...found,
    isolationMessage: "Scripts cannot run. Use Linux.",
  });
});

test("an unknown runtime is not found, whatever its spelling", async () => {
  for (const id of ["2026.04", "2025.4", "latest", "__proto__", "constructor", "%2e%2e", "a%20b"]) {
    const { status, body } = await app.call("GET", `/v1/runtimes/${id}`);
    assert.equal(status, 404, id);
    assert.deepEqual(body, { statusCode: 404, error: "Not Found", message: "Not Found" });
  }
});

test("each runtime shows whether it is installed on this server, and what it leaves out", async () => {
  const { body: current } = await app.call("GET", "/v1/runtimes/2025.04");
  assert.deepEqual(current.installation, {
    ...{ state: "missing", canInstall: true, progress: null },
    message:
      "Runtime 2025.04 is not installed: run `npm run vedette runtime install 2025.04` on this machine.",
    ...{ nodeJsVersion: "v22.23.3", packageCount: null, sizeBytes: null, installedAt: null },
    leftOut: {
      "@checkly/playwright-helpers": "1.0.3",
      "nice-grpc-client-middleware-devtools": "1.0.7",
      "nice-grpc-prometheus": "0.2.7",
      "nice-grpc-server-health": "2.0.14",
      "nice-grpc-server-middleware-terminator": "2.0.14",
    },
  });
  const { body: old } = await app.call("GET", "/v1/runtimes/2022.10");
  const { state, canInstall, message, nodeJsVersion, leftOut } = old.installation;
  assert.deepEqual([state, canInstall, nodeJsVersion, leftOut], ["missing", false, null, {}]);
  assert.equal(message, "Runtime 2022.10 cannot be installed: use 2025.04 or 2024.09.");
});

test("an administrator starts an installation, whose failure is shown with what to do", async () => {
  const started = await app.call("POST", "/v1/runtimes/2024.09/install");
  assert.equal(started.status, 202);
  assert.equal(started.body.installation.state, "installing");
  await waitUntil("it has failed", async () => {
    const { body } = await app.call("GET", "/v1/runtimes/2024.09");
    return body.installation.state === "failed";
  });
  const { body } = await app.call("GET", "/v1/runtimes/2024.09");
  assert.match(
    body.installation.message,
    /2024\.09 is not installed\. Runtimes are installed with npm, and this machine has none/,
  );
  assert.equal(body.installation.canInstall, true);
  const { body: log } = await app.call("GET", "/v1/audit-log?action=runtime.install-requested");
  assert.deepEqual([log.entries[0].target.id, log.entries.length], ["2024.09", 1]);
});

test("a runtime that cannot be installed is a conflict, an unknown one is not found", async () => {
  const old = await app.call("POST", "/v1/runtimes/2022.10/install");
  assert.equal(old.status, 409);
  assert.match(old.body.message, /Runtime 2022\.10 cannot be installed/);
  assert.equal((await app.call("POST", "/v1/runtimes/none/install")).status, 404);
});
