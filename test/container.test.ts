/**
 * The image in containers with the rights that Docker gives them and a read-only root. Takes about
 * two minutes. The base image is the system of this machine, because another one needs a network.
 */
import assert from "node:assert/strict";
import { type Container, startContainer } from "./support/containers/container.ts";
import {
  type ContainerMachine,
  findContainerLack,
  startContainerMachine,
} from "./support/containers/machine.ts";
import { it } from "./support/long-run.ts";
import { readHealthCheck } from "./support/project/deploy-files.ts";
import { waitUntil } from "./support/time/wait-until.ts";

const key = "container-test-key-0123456789";
const environment = { BOOTSTRAP_API_KEY: key, EXAMPLE: "false", DRAIN_SECONDS: "0" };
const options = { isLong: true, skip: findContainerLack() };
/** Number of CAP_NET_RAW in the sets of a process. */
const netRaw = 13n;

async function waitUntilReady(machine: ContainerMachine, container: Container): Promise<void> {
  await waitUntil("the server is ready", async () => {
    if (container.process.exitCode !== null) assert.fail(container.output());
    const answer = await machine.call("GET", "/readyz").catch(() => null);
    return answer?.status === 200;
  });
}

/** Creates a check, which runs at once, and returns its first result. */
async function runCheck(machine: ContainerMachine, path: string, settings: object) {
  const body = { name: path, frequency: 60, ...settings };
  const made = await machine.call("POST", `/v1/checks/${path}`, { key, body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const list = `/v1/check-results/${made.body.id}`;
  let id: string | undefined;
  await waitUntil(`the check ${path} has run`, async () => {
    id = (await machine.call("GET", list, { key })).body[0]?.id;
    return id !== undefined;
  });
  return (await machine.call("GET", `${list}/${id}`, { key })).body;
}

async function assertPings(machine: ContainerMachine): Promise<void> {
  const result = await runCheck(machine, "icmp", { request: { hostname: "127.0.0.1" } });
  assert.equal(result.verdict, "passing", JSON.stringify(result));
}

/** Fails a check, and waits for the packets of its repeat. */
async function assertPacketsAreCaptured(machine: ContainerMachine): Promise<void> {
  const request = { hostname: "127.7.7.7", port: 1 };
  const { checkId, id } = await runCheck(machine, "tcp", { request, retryStrategy: null });
  await waitUntil("a file with packets", async () => {
    const path = `/v1/check-results/${checkId}/${id}/assets?type=pcap`;
    return (await machine.call("GET", path, { key })).body.assets.length === 1;
  });
}

const runTrace = async (machine: ContainerMachine) => {
  const request = { url: "127.0.0.1", protocol: "TCP", port: 9, ptrLookup: false };
  const result = await runCheck(machine, "traceroute", { request });
  return result.tracerouteCheckResult.response;
};

/** Fails unless it may write its temporary files and has no capability. */
const script = `
const { readFileSync, writeFileSync } = require("node:fs");
writeFileSync(require("node:os").tmpdir() + "/probe", "x");
const status = readFileSync("/proc/self/status", "utf8");
const [, effective] = /^CapEff:\\s+(\\w+)$/m.exec(status) ?? [];
if (effective !== "0".repeat(16)) throw new Error("capabilities " + effective);
`;

async function assertScriptRuns(machine: ContainerMachine): Promise<void> {
  const request = { method: "GET", url: "http://127.0.0.1:3000/healthz" };
  const result = await runCheck(machine, "api", { localSetupScript: script, request });
  assert.equal(result.verdict, "passing", JSON.stringify(result));
}

const multiStep = `
const { expect, test } = require("@playwright/test");
test("the sum", () => expect(1 + 1).toBe(2));
`;

async function assertMultiStepRuns(machine: ContainerMachine): Promise<void> {
  const result = await runCheck(machine, "multistep", { script: multiStep });
  assert.equal(result.verdict, "passing", JSON.stringify(result));
}

async function assertImportIsRead(machine: ContainerMachine): Promise<void> {
  const content = "endpoints:\n  - name: Shop\n    url: https://shop.example.com\n";
  const body = { files: [{ name: "gatus.yml", content }] };
  const path = "/v1/imports/preview?source=gatus";
  const { status, body: made } = await machine.call("POST", path, { key, body });
  assert.equal(status, 201, JSON.stringify(made));
}

/** CPU time of a health check. Node.js needs five times as much for its start. */
const maxHealthCheckMs = 100;

function assertHealthy(container: Container): void {
  const check = readHealthCheck().join(" ");
  const { code, output } = container.exec("sh", "-c", `${check} && times`);
  const [answer, , children = ""] = output.split("\n");
  assert.deepEqual([code, answer], [0, "The server answers HTTP/1.1 200 OK\r"], output);
  const times = [...children.matchAll(/(\d+)m([\d.]+)s/g)];
  const cpuMs = times.reduce(
    (sum, [, minutes, s]) => sum + Number(minutes) * 6e4 + Number(s) * 1e3,
    0,
  );
  assert.ok(times.length === 2 && cpuMs < maxHealthCheckMs, `${cpuMs} ms: ${output}`);
}

it(
  "a container as docker run starts it traces over TCP, captures packets and runs scripts",
  options,
  async (t) => {
    const machine = await startContainerMachine(t);
    const container = startContainer(t, machine, { name: "default", environment });
    await waitUntilReady(machine, container);
    assertHealthy(container);
    const { output } = container.exec(
      "sh",
      "-c",
      "cat /proc/$(cut -d: -f2 /data/server.pid | cut -d, -f1)/status",
    );
    const effective = BigInt(`0x${/^CapEff:\s+(\w+)$/m.exec(output)?.[1] ?? 0}`);
    assert.equal(effective, 1n << netRaw, "the server has this capability only");
    const trace = await runTrace(machine);
    assert.deepEqual([trace.probeProtocol, trace.socketMode], ["TCP", "raw"]);
    assert.equal(trace.destinationReached, true, JSON.stringify(trace));
    await assertPings(machine);
    await assertPacketsAreCaptured(machine);
    await assertScriptRuns(machine);
    await assertMultiStepRuns(machine);
    await assertImportIsRead(machine);
    await container.kill();
    const next = startContainer(t, machine, { name: "default", environment });
    await waitUntilReady(machine, next);
    assert.equal(await next.stop(), 0, "a container that was killed starts again");
  },
);

it(
  "a container without rights and with any user traces over ICMP and runs scripts",
  options,
  async (t) => {
    const machine = await startContainerMachine(t);
    const container = startContainer(t, machine, {
      name: "hardened",
      user: 1_000_650_000,
      isHardened: true,
      environment,
    });
    await waitUntilReady(machine, container);
    assertHealthy(container);
    const trace = await runTrace(machine);
    assert.deepEqual([trace.probeProtocol, trace.protocol], ["ICMP", "TCP"]);
    assert.equal(trace.destinationReached, true, JSON.stringify(trace));
    await assertPings(machine);
    await assertScriptRuns(machine);
    await assertMultiStepRuns(machine);
    await assertImportIsRead(machine);
    assert.equal(await container.stop(), 0);
  },
);
