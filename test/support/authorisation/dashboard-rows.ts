import { type Row, read, type Scene } from "./authorisation-row.ts";

async function newDashboard(
  { test: app }: Scene,
  more: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly dashboardId: string; readonly keyId: string; readonly rawKey: string }> {
  const look = { header: "Wall", customCSS: ".check { color: red }" };
  const body = { ...look, isPrivate: false, ...more };
  const { body: made } = await app.call("POST", "/v1/dashboards", { body });
  const [key] = made.keys;
  return { dashboardId: made.dashboardId, keyId: key?.id, rawKey: key?.rawKey };
}

const pathOf = async (scene: Scene, rest = "") =>
  `/v1/dashboards/${(await newDashboard(scene)).dashboardId}${rest}`;
const pageOf = async (scene: Scene, rest = "") =>
  `/dashboards/${(await newDashboard(scene)).dashboardId}${rest}`;

async function keyPathOf(scene: Scene, rest = ""): Promise<string> {
  const { dashboardId, keyId } = await newDashboard(scene, { isPrivate: true });
  return `/v1/dashboards/${dashboardId}/keys/${keyId}${rest}`;
}

let domainCount = 0;

async function domainPathOf(scene: Scene, rest = ""): Promise<string> {
  domainCount += 1;
  const customDomain = `wall-${domainCount}.rows.test`;
  const { dashboardId } = await newDashboard(scene, { customDomain });
  return `/v1/dashboards/${dashboardId}/domain${rest}`;
}

/** Data URL of an image with one grey pixel. */
const dot =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==";

const page = (route: string, rest: string): Row => ({
  route: `GET ${route}`,
  least: null,
  request: async (scene) => ({ path: await pageOf(scene, rest) }),
  status: 200,
});

export const dashboardRows: readonly Row[] = [
  read("/v1/dashboards"),
  {
    route: "POST /v1/dashboards",
    least: "READ_WRITE",
    request: () => ({ path: "/v1/dashboards", body: { header: "New" } }),
    status: 201,
  },
  {
    route: "POST /v1/dashboards/previews",
    least: "READ_WRITE",
    request: () => ({ path: "/v1/dashboards/previews", body: { header: "Not saved" } }),
    status: 201,
    isUnaudited: true,
  },
  {
    route: "GET /v1/dashboards/:dashboardId",
    least: "READ_ONLY",
    request: async (scene) => ({ path: await pathOf(scene) }),
    status: 200,
    isScoped: true,
  },
  {
    route: "PUT /v1/dashboards/:dashboardId",
    least: "READ_WRITE",
    request: async (scene) => ({ path: await pathOf(scene), body: { header: "Other" } }),
    status: 200,
    isScoped: true,
  },
  {
    route: "DELETE /v1/dashboards/:dashboardId",
    least: "READ_WRITE",
    request: async (scene) => ({ path: await pathOf(scene) }),
    status: 204,
    isScoped: true,
  },
  {
    route: "POST /v1/dashboards/:dashboardId/keys",
    least: "READ_WRITE",
    request: async (scene) => ({ path: await pathOf(scene, "/keys") }),
    status: 201,
    isScoped: true,
  },
  {
    route: "GET /v1/dashboards/:dashboardId/keys",
    least: "READ_ONLY",
    request: async (scene) => ({ path: await pathOf(scene, "/keys") }),
    status: 200,
    isScoped: true,
  },
  {
    route: "POST /v1/dashboards/:dashboardId/keys/:keyId/rotate",
    least: "READ_WRITE",
    request: async (scene) => ({ path: await keyPathOf(scene, "/rotate") }),
    status: 200,
    isScoped: true,
  },
  {
    route: "DELETE /v1/dashboards/:dashboardId/keys/:keyId",
    least: "READ_WRITE",
    request: async (scene) => ({ path: await keyPathOf(scene) }),
    status: 204,
    isScoped: true,
  },
  {
    route: "GET /v1/dashboards/:dashboardId/domain",
    least: "READ_ONLY",
    request: async (scene) => ({ path: await domainPathOf(scene) }),
    status: 200,
    isScoped: true,
  },
  {
    route: "POST /v1/dashboards/:dashboardId/domain/check",
    least: "READ_WRITE",
    request: async (scene) => ({ path: await domainPathOf(scene, "/check") }),
    status: 200,
    isScoped: true,
    isUnaudited: true,
  },
  page("/dashboards/:name", ""),
  page("/dashboards/:name/", "/"),
  page("/dashboards/:name/view", "/view"),
  page("/dashboards/:name/page.css", "/page.css"),
  page("/dashboards/:name/page.js", "/page.js"),
  page("/dashboards/:name/icon.svg", "/icon.svg"),
  page("/dashboards/:name/custom.css", "/custom.css"),
  {
    route: "GET /dashboards/:name/images/:role",
    least: null,
    request: async (scene) => {
      const { dashboardId } = await newDashboard(scene, { logo: dot });
      return { path: `/dashboards/${dashboardId}/images/logo` };
    },
    status: 200,
  },
  {
    // The row uses a private dashboard, whose stream is rejected immediately. A stream that opens
    // would never end.
    route: "GET /dashboards/:name/events",
    least: null,
    request: async (scene) => {
      const { dashboardId } = await newDashboard(scene, { isPrivate: true });
      return { path: `/dashboards/${dashboardId}/events`, key: null };
    },
    status: 401,
  },
  {
    route: "POST /dashboards/:name/unlock",
    least: null,
    request: async (scene) => {
      const { dashboardId } = await newDashboard(scene, { isPrivate: true });
      return {
        path: `/dashboards/${dashboardId}/unlock`,
        rawBody: "key=da_wrong",
        headers: { "content-type": "application/x-www-form-urlencoded" },
      };
    },
    status: 401,
    // Unlocking stores nothing on the server: it only sets a cookie.
    isUnaudited: true,
  },
];
