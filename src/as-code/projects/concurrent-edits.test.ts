import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { startTestApp } from "../../../test/support/apps/app.ts";
import { createProjectCalls, findEntry, one } from "../../../test/support/modules/projects.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

let app: TestApp;
let other: pg.Client;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  other = new pg.Client({ connectionString: app.databaseUrl });
  await other.connect();
});
after(async () => {
  await other.end();
  await app.stop();
});

const { preview, deploy } = createProjectCalls(() => app);

const mail = (address: string) =>
  one("alert-channel", "mail", { type: "EMAIL", config: { address } });
const ping = (name: string) =>
  one("check", "ping", { checkType: "ICMP", name, request: { hostname: "192.0.2.1" } });

/** Runs an edit while a deployment has planned and waits for the row of a channel. */
async function editDuring(
  channelId: string,
  edit: () => Promise<unknown>,
  start: () => ReturnType<typeof deploy>,
): ReturnType<typeof deploy> {
  await other.query("begin");
  await other.query("select from alert_channels where id = $1 for update", [Number(channelId)]);
  const deploying = start();
  await waitUntil("the deployment waits for the channel", async () => {
    const text = `select 1 from pg_stat_activity where datname = current_database()
      and wait_event_type = 'Lock'`;
    return (await app.query(text)).rowCount === 1;
  });
  await edit();
  await other.query("commit");
  return deploying;
}

for (const hasToken of [true, false]) {
  const what = hasToken ? "with a plan token" : "without a plan token";
  test(`an edit between the plan and the write of a deployment ${what} is not lost`, async () => {
    const name = hasToken ? "with" : "without";
    const { result } = await deploy(name, [mail("a@example.test"), ping("A")]);
    const [channelId, checkId] = ["mail", "ping"].map(
      (id) => findEntry(result.diff, id).physicalId,
    ) as [string, string];
    const desired = [mail("b@example.test"), ping("B")];
    const { planToken } = await preview(name, desired);
    const edit = async () => {
      const body = { name: "By hand", muted: true };
      assert.equal((await app.call("PUT", `/v1/checks/${checkId}`, { body })).status, 200);
    };
    const query = hasToken ? `&planToken=${planToken}` : "";
    const ended = await editDuring(channelId, edit, () => deploy(name, desired, query));
    assert.deepEqual([ended.status, ended.error?.code], ["FAILED", "PLAN_STALE"]);
    assert.match(ended.error.message, /^check "ping" was changed outside of the project/);
    const { body: check } = await app.call("GET", `/v1/checks/${checkId}`);
    assert.deepEqual([check.name, check.muted], ["By hand", true]);

    // The next plan shows the edit, and the next deployment may overwrite it.
    const drift = findEntry((await preview(name, desired)).diff, "ping").changes;
    assert.deepEqual(
      drift.map(({ path, origin }) => [path, origin]),
      [
        ["/muted", "remote"],
        ["/name", "both"],
      ],
    );
    assert.equal((await deploy(name, desired)).status, "SUCCEEDED");
    assert.equal((await app.call("GET", `/v1/checks/${checkId}`)).body.name, "B");
  });
}

test("a bulk change of a check during a deployment is not lost", async () => {
  const { result } = await deploy("bulk", [mail("a@example.test"), ping("A")]);
  const [channelId, checkId] = ["mail", "ping"].map(
    (id) => findEntry(result.diff, id).physicalId,
  ) as [string, string];
  const edit = async () => {
    const body = { action: "addTags", ids: [checkId], tags: ["by-hand"] };
    const answer = await app.call("POST", "/v1/checks/bulk", { body });
    assert.equal(answer.status, 200, answer.text);
  };
  const desired = [mail("b@example.test"), ping("B")];
  const ended = await editDuring(channelId, edit, () => deploy("bulk", desired));
  assert.equal(ended.error?.code, "PLAN_STALE", JSON.stringify(ended));
  const { body: check } = await app.call("GET", `/v1/checks/${checkId}`);
  assert.deepEqual(check.tags, ["by-hand"]);
});
