import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey } from "../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";

test("an account exports 20 times a minute, whoever asks, because each export reads all of it", async (t) => {
  const app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  t.after(() => app.stop());
  const { key } = await createKey(app, "READ_ONLY");
  const statuses: number[] = [];
  for (let count = 0; count < 21; count += 1) {
    const options = count % 2 === 0 ? { key } : {};
    statuses.push((await app.call("GET", "/v1/projects/export", options)).status);
  }
  assert.deepEqual(statuses, [...Array.from({ length: 20 }, () => 200), 429]);
  const last = await app.call("GET", "/v1/projects/export");
  assert.ok(Number(last.headers.get("retry-after")) > 0);
});
