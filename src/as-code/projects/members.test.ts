import assert from "node:assert/strict";
import { test } from "node:test";
import { KnownError } from "../../platform/errors.ts";
import { omitMissing, resolveMembers } from "./members.ts";
import type { ResourceType } from "./resource.ts";

const members = new Map([
  ["ada@example.com", "u-ada"],
  ["eve@example.com", "u-eve"],
]);

test("addresses of members become their ids, in any letter case and at any depth", () => {
  const schedule = {
    name: "Ops",
    layers: [{ participants: ["Ada@Example.com", "u-eve"], restrictions: [] }],
  };
  assert.deepEqual(resolveMembers("on-call-schedule", schedule, members), {
    name: "Ops",
    layers: [{ participants: ["u-ada", "u-eve"], restrictions: [] }],
  });
  const policy = { steps: [{ targets: [{ userId: "eve@example.com" }] }] };
  assert.deepEqual(resolveMembers("escalation-policy", policy, members), {
    steps: [{ targets: [{ userId: "u-eve" }] }],
  });
});

test("other fields keep their addresses", () => {
  const channel = { type: "EMAIL", config: { address: "ada@example.com", userId: null } };
  assert.deepEqual(resolveMembers("alert-channel", channel, members), channel);
  const check = { name: "x", userId: "ada@example.com" };
  assert.deepEqual(resolveMembers("check", check, members), check, "checks name no members");
});

test("somebody who is no member is named with the field", () => {
  const schedule = { layers: [{ participants: ["u-ada"] }, { participants: ["bob@example.com"] }] };
  assert.throws(
    () => resolveMembers("on-call-schedule", schedule, members),
    (error) =>
      error instanceof KnownError &&
      error.message.includes("layers.1.participants.0") &&
      error.message.includes("bob@example.com"),
  );
});

const existing = new Set(["member u-ada", "on-call-schedule s-1", "alert-channel 7"]);
const exists = (type: ResourceType | "member", id: unknown) => existing.has(`${type} ${id}`);
const omit = (type: ResourceType, fields: Parameters<typeof omitMissing>[1]) =>
  omitMissing(type, fields, exists);

test("a schedule keeps the members who are still there, and layers that have one", () => {
  const layers = [
    { name: "first", participants: ["u-gone", "u-ada"] },
    { name: "second", participants: ["u-gone"] },
  ];
  assert.deepEqual(omit("on-call-schedule", { name: "Ops", layers }), {
    name: "Ops",
    layers: [{ name: "first", participants: ["u-ada"] }],
  });
  assert.deepEqual(
    omit("on-call-schedule", { name: "Ops", layers: layers.slice(1) }),
    { name: "Ops", layers: [] },
    "a schedule without layers is valid",
  );
});

test("a policy keeps the targets that exist, and nothing is left without one", () => {
  const step = (...targets: object[]) => ({ afterMinutes: 0, targets });
  const steps = [
    step({ userId: "u-gone" }, { scheduleId: "s-1" }),
    step({ scheduleId: "s-gone" }),
    step({ channelId: 7 }, { channelId: 8 }),
  ];
  assert.deepEqual(omit("escalation-policy", { steps }), {
    steps: [step({ scheduleId: "s-1" }), step({ channelId: 7 })],
  });
  assert.equal(omit("escalation-policy", { steps: [step({ userId: "u-gone" })] }), null);
});

test("a channel that pages nobody is left out, and others are kept", () => {
  const page = (userId: string) => ({ type: "ONCALL", config: { userId } });
  assert.equal(omit("alert-channel", page("u-gone")), null);
  assert.deepEqual(omit("alert-channel", page("u-ada")), page("u-ada"));
  const mail = { type: "EMAIL", config: { address: "a@example.com" } };
  assert.deepEqual(omit("alert-channel", mail), mail);
});

test("a subscription to a deleted channel is left out", () => {
  assert.equal(omit("alert-channel-subscription", { alertChannelId: 8 }), null);
  assert.deepEqual(omit("alert-channel-subscription", { alertChannelId: 7 }), {
    alertChannelId: 7,
  });
});

test("a check loses a deleted policy, but not its other alert settings", () => {
  const check = { alertSettings: { escalationPolicyId: "p-gone", urgency: "LOW" } };
  assert.deepEqual(omit("check", check), { alertSettings: { urgency: "LOW" } });
  const plain = { alertSettings: { escalationPolicyId: null, urgency: "LOW" } };
  assert.deepEqual(omit("check", plain), plain);
  assert.deepEqual(omit("check", { name: "x" }), { name: "x" });
});
