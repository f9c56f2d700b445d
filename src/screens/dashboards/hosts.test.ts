import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { addStranger, type Stranger } from "../../../test/support/apps/cast.ts";
import { addDashboard } from "../../../test/support/modules/dashboards.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";

let app: TestApp;
let stranger: Stranger;
before(async () => {
  app = await startTestApp({ BUILT_IN_PROBE: "false", PUBLIC_URL: "http://watch.test" });
  stranger = await addStranger(app);
});
after(() => app.stop());

/** `fetch` does not allow setting the Host header. */
function ask(
  path: string,
  host: string,
): Promise<{ status: number; text: string; cookie: string }> {
  const { port } = new URL(app.url);
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, headers: { host } }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (chunk) => {
        text += chunk;
      });
      const cookie = answer.headers["set-cookie"]?.[0] ?? "";
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text, cookie }));
    });
    sent.on("error", reject).end();
  });
}

test("a dashboard is at the root of its custom hosts, with its files and nothing else", async () => {
  await addDashboard(app, {
    header: "Own host",
    customUrl: "Wall",
    customDomain: "wall.acme.test",
  });
  for (const host of ["wall.watch.test", "wall.acme.test"]) {
    await waitUntil("the host is served", async () =>
      (await ask("/", host)).text.includes("Own host"),
    );
    const { text } = await ask("/?page=1", host);
    assert.match(text, /data-base="\/"/);
    assert.match(text, /href="\/page\.css/);
    for (const path of ["/view", "/page.css", "/page.js", "/icon.svg"]) {
      assert.equal((await ask(path, host)).status, 200, path);
    }
    for (const path of ["/dashboards/wall", "/status/x"]) {
      assert.equal((await ask(path, host)).status, 404, path);
    }
  }
});

test("a private dashboard on a custom host accepts its key and sets a cookie for the host", async () => {
  const { rawKey } = await addDashboard(app, { isPrivate: true, customDomain: "secret.acme.test" });
  await waitUntil(
    "the host is known",
    async () => (await ask("/", "secret.acme.test")).status === 401,
  );
  const answer = await ask(`/?key=${rawKey}`, "secret.acme.test");
  assert.equal(answer.status, 303);
  assert.match(answer.cookie, /Path=\/;/);
});

test("a name belongs to one status page or dashboard, first come first served", async () => {
  const page = (url: string, key = stranger.key) =>
    app.call("POST", "/v1/status-pages", { key, body: { name: "Page", url, cards: [] } });
  const dashboard = (customUrl: string) =>
    app.call("POST", "/v1/dashboards", { body: { header: "Wall", customUrl } });
  assert.equal((await page("first-page")).status, 201);
  const late = await dashboard("First-Page");
  assert.equal(late.status, 409);
  assert.match(late.body.message, /customUrl/);
  const { body: made } = await dashboard("first-wall");
  const rejected = await page("FIRST-wall");
  assert.equal(rejected.status, 409);
  assert.match(rejected.body.message, /url/);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? page("both") : dashboard("both"))),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(19).fill(409)]);
  await app.call("DELETE", `/v1/dashboards/${made.dashboardId}`);
  assert.equal((await page("first-wall")).status, 201);
});

test("concurrently swapping two addresses ends with a conflict or with the swap", async () => {
  const one = await addDashboard(app, { customUrl: "swap-a" });
  const two = await addDashboard(app, { customUrl: "swap-b" });
  const put = (id: string, customUrl: string) =>
    app.call("PUT", `/v1/dashboards/${id}`, { body: { customUrl } });
  for (let round = 0; round < 5; round += 1) {
    const answers = await Promise.all([
      put(one.dashboardId, "swap-b"),
      put(two.dashboardId, "swap-a"),
    ]);
    for (const { status, text } of answers) assert.ok([200, 409].includes(status), text);
    await put(one.dashboardId, "swap-a");
    await put(two.dashboardId, "swap-b");
  }
});
