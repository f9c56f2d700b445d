/** What an anonymous client can learn from every URL of the server. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Answer, startTestApp, type TestApp } from "./support/apps/app.ts";
import { listRoutes, type Route } from "./support/authorisation/routes.ts";
import { createIncident, createPage } from "./support/modules/public-page.ts";

let app: TestApp;
let routes: readonly Route[];
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false" });
  routes = listRoutes(app.app);
  const cards = { Secretcard: ["Secretservice"] };
  for (const isPrivate of [false, true]) {
    const name = isPrivate ? "closed" : "open";
    const more = { isPrivate, description: "Secretwords" };
    const page = await createPage(app, { url: name, name: "Secretpage", cards, more });
    await createIncident(app, { name: "Secretincident", serviceIds: page.serviceIds });
    const words = { header: "Secretboard", description: "Secretwords" };
    const body = { ...words, customUrl: `${name}-board`, isPrivate };
    const board = await app.call("POST", "/v1/dashboards", { body });
    assert.equal(board.status, 201, board.text);
  }
});
after(() => app.stop());

const form = { "content-type": "application/x-www-form-urlencoded" };

/** Requests every URL of pages and dashboards, and every other URL without a key. */
async function* requestEverything(name: string): AsyncGenerator<{ route: Route; answer: Answer }> {
  const values: Readonly<Record<string, string>> = {
    url: name,
    name: `${name}-board`,
    role: "logo",
    month: app.clock.now().toISOString().slice(0, 7),
    token: "A".repeat(120),
    incidentId: "01890000-0000-7000-8000-000000000000",
    "*": "elsewhere",
  };
  for (const route of routes) {
    // A stream has no end to wait for.
    if (route.url.startsWith("/v") || route.url.endsWith("/events")) continue;
    const path = route.url.replaceAll(/:(\w+)|\*/g, (all, key) => values[key ?? all] ?? "x");
    const isForm = route.method === "POST";
    const headers = { accept: "text/html", ...(isForm && form) };
    const answer = await app.call(route.method, path, {
      key: null,
      headers,
      ...(isForm && { rawBody: "key=wrong&address=a%40example.com" }),
    });
    assert.ok(answer.status < 500 || answer.status === 503, `${route.method} ${path}`);
    yield { route, answer };
  }
}

test("no URL reveals anything about a private page or dashboard", async () => {
  let count = 0;
  for await (const { route, answer } of requestEverything("closed")) {
    count += 1;
    const content = JSON.stringify([...answer.headers]) + answer.text;
    const secret = /Secret(?:page|card|service|words|incident|board)/i.exec(content)?.[0];
    assert.equal(secret, undefined, `${route.method} ${route.url} ${answer.status}`);
  }
  assert.ok(count > 40, `${count} addresses`);
});

test("every HTML response has a policy against inline scripts and framing", async () => {
  const seen = new Set<string>();
  for (const name of ["open", "closed", "unknown"]) {
    for await (const { route, answer } of requestEverything(name)) {
      const where = `${route.method} ${route.url} ${answer.status}`;
      const policy = answer.headers.get("content-security-policy") ?? "";
      const directives = policy.split("; ");
      assert.ok(directives.includes("default-src 'none'"), `${where}: ${policy}`);
      if (!answer.headers.get("content-type")?.startsWith("text/html")) continue;
      seen.add(`${route.method} ${route.url}`);
      // The banner is made to be embedded, and has nothing to click.
      const isFramed = route.url.endsWith("/banner") && answer.status === 200;
      if (isFramed) continue;
      assert.ok(directives.includes("frame-ancestors 'none'"), `${where}: ${policy}`);
      // An image cannot run anything, wherever it comes from.
      const others = directives.filter((one) => !one.startsWith("img-src "));
      assert.doesNotMatch(others.join("; "), /data:/, where);
      assert.doesNotMatch(policy, /unsafe|\*|http/, where);
    }
  }
  for (const page of ["/", "/docs/api", "/status/:url", "/dashboards/:name/view"]) {
    assert.ok(seen.has(`GET ${page}`), `${page} appeared among ${[...seen].join(", ")}`);
  }
});
