import assert from "node:assert/strict";
import { test } from "node:test";
import { assertError, type ContractWorld, describeRefusals } from "./world.ts";

export function describeStaticIpv6s(world: () => ContractWorld): void {
  const operation = { method: "GET", path: "/v1/static-ipv6s" };
  test("200: one array of IPv6 addresses, each once, in order", async () => {
    const { status, body } = await world().get(operation.path);
    assert.equal(status, 200);
    assert.deepEqual(body, ["2001:db8::1"]);
  });
  test("405: another method", async () => {
    assertError(await world().app.call("DELETE", operation.path), 405);
  });
  describeRefusals(world, () => operation, [200]);
}
