import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { runtimeStages } from "./runtime.ts";

let app: TestApp;
before(async () => {
  app = await startTestApp();
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
    assert.deepEqual(body, list.body[index]);
    assert.ok(runtimeStages.includes(body.stage));
    assert.match(body.nodeJsVersion, /^v\d+\.\d+\.\d+$/);
    assert.equal(typeof body.multiStepSupport, "boolean");
    assert.ok(body.description.length > 20);
    assert.ok(Object.keys(body.dependencies).length >= 20);
    assert.ok(Object.values(body.dependencies).every((version) => typeof version === "string"));
    assert.equal("runtimeEndOfLife" in body, false);
  }
});

test("one runtime is current", async () => {
  const { body } = await app.call("GET", "/v1/runtimes");
  const current = body.filter((runtime: { stage: string }) => runtime.stage === "CURRENT");
  assert.deepEqual(
    current.map((runtime: { name: string }) => runtime.name),
    ["2025.04"],
  );
});

test("an unknown runtime is not found, whatever its spelling", async () => {
  for (const id of ["2026.04", "2025.4", "latest", "__proto__", "constructor", "%2e%2e", "a%20b"]) {
    const { status, body } = await app.call("GET", `/v1/runtimes/${id}`);
    assert.equal(status, 404, id);
    assert.deepEqual(body, { statusCode: 404, error: "Not Found", message: "Not Found" });
  }
});
