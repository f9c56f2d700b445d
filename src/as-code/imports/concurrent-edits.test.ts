import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { startTestApp } from "../../../test/support/apps/app.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

test("an edit that is made while an import runs is not lost", async (t) => {
  const app = await startTestApp({ BUILT_IN_PROBE: "false" });
  const other = new pg.Client({ connectionString: app.databaseUrl });
  await other.connect();
  t.after(async () => {
    await other.end();
    await app.stop();
  });
  const preview = async (suffix: string) => {
    const monitorList = [1, 2].map((id) => ({
      ...{ id, name: `Router ${id}${suffix}`, type: "ping", interval: 60 },
      hostname: `192.0.2.${id}`,
    }));
    const files = [{ name: "backup.json", content: JSON.stringify({ monitorList }) }];
    const path = "/v1/imports/preview?source=uptime-kuma&name=Home";
    const made = await app.call("POST", path, { body: { files } });
    assert.equal(made.status, 201, made.text);
    return () => app.call("POST", `/v1/imports/${made.body.id}/run`, { body: {} });
  };
  const listChecks = async () => {
    const { body } = await app.call("GET", "/v1/checks?limit=100");
    return body as { id: string; name: string; tags: string[] }[];
  };
  assert.equal((await (await preview(""))()).status, 200);
  const checks = await listChecks();
  const idOf = (name: string) => checks.find((one) => one.name === name)?.id;

  const runAgain = await preview(" new");
  await other.query("begin");
  await other.query("select from checks where id = $1 for update", [idOf("Router 1")]);
  const running = runAgain();
  await waitUntil("the import waits for the check", async () => {
    const text = `select 1 from pg_stat_activity where datname = current_database()
      and wait_event_type = 'Lock'`;
    return (await app.query(text)).rowCount === 1;
  });
  const edited = await app
    .call("PUT", `/v1/checks/${idOf("Router 2")}`, { body: { tags: ["by-hand"] } })
    .finally(() => other.query("commit"));
  assert.equal(edited.status, 200, edited.text);
  const ended = await running;
  assert.equal(ended.status, 409, ended.text);
  assert.match(ended.body.message, /was changed while the import ran/);
  const show = async () => (await listChecks()).map(({ name, tags }) => [name, ...tags]).sort();
  assert.deepEqual(await show(), [["Router 1"], ["Router 2", "by-hand"]]);

  assert.equal((await runAgain()).status, 200);
  assert.deepEqual(await show(), [["Router 1 new"], ["Router 2 new", "by-hand"]]);
});
