import { type Row, read, type Scene } from "./authorisation-row.ts";

async function newCheck({ test: app }: Scene): Promise<string> {
  const body = { name: "watched", activated: false, request: { hostname: "127.0.0.1" } };
  return (await app.call("POST", "/v1/checks/icmp", { body })).body.id;
}

const windowBody = {
  name: "Patch day",
  startsAt: "2026-12-01T22:00:00Z",
  endsAt: "2026-12-02T00:00:00Z",
};

async function newWindow({ test: app }: Scene): Promise<number> {
  return (await app.call("POST", "/v1/maintenance-windows", { body: windowBody })).body.id;
}

async function newMaintenance(scene: Scene): Promise<string> {
  const list = `/v1/maintenance-windows/${await newWindow(scene)}/maintenances`;
  const { body } = await scene.test.call("GET", `${list}?from=2026-12-01T00:00:00Z`);
  return `${list}/${body[0].id}`;
}

const updateBody = { status: "SCHEDULED", description: "As planned." };

async function newMaintenanceUpdate(scene: Scene): Promise<string> {
  const path = `${await newMaintenance(scene)}/updates`;
  return `${path}/${(await scene.test.call("POST", path, { body: updateBody })).body.id}`;
}

export const alertingRows: readonly Row[] = [
  read("/v1/maintenance-windows"),
  read("/v1/maintenance-calendar"),
  {
    route: "POST /v1/maintenance-windows/preview",
    least: "READ_ONLY",
    request: () => ({ path: "/v1/maintenance-windows/preview", body: windowBody }),
    status: 200,
    isUnaudited: true,
  },
  {
    route: "GET /v1/maintenance-windows/:id/maintenances",
    least: "READ_ONLY",
    request: async (scene) => ({
      path: `/v1/maintenance-windows/${await newWindow(scene)}/maintenances`,
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: "GET /v1/maintenance-windows/:id/maintenances/:maintenanceId",
    least: "READ_ONLY",
    request: async (scene) => ({ path: await newMaintenance(scene) }),
    status: 200,
    isScoped: true,
  },
  {
    route: "PATCH /v1/maintenance-windows/:id/maintenances/:maintenanceId",
    least: "READ_WRITE",
    request: async (scene) => ({
      path: await newMaintenance(scene),
      body: { endsAt: "2026-12-02T01:00:00Z" },
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: "DELETE /v1/maintenance-windows/:id/maintenances/:maintenanceId",
    least: "READ_WRITE",
    request: async (scene) => ({ path: await newMaintenance(scene) }),
    status: 204,
    isScoped: true,
  },
  {
    route: "POST /v1/maintenance-windows/:id/maintenances/:maintenanceId/updates",
    least: "READ_WRITE",
    request: async (scene) => ({
      path: `${await newMaintenance(scene)}/updates`,
      body: updateBody,
    }),
    status: 201,
    isScoped: true,
  },
  {
    route: "PUT /v1/maintenance-windows/:id/maintenances/:maintenanceId/updates/:updateId",
    least: "READ_WRITE",
    request: async (scene) => ({
      path: await newMaintenanceUpdate(scene),
      body: { description: "Still as planned." },
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: "DELETE /v1/maintenance-windows/:id/maintenances/:maintenanceId/updates/:updateId",
    least: "READ_WRITE",
    request: async (scene) => ({ path: await newMaintenanceUpdate(scene) }),
    status: 204,
    isScoped: true,
  },
  {
    route: "POST /v1/maintenance-windows",
    least: "READ_WRITE",
    request: () => ({ path: "/v1/maintenance-windows", body: windowBody }),
    status: 201,
  },
  {
    route: "GET /v1/maintenance-windows/:id",
    least: "READ_ONLY",
    request: async (scene) => ({ path: `/v1/maintenance-windows/${await newWindow(scene)}` }),
    status: 200,
    isScoped: true,
  },
  {
    route: "PUT /v1/maintenance-windows/:id",
    least: "READ_WRITE",
    request: async (scene) => ({
      path: `/v1/maintenance-windows/${await newWindow(scene)}`,
      body: windowBody,
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: "DELETE /v1/maintenance-windows/:id",
    least: "READ_WRITE",
    request: async (scene) => ({ path: `/v1/maintenance-windows/${await newWindow(scene)}` }),
    status: 204,
    isScoped: true,
  },
  {
    route: "GET /v1/checks/:id/parents",
    least: "READ_ONLY",
    request: async (scene) => ({ path: `/v1/checks/${await newCheck(scene)}/parents` }),
    status: 200,
    isScoped: true,
  },
  {
    route: "PUT /v1/checks/:id/parents",
    least: "READ_WRITE",
    request: async (scene) => ({
      path: `/v1/checks/${await newCheck(scene)}/parents`,
      body: { parentIds: [await newCheck(scene)] },
    }),
    status: 200,
    isScoped: true,
  },
  read("/v1/alert-settings"),
  {
    route: "PUT /v1/alert-settings",
    least: "ADMIN",
    request: () => ({ path: "/v1/alert-settings", body: { noDataMinutes: 30 } }),
    status: 200,
  },
  {
    route: "POST /v1/checks/:id/alert-back-test",
    least: "READ_ONLY",
    request: async (scene) => ({
      path: `/v1/checks/${await newCheck(scene)}/alert-back-test`,
      body: { alertSettings: {}, days: 1 },
    }),
    status: 200,
    isScoped: true,
    // The operation only reads data, although it uses POST.
    isUnaudited: true,
  },
];
