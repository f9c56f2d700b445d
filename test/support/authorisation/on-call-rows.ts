import { ownerPassword } from "../apps/app.ts";
import { addMember, signIn } from "../apps/cast.ts";
import { type Row, read, type Scene } from "./authorisation-row.ts";

const schedules = "/v1/on-call/schedules";
let count = 0;

const newBody = () => {
  count += 1;
  return { name: `Schedule ${count}` };
};

async function newSchedule({ test: app }: Scene): Promise<string> {
  return `${schedules}/${(await app.call("POST", schedules, { body: newBody() })).body.id}`;
}

const overrideBody = { userId: null, minutes: 60 };

async function newOverride(scene: Scene): Promise<string> {
  const path = `${await newSchedule(scene)}/overrides`;
  return `${path}/${(await scene.test.call("POST", path, { body: overrideBody })).body.id}`;
}

let other: Promise<string> | undefined;

async function newSwapBody({ test: app }: Scene) {
  other ??= addMember(app, "swaps@example.com", { role: "READ_ONLY" }).then((one) => one.userId);
  const at = (hours: number) => new Date(app.clock.nowMs() + hours * 3_600_000).toISOString();
  return {
    withUserId: await other,
    give: { from: at(1), to: at(4) },
    take: { from: at(4), to: at(8) },
  };
}

/** Creates a schedule in which the owner and the other member alternate every hour. */
async function newSwapSchedule(scene: Scene): Promise<string> {
  const { test: app } = scene;
  const { withUserId } = await newSwapBody(scene);
  const { body: owner } = await app.call("GET", "/v1/users/me");
  const layer = {
    ...{ name: "Hourly", participants: [owner.id, withUserId], start: "2026-01-01T00:00" },
    rotation: { unit: "HOUR", handoffTime: "00:00" },
  };
  const { body } = await app.call("POST", schedules, { body: { ...newBody(), layers: [layer] } });
  return `${schedules}/${body.id}`;
}

async function newSwap(scene: Scene): Promise<string> {
  const path = `${await newSwapSchedule(scene)}/swaps`;
  const body = await newSwapBody(scene);
  return `${path}/${(await scene.test.call("POST", path, { body })).body.id}`;
}

/** Creates a swap that another member proposes to the owner, and returns its path. */
async function newSwapForOwner(scene: Scene): Promise<string> {
  const { test: app } = scene;
  const { give, take, withUserId } = await newSwapBody(scene);
  const { body: owner } = await app.call("GET", "/v1/users/me");
  const path = `${await newSwapSchedule(scene)}/swaps`;
  const { body } = await app.call("POST", path, { body: { give, take, withUserId } });
  await app.query("update on_call_swaps set requester_id = $1, other_id = $2 where id = $3", [
    withUserId,
    owner.id,
    body.id,
  ]);
  return `${path}/${body.id}`;
}

const scoped = (
  route: string,
  find: (scene: Scene) => Promise<string>,
): Pick<Row, "route" | "request" | "isScoped"> => ({
  route,
  request: async (scene) => ({ path: await find(scene) }),
  isScoped: true,
});

const calendar = "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n";

async function createFeed({ test: app }: Scene): Promise<{ id: string; url: string }> {
  return (await app.call("POST", "/v1/on-call/feeds", { body: {} })).body;
}

const feedRows: readonly Row[] = [
  {
    route: "GET /v1/on-call/feeds",
    least: "READ_WRITE",
    request: () => ({ path: "/v1/on-call/feeds" }),
    status: 200,
  },
  {
    route: "POST /v1/on-call/feeds",
    least: "READ_WRITE",
    request: () => ({ path: "/v1/on-call/feeds", body: {} }),
    status: 201,
    serviceKeyStatus: 409,
  },
  {
    route: "DELETE /v1/on-call/feeds/:feedId",
    least: "READ_WRITE",
    request: async (scene) => ({ path: `/v1/on-call/feeds/${(await createFeed(scene)).id}` }),
    status: 204,
    isScoped: true,
    // Expected because a service key has no user and therefore no calendar feeds.
    serviceKeyStatus: 404,
  },
  {
    route: "GET /v1/on-call/calendars/:token",
    least: null,
    request: async (scene) => ({ path: new URL((await createFeed(scene)).url).pathname }),
    status: 200,
  },
];

const policies = "/v1/escalation-policies";

async function newPolicyBody({ test: app }: Scene) {
  const { body: owner } = await app.call("GET", "/v1/users/me");
  count += 1;
  const steps = [{ afterMinutes: 0, targets: [{ userId: owner.id }] }];
  return { name: `Policy ${count}`, steps };
}

async function newPolicy(scene: Scene): Promise<string> {
  const body = await newPolicyBody(scene);
  return `${policies}/${(await scene.test.call("POST", policies, { body })).body.id}`;
}

const policyRows: readonly Row[] = [
  read(policies),
  {
    route: `POST ${policies}`,
    least: "READ_WRITE",
    request: async (scene) => ({ path: policies, body: await newPolicyBody(scene) }),
    status: 201,
  },
  { ...scoped(`GET ${policies}/:policyId`, newPolicy), least: "READ_ONLY", status: 200 },
  {
    route: `PUT ${policies}/:policyId`,
    least: "READ_WRITE",
    request: async (scene) => ({ path: await newPolicy(scene), body: await newPolicyBody(scene) }),
    status: 200,
    isScoped: true,
  },
  {
    route: `POST ${policies}/:policyId/rehearse`,
    least: "READ_ONLY",
    request: async (scene) => ({
      path: `${await newPolicy(scene)}/rehearse`,
      body: { startsAt: new Date().toISOString() },
    }),
    status: 200,
    isScoped: true,
    isUnaudited: true,
  },
  {
    route: `POST ${policies}/rehearse`,
    least: "READ_ONLY",
    request: () => ({
      path: `${policies}/rehearse`,
      body: {
        startsAt: new Date().toISOString(),
        steps: [{ afterMinutes: 0, targets: [{ channelId: 1 }] }],
      },
    }),
    status: 200,
    isUnaudited: true,
  },
  { ...scoped(`DELETE ${policies}/:policyId`, newPolicy), least: "READ_WRITE", status: 204 },
];

/**
 * Returns the body of an import that creates a schedule, because only an import that creates
 * something is audited. A schedule needs a participant, so the body names the owner.
 */
const newImportBody = () => {
  count += 1;
  const rotation = {
    ...{ name: "Weekly", startDate: "2026-11-02T08:00:00Z", type: "weekly" },
    participants: [{ type: "user", username: "owner@example.com" }],
  };
  const data = [{ id: "s", name: `Import ${count}`, timezone: "UTC", rotations: [rotation] }];
  return { source: "OPSGENIE", documents: [{ data }], dryRun: false };
};

export const onCallRows: readonly Row[] = [
  ...feedRows,
  read("/v1/on-call/report"),
  read("/v1/on-call/uses"),
  read("/v1/on-call/warnings"),
  read("/v1/on-call/report/export"),
  ...policyRows,
  {
    route: "POST /v1/on-call/imports",
    least: "READ_WRITE",
    request: () => ({ path: "/v1/on-call/imports", body: newImportBody() }),
    status: 200,
  },
  {
    route: `POST ${schedules}/:scheduleId/absences`,
    least: "READ_WRITE",
    request: async (scene) => ({
      path: `${await newSchedule(scene)}/absences`,
      body: { userId: (await newSwapBody(scene)).withUserId, calendar },
    }),
    status: 201,
    isScoped: true,
  },
  read("/v1/on-call/now"),
  read(schedules),
  {
    route: `POST ${schedules}`,
    least: "READ_WRITE",
    request: () => ({ path: schedules, body: newBody() }),
    status: 201,
  },
  {
    route: `POST ${schedules}/preview`,
    least: "READ_ONLY",
    request: () => ({ path: `${schedules}/preview`, body: newBody() }),
    status: 200,
    isUnaudited: true,
  },
  { ...scoped(`GET ${schedules}/:scheduleId`, newSchedule), least: "READ_ONLY", status: 200 },
  {
    route: `PUT ${schedules}/:scheduleId`,
    least: "READ_WRITE",
    request: async (scene) => ({ path: await newSchedule(scene), body: newBody() }),
    status: 200,
    isScoped: true,
  },
  { ...scoped(`DELETE ${schedules}/:scheduleId`, newSchedule), least: "READ_WRITE", status: 204 },
  {
    ...scoped(
      `GET ${schedules}/:scheduleId/shifts`,
      async (scene) => `${await newSchedule(scene)}/shifts`,
    ),
    least: "READ_ONLY",
    status: 200,
  },
  {
    ...scoped(
      `GET ${schedules}/:scheduleId/overrides`,
      async (scene) => `${await newSchedule(scene)}/overrides`,
    ),
    least: "READ_ONLY",
    status: 200,
  },
  {
    route: `POST ${schedules}/:scheduleId/overrides`,
    least: "READ_WRITE",
    request: async (scene) => ({
      path: `${await newSchedule(scene)}/overrides`,
      body: overrideBody,
    }),
    status: 201,
    isScoped: true,
  },
  {
    ...scoped(`DELETE ${schedules}/:scheduleId/overrides/:overrideId`, newOverride),
    least: "READ_WRITE",
    status: 204,
  },
  {
    ...scoped(
      `GET ${schedules}/:scheduleId/swaps`,
      async (scene) => `${await newSchedule(scene)}/swaps`,
    ),
    least: "READ_ONLY",
    status: 200,
  },
  {
    route: `POST ${schedules}/:scheduleId/swaps`,
    least: "READ_WRITE",
    request: async (scene) => ({
      path: `${await newSwapSchedule(scene)}/swaps`,
      body: await newSwapBody(scene),
    }),
    status: 201,
    isScoped: true,
    serviceKeyStatus: 409,
  },
  {
    route: `POST ${schedules}/:scheduleId/swaps/:swapId/accept`,
    least: "READ_WRITE",
    request: async (scene) => ({
      path: `${await newSwapForOwner(scene)}/accept`,
      cookie: await signIn(scene.test, scene.test.owner.email, ownerPassword),
    }),
    status: 204,
    isScoped: true,
    serviceKeyStatus: 403,
  },
  {
    ...scoped(`DELETE ${schedules}/:scheduleId/swaps/:swapId`, newSwap),
    least: "READ_WRITE",
    status: 204,
  },
];
