import { type Row, read, type Scene } from "./authorisation-row.ts";

const body = {
  project: { logicalId: "rows", name: "Rows" },
  resources: [{ logicalId: "g", type: "check-group", member: true, payload: { name: "G" } }],
};

/** Deploys a project and returns the path of the deployment. */
async function deploy({ test: app }: Scene): Promise<string> {
  const { body: started } = await app.call("POST", "/v1/projects/deploy", { body });
  const path = `/v1/projects/rows/deployments/${started.id ?? started.deploymentId}`;
  await app.call("GET", `${path}/completion`);
  return path;
}

let count = 0;

/**
 * Creates a project and a group that no project owns, plans the import of the group, and returns
 * the id of the import.
 */
async function planImport({ test: app }: Scene): Promise<string> {
  count += 1;
  const logicalId = `import-${count}`;
  await app.call("POST", "/next/projects", { body: { logicalId, name: "Import" } });
  await app.call("POST", "/v1/check-groups", { body: { name: `Free ${count}` } });
  const path = `/next/projects/${logicalId}/imports`;
  return (await app.call("POST", path, { body: {} })).body.id;
}

const deployments = "/v1/projects/:logicalId/deployments";

export const projectRows: readonly Row[] = [
  read("/v1/projects"),
  read("/v1/projects/resources"),
  read("/v1/projects/export"),
  {
    route: "GET /v1/projects/:logicalId",
    least: "READ_ONLY",
    request: async (scene) => {
      await deploy(scene);
      return { path: "/v1/projects/rows" };
    },
    status: 200,
    isScoped: true,
  },
  {
    route: "POST /v1/projects/preview",
    least: "READ_WRITE",
    request: () => ({ path: "/v1/projects/preview", body }),
    status: 200,
    isUnaudited: true,
  },
  {
    route: "POST /v1/projects/deploy",
    least: "READ_WRITE",
    request: () => ({ path: "/v1/projects/deploy?dryRun=true", body }),
    status: 200,
    isUnaudited: true,
  },
  {
    route: "DELETE /v1/projects/:logicalId",
    least: "READ_WRITE",
    request: () => ({ path: "/v1/projects/absent" }),
    status: 200,
    isUnaudited: true,
  },
  {
    route: `GET ${deployments}`,
    least: "READ_ONLY",
    request: async (scene) => {
      await deploy(scene);
      return { path: "/v1/projects/rows/deployments" };
    },
    status: 200,
  },
  {
    route: `GET ${deployments}/:id/events`,
    least: "READ_ONLY",
    request: async (scene) => ({ path: `${await deploy(scene)}/events` }),
    status: 200,
    isScoped: true,
  },
  {
    route: `GET ${deployments}/:id/completion`,
    least: "READ_ONLY",
    request: async (scene) => ({ path: `${await deploy(scene)}/completion` }),
    status: 200,
    isScoped: true,
  },
  {
    route: "POST /next/projects",
    least: "READ_WRITE",
    request: () => {
      count += 1;
      return { path: "/next/projects", body: { name: "New", logicalId: `new-${count}` } };
    },
    status: 201,
  },
  {
    route: "GET /next/projects/:logicalId",
    least: "READ_ONLY",
    request: async (scene) => {
      await deploy(scene);
      return { path: "/next/projects/rows" };
    },
    status: 200,
    isScoped: true,
  },
  {
    route: "GET /next/projects/:logicalId/imports",
    least: "READ_ONLY",
    request: async (scene) => {
      await deploy(scene);
      return { path: "/next/projects/rows/imports" };
    },
    status: 200,
    isScoped: true,
  },
  {
    route: "POST /next/projects/:logicalId/imports",
    least: "READ_WRITE",
    request: async (scene) => {
      await deploy(scene);
      await scene.test.call("POST", "/v1/check-groups", { body: { name: "Free" } });
      return { path: "/next/projects/rows/imports", body: {} };
    },
    status: 201,
    isScoped: true,
  },
  {
    route: "POST /next/projects/imports/:id/apply",
    least: "READ_WRITE",
    request: async (scene) => ({ path: `/next/projects/imports/${await planImport(scene)}/apply` }),
    status: 204,
    isScoped: true,
  },
  {
    route: "POST /next/projects/imports/:id/commit",
    least: "READ_WRITE",
    request: async (scene) => {
      const path = `/next/projects/imports/${await planImport(scene)}`;
      await scene.test.call("POST", `${path}/apply`);
      return { path: `${path}/commit` };
    },
    status: 204,
    isScoped: true,
  },
  {
    route: "DELETE /next/projects/imports/:id",
    least: "READ_WRITE",
    request: async (scene) => ({ path: `/next/projects/imports/${await planImport(scene)}` }),
    status: 204,
    isScoped: true,
  },
  {
    route: `POST ${deployments}/:id/cancel`,
    least: "READ_WRITE",
    request: async (scene) => ({ path: `${await deploy(scene)}/cancel` }),
    status: 200,
    isScoped: true,
  },
];
