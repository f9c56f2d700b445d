/** The Now screen with its data loaded, without a server. */
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { type PartOptions, renderScreen } from "../../test/support/components/part.tsx";
import { problemGroupsQuery } from "../alerts/index.ts";
import { type Progress, progressQuery, writeDone } from "../first-start/queries.ts";
import { route } from "./now-screen.tsx";
import { activityQuery, overviewQuery, sharedHopsQuery, trendsQuery } from "./queries.ts";

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

const createProblem = (index: number) => ({
  checkId: `c-${index}`,
  name: `db-${index}`,
  target: "192.0.2.1",
  status: "failing",
  since: minutesAgo(14),
  explanation: "It is down.",
  locations: [],
  lastHour: Array(12).fill("failing"),
  alert: null,
  untold: null,
});

const listProblems = (count: number) =>
  Array.from({ length: count }, (_, one) => createProblem(one));

interface Given {
  readonly overview?: object;
  readonly search?: Readonly<Record<string, string>>;
  readonly data?: NonNullable<PartOptions["data"]>;
  readonly role?: "OWNER" | "READ_ONLY";
}

function renderNow({ overview = {}, search = {}, data = [], role = "OWNER" }: Given = {}) {
  const whole = {
    counts: { failing: 0, degraded: 0, passing: 12, unknown: 0 },
    checks: [],
    incidents: [],
    maintenance: [],
    overload: null,
    ...overview,
  };
  return renderScreen(route, {
    search,
    role,
    data: [
      [["session"], { role, account: { id: "a-1" } }],
      [overviewQuery.queryKey, whole],
      [trendsQuery.queryKey, { trends: [] }],
      ...(["24h", "3d", "7d"] as const).map(
        (range) => [activityQuery(range).queryKey, []] as const,
      ),
      ...data,
    ],
  });
}

// Otherwise the screen shows the first steps of a new account.
beforeEach(() => writeDone("a-1"));

test("without problems, the number of checks without one is shown", async () => {
  const part = await renderNow();
  await part.getByRole("heading", { name: "Everything is passing" }).waitFor();
  await part.getByText("12 checks report no problem.").waitFor();
  assert.deepEqual(part.getByRole("list", { name: "Checks by state" }).allTextContents(), [
    "0Failing0Degraded12Passing0No data",
  ]);
});

test("a check without data is no success", async () => {
  const counts = { failing: 0, degraded: 0, passing: 1, unknown: 2 };
  const part = await renderNow({ overview: { counts } });
  await part.getByRole("heading", { name: "Nothing is failing" }).waitFor();
  await part.getByText("Your check reports no problem. 2 have no data.").waitFor();
});

test("an account without checks is offered the first one, unless the user may not write", async () => {
  const counts = { failing: 0, degraded: 0, passing: 0, unknown: 0 };
  const part = await renderNow({ overview: { counts } });
  await part.getByText("No checks yet").waitFor();
  const link = part.getByRole("link", { name: "New check" });
  assert.equal(await link.getAttribute("href"), "/checks/new");
  assert.equal(part.getByRole("list", { name: "Checks by state" }).count(), 0);
});

test("a reader of an empty account is offered nothing", async () => {
  const counts = { failing: 0, degraded: 0, passing: 0, unknown: 0 };
  const part = await renderNow({ overview: { counts }, role: "READ_ONLY" });
  await part.getByText("No checks yet").waitFor();
  assert.equal(part.getByRole("link", { name: "New check" }).count(), 0);
});

test("open incidents and maintenance are counted, and named in their titles", async () => {
  const part = await renderNow({
    overview: {
      incidents: [{ name: "Slow <i>" }, { name: "Mail" }],
      maintenance: [{ name: "Disks" }],
    },
  });
  const incidents = part.getByRole("link", { name: "2 open incidents" });
  assert.equal(await incidents.getAttribute("title"), "Slow <i>, Mail");
  const maintenance = part.getByRole("link", { name: "1 maintenance window" });
  assert.equal(await maintenance.getAttribute("title"), "Disks");
});

test("overload is reported with its advice", async () => {
  const overload = { skippedPercent: 7, advice: "Run fewer checks." };
  const part = await renderNow({ overview: { overload } });
  const note = part.getByRole("complementary", { name: "Overload" });
  assert.match(await note.textContent(), /Overloaded: 7 % of runs are skipped ?Run fewer checks\./);
});

test("a few problems are listed, and links to the sections below are not needed", async () => {
  const counts = { failing: 2, degraded: 0, passing: 3, unknown: 0 };
  const part = await renderNow({ overview: { counts, checks: listProblems(2) } });
  await part.getByRole("link", { name: "db-0" }).waitFor();
  assert.equal(part.getByRole("navigation", { name: "On this screen" }).count(), 0);
  assert.equal(part.getByText(/more failing or degraded/).count(), 0);
});

test("a long list shows how many it leaves out, and leads to the sections below", async () => {
  const counts = { failing: 5, degraded: 4, passing: 3, unknown: 0 };
  const part = await renderNow({
    overview: { counts, checks: listProblems(4) },
    search: { by: "none", range: "7d" },
  });
  const rest = part.getByRole("link", { name: "5 more failing or degraded" });
  assert.equal(await rest.getAttribute("href"), "/checks?sort=state");
  const jump = part.getByRole("navigation", { name: "On this screen" });
  const shown: string[] = [];
  const { prototype } = HTMLElement;
  const { scrollIntoView } = prototype;
  prototype.scrollIntoView = function () {
    shown.push(this.id);
  };
  await part.locator("#worse").waitFor();
  await jump.getByRole("button", { name: "Last 7 days" }).click();
  await jump.getByRole("button", { name: "Getting worse" }).click();
  prototype.scrollIntoView = scrollIntoView;
  assert.deepEqual(shown, ["lately", "worse"]);
});

test("problems are grouped as in the address, each group with its own acknowledgement", async () => {
  const counts = { failing: 2, degraded: 1, passing: 3, unknown: 0 };
  const check = (checkId: string, more: object) => ({
    ...{ checkId, name: checkId, status: "failing", isAlerted: true, isAcknowledged: false },
    ...more,
  });
  const groups = [
    {
      key: "edge",
      label: "edge",
      failing: 2,
      degraded: 0,
      since: minutesAgo(9),
      checks: [check("c-0", {})],
    },
    {
      ...{ key: "", label: null, failing: 0, degraded: 1, since: minutesAgo(3) },
      checks: [check("c-9", { status: "degraded", isAcknowledged: true })],
    },
  ];
  const part = await renderNow({
    overview: { counts, checks: listProblems(3) },
    search: { by: "tag" },
    data: [[problemGroupsQuery("tag").queryKey, groups]],
  });
  await part.getByRole("heading", { name: "edge" }).waitFor();
  await part.getByRole("heading", { name: "No tag" }).waitFor();
  assert.equal(await part.getByLabel("Group by").inputValue(), "tag");
  assert.equal(part.getByRole("button", { name: /edge$/ }).count(), 1);
  assert.equal(part.getByRole("button", { name: /No tag$/ }).count(), 0, "it is acknowledged");
});

test("hops that several failures share are named with their checks", async () => {
  const counts = { failing: 2, degraded: 0, passing: 0, unknown: 0 };
  const hop = {
    ...{
      address: "192.0.2.254",
      name: "core-1 <b>",
      summary: "2 failing checks share 192.0.2.254",
    },
    checks: [{ checkId: "c-0", name: "db-0" }],
  };
  const part = await renderNow({
    overview: { counts, checks: listProblems(2) },
    data: [[sharedHopsQuery.queryKey, { hops: [hop] }]],
  });
  const hops = part.getByRole("region", { name: "Shared network hops" });
  assert.match(await hops.textContent(), /2 failing checks share 192\.0\.2\.254 core-1 <b>/);
});

test("the chosen range is kept in the address, and the usual one is not", async () => {
  const part = await renderNow();
  const range = part.getByLabel("Time range");
  await range.selectOption("3 days");
  await part.getByRole("heading", { name: "Last 3 days" }).waitFor();
  await range.selectOption("24 h");
  await part.getByRole("heading", { name: "Last 24 hours" }).waitFor();
});

test("the first steps of a new account follow its problems", async () => {
  localStorage.clear();
  const progress: Progress = {
    ...{ exampleChecks: 0, ownChecks: 1, channels: 0, ownPages: 0, hasExamplePage: false },
  };
  const counts = { failing: 1, degraded: 0, passing: 0, unknown: 0 };
  const part = await renderNow({
    overview: { counts, checks: listProblems(1) },
    data: [[progressQuery.queryKey, progress]],
  });
  await part.getByText("First steps").waitFor();
  const text = part.readText();
  assert.ok(text.indexOf("db-0") < text.indexOf("First steps"), text);
});
