import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { screenRoutes } from "../src/app/web-routes.ts";
import type { Answer, TestApp } from "./support/apps/app.ts";
import { shareTestApp } from "./support/apps/shared-app.ts";
import { listRoutes } from "./support/authorisation/routes.ts";
import { listOperations } from "./support/project/api-document.ts";

let app: TestApp;
let answer: Answer;
before(async () => {
  app = await shareTestApp();
  answer = await app.call("GET", "/openapi.json", { key: null });
});
after(() => app.stop());

/** Pages and the document itself are not operations of the API. */
const undocumented = [
  ...screenRoutes,
  "/assets/*",
  "/favicon.svg",
  "/theme.js",
  "/push-worker.js",
  "/manifest.webmanifest",
  "/icon-192.png",
  "/icon-512.png",
  "/sign-in/oidc",
  "/sign-in/oidc/callback",
  "/plain.css",
  "/openapi.json",
  "/docs/api",
  "/docs/api/:page",
  "/docs",
  "/docs/:guide",
  "/docs/decisions/:guide",
  "/docs/pictures/:picture",
  "/docs/docs.css",
  "/docs/try-it.js",
  "/previews/:token/*",
  "/v1/probe/assets",
  "/v1/probe/code/:digest",
  "/acknowledge/:token",
  "/acknowledge/:token/call/:channelId",
  "/acknowledge/:token/escalate",
  "/acknowledge/:token/snooze",
  "/status/:url",
  "/status/:url/",
  "/status/:url/*",
  "/status/:url/history",
  "/status/:url/history/:month",
  "/status/:url/incidents/:incidentId",
  "/status/:url/summary.json",
  "/status/:url/feed.rss",
  "/status/:url/feed.atom",
  "/status/:url/feed.json",
  "/status/:url/maintenance.ics",
  "/status/:url/badge.svg",
  "/status/:url/banner",
  "/status/:url/banner.css",
  "/status/:url/custom.css",
  "/status/:url/page.css",
  "/status/:url/page.js",
  "/status/:url/icon.svg",
  "/status/:url/theme.css",
  "/accounts/:accountId/test-sessions/:testSessionId",
  "/status/:url/unlock",
  "/status/:url/images/:role",
  "/status/:url/subscribe",
  "/status/:url/confirm/:token",
  "/status/:url/manage/:token",
  "/status/:url/unsubscribe/:token",
  "/dashboards/:name",
  "/dashboards/:name/",
  "/dashboards/:name/view",
  "/dashboards/:name/events",
  "/dashboards/:name/page.css",
  "/dashboards/:name/page.js",
  "/dashboards/:name/icon.svg",
  "/dashboards/:name/custom.css",
  "/dashboards/:name/images/:role",
  "/dashboards/:name/unlock",
];

test("the document is OpenAPI 3.1 and covers the whole API", () => {
  assert.equal(answer.status, 200);
  assert.match(answer.body.openapi, /^3\.1\./);
  const documented = Object.entries<Record<string, unknown>>(answer.body.paths).flatMap(
    ([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const registered = listRoutes(app.app)
    .filter(({ url }) => !undocumented.includes(url))
    .map(({ method, url }) => `${method} ${url.replaceAll(/:(\w+)/g, "{$1}")}`);
  assert.deepEqual(documented.sort(), registered.sort());
});

test("the rendered reference shows every operation, without inline scripts or external URLs", async () => {
  const readPage = async (path: string) => {
    const page = await app.call("GET", path, { key: null });
    assert.equal(page.status, 200, path);
    assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
    assert.match(page.headers.get("content-security-policy") ?? "", /^default-src 'none'/);
    // Examples contain URLs as text; none of them is a link.
    assert.equal(/<script>|(?:src|href)="https?:/i.test(page.text), false);
    return page.text;
  };
  const overview = await readPage("/docs/api");
  const links = new Set(
    [...overview.matchAll(/href="(\/docs\/api\/[\w-]+)"/g)].map(([, to]) => to),
  );
  const pages: string[] = [];
  for (const link of links) pages.push(await readPage(link ?? ""));
  const reference = pages.join("");
  for (const [name, { summary = "" }] of listOperations(answer.body)) {
    const [method = "", path = ""] = name.split(" ");
    assert.ok(reference.includes(`${method.toUpperCase()}</span> <code>${path}</code>`), name);
    assert.ok(reference.includes(summary.replaceAll("'", "&#39;")), name);
    assert.ok(overview.includes(summary.replaceAll("'", "&#39;")), name);
  }
  for (const [path, type] of [
    ["/docs/docs.css", /^text\/css/],
    ["/docs/try-it.js", /^text\/javascript/],
  ] as const) {
    const file = await app.call("GET", path, { key: null });
    assert.match(file.headers.get("content-type") ?? "", type);
  }
});
