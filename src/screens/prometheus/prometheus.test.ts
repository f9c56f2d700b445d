import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { ownerKey, startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { addStranger } from "../../../test/support/apps/cast.ts";
import { test } from "../../../test/support/long-run.ts";
import { needsPings } from "../../../test/support/programs/pings.ts";
import { findLack, findProgram } from "../../../test/support/programs/programs.ts";
import { findFreePort } from "../../../test/support/servers/free-port.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { Exposition, seriesOfKinds } from "./check-series.ts";
import { keptSeconds } from "./routes.ts";

let app: TestApp;
const ids: Record<string, string> = {};

async function newCheck(kind: string, body: object): Promise<string> {
  const { status, body: made, text } = await app.call("POST", `/v1/checks/${kind}`, { body });
  assert.equal(status, 201, text);
  return made.id;
}

async function run(checkId: string): Promise<void> {
  app.clock.advance(1_000);
  const body = { target: { checkId: [checkId] } };
  const { body: triggered } = await app.call("POST", "/v2/check-sessions/trigger", { body });
  const id = triggered.sessions[0].checkSessionId;
  assert.equal((await app.call("GET", `/v2/check-sessions/${id}/completion`)).status, 200);
}

const oddName = 'Edge "one"\\ and\ttwo';

before(async () => {
  app = await startTestApp();
  const group = await app.call("POST", "/v1/check-groups", {
    body: { name: "Gateways", tags: ["of-group"], muted: true },
  });
  ids.pinged = await newCheck("icmp", {
    name: oddName,
    tags: ["team:edge", "plain", "status:x", "data-centre:a b"],
    groupId: group.body.id,
    frequency: 1_440,
    request: { hostname: "127.0.0.1", pingCount: 2 },
  });
  ids.refused = await newCheck("tcp", {
    name: "Refused",
    frequency: 1_440,
    request: { hostname: "127.0.0.1", port: 1 },
  });
  ids.off = await newCheck("tcp", {
    name: "Off",
    activated: false,
    request: { hostname: "127.0.0.1", port: 1 },
  });
  for (const id of [ids.pinged, ids.refused, ids.refused]) await run(id ?? "");
});
after(async () => {
  await app.stop();
});

async function scrape(query = "", headers: Record<string, string> = {}): Promise<string> {
  app.clock.advance(keptSeconds * 1_000);
  const { status, text } = await app.call("GET", `/v1/prometheus${query}`, { headers });
  assert.equal(status, 200, text);
  return text;
}

/** Returns the value of the only series with all of these labels. */
function readSeries(text: string, name: string, ...labels: readonly string[]): number | undefined {
  const found = text
    .split("\n")
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => labels.every((label) => line.includes(label)));
  assert.ok(found.length <= 1, found.join("\n"));
  const [line] = found;
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(" ")));
}

test("a scrape contains the status, the results and the figures of each check", {
  skip: needsPings,
}, async () => {
  const text = await scrape();
  const pinged = `check_id="${ids.pinged}"`;
  const refused = `check_id="${ids.refused}"`;
  const status = "vedette_check_status";
  assert.equal(readSeries(text, status, pinged, 'status="passing"'), 1);
  assert.equal(readSeries(text, status, pinged, 'status="failing"'), 0);
  assert.equal(readSeries(text, status, refused, 'status="failing"'), 1);
  assert.equal(readSeries(text, status, `check_id="${ids.off}"`, 'status="unknown"'), 1);
  const results = "vedette_check_result_total";
  assert.equal(readSeries(text, results, pinged, 'status="passing"'), 1);
  assert.equal(readSeries(text, results, refused, 'status="failing"'), 2);
  assert.equal(readSeries(text, results, refused, 'status="passing"'), 0);
  const seconds = readSeries(text, "vedette_check_response_time_seconds", pinged) ?? Number.NaN;
  assert.ok(seconds > 0 && seconds < 1);
  assert.equal(readSeries(text, "vedette_check_response_time_seconds", refused), undefined);
  assert.equal(readSeries(text, "vedette_icmp_packet_loss_ratio", pinged), 0);
  assert.equal(readSeries(text, "vedette_icmp_packets_sent", pinged), 2);
  const average = readSeries(text, "vedette_icmp_timing_seconds", pinged, 'type="latency_avg"');
  assert.ok(Math.abs((average ?? Number.NaN) - seconds) < 1e-6);
  assert.equal(readSeries(text, "vedette_checks_exported"), 3);
  assert.equal(readSeries(text, "vedette_checks_left_out"), 0);
  assert.ok(!text.includes("location="));
});

test("labels describe the check, and a tag with a colon becomes a separate label", async () => {
  const find = (text: string) =>
    text.split("\n").find((line) => line.startsWith('vedette_check_status{name="Edge')) ?? "";
  const line = find(await scrape());
  assert.ok(line.includes('name="Edge \\"one\\"\\\\ and two",'), line);
  assert.ok(
    line.includes('check_type="ICMP",muted="true",activated="true",group="Gateways"'),
    line,
  );
  assert.ok(line.includes('tags="plain,status:x,of-group",team="edge",data_centre="a b"'), line);
  const plain = find(await scrape("?disableTagParsing=true"));
  assert.ok(plain.includes('tags="team:edge,plain,status:x,data-centre:a b,of-group"'), plain);
});

test("locations are a label if requested", { skip: needsPings }, async () => {
  const text = await scrape("?locationLabelEnabled=true");
  const line = text.split("\n").find((one) => one.startsWith("vedette_check_response_time"));
  assert.match(line ?? "", /location="[^"]+"\} [0-9.e-]+$/);
  assert.match(text, /^vedette_check_result_total\{.*location="[^"]+",status="passing"\} 1$/m);
});

test("retried attempts count if requested", async () => {
  const retryStrategy = { type: "FIXED", baseBackoffSeconds: 0, maxRetries: 1 };
  const request = { hostname: "127.0.0.1", port: 1 };
  const id = await newCheck("tcp", { name: "Again", frequency: 1_440, request, retryStrategy });
  await run(id);
  const failing = [`check_id="${id}"`, 'status="failing"'] as const;
  assert.equal(readSeries(await scrape(), "vedette_check_result_total", ...failing), 1);
  const all = await scrape("?includeRetryAttempts=true");
  assert.equal(readSeries(all, "vedette_check_result_total", ...failing), 2);
  await app.call("DELETE", `/v1/checks/${id}`);
});

test("a reply is cached for a while", async () => {
  const first = await scrape();
  const id = await newCheck("tcp", {
    name: "New",
    activated: false,
    request: { hostname: "127.0.0.1", port: 1 },
  });
  const second = await app.call("GET", "/v1/prometheus");
  assert.equal(second.text, first);
  assert.ok((await scrape()).includes(id));
  await app.call("DELETE", `/v1/checks/${id}`);
});

test("OpenMetrics is returned if the client prefers it", async () => {
  const accept = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5";
  app.clock.advance(keptSeconds * 1_000);
  const { text, headers } = await app.call("GET", "/v1/prometheus", { headers: { accept } });
  assert.match(String(headers.get("content-type")), /^application\/openmetrics-text; version=1/);
  assert.match(text, /^# TYPE vedette_check_result counter$/m);
  assert.match(text, /^vedette_check_result_total\{/m);
  assert.ok(text.endsWith("# EOF\n"));
});

test("callers without access and invalid queries are rejected", async () => {
  const stranger = await addStranger(app);
  const path = `/accounts/${app.owner.accountId}/v2/prometheus/metrics`;
  assert.equal((await app.call("GET", "/v1/prometheus", { key: null })).status, 401);
  assert.equal((await app.call("GET", path, { key: stranger.key })).status, 403);
  assert.equal((await app.call("GET", path)).status, 200);
  const others = await app.call("GET", "/v1/prometheus", { key: stranger.key });
  assert.equal(others.status, 200);
  assert.ok(!others.text.includes("check_id="), "the other account has no checks");
  const odd = await app.call("GET", "/v1/prometheus?locationLabelEnabled=perhaps");
  assert.equal(odd.status, 400);
});

const listFamilies = () =>
  [...seriesOfKinds.values()].flatMap(({ parts, counters }) => [...parts, ...counters]);

test("an account that exceeds the rate limit receives Retry-After", async () => {
  app.clock.advance(60_000);
  const statuses: number[] = [];
  for (let count = 0; count < 51; count += 1) {
    statuses.push((await app.call("GET", "/v1/prometheus")).status);
  }
  assert.deepEqual(statuses.slice(0, 50), Array(50).fill(200));
  const { status, headers } = await app.call("GET", "/v1/prometheus");
  assert.equal(status, 429);
  assert.ok(Number(headers.get("retry-after")) > 0);
  app.clock.advance(60_000);
});

test("every family has a base unit and no suffix of another type", () => {
  for (const { family } of listFamilies()) {
    assert.doesNotMatch(family.name, /_(days|hours|minutes|ms|milliseconds|percent)(_|$)/);
    assert.doesNotMatch(family.name, /_(total|count|sum|bucket|info)$/);
  }
});

test("promtool accepts the families of every kind", { skip: findLack("promtool") }, () => {
  const exposition = new Exposition();
  for (const { family, labels } of listFamilies()) exposition.add(family, labels, 1);
  const input = exposition.write("text");
  const { stdout, stderr } = spawnSync(findProgram("promtool") ?? "", ["check", "metrics"], {
    input,
  });
  assert.equal(`${stdout}${stderr}`, "");
});

test("promtool finds no problems", { skip: findLack("promtool") }, async () => {
  for (const query of ["", "?locationLabelEnabled=true"]) {
    const input = await scrape(query);
    const { status, stdout, stderr } = spawnSync(
      findProgram("promtool") ?? "",
      ["check", "metrics"],
      { input },
    );
    assert.equal(`${stdout}${stderr}`, "");
    assert.equal(status, 0);
  }
});

test("Prometheus scrapes it as documented", {
  isLong: true,
  skip: findLack("prometheus"),
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "prometheus-"));
  const port = await findFreePort();
  const config = `scrape_configs:
  - job_name: vedette
    scrape_interval: 2s
    metrics_path: /v1/prometheus
    params: { locationLabelEnabled: ["true"] }
    authorization: { credentials: "${ownerKey}" }
    static_configs: [{ targets: ["${new URL(app.url).host}"] }]
`;
  await writeFile(join(folder, "prometheus.yml"), config);
  const child: ChildProcess = spawn(findProgram("prometheus") ?? "", [
    `--config.file=${join(folder, "prometheus.yml")}`,
    `--storage.tsdb.path=${join(folder, "data")}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  t.after(async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null) await once(child, "exit");
    await rm(folder, { recursive: true, force: true });
  });
  const query = encodeURIComponent('vedette_check_status{status="failing"} == 1');
  await waitUntil("Prometheus knows the check that fails", async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${query}`).catch(
      () => null,
    );
    return (await answer?.text())?.includes(String(ids.refused)) ?? false;
  });
});
