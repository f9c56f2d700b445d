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
    give: { from: at(1), to: at(2) },
    take: { from: at(3), to: at(4) },
  };
}

async function newSwap(scene: Scene): Promise<string> {
  const path = `${await newSchedule(scene)}/swaps`;
  const body = await newSwapBody(scene);
  return `${path}/${(await scene.test.call("POST", path, { body })).body.id}`;
}

/** A swap that another member proposed to the owner. */
async function newSwapForOwner(scene: Scene): Promise<string> {
  const { test: app } = scene;
  const { give, take, withUserId } = await newSwapBody(scene);
  const { body: owner } = await app.call("GET", "/v1/users/me");
  const path = `${await newSchedule(scene)}/swaps`;
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

export const onCallRows: readonly Row[] = [
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
      path: `${await newSchedule(scene)}/swaps`,
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
