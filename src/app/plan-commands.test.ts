import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ownerKey, startTestApp, type TestApp } from "../../test/support/apps/app.ts";
import { chooseSecrets, fillAccount } from "../../test/support/modules/full-account.ts";
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
const whole = { project: null, adopt: false };
const usual = { prune: false, json: false, yes: true };

async function write(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

async function exportTo(
  app: TestApp,
  name: string,
  which: { readonly project?: string; readonly adopt?: boolean } = {},
) {
  const file = join(folder, name);
  const terminal = createTerminal();
  const { project = null, adopt = false } = which;
  const options = { project, adopt, json: false, overwrite: true, terminal };
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

test("an export applied to an empty account reproduces it, byte for byte", async () => {
  await fillAccount(full);
  const first = await exportTo(full, "full.yaml");
  for (const secret of ["concealed", "s3cret-canary", "BEGIN PRIVATE KEY"]) {
    assert.equal(first.text.includes(secret), false, secret);
  }
  const environment = await chooseSecrets(full);
  for (const name of Object.keys(environment)) assert.ok(first.notes.includes(name), name);

  await assert.rejects(
    apply(empty, [first.file], createTerminal()),
    /full\.yaml:\d+: environment-variables\.token\.value needs the variable ENV\w+_TOKEN_VALUE/,
  );
  const terminal = createTerminal({ environment });
  assert.equal(await apply(empty, [first.file], terminal), 0, terminal.text());
  const second = await exportTo(empty, "empty.yaml");
  assert.equal(second.text, first.text);

  const again = createTerminal({ environment });
  assert.equal(await plan(empty, [first.file], again), 0, again.text());
  assert.match(again.text(), /No changes/);
  const json = createTerminal();
  const options = { ...whole, json: true, overwrite: false, terminal: json };
  await runExport(targetOf(empty), null, options);
  const file = await write("empty.json", json.text());
  assert.equal(await plan(empty, [file], createTerminal({ environment })), 0);
});

/** Everything that people can see of an account, with the times of changes. */
async function readAccount(app: TestApp): Promise<unknown[]> {
  const lists = ["checks", "check-groups", "alert-channels", "variables", "snippets"];
  const others = ["private-locations", "maintenance-windows", "dashboards", "status-pages"];
  const onCall = ["on-call/schedules", "escalation-policies"];
  const paths = [...lists, ...others, ...onCall, "client-certificates", "status-pages/services"];
  const { body: pages } = await app.call("GET", "/v3/status-pages");
  const parts = pages.entries.flatMap(({ id }: { id: string }) =>
    ["components", "automation-rules"].map((part) => `/v3/status-pages/${id}/${part}`),
  );
  const bodies: unknown[] = [];
  for (const path of [...paths.map((one) => `/v1/${one}?limit=100`), ...parts]) {
    const { status, body } = await app.call("GET", path);
    assert.equal(status, 200, path);
    bodies.push(body);
  }
  return bodies;
}

const mask = "********";

test("an account made by hand is adopted as it is, and exported as its project then", async () => {
  const seen = await readAccount(full);
  const adopted = await exportTo(full, "adopted.yaml", { adopt: true });
  assert.match(adopted.notes, /takes these objects over as they are/);
  assert.doesNotMatch(adopted.text, /pingToken/);
  const variables = adopted.text.matchAll(/^# {3}(\w+)$/gm);
  // A mask keeps the stored secret, so that nobody has to look it up.
  const environment = Object.fromEntries([...variables].map(([, name]) => [name, mask]));
  const planned = createTerminal({ environment });
  assert.equal(await plan(full, [adopted.file], planned), 2);
  const lines = planned.text().split("\n").slice(2, -2);
  assert.deepEqual(
    lines.filter((line) => !line.startsWith("= ")),
    [],
  );
  const count = lines.length;
  assert.match(planned.text(), new RegExp(`Plan: ${count} to adopt, 0 to create, 0 to change`));
  const applied = createTerminal({ environment });
  assert.equal(await apply(full, [adopted.file], applied), 0);
  assert.match(applied.text(), new RegExp(`Applied: ${count} adopted, 0 created, 0 changed`));
  assert.deepEqual(await readAccount(full), seen);

  const again = createTerminal({ environment });
  assert.equal(await plan(full, [adopted.file], again), 0);
  assert.match(again.text(), new RegExp(`No changes. ${count} unchanged`));
  const own = await exportTo(full, "own.yaml", { project: "account" });
  const sections = (text: string) => text.slice(text.indexOf("project:")).split("\nadopt:")[0];
  const withoutTokens = own.text.replaceAll(/^ *pingToken: .*\n/gm, "");
  assert.equal(sections(withoutTokens)?.trimEnd(), sections(adopted.text));
  await assert.rejects(
    exportTo(full, "none.yaml", { adopt: true }),
    /There is nothing to adopt: a project owns every object/,
  );
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
  const exported = await exportTo(full, "partial-export.yaml", { project: "partial" });
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
  await assert.rejects(
    exportTo(full, "none.yaml", { project: "none" }),
    /The account has no project "none"/,
  );
  const options = { ...whole, json: false, overwrite: false, terminal: createTerminal() };
  await assert.rejects(
    runExport(targetOf(full), exported.file, options),
    /it exists; add --overwrite/,
  );
});
