import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createAlertingFixture } from "../../test/support/modules/alerting.ts";
import { sealConfig } from "../channels/alert-channels/config-secrets.ts";
import { channelKinds } from "../channels/alert-channels/index.ts";
import { Encryption } from "../platform/encryption.ts";
import { ExplainedError } from "../platform/errors.ts";
import { checkSealingKey } from "../platform/sealing-key.ts";
import { listSealedValues } from "./foundation.ts";

test("an upgrade is rejected if the key decrypts no secret of the database", async (t) => {
  const { context, query, addWebhook, addCheck } = await createAlertingFixture(t);
  assert.deepEqual(await listSealedValues(context.db), []);
  const id = await addWebhook("/sealed");
  const config = { name: "Hook", url: "https://example.com", webhookSecret: "hush" };
  const sealed = sealConfig(channelKinds.WEBHOOK, config, context.encryption);
  await query("update alert_channels set config = $2 where id = $1", id, sealed);
  const wrong = new Encryption(randomBytes(32));
  await assert.rejects(checkSealingKey(context.db, wrong, listSealedValues), ExplainedError);
  assert.deepEqual(await query("select sealed from sealing_key_check"), []);
  const { checkId } = await addCheck();
  const value = wrong.encrypt("open sesame");
  const variables = JSON.stringify([{ key: "SECRET", value, isSealed: true }]);
  await query("update checks set variables = $2 where id = $1", checkId, variables);
  assert.ok((await listSealedValues(context.db)).includes(value));
  await checkSealingKey(context.db, wrong, listSealedValues);
});
