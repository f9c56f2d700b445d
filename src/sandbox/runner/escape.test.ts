/** Attempts to leave a sandbox, in every tier that this machine allows. */
import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { createSocket } from "node:dgram";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer as createHttpServer, type ServerResponse } from "node:http";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext } from "node:test";
import { isLongRun, test } from "../../../test/support/long-run.ts";
import {
  expectMeasured,
  findTestBrowser,
  installTestBrowser,
  listProcesses,
  orderScript,
} from "../../../test/support/scripts/script-runner.ts";
import { packCode, packPlaywright } from "../../../test/support/scripts/suite-code.ts";
import {
  explainImpossible,
  isRoot,
  nobody,
  startRunnerIn,
} from "../../../test/support/scripts/tiers.ts";
import {
  readDnsQuestion,
  replyTo,
  startDnsServer,
  writeDnsRecord,
} from "../../../test/support/servers/dns-server.ts";
import { startNpmRegistry } from "../../../test/support/servers/npm-registry.ts";
import type { RunAsset } from "../../contract/run-asset.ts";
import { findBrowserDenial } from "../browsers.ts";
import { hasNamespaces, type Isolation, isolations, needsRoot } from "../isolation/sandbox.ts";
import { findSandboxNpm } from "../runtimes/npm.ts";
import { removeTree } from "../runtimes/workspace.ts";
import type { ScriptOrder, ScriptRequest, ScriptRunner, Suite } from "../script-run.ts";
import type { ScriptRunnerOptions } from "./script-runner.ts";

const support = join(import.meta.dirname, "../../../test/support/scripts");
const [attempts, pageAttempts] = ["escape-attempts.cjs", "page-attempts.cjs"].map((name) => ({
  path: name,
  content: readFileSync(join(support, name), "utf8"),
})) as [{ path: string; content: string }, { path: string; content: string }];
const folder = mkdtempSync(join(tmpdir(), "vedette-escape-"));
const socket = join(folder, "service.sock");
const assetFile = join(folder, "assets/other-account/check/result/shot.png");
const secret = "of another account";
const abstractSocket = `vedette-escape-${process.pid}`;
const servers: Server[] = [];
const [denied, allowed] = ["127.0.0.77", "127.0.0.79"];
const deny = [
  ...["127.0.0.1", denied, "::1", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"],
  "fd00::/8",
];

/** Answers every connection, so that a connection that is made is noticed. */
async function listen(target: { port: number; host: string } | { path: string }): Promise<Server> {
  const server = createServer((connection) => {
    connection.on("error", () => {});
    connection.write("reached");
  });
  await new Promise<void>((resume) => server.listen(target, resume));
  servers.push(server);
  return server;
}

/** Reports the address that was connected to, and answers `/hold` when a test releases it. */
const held = new Set<ServerResponse>();
const web = createHttpServer((request, response) => {
  if (request.url === "/hold") return void held.add(response);
  response.setHeader("content-type", "text/html");
  response.end(`<p>at ${request.socket.localAddress}</p>`);
});
const portOf = (server: { address(): unknown }) => (server.address() as { port: number }).port;
const datagrams = createSocket("udp4");
let datagramCount = 0;
datagrams.on("message", () => {
  datagramCount += 1;
});

const ends: (() => void)[] = [];
let port = 0;
let nameServer = "";
const rebindCounts = new Map<string, number>();
before(async () => {
  if (isLongRun) await installTestBrowser();
  port = portOf(await listen({ port: 0, host: "::" }));
  await listen({ path: socket });
  await listen({ path: `\0${abstractSocket}` });
  await new Promise<void>((resume) => web.listen(0, "0.0.0.0", resume));
  await new Promise<void>((resume) => datagrams.bind(0, allowed, resume));
  mkdirSync(join(assetFile, ".."), { recursive: true });
  writeFileSync(assetFile, secret, { mode: 0o600 });
  const names = await startDnsServer(
    { after: (end) => void ends.push(end as () => void) },
    {
      udp: (query) => {
        const question = readDnsQuestion(query);
        const isAddress = question.at(-3) === 1;
        const name = question.toString("latin1");
        const count = rebindCounts.get(name) ?? 0;
        rebindCounts.set(name, count + 1);
        const address = name.includes("rebind") && count % 2 === 0 ? allowed : denied;
        const record = writeDnsRecord(1, address.split(".").map(Number), { ttl: 0 });
        return [replyTo(query, { answers: isAddress ? [record] : [] })];
      },
    },
  );
  nameServer = `${names.address}:${names.port}`;
});
after(() => {
  for (const server of servers) server.close();
  for (const end of ends) end();
  web.close();
  web.closeAllConnections();
  datagrams.close();
  rmSync(folder, { recursive: true });
});

function startIn(isolation: Isolation, options: Partial<ScriptRunnerOptions> = {}): ScriptRunner {
  return startRunnerIn(isolation, {
    reach: { allow: [], deny },
    nameServers: [nameServer],
    concurrency: 2,
    ...options,
  });
}

/** A run that goes on until the returned function is called, which expects it to pass. */
async function startOther(runner: ScriptRunner) {
  const marker = `other-run-${Math.floor(Math.random() * 1e9)}`;
  const started = Promise.withResolvers<string>();
  const script = `
    process.title = "${marker}";
    require("node:fs").writeFileSync(process.env.TMPDIR + "/of-another-run", "x");
    console.log(JSON.stringify([process.env.VEDETTE_ROOT, process.env.VEDETTE_PROXY]));
    fetch("http://${allowed}:${portOf(web)}/hold").then((answer) => answer.text());`;
  const outcome = runner.run(orderScript(script), (step) => {
    if (step.step === "log") started.resolve(String(step.text));
  });
  const early = outcome.then((ended) => assert.fail(`It ended: ${JSON.stringify(ended)}`));
  early.catch(() => {});
  const [otherFolder, proxy] = JSON.parse(await Promise.race([started.promise, early]));
  const facts = {
    otherFolder,
    otherProxyPort: Number(new URL(proxy).port),
    otherProcessId: Number(listProcesses(marker).at(-1)),
  };
  assert.ok(facts.otherProcessId > 1, "the other run is found");
  const finish = async () => {
    for (const response of held) response.end("over");
    held.clear();
    assert.equal(expectMeasured(await outcome).end, "passed", "the other run goes on");
  };
  return { facts, finish };
}

/** A suite has several processes; without namespaces, a run with a browser may list all. */
const documented = /^see other processes: /;

interface EscapeOptions {
  readonly request?: Partial<ScriptRequest>;
  readonly order?: Partial<ScriptOrder>;
  readonly script?: string;
  readonly usesBrowser?: boolean;
  readonly least: number;
}

async function attemptEscapes(runner: ScriptRunner, isolation: Isolation, options: EscapeOptions) {
  const { request = {}, order = {}, script = attempts.content, usesBrowser = false } = options;
  const isSuite = request.suite !== undefined;
  const { facts, finish } = await startOther(runner);
  const url = (host: string) => `http://${host}:${portOf(web)}/`;
  const targets = {
    ...{ file: import.meta.filename, folder, assetFile, port, socket, abstractSocket },
    ...{
      deniedUrl: url(denied),
      allowedUrl: url(allowed),
      reboundUrl: url(`rebind-${randomUUID()}.test`),
    },
    ...{ processId: process.pid, datagramPort: portOf(datagrams), ...facts },
  };
  const variables = {
    ESCAPE_TARGETS: JSON.stringify(targets),
    ...(usesBrowser && { ESCAPE_PAGES: "1" }),
  };
  const files: RunAsset[] = [];
  const outcome = await runner.run(
    orderScript(script, request, { variables, usesBrowser, ...order }),
    undefined,
    (received) => files.push(...received),
  );
  const measurement = expectMeasured(outcome);
  const lines = measurement.logs.flatMap(({ text }) => text.split("\n"));
  const made = lines.filter((line) => /: (?:denied|POSSIBLE)/.test(line));
  const isExpected = (line: string) =>
    usesBrowser && (isSuite || !hasNamespaces(isolation)) && documented.test(line);
  assert.deepEqual(
    made.filter((line) => line.includes("POSSIBLE") && !isExpected(line)),
    [],
  );
  assert.equal(measurement.end, "passed", JSON.stringify(measurement.errors));
  assert.equal(measurement.isolation, isolation);
  assert.ok(made.length >= options.least, `only ${made.length} attempts were made`);
  assert.equal(datagramCount, 0, "no datagram arrives");
  const stolen = files.filter(({ content }) => Buffer.from(content).includes(secret));
  assert.deepEqual(stolen, []);
  assert.deepEqual(
    files.filter(({ name }) => /[/\\]|^\.|stolen|foreign|linked/.test(name)),
    [],
  );
  await finish();
  assert.equal(expectMeasured(await runner.run(orderScript("1"))).end, "passed", "the next run");
}

for (const isolation of isolations) {
  const skip = explainImpossible(isolation);
  const title = `in tier ${isolation}, a script can use nothing outside of its sandbox`;
  test(title, { skip }, async (t) => {
    const runner = startIn(isolation);
    t.after(() => runner.close());
    await attemptEscapes(runner, isolation, { least: 110 });
  });
}

for (const isolation of isolations) {
  const skip = explainImpossible(isolation);
  const title = `in tier ${isolation}, a page can use nothing outside of its sandbox`;
  test(title, { skip, isLong: true }, async (t) => {
    const browser = findTestBrowser();
    const reason = "reason" in browser ? browser.reason : findBrowserDenial(browser);
    if (reason !== null) return t.skip(reason);
    const runner = startIn(isolation);
    t.after(() => runner.close());
    const request = { dependencies: [pageAttempts] };
    await attemptEscapes(runner, isolation, { request, usesBrowser: true, least: 135 });
  });
}

/** Starts a runner whose packages of suites are installed, from a registry on this machine. */
async function startWithPackages(t: TestContext, isolation: Isolation) {
  const packed = packPlaywright();
  const registry = await startNpmRegistry(packed);
  const suitesFolder = mkdtempSync(join(tmpdir(), "vedette-escape-suites-"));
  chmodSync(suitesFolder, 0o755);
  if (isRoot && !needsRoot(isolation)) chownSync(suitesFolder, nobody, nobody);
  const npm = findSandboxNpm({ PATH: process.env.PATH, npm_config_registry: registry.url });
  t.after(async () => {
    await registry.stop();
    await removeTree(suitesFolder);
  });
  const code = packCode({
    "package.json": JSON.stringify(packed.manifest),
    "package-lock.json": JSON.stringify(packed.lock),
    [attempts.path]: attempts.content,
    [pageAttempts.path]: pageAttempts.content,
    "escape.spec.js": `const { test } = require("@playwright/test");
test("escape", async () => {
  test.setTimeout(120_000);
  if (process.env.ESCAPE_TARGETS) await require("./${attempts.path}");
});`,
  });
  const suite: Suite = {
    bundle: `bundle/${createHash("sha256").update(code).digest("hex")}`,
    ...{ cacheHash: "", values: [], configPath: null, workingDir: "" },
    ...{ engine: "node", engineVersion: process.versions.node },
  };
  const installing = startIn(isolation, { suitesFolder, npm, reach: { allow: [], deny: [] } });
  const order = { ...orderScript("", { suite }), loadCode: async () => code };
  const { end, errors } = expectMeasured(await installing.run(order));
  assert.equal(end, "passed", JSON.stringify(errors));
  await installing.close();
  return { suite, runner: startIn(isolation, { suitesFolder, npm }) };
}

for (const isolation of isolations) {
  const skip = explainImpossible(isolation);
  const title = `in tier ${isolation}, a suite can use nothing outside of its sandbox`;
  test(title, { skip, isLong: true }, async (t) => {
    const browser = findTestBrowser();
    const reason = "reason" in browser ? browser.reason : findBrowserDenial(browser);
    if (reason !== null) return t.skip(reason);
    const { suite, runner } = await startWithPackages(t, isolation);
    t.after(() => runner.close());
    await attemptEscapes(runner, isolation, {
      ...{ script: "", request: { suite, timeoutMs: 180_000 } },
      ...{ usesBrowser: true, least: 135 },
    });
  });
}
