/** A server that is killed during a deployment leaves nothing of it. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnVedette, waitForAddress } from "./support/apps/vedette-process.ts";
import { test } from "./support/long-run.ts";
import { waitUntil } from "./support/time/wait-until.ts";

const key = "deploy-crash-key-0123456789";
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
const body = JSON.stringify({
  project: { logicalId: "crash", name: "Crash" },
  resources: Array.from({ length: 3_000 }, (_, index) => ({
    type: index % 3 === 0 ? "check-group" : "check",
    logicalId: `r${index}`,
    member: true,
    payload:
      index % 3 === 0
        ? { name: `Group ${index}` }
        : { checkType: "ICMP", name: `Host ${index}`, request: { hostname: "192.0.2.1" } },
  })),
});

test("kill -9 during a deployment leaves nothing, and the deployment has failed", {
  isLong: true,
}, async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), "vedette-deploy-"));
  t.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 10 }));
  const start = async () => {
    const environment = { PORT: "0", DATA_DIR: dataDir, BOOTSTRAP_API_KEY: key };
    const vedette = spawnVedette(t, ["server"], { ...environment, BUILT_IN_PROBE: "false" });
    return { vedette, url: await waitForAddress(vedette) };
  };
  const read = async (url: string, more: RequestInit = {}) => {
    const answer = await fetch(url, { headers, ...more });
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  };
  const first = await start();
  const started = await read(`${first.url}/v1/projects/deploy`, { method: "POST", body });
  const path = `/v1/projects/crash/deployments/${started.body.id}`;
  await waitUntil("the deployment is applied in part", async () => {
    const { body: list } = await read(`${first.url}/v1/projects/crash/deployments`);
    const [deployment] = list;
    return deployment.status === "RUNNING" && deployment.progress > 0;
  });
  first.vedette.process.kill("SIGKILL");
  await first.vedette.exited;
  const second = await start();
  await waitUntil("the deployment has failed", async () => {
    const answer = await read(`${second.url}${path}/completion?maxWaitSeconds=5`);
    return answer.status === 200 && answer.body.status === "FAILED";
  });
  assert.deepEqual((await read(`${second.url}/v1/checks?limit=1`)).body, []);
  assert.deepEqual((await read(`${second.url}/v1/check-groups?limit=1`)).body, []);
  assert.deepEqual((await read(`${second.url}/v1/projects`)).body, []);
});
