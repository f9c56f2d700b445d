import { createIncident, createPage } from "../modules/public-page.ts";
import { createService, createStatusPage, nextPageUrl } from "../modules/status-pages.ts";
import { type Row, read, type Scene } from "./authorisation-row.ts";

const newPage = ({ test: app }: Scene, more = {}) => createPage(app, { url: nextPageUrl(), more });

/** Returns the row of a read whose path is below the URL of a public page. */
function readPage(path: string): Row {
  return {
    route: `GET /status/:url${path}`,
    least: null,
    request: async (scene) => ({ path: `${(await newPage(scene)).path}${path}` }),
    status: 200,
  };
}

async function snapshotOf({ test: app }: Scene): Promise<string> {
  return `/v1/status-pages/${(await createStatusPage(app)).id}/snapshot`;
}

export const publicPageRows: readonly Row[] = [
  {
    route: "GET /previews/:token/*",
    least: null,
    request: async ({ test }) => {
      const body = { name: "Acme", url: nextPageUrl(), cards: [] };
      const made = await test.call("POST", "/v1/status-pages/previews", { body });
      return { path: made.body.light };
    },
    status: 200,
  },
  {
    route: "POST /v1/status-pages/previews",
    least: "READ_WRITE",
    request: () => ({
      path: "/v1/status-pages/previews",
      body: { name: "Acme", url: nextPageUrl(), cards: [] },
    }),
    status: 201,
    isUnaudited: true,
  },
  {
    route: "GET /v1/status-pages/:statusPageId/snapshot",
    least: "READ_ONLY",
    request: async (scene) => ({ path: await snapshotOf(scene) }),
    status: 200,
    isScoped: true,
  },
  {
    // The server of these tests stores no snapshots. Only permitted callers receive the error about
    // this.
    route: "POST /v1/status-pages/:statusPageId/snapshot",
    least: "READ_WRITE",
    request: async (scene) => ({ path: await snapshotOf(scene) }),
    status: 409,
    isScoped: true,
    isUnaudited: true,
  },
  {
    route: "GET /v1/status-pages/:statusPageId/snapshot/archive",
    least: "READ_ONLY",
    request: async (scene) => ({ path: `${await snapshotOf(scene)}/archive` }),
    status: 200,
    isScoped: true,
  },
  read("/v1/status-page-overviews"),
  read("/v1/service-statuses"),
  {
    route: "GET /v1/service-statuses/:serviceId",
    least: "READ_ONLY",
    request: async ({ test }) => ({ path: `/v1/service-statuses/${await createService(test)}` }),
    status: 200,
    isScoped: true,
  },
  ...["", "/", "/history", "/summary.json", "/feed.rss", "/feed.atom", "/feed.json"].map(readPage),
  ...["/maintenance.ics", "/badge.svg", "/page.css", "/page.js", "/icon.svg"].map(readPage),
  ...["/theme.css", "/banner", "/banner.css"].map(readPage),
  {
    route: "GET /status/:url/custom.css",
    least: null,
    request: async ({ test }) => {
      const { url } = await createStatusPage(test, { customCSS: ".card { margin: 0 }" });
      return { path: `/status/${url}/custom.css` };
    },
    status: 200,
  },
  {
    route: "GET /status/:url/history/:month",
    least: null,
    request: async (scene) => ({ path: `${(await newPage(scene)).path}/history/2026-11` }),
    status: 200,
  },
  {
    route: "GET /status/:url/incidents/:incidentId",
    least: null,
    request: async (scene) => {
      const { path, serviceIds } = await newPage(scene);
      return { path: `${path}/incidents/${await createIncident(scene.test, { serviceIds })}` };
    },
    status: 200,
  },
  {
    route: "GET /status/:url/*",
    least: null,
    request: async (scene) => ({ path: `${(await newPage(scene)).path}/v1/runtimes` }),
    status: 404,
  },
  {
    route: "POST /status/:url/unlock",
    least: null,
    request: async (scene) => {
      const { path } = await newPage(scene, { isPrivate: true });
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      return { path: `${path}/unlock`, headers, rawBody: "key=wrong" };
    },
    status: 401,
    isUnaudited: true,
  },
];
