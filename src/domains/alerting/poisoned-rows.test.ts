/** One row that cannot be worked on stops nobody else's alerts. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createAlertingWorld, failing } from "../../../test/support/rooms/alerting.ts";
import { Encryption } from "../../platform/encryption.ts";
import { sealConfig } from "../alert-channels/config-secrets.ts";
import { channelKinds } from "../alert-channels/index.ts";

test("a channel whose secrets cannot be read fails alone, with the reason", async (t) => {
  const world = await createAlertingWorld(t);
  const [one, other] = [await world.addCheck(), await world.addCheck()];
  const unreadable = await world.addWebhook("/unreadable");
  const sound = await world.addWebhook("/sound");
  await world.subscribe(unreadable, { checkId: one.checkId });
  await world.subscribe(sound, { checkId: one.checkId });
  await world.subscribe(sound, { checkId: other.checkId });
  const elsewhere = new Encryption(randomBytes(32));
  const url = `${world.http.url}/unreadable`;
  const config = sealConfig(
    channelKinds.WEBHOOK,
    { name: "Hook", url, webhookSecret: "s" },
    elsewhere,
  );
  await world.query("update alert_channels set config = $2 where id = $1", unreadable, config);
  await world.run(one, failing);
  await world.run(other, failing);
  await world.deliver();
  assert.deepEqual(world.heardAt("/sound"), ["ALERT_FAILURE", "ALERT_FAILURE"]);
  const failed = (await world.listDeliveries()).filter(
    (row) => row.alert_channel_id === unreadable,
  );
  assert.deepEqual(
    failed.map(({ status, attempts }) => ({ status, attempts })),
    [{ status: "DEAD", attempts: 1 }],
  );
  assert.match(failed[0]?.reason ?? "", /cannot be read with the encryption key/);
});

test("a check that cannot be decided on is set aside, and the others are decided", async (t) => {
  const world = await createAlertingWorld(t);
  const [poisoned, sound] = [await world.addCheck(), await world.addCheck()];
  const hook = await world.addWebhook();
  for (const { checkId } of [poisoned, sound]) await world.subscribe(hook, { checkId });
  await world.query(`create function fail() returns trigger language plpgsql as
    $$ begin raise exception 'on purpose'; end $$`);
  await world.query(`create trigger fail before insert on alerts for each row
    when (new.check_id = '${poisoned.checkId}') execute function fail()`);
  await world.run(poisoned, failing);
  await world.run(sound, failing);
  await world.deliver();
  assert.deepEqual(world.heardAt(), ["ALERT_FAILURE"]);
  assert.deepEqual(await world.query("select work, key, reason, attempts from set_aside"), [
    { work: "decide on runs", key: poisoned.checkId, reason: "on purpose", attempts: 1 },
  ]);
  await world.query("drop trigger fail on alerts");
  await world.pass(1);
  await world.run(sound, failing);
  await world.deliver();
  assert.equal(world.heardAt().length, 2, "what was set aside is tried again");
  assert.deepEqual(await world.query("select work from set_aside"), []);
});
