import assert from "node:assert/strict";
import { test } from "node:test";
import { keyOf } from "../projects/index.ts";
import { chooseResources, dropReferences } from "./desired-resources.ts";
import { type DesiredResource, type ResourceType, reference } from "./reading.ts";

const resource = (type: ResourceType, logicalId: string, payload = {}): DesiredResource => ({
  type,
  logicalId,
  payload,
});
const group = resource("check-group", "group", { name: "G" });
const channel = resource("alert-channel", "channel", { type: "EMAIL" });
const check = (logicalId: string, fields = {}) =>
  resource("check", logicalId, { checkType: "URL", groupId: reference("group"), ...fields });
const subscription = (id: string) =>
  resource("alert-channel-subscription", `s#${id}`, {
    alertChannelId: reference("channel"),
    checkId: reference(id),
  });

const owned = (one: DesiredResource, deployed = {}) => ({
  ...{ type: one.type, logicalId: one.logicalId, physicalId: `id-${one.logicalId}` },
  ...{ deployed, baseline: { clear: deployed, shown: deployed } },
});
const nothing = { owned: [], current: new Map() };
const storedOf = (...all: readonly ReturnType<typeof owned>[]) => ({
  owned: all,
  current: new Map(all.map((one) => [keyOf(one), one.baseline])),
});
const options = { exclude: [], muted: false };

test("references to what is not imported disappear, in lists and in fields", () => {
  const value = {
    groupId: reference("gone"),
    checkIds: [reference("a"), reference("gone")],
    cards: [{ services: [reference("gone")], tags: ["x"] }],
  };
  assert.deepEqual(dropReferences(value, new Set(["a"])), {
    groupId: null,
    checkIds: [reference("a")],
    cards: [{ services: [], tags: ["x"] }],
  });
});

test("an excluded object is not written, and neither is what connects it", () => {
  const read = [group, channel, check("a"), check("b"), subscription("a"), subscription("b")];
  const chosen = chooseResources(read, { ...options, exclude: ["group", "a"] }, nothing);
  const ids = chosen.resources.map(({ logicalId }) => logicalId);
  assert.deepEqual(ids, ["channel", "b", "s#b"]);
  assert.equal(chosen.resources[1]?.payload?.groupId, null);
  assert.deepEqual([...chosen.newChecks], ["b"]);
});

test("an excluded object of an earlier import stays, and others still refer to it", () => {
  const stored = storedOf(owned(group), owned(check("a"), { checkType: "URL" }));
  const chosen = chooseResources([group, check("a")], { ...options, exclude: ["group"] }, stored);
  const [a, other] = chosen.resources;
  assert.deepEqual(a?.payload?.groupId, reference("group"));
  assert.deepEqual([other?.isMember, other?.physicalId], [false, "id-group"]);
});

test("only new checks are muted and subscribed", () => {
  const stored = storedOf(owned(channel), owned(check("a"), { checkType: "URL", muted: false }));
  const read = [channel, check("a"), check("b"), subscription("a"), subscription("b")];
  const { resources } = chooseResources(read, { ...options, muted: true }, stored);
  const muted = resources.filter(({ type }) => type === "check").map((one) => one.payload?.muted);
  assert.deepEqual(muted, [false, true]);
  const subscribed = resources.filter(({ type }) => type === "alert-channel-subscription");
  assert.deepEqual(
    subscribed.map(({ logicalId }) => logicalId),
    ["s#b"],
  );
});

test("a check of another type or a deleted one is new", () => {
  const a = owned(check("a"), { checkType: "ICMP" });
  const deleted = owned(check("b"), { checkType: "URL" });
  const stored = { owned: [a, deleted], current: new Map([[keyOf(a), a.baseline]]) };
  const chosen = chooseResources([check("a"), check("b")], options, stored);
  assert.deepEqual([...chosen.newChecks], ["a", "b"]);
  assert.deepEqual(chosen.stored.owned, []);
  assert.deepEqual(chosen.notes, ["a has another type now: a new check was created."]);
});
