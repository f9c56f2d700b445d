/** Locations and probes in states that a server in a test does not reach. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Part,
  type PartOptions,
  rejectRequest,
  renderPart,
  renderScreen,
} from "../../test/support/components/part.tsx";
import { Comparison, Firewall, route as locationRoute } from "./location-screen.tsx";
import { ProbeList } from "./probe-facts.tsx";
import {
  checkCountsQuery,
  liveLocationsQuery,
  type Place,
  type PrivateLocation,
  type Probe,
  privateLocationsQuery,
  recordsQuery,
  waitingQuery,
} from "./queries.ts";

const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();

const probe = (id: string, more: Partial<Probe> = {}) =>
  ({
    id,
    keyId: null,
    status: "alive",
    version: "0.1.0",
    transport: "NATS",
    isBuiltIn: false,
    isSuspect: false,
    limitations: [],
    quarantinedAt: null,
    quarantineReason: null,
    clockSkewMs: 12,
    spoolDepth: 0,
    comparedCount: null,
    disagreeingCount: null,
    ipv4: [],
    ipv6: [],
    startedAt: ago(3_600),
    lastSeenAt: ago(2),
    ...more,
  }) as unknown as Probe;

const renderProbes = (
  probes: readonly Probe[],
  options: PartOptions & { isPrivate?: boolean } = {},
) => renderPart(<ProbeList probes={probes} isPrivate={options.isPrivate ?? true} />, options);

const listStates = (part: Part) =>
  part
    .locator("h3 [data-state]")
    .elements()
    .map(({ dataset }) => dataset.state);

test("each probe is marked by its own health", async () => {
  const part = renderProbes([
    probe("a"),
    probe("b", { isSuspect: true }),
    probe("c", { limitations: ["It cannot send ICMP."] }),
    probe("d", { clockSkewMs: -9_000 }),
    probe("e", { quarantinedAt: ago(60), quarantineReason: "It lies." }),
    probe("f", { status: "silent" }),
  ]);
  assert.deepEqual(listStates(part), [
    "passing",
    "degraded",
    "degraded",
    "degraded",
    "failing",
    "unknown",
  ]);
  await part.getByText("It cannot send ICMP.").waitFor();
  await part.getByText(/It lies\.$/).waitFor();
});

test("the addresses of a probe are listed once", async () => {
  const part = renderProbes([probe("a", { ipv4: ["192.0.2.1", "192.0.2.1"], ipv6: [] })]);
  assert.deepEqual(part.locator("code").allTextContents(), ["192.0.2.1"]);
});

test("a silent probe has no running time, and a built-in one is not quarantined", async () => {
  const part = renderProbes([probe("a", { status: "silent" })]);
  const silent = Object.keys(part.readFacts());
  const alive = Object.keys(renderProbes([probe("b", { isBuiltIn: true })]).readFacts());
  assert.equal(alive.length > silent.length, true);
  assert.equal(part.getByRole("button").count(), 1, "of the first only");
});

test("the last trusted probe of a private location is quarantined after a warning", async () => {
  const part = renderProbes([probe("a"), probe("b", { status: "silent" })], {
    respond: () => rejectRequest(500, "It broke."),
  });
  await part
    .getByRole("button", { name: /quarantine/i })
    .first()
    .click();
  const dialog = part.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("  It lies.  ");
  await dialog.getByRole("button", { name: /quarantine/i }).click();
  await dialog.getByText("It broke.").waitFor();
  const [sent] = part.sent;
  assert.deepEqual([sent?.method, sent?.path], ["POST", "/v1/probes/a/quarantine"]);
  assert.deepEqual(sent?.body, { reason: "It lies.", leavesNone: true });
});

test("a probe beside another one is quarantined without that warning", async () => {
  const part = renderProbes([probe("a"), probe("b")], {
    respond: () => rejectRequest(400, "Invalid.", { reason: "is too short." }),
  });
  await part
    .getByRole("button", { name: /quarantine/i })
    .first()
    .click();
  const dialog = part.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("x");
  await dialog.getByRole("button", { name: /quarantine/i }).click();
  await dialog.getByText("is too short.").waitFor();
  assert.deepEqual(part.sent[0]?.body, { reason: "x", leavesNone: false });
});

test("a quarantined probe is released with a reason", async () => {
  const part = renderProbes([probe("a", { quarantinedAt: ago(60), quarantineReason: "x" })], {
    respond: () => Response.json(probe("a")),
  });
  await part.getByRole("button", { name: /release/i }).click();
  const dialog = part.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("It was repaired.");
  await dialog.getByRole("button", { name: /release/i }).click();
  await dialog.waitFor({ state: "hidden" });
  assert.equal(part.sent[0]?.path, "/v1/probes/a/release");
  assert.deepEqual(part.sent[0]?.body, { reason: "It was repaired." });
});

test("only an admin quarantines a probe of a public location", async () => {
  const part = renderProbes([probe("a")], { role: "READ_WRITE", isPrivate: false });
  assert.equal(part.getByRole("button").count(), 0);
});

test("a member who may write quarantines a probe of a private location", async () => {
  const part = renderProbes([probe("a")], { role: "READ_WRITE" });
  assert.equal(part.getByRole("button").count(), 1);
});

test("a firewall needs each address once, and nothing without addresses", async () => {
  const part = renderPart(
    <Firewall
      probes={[
        probe("a", { ipv4: ["192.0.2.1"], ipv6: ["2001:db8::1"] }),
        probe("b", { ipv4: ["192.0.2.1"] }),
      ]}
    />,
  );
  await part.getByRole("button").waitFor();
  part.rerender(<Firewall probes={[probe("a")]} />);
  assert.equal(part.readText(), "");
});

const record = (more: object = {}) => ({
  sharedCount: 10,
  agreeingCount: 9,
  failingOnlyThereCount: 0,
  lastResultAt: ago(30),
  ...more,
});

const renderComparison = (found: object | null) =>
  renderPart(<Comparison region="home" />, {
    data: [[recordsQuery.queryKey, new Map(found === null ? [] : [["home", found]])]],
  });

test("a location is compared with the others, and what fails only there is counted", async () => {
  const part = renderComparison(record({ failingOnlyThereCount: 3 }));
  await part.getByText(/^9 of 10 checks/).waitFor();
  await part.getByText(/^3 checks fail here and at no other location/).waitFor();
});

test("a location without results or without shared checks is not compared", async () => {
  const shared = renderComparison(record()).readText();
  const part = renderComparison(record({ sharedCount: 0, agreeingCount: 0 }));
  assert.equal(part.readText().includes("0 of 0"), false);
  assert.notEqual(part.readText(), shared);
});

const location = (more: Partial<PrivateLocation> = {}) =>
  ({
    id: "l-1",
    name: "Basement",
    slugName: "basement",
    status: "served",
    agentCount: 1,
    lastSeen: ago(5),
    probes: [
      probe("a", { keyId: "k-1" } as never),
      probe("b", { keyId: "k-1", status: "silent" } as never),
    ],
    keys: [{ id: "k-1", maskedKey: "pl_...1", created_at: ago(86_400), lastUsedAt: null }],
    ...more,
  }) as unknown as PrivateLocation;

interface LocationState extends PartOptions {
  readonly region?: string;
  readonly own?: readonly PrivateLocation[];
  readonly places?: readonly Place[];
  readonly queue?: readonly number[];
}

function renderLocation(state: LocationState = {}) {
  const {
    region = "basement",
    own = [location()],
    places = [],
    queue = [0, 0],
    ...options
  } = state;
  return renderScreen(locationRoute, {
    ...options,
    params: { region },
    data: [
      [liveLocationsQuery.queryKey, places],
      [privateLocationsQuery.queryKey, own],
      [checkCountsQuery.queryKey, new Map([["basement", 2]])],
      [recordsQuery.queryKey, new Map()],
      [waitingQuery("l-1").queryKey, { queueSize: queue, oldestScheduledCheckRun: queue }],
    ],
  });
}

test("revoking a key counts the live probes that use it", async () => {
  const part = await renderLocation({ respond: () => rejectRequest(500, "It broke.") });
  await part.getByRole("button", { name: "Revoke pl_...1" }).click();
  const dialog = part.getByRole("dialog", { name: /pl_\.\.\.1/ });
  assert.match(await dialog.textContent(), /\b(?:1|one)\b/i);
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await dialog.getByText("It broke.").waitFor();
  assert.equal(part.sent[0]?.path, "/v1/private-locations/l-1/keys/k-1");
});

test("a location that checks use is not removed, and links to them", async () => {
  const part = await renderLocation({ respond: () => rejectRequest(409, "Checks use it.") });
  await part.getByRole("button", { name: "Delete", exact: true }).click();
  const dialog = part.getByRole("dialog");
  await dialog.locator("button").last().click();
  await dialog.getByText("Checks use it.").waitFor();
  const link = await dialog.getByRole("link").getAttribute("href");
  assert.match(link ?? "", /^\/checks\?location=.*basement/);
});

test("runs that wait for a probe are drawn, and an empty slot is not", async () => {
  const part = await renderLocation({ queue: [0, 4, 2] });
  assert.equal(part.locator("rect").count(), 2, "an empty slot has no bar");
  const heights = part
    .locator("rect")
    .elements()
    .map((one) => Number(one.getAttribute("height")));
  assert.deepEqual(heights, [48, 24]);
});

test("without waiting runs there is no chart", async () => {
  const part = await renderLocation();
  assert.equal(part.locator("rect").count(), 0);
});

test("an unknown location is reported", async () => {
  const part = await renderLocation({ region: "attic" });
  await part.getByRole("heading", { level: 1, name: "attic" }).waitFor();
  assert.equal(part.getByRole("button").count(), 0);
});

test("a reader sees a private location without actions", async () => {
  const part = await renderLocation({ role: "READ_ONLY" });
  await part.getByText("pl_...1").waitFor();
  assert.equal(part.getByRole("button", { name: /revoke|remove|rename|add/i }).count(), 0);
});
