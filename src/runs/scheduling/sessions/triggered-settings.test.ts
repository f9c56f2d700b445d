import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { createRunsFixture, type RunsFixture } from "../../../../test/support/modules/runs.ts";
import type { Caller } from "../../../access/accounts/index.ts";
import type { IcmpRequest } from "../../../kinds/of/icmp/request.ts";
import { triggerChecks } from "./actions.ts";

let fixture: RunsFixture;
before(async () => {
  fixture = await createRunsFixture();
});
after(() => fixture.stop());

test("a check that was just changed runs with its new settings", async () => {
  const { checkId } = await fixture.addCheck({ request: { hostname: "192.0.2.1" } });
  // The fixture announces no change, so that the cache stays outdated.
  await fixture.editCheck(checkId, { request: { hostname: "192.0.2.2" } });
  const caller: Caller = {
    type: "SESSION",
    credentialId: randomUUID(),
    userId: randomUUID(),
    label: "owner@example.com",
    accountId: fixture.accountId,
    role: "OWNER",
    address: "127.0.0.1",
    requestId: "1",
    accountIds: [fixture.accountId],
    roleIn: () => null,
  };
  await triggerChecks(fixture.context, caller, { checkId: [checkId] });
  const [order] = await fixture.takeOrders();
  assert.equal((order?.request as IcmpRequest | undefined)?.hostname, "192.0.2.2");
});
