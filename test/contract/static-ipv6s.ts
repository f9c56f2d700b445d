import assert from "node:assert/strict";
import { test } from "node:test";
import { assertError, type ContractSetting, describeRefusals } from "./setting.ts";

export function describeStaticIpv6s(setting: () => ContractSetting): void {
  const operation = { method: "GET", path: "/v1/static-ipv6s" };
  test("200: one array of IPv6 addresses, each once, in order", async () => {
    const { status, body } = await setting().get(operation.path);
    assert.equal(status, 200);
    assert.deepEqual(body, ["2001:db8::1"]);
  });
  test("405: another method", async () => {
    assertError(await setting().app.call("DELETE", operation.path), 405);
  });
  describeRefusals(setting, () => operation, [200]);
}
