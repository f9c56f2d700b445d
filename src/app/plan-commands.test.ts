import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ownerKey, startTestApp, type TestApp } from "../../test/support/apps/app.ts";
import { makeCertificate } from "../../test/support/certificates/make-certificate.ts";
import { createPng, toDataUrl } from "../../test/support/inputs/pictures.ts";
import { createChannelConfigs } from "../../test/support/modules/channel-configs.ts";
import { allKinds } from "../kinds/index.ts";
import { type PlanOptions, runApply, runExport, runPlan } from "./plan-commands.ts";

let full: TestApp;
let empty: TestApp;
let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "vedette-plan-test-"));
  full = await startTestApp({ BUILT_IN_PROBE: "false" });
  empty = await startTestApp({ BUILT_IN_PROBE: "false" });
});
after(async () => {
  await full.stop();
  await empty.stop();
  await rm(folder, { recursive: true, force: true });
});

type Variables = Readonly<Record<string, string>>;

/** A terminal that answers every question in the same way. */
function createTerminal({
  environment = {},
  answer = null,
}: {
  readonly environment?: Variables;
  readonly answer?: boolean | null;
} = {}) {
  const written: string[] = [];
  const notes: string[] = [];
  return {
    environment,
    isInteractive: answer !== null,
    hasColors: false,
    write: (text: string) => void written.push(text),
    writeNote: (text: string) => void notes.push(text),
    confirm: async () => answer === true,
    text: () => written.join("\n"),
    notes: () => notes.join("\n"),
  };
}

type TestTerminal = ReturnType<typeof createTerminal>;

const targetOf = (app: TestApp) => ({ server: app.url, token: ownerKey });
const usual = { prune: false, json: false, yes: true };

async function write(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

async function exportTo(app: TestApp, name: string, project: string | null = null) {
  const file = join(folder, name);
  const terminal = createTerminal();
  const options = { project, json: false, overwrite: true, terminal };
  assert.equal(await runExport(targetOf(app), file, options), 0);
  return { file, text: await readFile(file, "utf8"), notes: terminal.notes() };
}

const plan = (app: TestApp, files: readonly string[], terminal: TestTerminal, prune = false) =>
  runPlan(targetOf(app), files, { prune, json: false, as: "plan", terminal });

const apply = (
  app: TestApp,
  files: readonly string[],
  terminal: TestTerminal,
  options: Partial<PlanOptions> = {},
) => runApply(targetOf(app), files, { ...usual, ...options, terminal });

const dollar = "$";
const certificate = makeCertificate({ name: "client" });
const hook = "https://hooks.example.test";
const configs = createChannelConfigs(hook);

async function create(app: TestApp, path: string, body: object) {
  const answer = await app.call("POST", path, { body });
  assert.equal(answer.status, 201, `${path} ${answer.text}`);
  return answer.body;
}

/** Fills an account with every type of resource, created by hand. */
async function fillAccount(app: TestApp): Promise<void> {
  await create(app, "/v1/variables", {
    key: "HOST",
    value: `192.0.2.7 ${dollar}{HOME} $${dollar}{x}`,
  });
  await create(app, "/v1/variables", { key: "TOKEN", value: "hidden", secret: true });
  const { cert, key } = certificate;
  await create(app, "/v1/client-certificates", { host: "api.example.test", cert, key });
  await create(app, "/v1/snippets", {
    name: "Sign in",
    script: `const a = "${dollar}{b}";\nrun(a);\n`,
  });
  const place = { name: "Lab", slugName: "lab-one" };
  await create(app, "/v1/private-locations", place);
  const channels = [];
  for (const [type, config] of Object.entries(configs)) {
    channels.push(await create(app, "/v1/alert-channels", { type, config, sendDegraded: true }));
  }
  const service = await create(app, "/v1/status-pages/services", { name: "API" });
  const group = await create(app, "/v1/check-groups", {
    name: "Core",
    tags: ["core"],
    privateLocations: ["lab-one"],
    alertChannelSubscriptions: [{ alertChannelId: channels[0].id, activated: false }],
    environmentVariables: [
      { key: "OPEN", value: "seen" },
      { key: "CLOSED", value: "hidden", locked: true },
    ],
    apiCheckDefaults: { basicAuth: { username: "u", password: "hidden" } },
  });
  const checkIds: string[] = [];
  for (const { type, operations } of allKinds) {
    const answer = await app.call("POST", "/v1/checks/many", {
      body: {
        checks: [
          {
            checkType: type,
            name: `A ${type}`,
            activated: false,
            groupId: group.id,
            ...operations.example,
          },
          {
            checkType: type,
            name: `A ${type}`,
            activated: false,
            tags: ["b", "a"],
            ...operations.example,
          },
        ],
      },
    });
    assert.equal(answer.body.created, 2, answer.text);
    checkIds.push(...answer.body.items.map((item: { id: string }) => item.id));
  }
  const ping = await create(app, "/v1/checks/icmp", {
    name: "Router: main",
    frequency: 0,
    frequencyOffset: 30,
    request: { hostname: "192.0.2.1", pingCount: 3 },
    privateLocations: ["lab-one"],
    retryStrategy: { type: "FIXED", baseBackoffSeconds: 5, maxRetries: 1 },
    alertChannelSubscriptions: channels.slice(0, 2).map(({ id }) => {
      return { alertChannelId: id, activated: true };
    }),
    triggerIncident: {
      serviceId: service.id,
      name: "Down",
      description: "No answer",
      severity: "MAJOR",
      notifySubscribers: false,
    },
  });
  const path = `/v1/status-pages/services/${service.id}`;
  const follows = { checkIds: [ping.id], tags: ["core"] };
  assert.equal((await app.call("PUT", path, { body: { name: "API", follows } })).status, 200);
  const page = await create(app, "/v1/status-pages", {
    name: "Public",
    url: "public-page",
    logo: toDataUrl(createPng()),
    cards: [{ name: "Services", services: [{ id: service.id }] }],
  });
  await create(app, "/v1/maintenance-windows", {
    name: "Weekly",
    tags: ["core"],
    startsAt: "2027-01-01T02:00:00Z",
    endsAt: "2027-01-01T04:00:00Z",
    repeatInterval: 1,
    repeatUnit: "WEEK",
    groupIds: [group.id],
    checkIds: [ping.id],
    statusPageVisibility: { enabled: true, statusPageIds: [page.id], serviceIds: [service.id] },
  });
  await create(app, "/v1/dashboards", { header: "Wall", customUrl: "wall-one", showP99: true });
}

/** Values for the variables of an export of `fillAccount`. */
async function chooseSecrets(app: TestApp): Promise<Variables> {
  const { body } = await app.call("GET", "/v1/projects/export");
  const values = body.variables.map(
    ({ name, type, path }: { name: string; type: string; path: string }) => {
      const steps = path.split(".");
      if (type === "client-certificate") return [name, certificate.key];
      if (type === "check") return [name, randomUUID()];
      if (type !== "alert-channel") return [name, "hidden"];
      const isAddress = steps[1] === "url";
      return [name, isAddress ? `${hook}/hidden` : "hidden"];
    },
  );
  return Object.fromEntries(values);
}

test("an export applied to an empty account reproduces it, byte for byte", async () => {
  await fillAccount(full);
  const first = await exportTo(full, "full.yaml");
  for (const secret of ["hidden", "s3cret-canary", "BEGIN PRIVATE KEY"]) {
    assert.equal(first.text.includes(secret), false, secret);
  }
  const environment = await chooseSecrets(full);
  for (const name of Object.keys(environment)) assert.ok(first.notes.includes(name), name);

  await assert.rejects(
    apply(empty, [first.file], createTerminal()),
    /full\.yaml: environment-variables\.token\.value needs the variable ENV\w+_TOKEN_VALUE/,
  );
  const terminal = createTerminal({ environment });
  assert.equal(await apply(empty, [first.file], terminal), 0, terminal.text());
  const second = await exportTo(empty, "empty.yaml");
  assert.equal(second.text, first.text);

  const again = createTerminal({ environment });
  assert.equal(await plan(empty, [first.file], again), 0, again.text());
  assert.match(again.text(), /No changes/);
  const json = createTerminal();
  const options = { project: null, json: true, overwrite: false, terminal: json };
  await runExport(targetOf(empty), null, options);
  const file = await write("empty.json", json.text());
  assert.equal(await plan(empty, [file], createTerminal({ environment })), 0);
});

const ping = (name: string, hostname = "192.0.2.1") =>
  `  ${name}: { checkType: ICMP, name: ${name}, request: { hostname: ${hostname} } }\n`;

test("a plan exits with 2 if something changes, and apply changes it", async () => {
  const one = await write("one.yaml", `project: codes\nchecks:\n${ping("one")}`);
  const two = await write("two.yaml", `checks:\n${ping("two")}`);
  const planned = createTerminal();
  assert.equal(await plan(full, [one, two], planned), 2);
  assert.match(
    planned.text(),
    /Project codes[\s\S]*\+ check "one" [\s\S]*Plan: 2 to create, 0 to change/,
  );

  await assert.rejects(
    apply(full, [one, two], createTerminal(), { yes: false }),
    /Nothing was applied. Add --yes/,
  );
  const refused = createTerminal({ answer: false });
  await assert.rejects(
    apply(full, [one, two], refused, { yes: false }),
    /^Error: Nothing was applied\.$/,
  );
  assert.equal((await full.call("GET", "/v1/projects/codes")).status, 404);

  const agreed = createTerminal({ answer: true });
  assert.equal(await apply(full, [one, two], agreed, { yes: false }), 0);
  assert.match(agreed.text(), /Applied: 2 created, 0 changed, 0 deleted/);
  assert.equal(await plan(full, [one, two], createTerminal()), 0);

  const renamed = await write("one.yaml", `project: codes\nchecks:\n${ping("one", "192.0.2.2")}`);
  const differences = createTerminal();
  const options = { prune: false, json: false, as: "diff", terminal: differences } as const;
  assert.equal(await runPlan(targetOf(full), [renamed, two], options), 2);
  assert.match(differences.text(), /- {2}hostname: 192\.0\.2\.1\n\+ {2}hostname: 192\.0\.2\.2\n/);
  const json = createTerminal();
  assert.equal(await apply(full, [renamed, two], json, { json: true }), 0);
  assert.equal(JSON.parse(json.text()).status, "SUCCEEDED");
});

test("a resource that is missing from the files stays until it is pruned", async () => {
  const both = await write("both.yaml", `project: prune\nchecks:\n${ping("one")}${ping("two")}`);
  await apply(full, [both], createTerminal());
  const fewer = await write("fewer.yaml", `project: prune\nchecks:\n${ping("one")}`);
  const kept = createTerminal();
  assert.equal(await plan(full, [fewer], kept), 0);
  assert.match(kept.text(), /No changes[\s\S]*Add --prune to delete:\n {2}check "two"/);
  assert.equal(await apply(full, [fewer], createTerminal()), 0);
  const pruned = createTerminal();
  assert.equal(await plan(full, [fewer], pruned, true), 2);
  assert.match(pruned.text(), /- check "two"/);
  assert.equal(await apply(full, [fewer], createTerminal(), { prune: true }), 0);
  const { body } = await full.call("GET", "/v1/projects/resources?project=prune");
  assert.deepEqual(
    body.map((one: { logicalId: string }) => one.logicalId),
    ["one"],
  );
});

test("apply fails without changes if the account changed after the plan was shown", async () => {
  const before = await write("stale.yaml", `project: stale\nchecks:\n${ping("web")}`);
  await apply(full, [before], createTerminal());
  const { body } = await full.call("GET", "/v1/projects/resources?project=stale");
  const path = `/v1/checks/${body[0].physicalId}`;
  const after = await write("stale.yaml", `project: stale\nchecks:\n${ping("web", "192.0.2.9")}`);
  const terminal = createTerminal({ answer: true });
  const confirm = async () => {
    await full.call("PUT", path, { body: { muted: true } });
    return true;
  };
  const options = { ...usual, yes: false, terminal: { ...terminal, confirm } };
  await assert.rejects(
    runApply(targetOf(full), [after], options),
    /Nothing was applied\. The account has changed since this plan was made/,
  );
  assert.equal((await full.call("GET", path)).body.request.hostname, "192.0.2.1");
  const drifted = createTerminal();
  assert.equal(await plan(full, [after], drifted), 2);
  assert.match(drifted.text(), /muted: true → false {2}# changed on the server/);
});

test("a fault that the server finds names the file, the resource and the field", async () => {
  const good = await write("good.yaml", `project: faults\nchecks:\n${ping("one")}`);
  const bad = await write(
    "bad.yaml",
    "checks:\n  two: { checkType: ICMP, name: Two, request: {} }",
  );
  await assert.rejects(
    plan(full, [good, bad], createTerminal()),
    /bad\.yaml: .*check "two": request\.hostname/,
  );
  const lost = { server: "http://127.0.0.1:9", token: ownerKey };
  const options = { prune: false, json: false, as: "plan", terminal: createTerminal() } as const;
  await assert.rejects(runPlan(lost, [good], options), /Cannot reach http:\/\/127\.0\.0\.1:9/);
  await assert.rejects(plan(full, [join(folder, "no.yaml")], createTerminal()), /ENOENT/);
});

test("an export of one project names what it uses outside as external", async () => {
  await full.call("POST", "/v1/check-groups", { body: { name: "Outer" } });
  const { body: groups } = await full.call("GET", "/v1/check-groups");
  const { id } = groups.find((group: { name: string }) => group.name === "Outer");
  const text = `project: partial\nexternal: { check-groups: { outer: ${id} } }\nchecks:\n`;
  const check = ping("web").replace("{ checkType", "{ groupId: outer, checkType");
  const file = await write("partial.yaml", `${text}${check}`);
  await apply(full, [file], createTerminal());
  const exported = await exportTo(full, "partial-export.yaml", "partial");
  assert.equal(
    exported.text,
    [
      "project:\n  logicalId: partial\n  name: partial",
      "checks:\n  web:\n    checkType: ICMP\n    name: web",
      `    groupId: check-group-${id}\n    request:\n      hostname: 192.0.2.1`,
      `external:\n  check-groups:\n    check-group-${id}: ${id}\n`,
    ].join("\n"),
  );
  assert.equal(await plan(full, [exported.file], createTerminal()), 0);
  await assert.rejects(exportTo(full, "none.yaml", "none"), /The account has no project "none"/);
  const options = { project: null, json: false, overwrite: false, terminal: createTerminal() };
  await assert.rejects(
    runExport(targetOf(full), exported.file, options),
    /it exists; add --overwrite/,
  );
});
