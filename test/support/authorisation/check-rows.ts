import { defaultType, kinds } from "../../../src/kinds/index.ts";
import { type Row, read, type Scene } from "./authorisation-row.ts";
import { kindRows, newCheck } from "./kind-rows.ts";

async function newGroup({ test: app }: Scene): Promise<number> {
  return (await app.call("POST", "/v1/check-groups", { body: { name: "group" } })).body.id;
}

async function newSession(scene: Scene): Promise<string> {
  const body = { target: { checkId: [await newCheck(scene)] } };
  const { body: answer } = await scene.test.call("POST", "/v2/check-sessions/trigger", { body });
  return answer.sessions[0].checkSessionId;
}

/** Creates a check, runs it, and returns the ids of the check and of the result. */
async function newResult(scene: Scene): Promise<{ checkId: string; resultId: string }> {
  const path = `/v2/check-sessions/${await newSession(scene)}/completion`;
  const { body } = await scene.test.call("GET", path);
  return { checkId: body.checkId, resultId: body.results[0].checkResultId };
}

const channelBody = { type: "EMAIL", config: { address: "on-call@example.com" } };

async function newChannel({ test: app }: Scene): Promise<number> {
  return (await app.call("POST", "/v1/alert-channels", { body: channelBody })).body.id;
}

async function newView({ test: app }: Scene): Promise<number> {
  const body = { name: "failing", query: "state=failing", shared: true };
  return (await app.call("POST", "/v1/views", { body })).body.id;
}

export const checkRows: readonly Row[] = [
  ...kindRows,
  read("/v1/checks"),
  read("/v1/check-overviews"),
  read("/v1/check-overviews/facets"),
  {
    route: "POST /v1/checks/bulk",
    least: "READ_WRITE",
    request: async (scene) => ({
      path: "/v1/checks/bulk",
      body: { ids: [await newCheck(scene)], action: "mute" },
    }),
    status: 200,
  },
  read("/v1/views"),
  {
    route: "POST /v1/views",
    least: "READ_WRITE",
    request: () => ({ path: "/v1/views", body: { name: "all", query: "", shared: true } }),
    status: 201,
  },
  {
    route: "PUT /v1/views/:id",
    least: "READ_WRITE",
    request: async (scene) => ({
      path: `/v1/views/${await newView(scene)}`,
      body: { name: "renamed" },
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: "DELETE /v1/views/:id",
    least: "READ_WRITE",
    request: async (scene) => ({ path: `/v1/views/${await newView(scene)}` }),
    status: 204,
    isScoped: true,
  },
  {
    route: "POST /v1/checks",
    least: "READ_WRITE",
    request: () => ({
      path: "/v1/checks",
      body: { name: "new", checkType: defaultType, ...kinds[defaultType].operations.example },
    }),
    status: 201,
  },
  {
    route: "POST /v1/checks/many",
    least: "READ_WRITE",
    request: () => ({
      path: "/v1/checks/many",
      body: {
        checks: [{ name: "new", checkType: defaultType, ...kinds[defaultType].operations.example }],
      },
    }),
    status: 200,
  },
  {
    route: "POST /v1/checks/try",
    least: "READ_WRITE",
    request: () => ({
      path: "/v1/checks/try",
      body: { name: "new", checkType: defaultType, ...kinds[defaultType].operations.example },
    }),
    status: 200,
  },
  // A heartbeat check has no network path. Only permitted callers receive the error about this.
  {
    route: "POST /v1/checks/:id/live-path",
    least: "READ_RUN",
    request: async ({ test: app }) => {
      const heartbeat = { period: 1, periodUnit: "days", grace: 1, graceUnit: "hours" };
      const body = { name: "job", heartbeat };
      const made = await app.call("POST", "/v1/checks/heartbeat", { body });
      return { path: `/v1/checks/${made.body.id}/live-path` };
    },
    status: 409,
    isScoped: true,
    isUnaudited: true,
  },
  {
    route: "PUT /v1/checks/:id",
    least: "READ_WRITE",
    request: async (scene) => ({
      path: `/v1/checks/${await newCheck(scene)}`,
      body: { muted: true },
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: "GET /v1/checks/:id",
    least: "READ_ONLY",
    request: async (scene) => ({ path: `/v1/checks/${await newCheck(scene)}` }),
    status: 200,
    isScoped: true,
  },
  {
    route: "DELETE /v1/checks/:id",
    least: "READ_WRITE",
    request: async (scene) => ({ path: `/v1/checks/${await newCheck(scene)}` }),
    status: 204,
    isScoped: true,
  },
  read("/v1/check-groups"),
  {
    route: "POST /v1/check-groups",
    least: "READ_WRITE",
    request: () => ({ path: "/v1/check-groups", body: { name: "new" } }),
    status: 201,
  },
  {
    route: "GET /v1/check-groups/:id",
    least: "READ_ONLY",
    request: async (scene) => ({ path: `/v1/check-groups/${await newGroup(scene)}` }),
    status: 200,
    isScoped: true,
  },
  {
    route: "PUT /v1/check-groups/:id",
    least: "READ_WRITE",
    request: async (scene) => ({
      path: `/v1/check-groups/${await newGroup(scene)}`,
      body: { muted: true },
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: "DELETE /v1/check-groups/:id",
    least: "READ_WRITE",
    request: async (scene) => ({ path: `/v1/check-groups/${await newGroup(scene)}` }),
    status: 204,
    isScoped: true,
  },
  {
    route: "GET /v1/check-groups/:id/checks",
    least: "READ_ONLY",
    request: async (scene) => ({ path: `/v1/check-groups/${await newGroup(scene)}/checks` }),
    status: 200,
    isScoped: true,
  },
  {
    route: "GET /v2/check-results/:checkId",
    least: "READ_ONLY",
    request: async (scene) => ({ path: `/v2/check-results/${await newCheck(scene)}` }),
    status: 200,
    isScoped: true,
  },
  {
    route: "GET /v1/check-results/:checkId",
    least: "READ_ONLY",
    request: async (scene) => ({ path: `/v1/check-results/${await newCheck(scene)}` }),
    status: 200,
    isScoped: true,
  },
  {
    route: "GET /v1/check-results/:checkId/:resultId",
    least: "READ_ONLY",
    request: async (scene) => {
      const { checkId, resultId } = await newResult(scene);
      return { path: `/v1/check-results/${checkId}/${resultId}` };
    },
    status: 200,
    isScoped: true,
  },
  ...["check-series", "check-state-changes", "check-timelines"].map(
    (name): Row => ({
      route: `GET /v1/${name}/:checkId`,
      least: "READ_ONLY",
      request: async (scene) => ({ path: `/v1/${name}/${await newCheck(scene)}` }),
      status: 200,
      isScoped: true,
    }),
  ),
  read("/v1/check-statuses"),
  {
    route: "GET /v1/check-statuses/:checkId",
    least: "READ_ONLY",
    request: async (scene) => ({
      path: `/v1/check-statuses/${(await newResult(scene)).checkId}`,
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: "POST /v2/check-sessions/trigger",
    least: "READ_RUN",
    request: async (scene) => ({
      path: "/v2/check-sessions/trigger",
      body: { target: { checkId: [await newCheck(scene)] } },
    }),
    status: 201,
    isScoped: true,
  },
  {
    route: "GET /v2/check-sessions/:checkSessionId",
    least: "READ_ONLY",
    request: async (scene) => ({ path: `/v2/check-sessions/${await newSession(scene)}` }),
    status: 200,
    isScoped: true,
  },
  {
    route: "GET /v2/check-sessions/:checkSessionId/completion",
    least: "READ_ONLY",
    request: async (scene) => ({
      path: `/v2/check-sessions/${await newSession(scene)}/completion`,
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: "GET /v1/badges/checks/:checkId",
    least: null,
    request: async (scene) => ({ path: `/v1/badges/checks/${await newCheck(scene)}` }),
    status: 200,
  },
  {
    route: "POST /v1/analytics/checks",
    least: "READ_ONLY",
    request: async (scene) => ({
      path: "/v1/analytics/checks",
      body: { checkIds: [await newCheck(scene)] },
    }),
    status: 200,
    isScoped: true,
    // The operation only reads data, although it uses POST.
    isUnaudited: true,
  },
  read("/v1/alert-channels"),
  {
    route: "POST /v1/alert-channels",
    least: "READ_WRITE",
    request: () => ({ path: "/v1/alert-channels", body: channelBody }),
    status: 201,
  },
  {
    route: "GET /v1/alert-channels/:id",
    least: "READ_ONLY",
    request: async (scene) => ({ path: `/v1/alert-channels/${await newChannel(scene)}` }),
    status: 200,
    isScoped: true,
  },
  {
    route: "PUT /v1/alert-channels/:id",
    least: "READ_WRITE",
    request: async (scene) => ({
      path: `/v1/alert-channels/${await newChannel(scene)}`,
      body: channelBody,
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: "DELETE /v1/alert-channels/:id",
    least: "READ_WRITE",
    request: async (scene) => ({ path: `/v1/alert-channels/${await newChannel(scene)}` }),
    status: 204,
    isScoped: true,
  },
  {
    route: "POST /v1/alert-channels/:id/test",
    least: "READ_RUN",
    request: async (scene) => ({ path: `/v1/alert-channels/${await newChannel(scene)}/test` }),
    status: 200,
    isScoped: true,
  },
  read("/v1/alert-channels/kinds"),
  read("/v1/check-kinds"),
  {
    route: "POST /v1/alert-channels/test",
    least: "READ_WRITE",
    request: () => ({
      path: "/v1/alert-channels/test",
      body: { type: "EMAIL", config: { address: "ops@example.com" } },
    }),
    status: 200,
  },
  {
    route: "GET /v1/alert-channels/:id/subscribers",
    least: "READ_ONLY",
    request: async (scene) => ({
      path: `/v1/alert-channels/${await newChannel(scene)}/subscribers`,
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: "PUT /v1/alert-channels/:id/subscribers",
    least: "READ_WRITE",
    request: async (scene) => ({
      path: `/v1/alert-channels/${await newChannel(scene)}/subscribers`,
      body: { activated: true },
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: "PUT /v1/alert-channels/:id/subscriptions",
    least: "READ_WRITE",
    request: async (scene) => ({
      path: `/v1/alert-channels/${await newChannel(scene)}/subscriptions`,
      body: { checkId: await newCheck(scene), activated: true },
    }),
    status: 200,
    isScoped: true,
  },
];
