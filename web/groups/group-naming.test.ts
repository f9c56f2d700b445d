import assert from "node:assert/strict";
import { test } from "node:test";
import { formatValue, labels } from "./group-naming.ts";
import { newGroup } from "./group-values.ts";

const names = {
  channels: new Map([
    [1, "E-mail: ops@example.com"],
    [2, "E-mail: ops@example.com"],
    [3, "Slack: alerts"],
  ]),
  locations: new Map([["eu-central-1", "Frankfurt"]]),
};

test("a conflict shows channels, locations and choices as text", () => {
  const format = (path: string, value: unknown) => formatValue(path, value, names);
  assert.equal(format("locations", ["eu-central-1", "us-east-1"]), "Frankfurt, us-east-1");
  assert.equal(
    format("channelIds", [2, 3, 9]),
    "E-mail: ops@example.com (2), Slack: alerts, Channel 9",
  );
  for (const path of ["alerting", "escalation", "runParallel"] as const) {
    assert.notEqual(format(path, newGroup[path]), undefined, path);
  }
  assert.equal(format("name", "Network"), undefined);
  assert.equal(format("locations", []), undefined);
});

test("every form value has a label", () => {
  assert.deepEqual([...labels.keys()].sort(), Object.keys(newGroup).sort());
});
