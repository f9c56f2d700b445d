import type { AlertMessage } from "../../../src/channels/alert-channels/alert-text.ts";
import type { SendTools } from "../../../src/channels/alert-channels/channel-kind.ts";
import { createVapidKeys } from "../../../src/channels/alert-channels/push/web-push.ts";
import { createOutbound } from "../../../src/platform/outbound.ts";
import { createPushReceiver } from "../servers/push-receiver.ts";

/** Returns an alert message as the alerting module would create it. */
export function createAlertMessage(changes: Partial<AlertMessage> = {}): AlertMessage {
  return {
    idempotencyKey: "state-change-1:channel-7",
    kind: "ALERT_FAILURE",
    title: "Web is down",
    reason: "80 % of the packets to web.example were lost.",
    checkId: "3c1a9d5e-7b1f-4c52-9a37-0d6a4f2b8e11",
    checkName: "Web",
    checkType: "ICMP",
    target: "web.example",
    groupName: "Shop",
    tags: ["production", "eu"],
    resultId: "result-1",
    resultUrl: "https://vedette.example/checks/check-1?run=result-1",
    alertUrl: "https://vedette.example/alerts/alert-1",
    location: "eu-central-1",
    responseTimeMs: 12.5,
    facts: [{ name: "packetLossPercent", label: "Packet loss", value: 80, unit: "%" }],
    startedAt: "2026-03-01T11:58:00.000Z",
    isReminder: false,
    reminderSequence: 0,
    acknowledgeUrl: "https://vedette.example/acknowledge/abc",
    ...changes,
  };
}

/** Name that contains all characters and markup that are dangerous in a user-supplied name. */
export const hostileName =
  "<!channel> </td><script>alert(1)</script> @everyone *b* [x](https://evil.example) `c` " +
  "&amp; {{ALERT_TYPE}} \"q\" 'q' \\ \u202e\r\nBcc: victim@example.com\r\n\r\n\u0000 end";

export function createHostileMessage(): AlertMessage {
  return createAlertMessage({
    title: hostileName,
    reason: hostileName,
    checkName: hostileName,
    target: hostileName,
    groupName: hostileName,
    tags: [hostileName],
    location: hostileName,
  });
}

/** Returns a message whose texts reach or exceed the length limits of the API. */
export function createLongMessage(): AlertMessage {
  const long = '𝒳é<&"'.repeat(5_000);
  return createAlertMessage({
    title: long,
    reason: long,
    checkName: long,
    target: long,
    groupName: long,
    location: long,
    tags: Array.from({ length: 100 }, () => long),
  });
}

/** Web push tools that find no subscription. */
export const noDevices: SendTools["push"] = {
  find: async () => null,
  recordOutcomes: async () => {},
};

/** Web push tools with one subscribed browser, whose push service has this URL. */
export function createOneDevice(endpoint: string): SendTools["push"] {
  const { p256dh, auth } = createPushReceiver();
  const devices = [{ id: "one", endpoint, p256dh, auth }];
  const reach = { keys: createVapidKeys(), devices, contact: "https://vedette.example" };
  return { find: async () => reach, recordOutcomes: async () => {} };
}

export function createSendTools(changes: Partial<SendTools> = {}): SendTools {
  return {
    outbound: createOutbound({ allowPrivate: true }),
    mailer: null,
    smsGateway: null,
    push: noDevices,
    accountId: "3c1a9d5e-0000-4c52-9a37-0d6a4f2b8e11",
    now: new Date("2026-03-01T12:00:00.000Z"),
    ...changes,
  };
}
