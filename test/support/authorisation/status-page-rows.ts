import { createPng, toDataUrl } from "../inputs/pictures.ts";
import { createService, createStatusPage, nextPageUrl } from "../modules/status-pages.ts";
import { type Row, read, type Scene } from "./authorisation-row.ts";

async function newKey(scene: Scene): Promise<string> {
  const { id } = await createStatusPage(scene.test);
  const path = `/v1/status-pages/${id}/keys`;
  const { body } = await scene.test.call("POST", path);
  return `${path}/${body.id}`;
}

async function newDomain({ test }: Scene): Promise<string> {
  const customDomain = `${nextPageUrl()}.rows.test`;
  return `/v1/status-pages/${(await createStatusPage(test, { customDomain })).id}/domain`;
}

async function newComponent({ test }: Scene): Promise<string> {
  const path = `/v3/status-pages/${(await createStatusPage(test)).id}/components`;
  const { body } = await test.call("POST", path, { body: componentBody });
  return `${path}/${body.id}`;
}

async function describeRule(scene: Scene) {
  const component = await newComponent(scene);
  const [page = "", componentId = ""] = component.split("/components/");
  const components = [{ componentId, targetImpact: "MAJOR_OUTAGE" }];
  const texts = { name: "API outage", firstUpdate: "Investigating", lastUpdate: "Resolved" };
  return { path: `${page}/automation-rules`, body: { ...texts, tags: ["api"], components } };
}

async function newRule(scene: Scene) {
  const { path, body } = await describeRule(scene);
  const rule = await scene.test.call("POST", path, { body });
  return { path: `${path}/${rule.body.id}`, body };
}

const componentBody = { name: "API", displayOrder: 0 };
const componentPath = "/v3/status-pages/:statusPageId/components";
const rulePath = "/v3/status-pages/:statusPageId/automation-rules";

/** Rows of status pages in the component format, and of the automation rules of these pages. */
const componentRows: readonly Row[] = [
  {
    route: "POST /v3/status-pages",
    least: "READ_WRITE",
    request: () => ({ path: "/v3/status-pages", body: { name: "Acme", url: nextPageUrl() } }),
    status: 201,
  },
  read("/v3/status-pages"),
  ...(["GET", "PUT", "DELETE"] as const).map(
    (method): Row => ({
      route: `${method} /v3/status-pages/:statusPageId`,
      least: method === "GET" ? "READ_ONLY" : "READ_WRITE",
      request: async ({ test }) => {
        const { id, url } = await createStatusPage(test);
        const path = `/v3/status-pages/${id}`;
        return { path, ...(method === "PUT" && { body: { name: "New", url } }) };
      },
      status: method === "DELETE" ? 204 : 200,
      isScoped: true,
    }),
  ),
  ...(["GET", "POST"] as const).map(
    (method): Row => ({
      route: `${method} ${componentPath}`,
      least: method === "GET" ? "READ_ONLY" : "READ_WRITE",
      request: async ({ test }) => ({
        path: `/v3/status-pages/${(await createStatusPage(test)).id}/components`,
        ...(method === "POST" && { body: componentBody }),
      }),
      status: method === "GET" ? 200 : 201,
      isScoped: true,
    }),
  ),
  ...(["GET", "PUT", "DELETE"] as const).map(
    (method): Row => ({
      route: `${method} ${componentPath}/:componentId`,
      least: method === "GET" ? "READ_ONLY" : "READ_WRITE",
      request: async (scene) => ({
        path: await newComponent(scene),
        ...(method === "PUT" && { body: componentBody }),
      }),
      status: method === "DELETE" ? 204 : 200,
      isScoped: true,
    }),
  ),
  ...(["GET", "POST"] as const).map(
    (method): Row => ({
      route: `${method} ${rulePath}`,
      least: method === "GET" ? "READ_ONLY" : "READ_WRITE",
      request: async (scene) => {
        const { path, body } = await describeRule(scene);
        return { path, ...(method === "POST" && { body }) };
      },
      status: method === "GET" ? 200 : 201,
      isScoped: true,
    }),
  ),
  ...(["GET", "PUT", "DELETE"] as const).map(
    (method): Row => ({
      route: `${method} ${rulePath}/:ruleId`,
      least: method === "GET" ? "READ_ONLY" : "READ_WRITE",
      request: async (scene) => {
        const { path, body } = await newRule(scene);
        return { path, ...(method === "PUT" && { body }) };
      },
      status: method === "DELETE" ? 204 : 200,
      isScoped: true,
    }),
  ),
];

export const statusPageRows: readonly Row[] = [
  ...componentRows,
  {
    route: "POST /v1/status-pages/services",
    least: "READ_WRITE",
    request: () => ({ path: "/v1/status-pages/services", body: { name: "API" } }),
    status: 201,
  },
  read("/v1/status-pages/services"),
  {
    route: "GET /v1/status-pages/services/:serviceId",
    least: "READ_ONLY",
    request: async ({ test }) => ({
      path: `/v1/status-pages/services/${await createService(test)}`,
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: "PUT /v1/status-pages/services/:serviceId",
    least: "READ_WRITE",
    request: async ({ test }) => ({
      path: `/v1/status-pages/services/${await createService(test)}`,
      body: { name: "Search" },
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: "DELETE /v1/status-pages/services/:serviceId",
    least: "READ_WRITE",
    request: async ({ test }) => ({
      path: `/v1/status-pages/services/${await createService(test)}`,
    }),
    status: 204,
    isScoped: true,
  },
  {
    route: "POST /v1/status-pages",
    least: "READ_WRITE",
    request: () => ({
      path: "/v1/status-pages",
      body: { name: "Acme", url: nextPageUrl(), cards: [] },
    }),
    status: 201,
  },
  read("/v1/status-pages"),
  {
    route: "GET /v1/status-pages/:statusPageId",
    least: "READ_ONLY",
    request: async ({ test }) => ({
      path: `/v1/status-pages/${(await createStatusPage(test)).id}`,
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: "PUT /v1/status-pages/:statusPageId",
    least: "READ_WRITE",
    request: async ({ test }) => {
      const { id, url } = await createStatusPage(test);
      return { path: `/v1/status-pages/${id}`, body: { name: "New", url, cards: [] } };
    },
    status: 200,
    isScoped: true,
  },
  {
    route: "DELETE /v1/status-pages/:statusPageId",
    least: "READ_WRITE",
    request: async ({ test }) => ({
      path: `/v1/status-pages/${(await createStatusPage(test)).id}`,
    }),
    status: 204,
    isScoped: true,
  },
  {
    route: "POST /v1/status-pages/:statusPageId/keys",
    least: "READ_WRITE",
    request: async ({ test }) => ({
      path: `/v1/status-pages/${(await createStatusPage(test)).id}/keys`,
    }),
    status: 201,
    isScoped: true,
  },
  {
    route: "GET /v1/status-pages/:statusPageId/keys",
    least: "READ_ONLY",
    request: async ({ test }) => ({
      path: `/v1/status-pages/${(await createStatusPage(test)).id}/keys`,
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: "POST /v1/status-pages/:statusPageId/keys/:keyId/rotate",
    least: "READ_WRITE",
    request: async (scene) => ({ path: `${await newKey(scene)}/rotate` }),
    status: 200,
    isScoped: true,
  },
  {
    route: "DELETE /v1/status-pages/:statusPageId/keys/:keyId",
    least: "READ_WRITE",
    request: async (scene) => ({ path: await newKey(scene) }),
    status: 204,
    isScoped: true,
  },
  {
    route: "GET /v1/status-pages/:statusPageId/images",
    least: "READ_ONLY",
    request: async ({ test }) => ({
      path: `/v1/status-pages/${(await createStatusPage(test)).id}/images`,
    }),
    status: 200,
    isScoped: true,
  },
  {
    route: "GET /v1/status-pages/:statusPageId/domain",
    least: "READ_ONLY",
    request: async (scene) => ({ path: await newDomain(scene) }),
    status: 200,
    isScoped: true,
  },
  {
    route: "POST /v1/status-pages/:statusPageId/domain/check",
    least: "READ_WRITE",
    request: async (scene) => ({ path: `${await newDomain(scene)}/check` }),
    status: 200,
    isScoped: true,
    isUnaudited: true,
  },
  {
    route: "GET /status/:url/images/:role",
    least: null,
    request: async ({ test }) => {
      const { url } = await createStatusPage(test, { logo: toDataUrl(createPng()) });
      return { path: `/status/${url}/images/logo` };
    },
    status: 200,
  },
];
