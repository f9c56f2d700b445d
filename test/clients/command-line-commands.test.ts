/**
 * The commands of the public command line beside `deploy` and `destroy`. All commands without
 * prompts run in one process, and the tests read what each of them printed.
 */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { ownerKey, startTestApp, type TestApp } from "../support/apps/app.ts";
import { addMember } from "../support/apps/cast.ts";
import {
  type CommandLineRun,
  copySampleProject,
  findCommandLineLack,
  runCommandLine,
  runCommands,
} from "../support/clients/command-line.ts";
import { test } from "../support/long-run.ts";
import { waitUntil } from "../support/time/wait-until.ts";

const skip = await findCommandLineLack();
const nobody = "00000000-0000-4000-8000-000000000000";
let app: TestApp;
let folder: string;
let runs: ReadonlyMap<string, CommandLineRun>;

/** The words of a command, what it prints, and its exit code if that is not 0. */
type Step = readonly [command: string, shows: RegExp, code?: number];
type Scene = Awaited<ReturnType<typeof createScene>>;

/** Steps by the title of their test, in the order in which they run. */
const steps: Readonly<Record<string, (scene: Scene) => readonly Step[]>> = {
  "account commands print the account, which has no plan": ({ accountId }) => [
    ["whoami", /account "Vedette".* as owner@example\.com[\s\S]*Self-hosted/],
    [`switch -a ${accountId}`, /Account switched/],
    [`switch -a ${nobody}`, /Failed to find an account/, 1],
    ["runtimes", /2025\.04/],
    ["account plan", /Self-hosted \(no plan limits\)/],
    ["account usage terms", /no plan limits[\s\S]*Contract period:.*→ no end/],
    ["account usage summary", /unlimited remaining[\s\S]*Total runs:/],
    ["account usage series", /current hour are not counted yet/],
    [`rca run -e ${nobody}`, /Error group not found/, 1],
    [`rca get ${nobody}`, /has no error groups and no root cause analyses/, 1],
    ["api /v1/accounts/me", new RegExp(accountId)],
    ["api /v1/nothing", /Not Found/, 1],
    ["logout --force", /See you soon/],
  ],
  "checks are listed, shown, run and deleted": ({ checkId, resultId, doomedId }) => [
    ["checks list", /Loopback[\s\S]*Showing 1-2 of 2/],
    ["checks list --tag home", /Showing 1-1 of 1/],
    [`checks run --check-id ${checkId}`, /1 passed/],
    ["checks run --tags nowhere", /No matching checks/, 1],
    [`checks get ${checkId}`, /RECENT RESULTS[\s\S]*eu-central-1/],
    [`checks get ${checkId} --result ${resultId}`, /Status:\s+passing/],
    [`checks stats ${checkId}`, /Loopback\s+ICMP\s+passing\s+100\.00%/],
    [`checks delete ${doomedId} --force`, /"Doomed" deleted/],
    [`checks get ${doomedId}`, /Not Found/, 1],
  ],
  "a result has no assets": ({ checkId, resultId }) => [
    [`assets list --check-id ${checkId} --result-id ${resultId}`, /No assets found/],
    [`assets download --check-id ${checkId} --result-id ${resultId} --type all`, /No matching/],
  ],
  "alert channels are listed with their logs": ({ channelId }) => [
    ["alert-channels list", /ops@example\.test[\s\S]*1-1 of 1/],
    [`alert-channels get ${channelId}`, /Enabled events:\s+failure, recovery/],
    [`alert-channels logs ${channelId}`, /No alert channel logs/],
  ],
  "incidents of a status page are opened, updated and resolved": ({ pageId, incidentId }) => [
    ["status-pages list", /Main page\s+commands\s+Core\s+API/],
    [`status-pages get ${pageId}`, /SERVICES[\s\S]*Core\s+API/],
    [
      `incidents create --status-page-id ${pageId} --title Slow --force`,
      /Slow[\s\S]*investigating/,
    ],
    [`incidents update ${incidentId} --message Found --status identified --force`, /identified/],
    [`incidents resolve ${incidentId} --force`, /resolved/],
    ["incidents list", /Slow/],
    ["incidents list --status resolved", /Database down/],
  ],
  "members change their role and leave": () => [
    ["members", /owner@example\.com\s+OWNER[\s\S]*reader@example\.com\s+READ_ONLY/],
    ["members update reader@example.com --role read_write --force", /READ_WRITE/],
    ["members delete reader@example.com --force", /deleted/],
    ["members --search reader", /No /],
  ],
  "variables are added, listed, changed, written to a file and removed": () => [
    ["env add REGION north", /"REGION" added/],
    ["env add REGION west", /"REGION" already exists/, 1],
    ["env add TOKEN hidden --secret", /"TOKEN" added/],
    ["env update REGION south", /"REGION" updated/],
    ["env ls", /REGION=south\nTOKEN=\n/],
    ["env pull .env.test", /written to \.env\.test/],
    ["env rm REGION --force", /"REGION" deleted/],
    ["env rm REGION -f", /"REGION" does not exist/, 1],
  ],
  "tests and triggers print results as they arrive": () => [
    ["trigger --tags home", /Test session ID.*1 passed, 1 total/s],
    ["trigger --tags nowhere", /No matching checks/, 1],
    ["test --grep Ping", /1 passed, 1 total/],
    ["test-sessions list", /passed[\s\S]*Sample[\s\S]*passed[\s\S]*Triggered Session/],
  ],
};

const post = async (path: string, body: object) => {
  const answer = await app.call("POST", path, { body });
  assert.ok(answer.status < 300, answer.text);
  return answer.body;
};

async function createScene() {
  const request = { hostname: "127.0.0.1", pingCount: 1 };
  const check = await post("/v1/checks/icmp", { name: "Loopback", tags: ["home"], request });
  const doomed = await post("/v1/checks/icmp", { name: "Doomed", activated: false, request });
  const config = { address: "ops@example.test" };
  const channel = await post("/v1/alert-channels", { type: "EMAIL", config });
  const { id, name } = await post("/v1/status-pages/services", { name: "API" });
  const cards = [{ name: "Core", services: [{ id }] }];
  const page = await post("/v1/status-pages", { name: "Main page", url: "commands", cards });
  const first = { description: "Looking", status: "INVESTIGATING", notifySubscribers: false };
  const incident = await post("/v1/status-pages/incidents", {
    name: "Database down",
    severity: "MINOR",
    services: [{ id, name }],
    incidentUpdates: [first],
  });
  await addMember(app, "reader@example.com", { role: "READ_ONLY" });
  await post("/v2/check-sessions/trigger", { target: { checkId: [check.id] } });
  const readResults = () => app.call("GET", `/v2/check-results/${check.id}`);
  await waitUntil("the check has run", async () => (await readResults()).body.length > 0);
  app.clock.advance(60_000);
  return {
    accountId: app.owner.accountId,
    checkId: check.id,
    resultId: (await readResults()).body.entries[0].id,
    doomedId: doomed.id,
    channelId: channel.id,
    pageId: page.id,
    incidentId: incident.id,
  };
}

function describeUser() {
  const { accountId } = app.owner;
  const project = join(folder, "project");
  // `switch` and `logout` write to the home folder.
  const variables = { HOME: folder };
  return { url: app.url, key: ownerKey, accountId, project, variables };
}

let scene: Scene;
before(async () => {
  if (skip !== false) return;
  app = await startTestApp();
  folder = await mkdtemp(join(tmpdir(), "vedette-commands-"));
  copySampleProject(join(folder, "project"));
  scene = await createScene();
  const list = Object.values(steps).flatMap((create) => create(scene).map(([command]) => command));
  const results = await runCommands(
    describeUser(),
    list.map((command) => command.split(" ")),
  );
  runs = new Map(results.map((result, index) => [list[index] ?? "", result]));
});
after(async () => {
  if (skip !== false) return;
  await app.stop();
  await rm(folder, { recursive: true, force: true });
});

for (const [title, create] of Object.entries(steps)) {
  test(title, { skip }, () => {
    for (const [command, shows, code = 0] of create(scene)) {
      const run = runs.get(command);
      const text = `${command}: ${run?.output}`;
      assert.equal(run?.code, code, text);
      assert.match(run.output, shows, text);
      assert.doesNotMatch(run.output, /undefined|\[object|NaN/, text);
    }
  });
}

test("a project is validated", { skip, isLong: true }, async () => {
  const { code, output } = await runCommandLine(describeUser(), ["validate"]);
  assert.equal(code, 0, output);
  assert.match(output, /Your project is valid/);
});

test("commands change what is stored", { skip }, async () => {
  const file = await readFile(join(folder, "project", ".env.test"), "utf8");
  assert.match(file, /REGION=south/);
  assert.doesNotMatch(file, /hidden/);
  const variables: readonly { key: string }[] = (await app.call("GET", "/v1/variables")).body;
  assert.deepEqual(
    variables.map(({ key }) => key),
    ["TOKEN"],
  );
  assert.equal((await app.call("GET", `/v1/checks/${scene.doomedId}`)).status, 404);
  const incident = await app.call("GET", `/v1/status-pages/incidents/${scene.incidentId}`);
  assert.equal(incident.body.lastUpdateStatus, "RESOLVED");
  assert.equal((await app.call("GET", "/v1/accounts/me/members")).body.length, 1);
});

test("an import is planned, applied without a commit, and cancelled", {
  skip,
  isLong: true,
}, async () => {
  await post("/next/projects", { name: "Sample", logicalId: "sample-project" });
  const user = describeUser();
  const decline = { ...user.variables, CHECKLY_E2E_PROMPTS_INJECTIONS: "[false]" };
  const run = async (command: string, shows: RegExp, variables = user.variables) => {
    const { code, output } = await runCommandLine({ ...user, variables }, command.split(" "));
    assert.equal(code, 0, `${command}: ${output}`);
    assert.match(output, shows, command);
  };
  const path = "/next/projects/sample-project/imports?onlyUncommitted=true";
  await run("import plan check", /plan has been created/, decline);
  const [plan] = (await app.call("GET", path)).body;
  await run(`import apply --no-commit --plan-id ${plan.id}`, /applied/);
  await run("import cancel --all --force", /Canceled plan/);
  assert.deepEqual((await app.call("GET", path)).body, []);
});
