import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../../test/support/apps/app.ts";
import { addStranger } from "../../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../../test/support/apps/shared-app.ts";

let app: TestApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

async function addCheck(verdicts: Readonly<Record<string, string>>): Promise<void> {
  const body = { name: "Watched", request: { hostname: "192.0.2.1" }, frequency: 1440 };
  const { body: made } = await app.call("POST", "/v1/checks/icmp", { body });
  const atMs = app.clock.now().getTime();
  const locations = Object.fromEntries(
    Object.entries(verdicts).map(([place, verdict]) => [
      place,
      { verdict, resultId: randomUUID(), atMs },
    ]),
  );
  await app.query(
    `insert into check_states (check_id, status, since, last_due_at, last_result_id,
        last_location, consecutive_failures, locations, created_at, updated_at)
      values ($1, 'passing', now(), now(), $2, 'home', 0, $3, now(), now())`,
    [made.id, randomUUID(), JSON.stringify(locations)],
  );
}

test("locations are compared by the newest run of each check, and runs without a verdict have no vote", async () => {
  await addCheck({ paris: "passing", tokyo: "passing", home: "failing" });
  await addCheck({ paris: "passing", home: "passing", tokyo: "unknown" });
  await addCheck({ paris: "failing", tokyo: "failing" });
  await addCheck({ home: "failing" });
  const { status, body } = await app.call("GET", "/v1/location-records");
  assert.equal(status, 200);
  const lastResultAt = app.clock.now().toISOString();
  assert.deepEqual(body, [
    {
      region: "home",
      checkCount: 3,
      sharedCount: 2,
      agreeingCount: 1,
      failingOnlyThereCount: 1,
      lastResultAt,
    },
    {
      region: "paris",
      checkCount: 3,
      sharedCount: 3,
      agreeingCount: 3,
      failingOnlyThereCount: 0,
      lastResultAt,
    },
    {
      region: "tokyo",
      checkCount: 2,
      sharedCount: 2,
      agreeingCount: 2,
      failingOnlyThereCount: 0,
      lastResultAt,
    },
  ]);
  const { key } = await addStranger(app);
  assert.deepEqual((await app.call("GET", "/v1/location-records", { key })).body, []);
});
