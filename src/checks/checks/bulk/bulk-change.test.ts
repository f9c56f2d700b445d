import assert from "node:assert/strict";
import { test } from "node:test";
import type { CheckGroup } from "../check-group.ts";
import { type BulkChange, type BulkCheck, bulkActions, decideBulkChange } from "./bulk-change.ts";

const check: BulkCheck = {
  id: "c-1",
  name: "api",
  tags: ["db", "prod"],
  groupId: null,
  activated: true,
  muted: false,
  hasPlaces: true,
  isOrdered: true,
  frequency: 5,
  frequencyOffset: null,
  locations: ["eu-central-1", "us-east-1"],
  privateLocations: [],
  alertChannelIds: [1, 2],
};
const heartbeat: BulkCheck = { ...check, isOrdered: false };

const request: BulkChange = {
  action: "mute",
  tags: [],
  group: null,
  alertChannelIds: [],
  schedule: { frequency: 5, frequencyOffset: null },
  places: { locations: [], privateLocations: [] },
};

const decide = (change: Partial<BulkChange>, of: Partial<BulkCheck> = {}) =>
  decideBulkChange({ ...check, ...of }, { ...request, ...change });

const group = (locations: readonly string[], privateLocations: readonly string[] = []) =>
  ({ id: 7, settings: { locations, privateLocations } }) as unknown as CheckGroup;

test("a switch that is set already changes nothing", () => {
  const edits = [
    ["mute", { muted: true }],
    ["unmute", { muted: false }],
    ["activate", { activated: true }],
    ["deactivate", { activated: false }],
  ] as const;
  for (const [action, edit] of edits) {
    assert.deepEqual(decide({ action }, edit), { outcome: "unchanged" }, action);
    const [[name, value] = ["", true]] = Object.entries(edit);
    assert.deepEqual(decide({ action }, { [name]: !value }), { outcome: "changed", edit }, action);
  }
});

test("tags are added once, after those that the check has", () => {
  const added = decide({ action: "addTags", tags: ["prod", "eu", "eu"] });
  assert.deepEqual(added, { outcome: "changed", edit: { tags: ["db", "prod", "eu"] } });
  assert.equal(decide({ action: "addTags", tags: ["db"] }).outcome, "unchanged");
});

test("tags that the check does not have are not removed", () => {
  const removed = decide({ action: "removeTags", tags: ["db", "other"] });
  assert.deepEqual(removed, { outcome: "changed", edit: { tags: ["prod"] } });
  assert.equal(decide({ action: "removeTags", tags: ["other"] }).outcome, "unchanged");
});

test("the number of tags is limited, also if only one more is added", () => {
  const tags = Array.from({ length: 100 }, (_, index) => `t${index}`);
  assert.equal(decide({ action: "addTags", tags: ["t99"] }, { tags }).outcome, "unchanged");
  assert.equal(decide({ action: "addTags", tags: ["t100"] }, { tags }).outcome, "refused");
  assert.equal(decide({ action: "addTags", tags }, { tags: [] }).outcome, "changed");
});

test("a check is moved into a group and out of it", () => {
  const into = decide({ action: "move", group: group([]) });
  assert.deepEqual(into, { outcome: "changed", edit: { groupId: 7 } });
  const out = decide({ action: "move", group: null }, { groupId: 7 });
  assert.deepEqual(out, { outcome: "changed", edit: { groupId: null } });
  assert.equal(decide({ action: "move", group: group([]) }, { groupId: 7 }).outcome, "unchanged");
});

test("a check without a location needs a group that has one", () => {
  const move = (target: CheckGroup | null) =>
    decide({ action: "move", group: target }, { hasPlaces: false, groupId: 3 }).outcome;
  assert.equal(move(group(["eu-central-1"])), "changed");
  assert.equal(move(group([], ["cellar"])), "changed");
  assert.equal(move(group([])), "refused");
  assert.equal(move(null), "refused");
});

test("adding channels changes nothing only if the check has every one of them", () => {
  const add = (...alertChannelIds: number[]) =>
    decide({ action: "addChannels", alertChannelIds }).outcome;
  assert.deepEqual([add(1, 2), add(2, 3), add(3)], ["unchanged", "connected", "connected"]);
});

test("removing channels changes nothing only if the check has none of them", () => {
  const remove = (...alertChannelIds: number[]) =>
    decide({ action: "removeChannels", alertChannelIds }).outcome;
  assert.deepEqual(
    [remove(1, 9), remove(1, 2), remove(9)],
    ["disconnected", "disconnected", "unchanged"],
  );
});

test("an offset that was not requested is kept while it is valid", () => {
  const schedule = (frequency: number, frequencyOffset: number | null = null) => ({
    action: "setFrequency" as const,
    schedule: { frequency, frequencyOffset },
  });
  const at = (change: Partial<BulkChange>, of: Partial<BulkCheck>) => {
    const decision = decide(change, of);
    return decision.outcome === "changed" ? decision.edit.frequencyOffset : decision.outcome;
  };
  assert.equal(at(schedule(10), { frequencyOffset: 3 }), 3);
  assert.equal(at(schedule(1), { frequency: 0, frequencyOffset: 20 }), null, "seconds of a minute");
  assert.equal(at(schedule(10, 4), { frequencyOffset: 3 }), 4);
  assert.equal(at(schedule(5), { frequencyOffset: 3 }), "unchanged");
  assert.equal(at(schedule(5), {}), "unchanged");
});

test("the order of locations does not matter", () => {
  const places = (locations: readonly string[], privateLocations: readonly string[] = []) =>
    decide({ action: "setLocations", places: { locations, privateLocations } }).outcome;
  assert.equal(places(["us-east-1", "eu-central-1"]), "unchanged");
  assert.equal(places(["us-east-1"]), "changed");
  assert.equal(places(["us-east-1", "eu-west-1"]), "changed");
  assert.equal(places(["us-east-1", "eu-central-1"], ["cellar"]), "changed");
});

test("a check whose runs are not scheduled has neither a frequency nor a location", () => {
  for (const action of bulkActions) {
    const decision = decideBulkChange(heartbeat, { ...request, action });
    const isScheduled = action === "setFrequency" || action === "setLocations";
    assert.equal(decision.outcome === "refused", isScheduled, action);
  }
});
