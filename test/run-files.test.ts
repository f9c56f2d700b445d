/** Files of runs from remote probes, in an object storage, and in the trace viewer. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { printNatsUsers } from "../src/app/commands.ts";
import { writeNatsUsers } from "../src/app/nats-users.ts";
import { startRemoteProbe } from "../src/app/remote-probe.ts";
import { decideViewerUrl } from "../src/app/trace-viewer.ts";
import { parseConfig } from "../src/config.ts";
import { packAssets, unpackAssets } from "../src/contract/run-asset.ts";
import type { StartProber } from "../src/kinds/kit/prober.ts";
import { startScriptProber } from "../src/kinds/kit/scripts/script-prober.ts";
import { startSuiteProber } from "../src/kinds/of/playwright/prober.ts";
import { probers } from "../src/kinds/probers.ts";
import { systemClock } from "../src/platform/clock.ts";
import { startTestApp, type TestApp } from "./support/apps/app.ts";
import { addStranger } from "./support/apps/cast.ts";
import { captureLog } from "./support/apps/log.ts";
import { saveFiles, screenshot, trace } from "./support/modules/run-files.ts";
import { findLack } from "./support/programs/programs.ts";
import { measureScript } from "./support/scripts/scripted-app.ts";
import { type NatsServer, startNatsServer } from "./support/servers/nats-server.ts";
import { type S3Server, startS3Server } from "./support/servers/s3-server.ts";
import { waitUntil } from "./support/time/wait-until.ts";

let app: TestApp;
let s3: S3Server;
const noNats = findLack("nats-server");
let nats: NatsServer | null = null;
let NATS_URL = "";

before(async () => {
  if (!noNats) {
    const address = { servers: [], isTls: false, user: "us", password: "secret" };
    nats = await startNatsServer(writeNatsUsers([], address));
    NATS_URL = `nats://us:secret@127.0.0.1:${nats.port}`;
  }
  s3 = await startS3Server("secret");
  const S3 = {
    ...{ S3_ENDPOINT: s3.url, S3_BUCKET: "files", S3_ACCESS_KEY_ID: "KEY" },
    S3_SECRET_ACCESS_KEY: "secret",
  };
  const settings = { BUILT_IN_PROBE: "false", VIEWER_PORT: "0", ...S3, ...(nats && { NATS_URL }) };
  app = await startTestApp(settings, { clock: systemClock });
});
after(async () => {
  await app.stop();
  await nats?.stop();
  s3.stop();
});

/** A prober of scripts that run nowhere and leave two files. */
const startFileProber =
  (seen: { runId: string }): StartProber =>
  async ({ assets, log }) => {
    const scripts = {
      run: async (order: Parameters<typeof measureScript>[0]) => {
        const { runId, accountId } = order;
        seen.runId = runId;
        // Returns at once, whether or not the server can be reached.
        await assets.save({ accountId, checkId: accountId, runId }, [screenshot(), trace()]);
        return { kind: "measured" as const, measurement: measureScript(order) };
      },
      listLimitations: () => [],
      close: async () => {},
    };
    return startScriptProber({ scripts, assets, log });
  };

async function addPlace(slugName: string): Promise<string> {
  const body = { name: slugName, slugName };
  const made = await app.call("POST", "/v1/private-locations", { body });
  assert.equal(made.status, 201, made.text);
  return made.body.keys[0].rawKey;
}

async function addCheck(privateLocations: readonly string[]): Promise<string> {
  const body = {
    ...{ name: "Shop", activated: false, retryStrategy: null, script: "1" },
    ...(privateLocations.length > 0 && { locations: [], privateLocations }),
  };
  const made = await app.call("POST", "/v1/checks/multistep", { body });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

async function runOnce(
  checkId: string,
): Promise<{ readonly id: string; readonly passed: boolean }> {
  const body = { target: { checkId: [checkId] } };
  const { sessions } = (await app.call("POST", "/v2/check-sessions/trigger", { body })).body;
  const path = `/v2/check-sessions/${sessions[0].checkSessionId}/completion`;
  const [result] = (await app.call("GET", path)).body.results;
  return { id: result.checkResultId, passed: result.hasFailures === false };
}

async function openProbe(
  t: TestContext,
  way: Readonly<Record<string, string>>,
  token: string,
  others: Readonly<Record<string, StartProber>> = {},
) {
  const dir = await mkdtemp(join(tmpdir(), "vedette-file-probe-"));
  const seen = { runId: "" };
  const config = parseConfig({
    ...{ ...way, PROBE_TOKEN: token, PROBE_NAME: "edge", DATA_DIR: dir },
    DRAIN_SECONDS: "0",
  });
  const probe = await startRemoteProbe(config, {
    log: captureLog().log,
    onRejected: () => {},
    probers: { ...probers, MULTI_STEP: startFileProber(seen), ...others },
  });
  t.after(async () => {
    await probe.stop();
    await rm(dir, { recursive: true, force: true });
  });
  await probe.welcomed;
  return seen;
}

const listOf = (checkId: string, runId: string) =>
  app.call("GET", `/v1/check-results/${checkId}/${runId}/assets`);

test("files of a remote probe reach the object storage and are served from it", async (t) => {
  const token = await addPlace("office");
  const seen = await openProbe(t, { PROBE_SERVER: app.url }, token);
  const checkId = await addCheck(["office"]);
  const { id } = await runOnce(checkId);
  assert.equal(seen.runId, id);
  await waitUntil(
    "the files arrive",
    async () => (await listOf(checkId, id)).body.assets.length > 0,
  );
  const { body } = await listOf(checkId, id);
  assert.deepEqual(
    body.assets.map(({ name }: { readonly name: string }) => name),
    ["shot.png", "trace.zip"],
  );
  assert.equal(s3.objects.size, 2);
  const { pathname, search } = new URL(body.assets[0].url);
  const shown = await fetch(app.url + pathname + search, { headers: { range: "bytes=1-3" } });
  assert.deepEqual([shown.status, await shown.text()], [206, "PNG"]);
});

test("a probe on NATS sends files to the server that it is given", { skip: noNats }, async (t) => {
  const token = await addPlace("harbour");
  const servers = { NATS_URL, DATABASE_URL: app.databaseUrl };
  await nats?.configure(await printNatsUsers(parseConfig(servers)));
  const way = { NATS_URL: nats?.url ?? "", PROBE_FILES_SERVER: app.url };
  const seen = await openProbe(t, way, token);
  const checkId = await addCheck(["harbour"]);
  const { id } = await runOnce(checkId);
  assert.equal(seen.runId, id);
  await waitUntil("the files arrive", async () => {
    return (await listOf(checkId, id)).body.assets.length === 2;
  });
});

test("a remote probe loads the code of a suite that it runs, and no other", async (t) => {
  const token = await addPlace("depot");
  let loaded: unknown[] = [];
  const PLAYWRIGHT: StartProber = (tools) => {
    const run = async (order: Parameters<typeof measureScript>[0]) => {
      const other = await tools.code?.load({ ...order, checkId: "" }, `bundle/${"0".repeat(64)}`);
      const foreign = await tools.code?.load({ ...order, runId: "none", checkId: "" }, key);
      loaded = [String(await order.loadCode?.()), other, foreign];
      return { kind: "measured" as const, measurement: measureScript(order) };
    };
    const scripts = { run, listLimitations: () => [], close: async () => {} };
    return startSuiteProber({ ...tools, scripts });
  };
  await openProbe(t, { PROBE_SERVER: app.url }, token, { PLAYWRIGHT });
  const { key } = (
    await app.call("POST", "/next/checkly-storage/upload-code-bundle", {
      rawBody: "the code",
      headers: { "content-type": "application/octet-stream" },
    })
  ).body;
  const made = await app.call("POST", "/v1/checks/playwright", {
    body: {
      ...{ name: "Suite", activated: false, codeBundlePath: key },
      ...{ locations: [], privateLocations: ["depot"] },
    },
  });
  assert.equal(made.status, 201, made.text);
  await runOnce(made.body.id);
  const reasons = loaded.slice(1).map((one) => (one as { readonly reason: string }).reason);
  assert.equal(loaded[0], "the code");
  assert.match(reasons[0] ?? "", /could not be loaded from the server: status 404/);
  assert.match(reasons[1] ?? "", /gave no access/);
});

test("a probe can store files only of runs that it was given", async () => {
  const token = await addPlace("annex");
  const upload = (
    headers: Record<string, string>,
    body: Uint8Array<ArrayBuffer> = new Uint8Array(4),
  ) =>
    app.call("POST", "/v1/probe/assets", {
      key: null,
      rawBody: body,
      headers: { "content-type": "application/octet-stream", ...headers },
    });
  const authorization = `Bearer ${token}`;
  assert.equal((await upload({})).status, 401);
  assert.equal((await upload({ authorization: `Bearer pl_${"0".repeat(32)}` })).status, 401);
  assert.equal((await upload({ authorization })).status, 403);
  assert.equal((await upload({ authorization, "x-asset-grant": "forged" })).status, 403);
  const stranger = await addStranger(app);
  assert.equal((await upload({ authorization: `Bearer ${stranger.key}` })).status, 401);
});

test("a connection that breaks loses files but neither delays nor changes the result", async (t) => {
  const { port, hostname } = new URL(app.url);
  // Lets the WebSocket through, and breaks every upload.
  const uploads: string[] = [];
  const way = createTcpServer((near: Socket) => {
    near.once("data", (first) => {
      if (String(first).startsWith("POST /v1/probe/assets")) {
        uploads.push(String(first));
        near.destroy();
        return;
      }
      const far = connect(Number(port), hostname);
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        one.on("error", () => other.destroy());
        one.on("close", () => other.destroy());
      }
      far.write(first);
      near.pipe(far).pipe(near);
    });
    near.on("error", () => {});
  }).listen(0, "127.0.0.1");
  await new Promise((listening) => way.once("listening", listening));
  t.after(() => way.close());
  const token = await addPlace("ship");
  const seen = await openProbe(
    t,
    { PROBE_SERVER: `http://127.0.0.1:${(way.address() as AddressInfo).port}` },
    token,
  );
  const checkId = await addCheck(["ship"]);
  const { id } = await runOnce(checkId);
  assert.equal(seen.runId, id);
  await waitUntil("the upload is tried", async () => uploads.length > 0);
  const { status, body } = await app.call("GET", `/v1/check-results/${checkId}/${id}`);
  assert.deepEqual([status, body.verdict], [200, "passing"]);
  assert.equal((await listOf(checkId, id)).body.assets.length, 0);

  // Uploads that break half way do not occupy the server for ever.
  const [head = ""] = uploads[0]?.split("\r\n\r\n") ?? [];
  const [, grant = ""] = /^x-asset-grant: (.+)$/im.exec(head) ?? [];
  const upload = () =>
    app.call("POST", "/v1/probe/assets", {
      key: null,
      rawBody: new Uint8Array(packAssets([screenshot()])),
      headers: {
        "content-type": "application/octet-stream",
        authorization: `Bearer ${token}`,
        "x-asset-grant": grant,
      },
    });
  const halves = Array.from({ length: 5 }, () => connect(Number(port), hostname));
  let answers = "";
  for (const half of halves) {
    half.on("data", (data) => {
      answers += String(data);
    });
    half.write(`${head}\r\n\r\n`);
  }
  await waitUntil("one more than the limit is rejected", () => answers.includes("HTTP/1.1 503"));
  for (const half of halves) half.destroy();
  await waitUntil("a place is free", async () => (await upload()).status === 204);
});

test("packed files are read back exactly, and anything else is rejected", () => {
  const files = [screenshot(), trace()];
  const packed = packAssets(files);
  const read = unpackAssets(packed) ?? [];
  assert.deepEqual(
    read.map(({ name, content }) => [name, Buffer.from(content).toString("hex")]),
    files.map(({ name, content }) => [name, Buffer.from(content).toString("hex")]),
  );
  const list = (head: unknown) => {
    const text = Buffer.from(JSON.stringify(head));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(text.length);
    return Buffer.concat([length, text]);
  };
  const entry = { type: "file", name: "a", bytes: 0 };
  const hostile = [
    ...[Buffer.alloc(0), Buffer.alloc(4), packed.subarray(0, -1), list({}), list([{}])],
    ...[Buffer.concat([packed, Buffer.alloc(1)]), list([{ ...entry, bytes: -1 }])],
    ...[list([{ ...entry, bytes: 1e9 }]), list([{ ...entry, type: "html" }])],
    list(Array.from({ length: 51 }, () => entry)),
  ];
  for (const one of hostile) assert.equal(unpackAssets(one), null);
});

test("the trace viewer has its own origin, with files but no API and no cookies", async () => {
  const checkId = await addCheck([]);
  const runId = await saveFiles(app, checkId, [trace()]);
  const [asset] = (await listOf(checkId, runId)).body.assets;
  assert.ok(typeof asset.viewerUrl === "string");
  const viewer = new URL(asset.viewerUrl);
  assert.notEqual(viewer.hostname, new URL(app.url).hostname);
  // The same listener, by the address that the test surely has.
  const origin = `http://127.0.0.1:${viewer.port}`;
  const page = await fetch(`${origin}${viewer.pathname}`);
  assert.equal(page.status, 200);
  const policy = page.headers.get("content-security-policy") ?? "";
  assert.match(policy, /^default-src 'none'; .*connect-src 'self' blob: data:/);
  assert.doesNotMatch(policy, /https?:|\*/);
  assert.equal(page.headers.get("set-cookie"), null);
  const link = new URL(viewer.searchParams.get("trace") ?? "");
  assert.equal(link.origin, viewer.origin);
  const file = await fetch(`${origin}${link.pathname}${link.search}`);
  assert.equal(file.status, 200);
  assert.match(await file.text(), /^PK/);
  const forged = await fetch(`${origin}${link.pathname}?expires=4000000000&signature=AAAA`);
  assert.equal(forged.status, 403);
  for (const path of [
    ...["/", "/v1/checks", "/healthz", "/viewer/", "/viewer/..%2fpackage.json"],
    ...["/viewer/../../../package.json", "/viewer/.hidden", "//viewer"],
  ]) {
    const answer = await fetch(`${origin}${path}`, { headers: { cookie: "session=x" } });
    assert.equal(answer.status, 404, path);
  }
  assert.equal((await fetch(`${origin}/viewer/index.html`, { method: "POST" })).status, 405);
});

test("the origin of the viewer is configured, or another name of this machine", () => {
  const decide = (publicUrl: string, configured?: string) =>
    decideViewerUrl(configured, publicUrl, 3001);
  assert.equal(decide("http://127.0.0.1:3000"), "http://localhost:3001");
  assert.equal(decide("http://localhost:3000"), "http://127.0.0.1:3001");
  assert.equal(decide("https://status.example.com"), null);
  assert.equal(decide("https://a.example.com", "https://t.example.com/"), "https://t.example.com");
});
