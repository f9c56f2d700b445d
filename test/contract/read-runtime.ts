import assert from "node:assert/strict";
import { test } from "node:test";
import { assertError, type ContractSetting, describeRefusals } from "./setting.ts";

const names = ["2025.04", "2024.09", "2024.02", "2023.09", "2023.02", "2022.10"];
const stages = ["ALPHA", "BETA", "CURRENT", "DEPRECATED", "REMOVED", "STABLE"];

export function describeReadRuntime(setting: () => ContractSetting): void {
  const path = (name: string) => `/v1/runtimes/${name}`;
  for (const name of names) {
    test(`200: ${name}, with its fields in their types`, async () => {
      const { status, body } = await setting().get(path(name));
      assert.equal(status, 200);
      assert.equal(body.name, name);
      assert.equal(typeof body.multiStepSupport, "boolean");
      assert.match(body.nodeJsVersion, /^v\d+\.\d+\.\d+$/);
      assert.ok(stages.includes(body.stage));
      assert.equal(typeof body.description, "string");
      assert.ok(Object.keys(body.dependencies).length > 0);
      for (const version of Object.values(body.dependencies)) {
        assert.equal(typeof version, "string");
      }
      if ("runtimeEndOfLife" in body) {
        assert.match(body.runtimeEndOfLife, /^\d{1,2}\/\d{1,2}\/\d{4}$/);
      }
    });
  }
  test("404: a runtime that is not known", async () => {
    for (const name of ["1999.01", "2025.04.1", "constructor", "__proto__"]) {
      assertError(await setting().get(path(name)), 404, "Not Found");
    }
  });
  describeRefusals(setting, () => ({ method: "GET", path: path("2025.04") }), [200]);
}
