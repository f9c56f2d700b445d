import assert from "node:assert/strict";
import { test } from "node:test";
import { fromShown, labels, toShown } from "./group-conflict.ts";
import { newGroup } from "./group-values.ts";

const names = {
  channels: new Map([
    [1, "E-mail: ops@example.com"],
    [2, "E-mail: ops@example.com"],
    [3, "Slack: alerts"],
  ]),
  locations: new Map([["eu-central-1", "Frankfurt"]]),
};
const values = {
  ...newGroup,
  name: "Network",
  locations: ["eu-central-1", "us-east-1"],
  privateLocations: ["lab"],
  alerting: "own",
  escalation: "TIME_BASED",
  runParallel: "off",
  channelIds: [2, 3, 9],
} as const;

test("a conflict shows channels, locations and choices as text", () => {
  const shown = toShown(values, names);
  assert.deepEqual(shown.locations, ["Frankfurt", "us-east-1"]);
  assert.deepEqual(shown.channelIds, ["E-mail: ops@example.com (2)", "Slack: alerts", "Channel 9"]);
  assert.equal(JSON.stringify(shown).includes("_BASED"), false);
});

test("the chosen texts are converted back to values", () => {
  assert.deepEqual(fromShown(toShown(values, names), [newGroup, values], names), values);
});

test("every form value has a label", () => {
  assert.deepEqual([...labels.keys()].sort(), Object.keys(newGroup).sort());
});
