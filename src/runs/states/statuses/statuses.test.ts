import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../../test/support/apps/app.ts";
import { shareTestApp } from "../../../../test/support/apps/shared-app.ts";

let app: TestApp;
let ids: string[];
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  ids = [];
  for (let number = 0; number < 3; number += 1) {
    const body = { name: `Check ${number}`, request: { hostname: "192.0.2.1" }, frequency: 1440 };
    const made = await app.call("POST", "/v1/checks/icmp", { body });
    ids.push(made.body.id);
    await app.query(
      `insert into check_states (check_id, status, since, last_due_at, last_result_id,
          last_location, consecutive_failures, locations, created_at, updated_at)
        values ($1, 'passing', now(), now(), $2, 'home', 0, '{}', now(), now())`,
      [made.body.id, randomUUID()],
    );
  }
});
after(() => app.stop());

test("statuses are listed completely or in pages with the total", async () => {
  const list = async (query: string) => {
    const { status, body, headers } = await app.call("GET", `/v1/check-statuses${query}`);
    assert.equal(status, 200);
    const names = body.map(({ checkId }: { checkId: string }) => ids.indexOf(checkId));
    return [names, headers.get("content-range")];
  };
  assert.deepEqual(await list(""), [[0, 1, 2], "items 0-2/3"]);
  assert.deepEqual(await list("?page=7"), [[0, 1, 2], "items 0-2/3"]);
  assert.deepEqual(await list("?limit=2"), [[0, 1], "items 0-1/3"]);
  assert.deepEqual(await list("?limit=2&page=2"), [[2], "items 2-2/3"]);
  assert.deepEqual(await list("?limit=2&page=3"), [[], "items */3"]);
});

test("a page has 1 to 100 statuses", async () => {
  for (const query of ["?limit=0", "?limit=101", "?limit=x", "?limit=2&page=-1"]) {
    assert.equal((await app.call("GET", `/v1/check-statuses${query}`)).status, 400, query);
  }
});

test("a check that has not run yet is unknown, with an explanation", async () => {
  const request = { hostname: "192.0.2.1" };
  const made = await app.call("POST", "/v1/checks/icmp", {
    body: { name: "New", request, activated: false },
  });
  const { status, body } = await app.call("GET", `/v1/check-statuses/${made.body.id}`);
  assert.equal(status, 200);
  assert.deepEqual(
    [body.status, body.lastCheckRunId, body.lastRunLocation, body.decision.runs],
    ["unknown", null, null, []],
  );
  assert.equal(body.explanation, "The check has not run yet.");
  assert.equal((await app.call("GET", `/v1/check-statuses/${randomUUID()}`)).status, 404);
});
