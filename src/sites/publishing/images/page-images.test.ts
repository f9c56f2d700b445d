import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../../test/support/apps/app.ts";
import { createPng } from "../../../../test/support/inputs/pictures.ts";
import { createStatusPage } from "../../../../test/support/modules/status-pages.ts";
import { startHttpReceiver } from "../../../../test/support/servers/http-receiver.ts";
import { waitUntil } from "../../../../test/support/time/wait-until.ts";
import { createOutbound } from "../../../platform/outbound.ts";
import { decideNextAttempt, fetchPicture } from "./page-images.ts";

const now = new Date("2026-11-15T12:00:00Z");

test("delays grow, and there is no sixth attempt", () => {
  const minutes = [1, 2, 3, 4, 5].map((attempt) => {
    const next = decideNextAttempt(attempt, { mayPass: true }, now);
    return next && (next.getTime() - now.getTime()) / 60_000;
  });
  assert.deepEqual(minutes, [1, 5, 30, 120, null]);
});

test("permanent failures are not retried", () => {
  assert.equal(decideNextAttempt(1, { mayPass: false }, now), null);
});

test("a redirect into a private network is neither followed nor retried", async (t) => {
  const inside = await startHttpReceiver(t, () => ({ body: "secret" }), { host: "127.0.0.2" });
  const outside = await startHttpReceiver(t, () => ({
    status: 302,
    headers: { location: `${inside.url}/latest/meta-data` },
  }));
  const outbound = createOutbound({ allowPrivate: false, allowedAddresses: ["127.0.0.1"] });
  const fetched = await fetchPicture(outbound, `${outside.url}/logo.png`);
  assert.equal(outside.requests.length, 1);
  assert.equal(inside.requests.length, 0);
  assert.ok(fetched.kind === "fault");
  assert.equal(fetched.mayPass, false);
});

test("a server that never responds delays neither other images nor shutdown", async (t) => {
  const png = createPng();
  const receiver = await startHttpReceiver(t, ({ path }, response) => {
    if (path === "/good") response.end(png);
    return undefined;
  });
  const app = await startTestApp({ OUTBOUND_ALLOW_PRIVATE: "true" });
  t.after(app.stop);
  for (const role of ["logo", "logoDark", "favicon"]) {
    await createStatusPage(app, { [role]: `${receiver.url}/silent` });
  }
  await waitUntil("all three are under way", () => receiver.requests.length === 3);
  const page = await createStatusPage(app, { logo: `${receiver.url}/good` });
  const path = `/status/${page.url}/images/logo`;
  const isShown = async () => (await app.call("GET", path, { key: null })).status === 200;
  await waitUntil("the good one is there", isShown);
  const { rows } = await app.query("select attempts, fault from page_images where hash is null");
  assert.deepEqual(rows, Array(3).fill({ attempts: 1, fault: null }), "they are still waited for");
  await app.app.stop();
  const left = await app.query("select attempts, fault from page_images where hash is null");
  assert.deepEqual(left.rows, rows, "the end came before their time was over");
});
