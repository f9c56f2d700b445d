import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TestApp } from "../../../test/support/apps/app.ts";
import { addStranger } from "../../../test/support/apps/cast.ts";
import { shareTestApp } from "../../../test/support/apps/shared-app.ts";
import { addDashboard, addDashboardChecks } from "../../../test/support/modules/dashboards.ts";

let app: TestApp;
before(async () => {
  app = await shareTestApp({ BUILT_IN_PROBE: "false" });
  await addDashboardChecks(app, [
    { name: "alpha", status: "passing", tags: ["sea"] },
    { name: "bravo", status: "failing", tags: ["land"] },
  ]);
});
after(() => app.stop());

const dot =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==";
const preview = (body: Readonly<Record<string, unknown>>, key?: string) =>
  app.call("POST", "/v1/dashboards/previews", { body, ...(key !== undefined && { key }) });
const get = (path: string) => app.call("GET", path, { key: null });

test("a preview equals the saved dashboard with its files, and saves nothing", async () => {
  const customCSS = ".check-name { color: red }\n.tag { background: url(https://evil.test/x) }";
  const { status, body } = await preview({
    header: "Not yet",
    logo: dot,
    customCSS,
    tags: ["sea"],
  });
  assert.equal(status, 201);
  assert.equal(body.checkCount, 1);
  assert.equal(body.cssWarnings.length, 1);
  assert.equal(body.cssWarnings[0].line, 2);
  assert.ok(body.cssWarnings[0].column > 0);
  const light = await get(body.light);
  assert.match(light.text, /<html lang="en" data-theme="light">/);
  assert.match(light.text, /Not yet.*alpha/s);
  assert.doesNotMatch(light.text, /bravo|<script(?! src="\.\/preview\.js")/);
  assert.match((await get(body.dark)).text, /data-theme="dark"/);
  for (const [, path = ""] of light.text.matchAll(/(?:href|src)="(\.\/[^"?]+)/g)) {
    assert.equal((await get(body.light + path.slice(2))).status, 200, path);
  }
  assert.match((await get(`${body.light}custom.css`)).text, /color:\s*red/);
  assert.doesNotMatch((await get(`${body.light}custom.css`)).text, /evil/);
  const { body: list } = await app.call("GET", "/v1/dashboards");
  assert.equal(JSON.stringify(list).includes("Not yet"), false);
});

test("omitted settings of a preview are those of the dashboard", async () => {
  const { dashboardId } = await addDashboard(app, { header: "Saved", tags: ["land"], logo: dot });
  const { body } = await preview({ dashboardId, description: "New words" });
  const { text } = await get(body.light);
  assert.match(text, /Saved.*New words.*bravo/s);
  assert.match(text, /images\/logo/);
  const without = await preview({ dashboardId, logo: null });
  assert.doesNotMatch((await get(without.body.light)).text, /images\/logo/);
});

test("a preview is validated like saving, and another account's dashboard is not found", async () => {
  const bad = await preview({ header: "x", customUrl: "Not a name!" });
  assert.equal(bad.status, 400);
  assert.deepEqual(bad.body.validation.keys, ["customUrl"]);
  assert.equal((await preview({ checksPerPage: 99 })).status, 400);
  assert.equal((await preview({ dashboardId: "nothing1" })).status, 404);
  const { dashboardId } = await addDashboard(app, {});
  const stranger = await addStranger(app);
  assert.equal((await preview({ dashboardId }, stranger.key)).status, 404);
});
