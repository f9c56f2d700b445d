/** Tests that one broken row does not stop the alerts of others. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createAlertingFixture, failing } from "../../../test/support/modules/alerting.ts";
import { sealConfig } from "../../channels/alert-channels/config-secrets.ts";
import { channelKinds } from "../../channels/alert-channels/index.ts";
import { Encryption } from "../../platform/encryption.ts";

test("a channel whose secrets cannot be read fails alone, with the reason", async (t) => {
  const fixture = await createAlertingFixture(t);
  const [one, other] = [await fixture.addCheck(), await fixture.addCheck()];
  const unreadable = await fixture.addWebhook("/unreadable");
  const sound = await fixture.addWebhook("/sound");
  await fixture.subscribe(unreadable, { checkId: one.checkId });
  await fixture.subscribe(sound, { checkId: one.checkId });
  await fixture.subscribe(sound, { checkId: other.checkId });
  const elsewhere = new Encryption(randomBytes(32));
  const url = `${fixture.http.url}/unreadable`;
  const config = sealConfig(
    channelKinds.WEBHOOK,
    { name: "Hook", url, webhookSecret: "s" },
    elsewhere,
  );
  await fixture.query("update alert_channels set config = $2 where id = $1", unreadable, config);
  await fixture.run(one, failing);
  await fixture.run(other, failing);
  await fixture.deliver();
  assert.deepEqual(fixture.listReceived("/sound"), ["ALERT_FAILURE", "ALERT_FAILURE"]);
  const failed = (await fixture.listDeliveries()).filter(
    (row) => row.alert_channel_id === unreadable,
  );
  assert.deepEqual(
    failed.map(({ status, attempts }) => ({ status, attempts })),
    [{ status: "DEAD", attempts: 1 }],
  );
  assert.match(failed[0]?.reason ?? "", /cannot be decrypted with this server/);
});

test("a check whose decision fails is quarantined, and the others are decided", async (t) => {
  const fixture = await createAlertingFixture(t);
  const [poisoned, sound] = [await fixture.addCheck(), await fixture.addCheck()];
  const hook = await fixture.addWebhook();
  for (const { checkId } of [poisoned, sound]) await fixture.subscribe(hook, { checkId });
  await fixture.query(`create function fail() returns trigger language plpgsql as
    $$ begin raise exception 'on purpose'; end $$`);
  await fixture.query(`create trigger fail before insert on alerts for each row
    when (new.check_id = '${poisoned.checkId}') execute function fail()`);
  await fixture.run(poisoned, failing);
  await fixture.run(sound, failing);
  await fixture.deliver();
  assert.deepEqual(fixture.listReceived(), ["ALERT_FAILURE"]);
  assert.deepEqual(await fixture.query("select work, key, reason, attempts from set_aside"), [
    { work: "decide on runs", key: poisoned.checkId, reason: "on purpose", attempts: 1 },
  ]);
  await fixture.query("drop trigger fail on alerts");
  await fixture.pass(1);
  await fixture.run(sound, failing);
  await fixture.deliver();
  assert.equal(fixture.listReceived().length, 2, "the quarantined check is retried");
  assert.deepEqual(await fixture.query("select work from set_aside"), []);
});
