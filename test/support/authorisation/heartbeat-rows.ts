import type { Row, Scene } from "./authorisation-row.ts";

async function newHeartbeat({ test: app }: Scene): Promise<{ id: string; token: string }> {
  const heartbeat = { period: 1, periodUnit: "days", grace: 5, graceUnit: "minutes" };
  const body = { name: "job", heartbeat };
  const { body: made } = await app.call("POST", "/v1/checks/heartbeat", { body });
  const token: string = made.heartbeat.pingToken;
  await app.call("GET", `/ping/${token}`, { key: null });
  return { id: made.id, token };
}

/**
 * Returns the row of a ping route. A ping needs no key, because the secret token is part of its
 * URL.
 */
function ping(method: string, end: string, route: string): Row {
  return {
    route: `${method} ${route}`,
    least: null,
    request: async (scene) => ({ path: `/ping/${(await newHeartbeat(scene)).token}${end}` }),
    status: 200,
    isUnaudited: true,
  };
}

function read(end: string, find: (scene: Scene, id: string) => Promise<string>): Row {
  return {
    route: `GET /v1/checks/heartbeats/:checkId${end}`,
    least: "READ_ONLY",
    request: async (scene) => {
      const { id } = await newHeartbeat(scene);
      return { path: `/v1/checks/heartbeats/${id}${await find(scene, id)}` };
    },
    status: 200,
    isScoped: true,
  };
}

const job = { id: 1, name: "Job", type: "push", interval: 60 };

/**
 * Imports a heartbeat from another monitor, so that its old push address works on this server.
 * Returns the token of the address.
 */
async function newAddress({ test: app }: Scene): Promise<string> {
  const pushToken = `token${Math.random()}`;
  const content = JSON.stringify({ monitorList: [{ ...job, pushToken }] });
  const files = { body: { files: [{ name: "backup.json", content }] } };
  const made = await app.call("POST", "/v1/imports/preview?source=uptime-kuma", files);
  await app.call("POST", `/v1/imports/${made.body.id}/run`, { body: {} });
  return pushToken;
}

const push = (method: string): Row => ({
  route: `${method} /api/push/:token`,
  least: null,
  request: async (scene) => ({ path: `/api/push/${await newAddress(scene)}` }),
  status: 200,
  isUnaudited: true,
});

/** Returns a row for an imported Healthchecks address that does not exist. */
const healthchecks = (method: string, end: string): Row => ({
  route: `${method} /healthchecks/:key${end}`,
  least: null,
  request: () => ({
    path: `/healthchecks/fqOOd6-F4MMNuCEnzTU01w${end.replace(":rest", "job").replace(":signal", "fail")}`,
  }),
  status: 404,
  isUnaudited: true,
});

const addressRows: readonly Row[] = [
  push("GET"),
  push("POST"),
  {
    route: "POST /api/v1/endpoints/:key/external",
    least: null,
    request: () => ({
      path: "/api/v1/endpoints/core_backup/external?success=true",
      headers: { authorization: "Bearer token-of-nobody" },
    }),
    status: 404,
    isUnaudited: true,
  },
  ...["GET", "POST"].flatMap((method) =>
    ["", "/:rest", "/:rest/:signal"].map((end) => healthchecks(method, end)),
  ),
  {
    route: "GET /v1/push-addresses",
    least: "READ_ONLY",
    request: () => ({ path: "/v1/push-addresses" }),
    status: 200,
  },
  {
    route: "DELETE /v1/push-addresses/:id",
    least: "READ_WRITE",
    request: async (scene) => {
      await newAddress(scene);
      const { body } = await scene.test.call("GET", "/v1/push-addresses");
      return { path: `/v1/push-addresses/${body[0].id}` };
    },
    status: 204,
    isScoped: true,
  },
];

export const heartbeatRows: readonly Row[] = [
  ...addressRows,
  ping("GET", "", "/ping/:token"),
  ping("POST", "", "/ping/:token"),
  ping("GET", "/start", "/ping/:token/:signal"),
  ping("POST", "/0", "/ping/:token/:signal"),
  read("/events", async () => "/events"),
  read("/events/:id", async ({ test: app }, id) => {
    const { body } = await app.call("GET", `/v1/checks/heartbeats/${id}/events`);
    return `/events/${body[0].events[0].id}`;
  }),
  read("/availability", async () => "/availability"),
];
