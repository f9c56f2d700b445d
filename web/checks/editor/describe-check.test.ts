import assert from "node:assert/strict";
import { test } from "node:test";
import { describeSchedule, type KnownNames } from "./describe-check.ts";

type Values = Parameters<typeof describeSchedule>[0];

const known = {
  kind: { defaults: { frequency: 10 } },
  locations: new Map([
    ["eu-west-1", "Ireland"],
    ["eu-central-1", "Frankfurt"],
  ]),
  channelCount: 2,
} as unknown as KnownNames;

const describe = (more: object, names: KnownNames = known) =>
  describeSchedule({ checkType: "ICMP", activated: true, ...more } as unknown as Values, names);

test("an inactive check does nothing else", () => {
  assert.deepEqual(describe({ activated: false, muted: true }), [
    "It is inactive: it does not run.",
  ]);
});

test("the schedule names the interval and the locations", () => {
  const rows: readonly (readonly [object, string])[] = [
    [{}, "It runs every 10 minutes from this server."],
    [{ frequency: 1, locations: ["eu-west-1"] }, "It runs every minute from Ireland."],
    [
      { frequency: 0, frequencyOffset: 20, privateLocations: ["lab"] },
      "It runs every 20 seconds from lab.",
    ],
    [
      { frequency: 60, locations: ["eu-west-1", "eu-central-1"] },
      "It runs every hour, from one location at a time: Ireland and Frankfurt.",
    ],
    [
      { frequency: 60, locations: ["eu-west-1", "eu-central-1"], runParallel: true },
      "It runs every hour from Ireland and Frankfurt in parallel.",
    ],
  ];
  for (const [values, sentence] of rows) assert.equal(describe(values)[0], sentence);
});

test("a heartbeat is not scheduled, because it waits for pings", () => {
  assert.doesNotMatch(describe({ checkType: "HEARTBEAT" }).join(" "), /It runs/);
});

test("retries are counted", () => {
  const retries = (retryStrategy: object | null) => describe({ retryStrategy })[1] ?? "";
  assert.match(retries({ type: "SINGLE_RETRY" }), /retried once before it counts/);
  assert.match(retries({ type: "FIXED", maxRetries: 2 }), /up to 2 times/);
  assert.match(retries({ type: "FIXED", maxRetries: 1 }), /up to 1 time before/);
  assert.doesNotMatch(describe({ retryStrategy: null }).join(" "), /retried/);
});

test("the notification names the channels and the settings that apply", () => {
  const notified = (more: object, names: KnownNames = known) => describe(more, names).at(-1);
  assert.equal(notified({ muted: true }), "It is muted: no alerts are sent.");
  assert.equal(
    notified({ useGlobalAlertSettings: true }),
    "2 channels are notified according to the account's alert settings.",
  );
  const one = [{ alertChannelId: 1, activated: true }];
  const none = [{ alertChannelId: 1, activated: false }];
  assert.equal(
    notified({ alertChannelSubscriptions: one }),
    "1 channel is notified according to its own alert settings.",
  );
  const nobody = "Nobody is notified, because it has no channel.";
  assert.equal(notified({ alertChannelSubscriptions: none }), nobody);
  assert.equal(notified({}, { ...known, channelCount: 0 }), nobody);
});

test("an inverted result and an incident are named", () => {
  const sentences = describe({ shouldFail: true, triggerIncident: { notifySubscribers: true } });
  assert.match(sentences.join(" "), /a failure counts as success/);
  assert.match(sentences.at(-1) ?? "", /opens an incident .* and subscribers are notified/);
  const quiet = describe({ triggerIncident: { notifySubscribers: false } }).at(-1) ?? "";
  assert.doesNotMatch(quiet, /subscribers/);
});
