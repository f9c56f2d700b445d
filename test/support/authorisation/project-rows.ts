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

const deployments = "/v1/projects/:logicalId/deployments";

export const projectRows: readonly Row[] = [
  read("/v1/projects"),
  read("/v1/projects/resources"),
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
    route: `POST ${deployments}/:id/cancel`,
    least: "READ_WRITE",
    request: async (scene) => ({ path: `${await deploy(scene)}/cancel` }),
    status: 200,
    isScoped: true,
  },
];
