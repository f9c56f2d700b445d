/** Captures the packets of a failing check with the built-in probe. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { startTestApp, type TestApp } from "../../../test/support/apps/app.ts";
import { findLack } from "../../../test/support/programs/programs.ts";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { mayOpenRawSockets } from "../../kinds/of/traceroute/prober/permissions.ts";
import { systemClock } from "../../platform/clock.ts";

const mayCapture = mayOpenRawSockets(readFileSync("/proc/self/status", "utf8")) === true;
const skip = findLack("tcpdump") || (!mayCapture && "NOT TESTED: captures need CAP_NET_RAW");

let app: TestApp;
before(async () => {
  if (skip !== false) return;
  const environment = { PATHS_PER_MINUTE: "60" };
  app = await startTestApp(environment, { clock: systemClock, runsNewChecks: true });
});
after(() => app?.stop());

const listOf = async (path: string) => (await app.call("GET", path)).body;

test("a failed TCP check leaves the packets of its repeat as a file", { skip }, async () => {
  const request = { hostname: "127.7.7.7", port: 1 };
  const body = { name: "Closed", request, frequency: 60, locations: ["eu-central-1"] };
  const made = await app.call("POST", "/v1/checks/tcp", {
    body: { ...body, activated: true, retryStrategy: null },
  });
  assert.equal(made.status, 201, made.text);
  const { id } = made.body;
  const manifest = async () => {
    const [run] = await listOf(`/v1/check-results/${id}`);
    return run === undefined ? null : listOf(`/v1/check-results/${id}/${run.id}/assets?type=pcap`);
  };
  await waitUntil("a file with packets", async () => (await manifest())?.assets?.length === 1);
  const [file] = (await manifest()).assets;
  assert.deepEqual(
    [file.type, file.name, file.contentType],
    ["pcap", "packets.pcapng", "application/x-pcapng"],
  );
  const { pathname, search } = new URL(file.url);
  const got = await fetch(app.url + pathname + search);
  assert.match(got.headers.get("content-disposition") ?? "", /^attachment; /);
  const input = Buffer.from(await got.arrayBuffer());
  const { stdout } = spawnSync("tcpdump", ["-nnr", "-"], { input, encoding: "utf8" });
  const lines = stdout.trim().split("\n");
  assert.equal(lines.length, 2, stdout);
  assert.match(lines[0] ?? "", /> 127\.7\.7\.7\.1: Flags \[S\]/);
  assert.match(lines[1] ?? "", /IP 127\.7\.7\.7\.1 > .*Flags \[R\.\]/);
  const [only, ...others] = await listOf(`/v1/check-results/${id}`);
  assert.deepEqual([only?.hasFailures, others], [true, []], "the repeat is no result");
});
