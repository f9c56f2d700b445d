import { type Row, read, type Scene } from "./authorisation-row.ts";

const job = {
  ...{ logicalId: "router", name: "Router", checkType: "ICMP" },
  sourceInfo: { checkRunSuiteId: "suite", checkRunId: "run" },
  request: { hostname: "192.0.2.1" },
};
/**
 * Body of a session with an invalid check, which ends immediately, so that no session stays open.
 */
const run = { name: "Test", checkRunJobs: [{ ...job, request: {} }] };

/**
 * Cancels the sessions of earlier rows, because the number of open sessions per account is limited.
 * No session ends by itself, because the clock is stopped.
 */
async function cancelSessions({ test: app }: Scene): Promise<void> {
  const { body } = await app.call("GET", "/v1/test-sessions?limit=20");
  for (const { id, status } of body.entries) {
    if (status === "RUNNING") await app.call("POST", `/v1/test-sessions/${id}/cancel`);
  }
}

async function newSession(scene: Scene) {
  await cancelSessions(scene);
  const { test: app } = scene;
  const { body } = await app.call("POST", "/v1/test-sessions/run", { body: run });
  const path = `/v1/test-sessions/${body.testSessionId}`;
  await app.call("GET", `${path}/completion`);
  return { path, id: body.testSessionId, resultId: body.testResultIds.router };
}

async function newCheck({ test: app }: Scene): Promise<string> {
  const body = { name: "Router", request: { hostname: "192.0.2.1" } };
  return (await app.call("POST", "/v1/checks/icmp", { body })).body.id;
}

type Session = Awaited<ReturnType<typeof newSession>>;

const readOf = (route: string, pathOf: (session: Session) => string): Row => ({
  route: `GET ${route}`,
  least: "READ_ONLY",
  request: async (scene) => ({ path: pathOf(await newSession(scene)) }),
  status: 200,
  isScoped: true,
});

const sessions = "/v1/test-sessions/:testSessionId";
const nobody = "00000000-0000-4000-8000-000000000000";

const storage = "/next/checkly-storage";
const bundle = { rawBody: "bundle", headers: { "content-type": "application/octet-stream" } };

async function newBundle({ test: app }: Scene): Promise<string> {
  return (await app.call("POST", `${storage}/upload`, bundle)).body.key;
}

export const testSessionRows: readonly Row[] = [
  read("/v1/test-sessions"),
  {
    route: "POST /v1/test-sessions/run",
    least: "READ_WRITE",
    request: () => ({ path: "/v1/test-sessions/run", body: run }),
    status: 202,
  },
  {
    route: "POST /next/test-sessions/trigger",
    least: "READ_RUN",
    request: async (scene) => {
      await cancelSessions(scene);
      const body = { name: "Trigger", checkRunSuiteId: "suite", checkId: [await newCheck(scene)] };
      return { path: "/next/test-sessions/trigger", body };
    },
    status: 201,
  },
  {
    route: `POST ${sessions}/cancel`,
    least: "READ_RUN",
    request: async (scene) => ({ path: `${(await newSession(scene)).path}/cancel` }),
    status: 204,
    isScoped: true,
  },
  readOf(sessions, ({ path }) => path),
  readOf(`${sessions}/completion`, ({ path }) => `${path}/completion`),
  readOf(
    "/v1/test-sessions/scheduling/:testSessionId/completion",
    ({ id }) => `/v1/test-sessions/scheduling/${id}/completion`,
  ),
  readOf(
    `${sessions}/results/:testResultId`,
    ({ path, resultId }) => `${path}/results/${resultId}`,
  ),
  readOf(
    `${sessions}/results/:testResultId/assets`,
    ({ path, resultId }) => `${path}/results/${resultId}/assets`,
  ),
  readOf("/next/test-sessions/:testSessionId/link", ({ id }) => `/next/test-sessions/${id}/link`),
  readOf(
    "/next/test-sessions/:testSessionId/results/:testResultId/links",
    ({ id, resultId }) => `/next/test-sessions/${id}/results/${resultId}/links`,
  ),
  {
    route: "GET /accounts/:accountId/test-sessions/:testSessionId",
    least: null,
    request: () => ({ path: `/accounts/${nobody}/test-sessions/${nobody}` }),
    // Status of the screen that the route redirects to.
    status: 200,
  },
  readOf("/next/assets/log/:region/:key", ({ resultId }) => `/next/assets/log/eu/${resultId}`),
  readOf(
    "/next/assets/check-run-data/:region/:key",
    ({ resultId }) => `/next/assets/check-run-data/eu/${resultId}`,
  ),
  {
    route: "GET /v1/check-results/:checkId/:resultId/assets",
    least: "READ_ONLY",
    request: async (scene) => ({
      path: `/v1/check-results/${await newCheck(scene)}/${nobody}/assets`,
    }),
    status: 200,
    isScoped: true,
  },
  {
    // The route needs no key, because the link is signed.
    route: "GET /v1/assets/:assetId/:name",
    least: null,
    request: () => ({ path: `/v1/assets/${nobody}/shot.png?expires=4000000000&signature=none` }),
    status: 403,
  },
  {
    // The route accepts only a probe key.
    route: "POST /v1/probe/assets",
    least: null,
    request: () => ({ path: "/v1/probe/assets", ...bundle }),
    status: 401,
    isUnaudited: true,
  },
  {
    route: "GET /v1/probe/code/:digest",
    least: null,
    request: () => ({ path: "/v1/probe/code/none" }),
    status: 401,
  },
  ...["upload-code-bundle", "upload"].map(
    (name): Row => ({
      route: `POST ${storage}/${name}`,
      least: "READ_WRITE",
      request: () => ({ path: `${storage}/${name}`, ...bundle }),
      status: 200,
      isUnaudited: true,
    }),
  ),
  {
    route: `POST ${storage}/peek-code-bundle`,
    least: "READ_ONLY",
    request: async (scene) => ({
      path: `${storage}/peek-code-bundle`,
      body: { key: await newBundle(scene) },
    }),
    status: 200,
    isScoped: true,
    isUnaudited: true,
  },
  {
    route: `POST ${storage}/download`,
    least: "READ_WRITE",
    request: async (scene) => ({
      path: `${storage}/download`,
      body: { key: await newBundle(scene) },
    }),
    status: 200,
    isScoped: true,
    isUnaudited: true,
  },
];
