/** Everything that channels send to on-call products, held against their published formats. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { TSchema } from "typebox";
import {
  createAlertMessage,
  createHostileMessage,
  createLongMessage,
  createSendTools,
} from "../../../../test/support/modules/alert-message.ts";
import { createChannelConfigs } from "../../../../test/support/modules/channel-configs.ts";
import {
  AlertmanagerAlerts,
  assertMatches,
  assertTwiml,
  GenieAlert,
  GenieClosing,
  IncidentIoEvent,
  PagerDutyEvent,
  SignalMessage,
  TwilioCall,
  TwilioMessage,
} from "../../../../test/support/modules/provider-schemas.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";
import { type AlertMessage, alertKinds } from "../alert-text.ts";
import { createTestMessage } from "../channel-test.ts";
import { composeDigest } from "../digest.ts";
import { type ChannelType, channelKinds } from "./index.ts";

const tools = createSendTools({ channelId: 7 });

/** Messages of every kind: fire, reminder, recovery, certificate, test, digest, and odd ones. */
function listMessages(): AlertMessage[] {
  const expiresAt = "2026-03-20T00:00:00.000Z";
  const certificate = { host: "web.example", issuer: "CA", expiresAt, daysLeft: 19 };
  const nowhere = { alertUrl: null, resultUrl: null, acknowledgeUrl: null };
  const bare = { ...nowhere, groupName: null, tags: [], location: null, responseTimeMs: null };
  return [
    ...alertKinds.map((kind) => createAlertMessage({ kind })),
    createAlertMessage({ isReminder: true, reminderSequence: 12 }),
    createAlertMessage({ kind: "ALERT_RECOVERY", lastedSeconds: 4_000, acknowledgeUrl: null }),
    createAlertMessage({ kind: "ALERT_SSL", certificate }),
    createAlertMessage({ ...bare, target: "", facts: [] }),
    createTestMessage(tools.now),
    createHostileMessage(),
    createLongMessage(),
  ];
}

const listDigests = () => [composeDigest(listMessages(), "digest-1")];

interface Sent {
  readonly path: string;
  readonly body: string;
}

type Assert = (sent: Sent) => void;

const assertJson =
  (schema: TSchema): Assert =>
  ({ body }) =>
    assertMatches(schema, JSON.parse(body));

/** An alert must not end before it starts. */
const assertAlerts: Assert = ({ body }) => {
  const alerts: { startsAt: string; endsAt: string }[] = JSON.parse(body);
  assertMatches(AlertmanagerAlerts, alerts);
  for (const { startsAt, endsAt } of alerts) assert.ok(startsAt <= endsAt, body);
};

const assertGenie: Assert = ({ path, body }) => {
  const isClosing = path.includes("/close?identifierType=alias");
  const sent = JSON.parse(body);
  assertMatches(isClosing ? GenieClosing : GenieAlert, sent);
  const details = Object.entries<string>(sent.details ?? {}).flat();
  assert.ok(details.join("").length <= 8_000, "details");
};

const assertCall: Assert = ({ body }) => {
  const fields = Object.fromEntries(new URLSearchParams(body));
  assertMatches(TwilioCall, fields);
  assertTwiml(fields.Twiml ?? "");
};

const assertText: Assert = ({ body }) =>
  assertMatches(TwilioMessage, Object.fromEntries(new URLSearchParams(body)));

const formats: readonly (readonly [ChannelType, object, Assert])[] = [
  ["PAGERDUTY", {}, assertJson(PagerDutyEvent)],
  ["OPSGENIE", {}, assertGenie],
  ["JIRASERVICEMANAGEMENT", {}, assertGenie],
  ["INCIDENTIO", {}, assertJson(IncidentIoEvent)],
  ["ALERTMANAGER", {}, assertAlerts],
  ["SIGNAL", {}, assertJson(SignalMessage)],
  ["TWILIO", {}, assertCall],
  ["TWILIO", { method: "SMS", from: "Ops & Co" }, assertText],
];

async function sendAll(
  t: TestContext,
  [type, changes]: readonly [ChannelType, object, Assert],
): Promise<readonly Sent[]> {
  const receiver = await startHttpReceiver(t, () => ({ status: 202 }));
  const kind = channelKinds[type];
  const config = { ...createChannelConfigs(receiver.url)[type], ...changes };
  const acceptsDigests = kind.acceptsDigests?.(config) ?? true;
  const messages = [...listMessages(), ...(acceptsDigests ? listDigests() : [])];
  for (const message of messages) {
    const outcome = await kind.send(message, config, tools);
    assert.deepEqual(outcome, { kind: "sent", statusCode: 202 }, `${type} ${message.kind}`);
  }
  assert.equal(receiver.requests.length, messages.length);
  return receiver.requests;
}

for (const format of formats) {
  const [type, changes, assertFormat] = format;
  test(`${type} ${JSON.stringify(changes)} sends what the provider has published`, async (t) => {
    for (const sent of await sendAll(t, format)) assertFormat(sent);
  });
}

test("what Twilio reads after a key was pressed is TwiML", () => {
  for (const text of ["Acknowledged. Goodbye.", 'R&D <"shop">']) {
    assertTwiml(channelKinds.TWILIO.calls?.writeReply(text) ?? "");
  }
});
