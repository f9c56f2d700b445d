import assert from "node:assert/strict";
import { test } from "node:test";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";

test("the description of a check is stored, shown, and removed by null or an empty text", async () => {
  const app = await shareTestApp();
  const description = "Pings the router.\nCall the provider if it fails.";
  const intent = { goal: "The office is online", constraints: [] };
  const body = { name: "Router", request: { hostname: "192.0.2.1" }, description, intent };
  const made = await app.call("POST", "/v1/checks/icmp", { body });
  assert.equal(made.body.description, description, made.text);
  const path = `/v1/checks/icmp/${made.body.id}`;
  const change = async (fields: object) => (await app.call("PUT", path, { body: fields })).body;
  const unused = { heartbeat: {}, script: "" };
  assert.equal((await change({ ...unused, name: "Other" })).description, description);
  for (const empty of [null, ""]) {
    assert.equal("description" in (await change({ ...unused, description: empty })), false);
    assert.equal((await change({ ...unused, description: "Back" })).description, "Back");
  }
  const audited = await app.query(
    "select changes from audit_entries where target_id = $1 order by id desc limit 2",
    [made.body.id],
  );
  const fields = audited.rows.map(({ changes }) => changes.fields);
  assert.deepEqual(fields, [["description"], ["description"]]);
  const { body: exported } = await app.call("GET", "/v1/projects/export");
  const shown = exported.resources.find(({ payload }: { payload: { name?: string } }) => {
    return payload.name === "Other";
  });
  assert.deepEqual([shown.payload.description, shown.payload.intent], ["Back", intent]);
});
