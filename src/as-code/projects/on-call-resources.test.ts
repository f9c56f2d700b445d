/** Schedules, paging channels and escalation policies in projects. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { addMember } from "../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import {
  actionsOf,
  createProjectCalls,
  type Entry,
  findEntry,
  one,
  type Resource,
  ref,
  toBody,
} from "../../../test/support/modules/projects.ts";

let app: TestApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
});
after(() => app.stop());

const { post, preview, complete, deploy } = createProjectCalls(() => app);

const rotation = { unit: "WEEK", handoffTime: "09:00" };
const createSchedule = (name: string, ...participants: string[]): Resource => {
  const layer = { name: "Weekly", participants, rotation, start: "2026-11-16T09:00" };
  return one("on-call-schedule", "rota", { name, timezone: "Europe/Berlin", layers: [layer] });
};

const createPolicy = (name: string, targets: object[], more: object = {}): Resource =>
  one("escalation-policy", "escalation", { name, steps: [{ afterMinutes: 0, targets }], ...more });

const ping = { checkType: "ICMP", name: "Ping", request: { hostname: "192.0.2.1" } };
const escalated = (policy: object) => ({ alertSettings: { escalationPolicyId: policy } });

/** A schedule, a channel that pages it, and a policy that a check, a group and the account use. */
function createResources(email: string): Resource[] {
  const config = { name: "Pager", scheduleId: ref("rota") };
  const targets = [{ scheduleId: ref("rota") }, { userId: email }, { channelId: ref("pager") }];
  return [
    createSchedule("Rota", email.toUpperCase()),
    one("alert-channel", "pager", { type: "ONCALL", config }),
    createPolicy("Shop", targets, { accountDefault: true }),
    one("check-group", "group", { name: "Group", ...escalated(ref("escalation")) }),
    one("check", "ping", { ...ping, ...escalated(ref("escalation")) }),
    one("alert-channel-subscription", "ping#pager", {
      ...{ alertChannelId: ref("pager"), checkId: ref("ping"), activated: true },
    }),
  ];
}

const readSettings = async () => (await app.call("GET", "/v1/alert-settings")).body;

test("members are named by email, and checks, groups and the account by reference", async () => {
  const resources = createResources(app.owner.email);
  const { body: me } = await app.call("GET", "/v1/users/me");
  const { status, error, result } = await deploy("on-call", resources);
  assert.equal(status, "SUCCEEDED", JSON.stringify(error));
  const idOf = (name: string) => findEntry(result.diff, name).physicalId;
  const schedule = await app.call("GET", `/v1/on-call/schedules/${idOf("rota")}`);
  assert.deepEqual(schedule.body.layers[0].participants, [me.id]);
  const channel = await app.call("GET", `/v1/alert-channels/${idOf("pager")}`);
  assert.equal(channel.body.config.scheduleId, idOf("rota"));
  const policy = await app.call("GET", `/v1/escalation-policies/${idOf("escalation")}`);
  assert.deepEqual(policy.body.steps[0].targets, [
    { scheduleId: idOf("rota") },
    { userId: me.id },
    { channelId: Number(idOf("pager")) },
  ]);
  assert.equal((await readSettings()).escalationPolicyId, idOf("escalation"));
  for (const path of [`checks/${idOf("ping")}`, `check-groups/${idOf("group")}`]) {
    const { body } = await app.call("GET", `/v1/${path}`);
    assert.equal(body.alertSettings.escalationPolicyId, idOf("escalation"), path);
  }
  const again = await preview("on-call", resources);
  assert.deepEqual(
    again.diff.filter(({ action }: Entry) => action !== "UNCHANGED"),
    [],
  );

  // Somebody else selects no policy for the account: the next deployment selects it again.
  const settings = { ...(await readSettings()), escalationPolicyId: null, escalationStages: [] };
  assert.equal((await app.call("PUT", "/v1/alert-settings", { body: settings })).status, 200);
  const drifted = findEntry(
    (await preview("on-call", resources, "?detail=changes")).diff,
    "escalation",
  );
  assert.deepEqual(
    drifted.changes.map(({ path, origin }) => [path, origin]),
    [["/accountDefault", "remote"]],
  );
  await deploy("on-call", resources);
  assert.equal((await readSettings()).escalationPolicyId, idOf("escalation"));

  // The policy, everything that uses it, and the schedule go in one transaction.
  const kept = resources.filter(({ logicalId }) => logicalId === "group");
  const plain = kept.map((group) => ({ ...group, payload: { name: "Group" } }));
  const ended = await deploy("on-call", plain);
  assert.equal(ended.status, "SUCCEEDED", JSON.stringify(ended.error));
  assert.deepEqual(actionsOf(ended.result.diff).sort(), ["DELETE", "UPDATE"]);
  assert.equal((await readSettings()).escalationPolicyId, null);
  const lists = ["on-call/schedules", "escalation-policies"];
  for (const list of lists) {
    assert.deepEqual((await app.call("GET", `/v1/${list}`)).body.entries, [], list);
  }
});

test("a policy that somebody else uses is not deleted, and nothing else changes", async () => {
  const rota = createSchedule("Held", app.owner.email);
  const policy = createPolicy("Held", [{ scheduleId: ref("rota") }]);
  const { result } = await deploy("held", [rota, policy]);
  const { physicalId } = findEntry(result.diff, "escalation");
  const body = { ...ping, name: "By hand", ...escalated(physicalId as unknown as object) };
  assert.equal((await post("/v1/checks/icmp", body)).status, 201);
  const ended = await deploy("held", []);
  assert.equal(ended.status, "FAILED");
  assert.match(
    JSON.stringify(ended.error),
    /escalation-policy \\"escalation\\": the policy is used by 1 check \(By hand\)/,
  );
  const { body: schedules } = await app.call("GET", "/v1/on-call/schedules");
  assert.equal(schedules.entries.length, 1);
});

test("what the account cannot have is an error of the plan that names the field", async () => {
  const { email } = app.owner;
  const user = [{ userId: "gone@example.test" }];
  const second = {
    ...createPolicy("B", [{ userId: email }], { accountDefault: true }),
    logicalId: "b",
  };
  const cases: readonly (readonly [Resource[], RegExp])[] = [
    [
      [createSchedule("S", email, "gone@example.test")],
      /on-call-schedule "rota": layers\.0\.participants\.1 names gone@example\.test, who is not a member of this account; invite them first/,
    ],
    [
      [createPolicy("P", user)],
      /escalation-policy "escalation": steps\.0\.targets\.0\.userId names gone@example\.test/,
    ],
    [
      [one("alert-channel", "pager", { type: "ONCALL", config: { name: "P", ...user[0] } })],
      /alert-channel "pager": config\.userId names gone@example\.test/,
    ],
    [
      [createPolicy("P", [{ scheduleId: ref("none") }])],
      /steps\.0\.targets\.0\.scheduleId refers to "none", which the project does not contain/,
    ],
    [
      [createPolicy("A", [{ userId: email }], { accountDefault: true }), second],
      /escalation-policy "b": accountDefault is also true for "escalation"/,
    ],
    [
      [one("on-call-schedule", "rota", { name: "S", timezone: "Mars/Olympus" })],
      /on-call-schedule "rota": timezone must be an IANA time zone/,
    ],
    [
      [createPolicy("P", [{ userId: email }, { userId: email }])],
      /steps\.0\.targets\.1 repeats an earlier target/,
    ],
    [
      [createPolicy("P", [{ userId: email }], { accountDefault: "yes" })],
      /accountDefault must be boolean/,
    ],
  ];
  for (const [resources, rule] of cases) {
    const answer = await post("/v1/projects/preview", toBody("faulty", resources));
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.body.message, rule);
  }
});

test("an export leaves out who has left, and what pages nobody without them", async () => {
  const { userId, email } = await addMember(app, "leaver@example.test", { role: "READ_ONLY" });
  const { owner } = app;
  const config = { name: "Page the leaver", userId: email };
  const { status, error } = await deploy("leavers", [
    createSchedule("Leavers", owner.email, email),
    one("alert-channel", "pager", { type: "ONCALL", config }),
    createPolicy("Alone", [{ userId: email }, { channelId: ref("pager") }]),
    one("check", "ping", { ...ping, ...escalated(ref("escalation")) }),
  ]);
  assert.equal(status, "SUCCEEDED", JSON.stringify(error));
  const gone = await app.call("DELETE", `/v1/accounts/${owner.accountId}/members/${userId}`);
  assert.ok(gone.status < 300, gone.text);
  const { body } = await app.call("GET", "/v1/projects/export?project=leavers");
  const shown = body.resources.map(({ type, payload }: Resource) => [type, payload]);
  const rota = shown.find(([type]: string[]) => type === "on-call-schedule")[1];
  assert.deepEqual(rota.layers[0].participants, [owner.email]);
  assert.deepEqual(
    shown.map(([type]: string[]) => type),
    ["check", "on-call-schedule"],
  );
  assert.equal(JSON.stringify(shown).includes("escalationPolicyId"), false);

  // Without a project they can be adopted as they are, with everybody.
  const freed = await app.call("DELETE", "/v1/projects/leavers?preserveResources=true");
  await complete("leavers", freed.body.id);
  const { body: adoptable } = await app.call("GET", "/v1/projects/export?adopt=true");
  const own = adoptable.resources.filter(
    ({ type }: Resource) => type !== "alert-channel-subscription",
  );
  const again = own.find(({ type }: Resource) => type === "on-call-schedule");
  assert.deepEqual(again.payload.layers[0].participants, [owner.email, userId]);
  const planned = await preview("adopters", own, "?detail=changes");
  assert.deepEqual(
    planned.diff.filter(({ action, changes }: Entry) => action !== "ADOPT" || changes.length > 0),
    [],
  );
});
