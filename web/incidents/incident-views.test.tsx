/** Incidents, their updates and statistics with loaded data, without a server. */
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import {
  type Part,
  type PartOptions,
  rejectRequest,
  renderScreen,
} from "../../test/support/components/part.tsx";
import { checkStatusQuery, pageNamesQuery } from "../parts/queries.ts";
import { route as incidentRoute } from "./incident-screen.tsx";
import { route as listRoute } from "./list-screen.tsx";
import {
  audienceQuery,
  type Incident,
  type IncidentUpdate,
  incidentQuery,
  incidentsQuery,
  notesQuery,
  openingAlertQuery,
  postMortemQuery,
  serviceStatusesQuery,
} from "./queries.ts";
import type { IncidentFilter } from "./search.ts";

beforeEach(() => sessionStorage.clear());

const startedAt = "2026-11-16T03:10:00.000Z";

const update = (id: string, more: Partial<IncidentUpdate> = {}) =>
  ({
    id,
    status: "INVESTIGATING",
    description: "**Acme** does not answer.",
    publicIncidentUpdateDate: startedAt,
    author: "ada@example.com",
    notifySubscribers: false,
    notifiedCount: null,
    ...more,
  }) as unknown as IncidentUpdate;

const incident = (more: Partial<Incident> = {}) =>
  ({
    id: "i-1",
    name: "Shop: Acme is down",
    severity: "MAJOR",
    services: [{ id: "s-1", name: "Shop" }],
    lastUpdateStatus: "INVESTIGATING",
    startedAt,
    resolvedAt: null,
    duration: null,
    timeToAcknowledge: null,
    checkId: null,
    alertNumber: null,
    isTakenOver: false,
    incidentUpdates: [update("u-1")],
    ...more,
  }) as unknown as Incident;

const button = (part: Part, name: string | RegExp) => part.getByRole("button", { name });
const link = (part: Part, name: string | RegExp) => part.getByRole("link", { name });

interface ListState extends PartOptions {
  readonly open?: readonly Incident[];
  readonly past?: readonly Incident[];
  readonly nextId?: string | null;
  readonly filter?: IncidentFilter;
}

function renderList({ open = [], past = [], nextId = null, filter = {}, ...options }: ListState) {
  const listed = (entries: readonly Incident[], next: string | null = null) => ({
    entries,
    length: entries.length,
    nextId: next,
  });
  return renderScreen(listRoute, {
    ...options,
    search: { ...filter },
    data: [
      [incidentsQuery("ongoing", filter).queryKey, listed(open)],
      [incidentsQuery("resolved", filter).queryKey, listed(past, nextId)],
      [pageNamesQuery.queryKey, [{ id: "p-1", name: "Acme" }]],
    ],
  });
}

test("open incidents are listed with their services, state and duration", async () => {
  const part = await renderList({
    open: [
      incident({
        services: [
          { id: "s-1", name: "Shop" },
          { id: "s-2", name: "<b>Pay</b>" },
        ],
        checkId: "c-1",
        startedAt: new Date(Date.now() - 2 * 3_600_000).toISOString(),
      } as Partial<Incident>),
    ],
  });
  const [row = ""] = part.locator("ul > li").allTextContents();
  assert.match(row, /Major.*Shop: Acme is down.*Shop, <b>Pay<\/b> · opened by a check/);
  assert.match(row, /Investigating.*for 2 h$/);
  assert.equal(await link(part, "Shop: Acme is down").getAttribute("href"), "/incidents/i-1");
  await part.getByText("No resolved incidents yet.").waitFor();
});

test("a resolved incident shows how long it lasted", async () => {
  const resolvedAt = "2026-11-16T05:50:00.000Z";
  const over = incident({
    resolvedAt,
    duration: 9_600,
    lastUpdateStatus: "RESOLVED",
  } as never);
  const part = await renderList({ past: [over] });
  const [row = ""] = part.locator("ul > li").allTextContents();
  assert.match(row, /Resolved.*lasted 2 h/);
  await part.getByText("No open incidents.").waitFor();
});

test("pages of resolved incidents keep the filters", async () => {
  const filter = { severity: "MAJOR", from: "i-9" } as const;
  const part = await renderList({ past: [incident()], nextId: "i-0", filter });
  const older = await link(part, "Older").getAttribute("href");
  assert.equal(older, "/incidents?severity=MAJOR&from=i-0");
  assert.equal(await link(part, "Newest").getAttribute("href"), "/incidents?severity=MAJOR");
});

test("one page of resolved incidents has no links to others", async () => {
  const part = await renderList({ past: [incident()] });
  assert.equal(link(part, /^(?:Older|Newest)$/).count(), 0);
});

test("a filter without a match says that the filter is the reason", async () => {
  const part = await renderList({
    filter: { severity: "CRITICAL", state: "resolved" },
  });
  await part.getByText("No incident matches the filters.").waitFor();
  assert.equal(part.getByText("Open now").count(), 0, "open ones are filtered out");
  assert.equal(await part.getByLabel("Severity").inputValue(), "CRITICAL");
  assert.equal(await part.getByLabel("State", { exact: true }).inputValue(), "resolved");
});

test("an account without incidents reads what they are for", async () => {
  const part = await renderList({});
  await part.getByText("No incidents yet").waitFor();
  assert.equal(link(part, "New incident").count(), 1);
  assert.equal(part.getByLabel("Severity").count(), 0);
});

test("a reader of an empty list creates no incident", async () => {
  const part = await renderList({ role: "READ_ONLY" });
  await part.getByText("No incidents yet").waitFor();
  assert.equal(link(part, "New incident").count(), 0);
});

interface IncidentState extends PartOptions {
  readonly shown?: Incident;
  readonly services?: readonly object[];
  readonly pages?: readonly object[];
}

function renderIncident(state: IncidentState = {}) {
  const { shown = incident(), services = [], pages = [], data = [], ...options } = state;
  return renderScreen(incidentRoute, {
    ...options,
    params: { incidentId: "i-1" },
    data: [
      [incidentQuery("i-1").queryKey, { data: shown, etag: '"2"' }],
      [serviceStatusesQuery.queryKey, services],
      [audienceQuery(shown.services.map(({ id }) => id)).queryKey, { pages, subscribers: 0 }],
      [notesQuery("i-1").queryKey, []],
      [postMortemQuery("i-1").queryKey, null],
      ...data,
    ],
  });
}

test("updates are listed with their author, and whom they notified", async () => {
  const part = await renderIncident({
    shown: incident({
      incidentUpdates: [
        update("u-2", {
          author: null,
          notifySubscribers: true,
          notifiedCount: 1_234,
        } as never),
        update("u-1", {
          notifySubscribers: true,
          notifiedCount: null,
        } as never),
      ],
    }),
  });
  const updates = part.locator("ol > li").allTextContents();
  assert.match(updates[0] ?? "", /by automation · 1,234 subscribers were notified/);
  assert.match(updates[1] ?? "", /by ada@example\.com · subscribers were notified/);
  assert.equal(part.locator("ol strong").allTextContents().includes("Acme"), true, "Markdown");
});

test("the only update of an incident is edited and not deleted", async () => {
  const part = await renderIncident();
  await button(part, "Edit the update Investigating").waitFor();
  assert.equal(button(part, /^Delete the update/).count(), 0);
});

test("an edited update keeps its time unless that was changed", async () => {
  const part = await renderIncident({
    respond: () => rejectRequest(400, "Invalid.", { description: "is too long." }),
  });
  await button(part, "Edit the update Investigating").click();
  await part.getByText("Subscribers are not notified of edits.").waitFor();
  await part.getByLabel("Message").fill("Acme is slow.");
  await button(part, "Save update").click();
  await part.getByText("is too long.").waitFor();
  const [sent] = part.sent;
  assert.deepEqual(sent?.body, {
    status: "INVESTIGATING",
    description: "Acme is slow.",
  });
  assert.equal(sent?.path, "/v1/status-pages/incidents/i-1/incident-updates/u-1");
  assert.equal(await part.getByLabel("Message").inputValue(), "Acme is slow.");
});

test("an update without a message is not saved", async () => {
  const part = await renderIncident();
  await button(part, "Edit the update Investigating").click();
  await part.getByLabel("Message").fill("  ");
  assert.equal(await button(part, "Save update").isDisabled(), true);
  await button(part, "Cancel").click();
  assert.equal(part.getByLabel("Message").count(), 0);
});

test("deleting an update quotes it, and says that its effects are undone", async () => {
  const part = await renderIncident({
    shown: incident({
      incidentUpdates: [update("u-2", { status: "RESOLVED" }), update("u-1")],
    }),
    respond: ({ method }) =>
      method === "DELETE" ? new Response(null, { status: 204 }) : rejectRequest(500, "It broke."),
  });
  await button(part, "Delete the update Resolved").click();
  const dialog = part.getByRole("dialog", { name: "Delete this update?" });
  await dialog.getByText("**Acme** does not answer.").waitFor();
  await dialog.getByText(/Its effects are undone too/).waitFor();
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await dialog.waitFor({ state: "hidden" });
  const sent = part.sent.find(({ method }) => method === "DELETE");
  assert.equal(sent?.path, "/v1/status-pages/incidents/i-1/incident-updates/u-2");
});

test("an incident opened by a check names it, its alert and who resolves it", async () => {
  const shown = incident({
    checkId: "c-1",
    alertNumber: 4,
  } as Partial<Incident>);
  const part = await renderIncident({
    shown,
    data: [
      [checkStatusQuery("c-1").queryKey, { name: "db-1", status: "failing", explanation: "x" }],
      [openingAlertQuery("c-1", 4, startedAt).queryKey, { id: "a-1" }],
    ],
  });
  assert.equal(await link(part, "db-1").getAttribute("href"), "/checks/c-1");
  assert.equal(await link(part, "Open the alert").getAttribute("href"), "/alerts/a-1");
  await part.getByText(/A recovery resolves it, unless you post an update/).waitFor();
});

test("an incident that a person took over is not resolved by a recovery", async () => {
  const shown = incident({
    checkId: "c-1",
    isTakenOver: true,
  } as Partial<Incident>);
  const part = await renderIncident({ shown });
  await part.getByText(/Managed by hand: a recovery does not resolve it/).waitFor();
  await link(part, "the check").waitFor();
});

test("a resolved incident is not resolved again", async () => {
  const over = {
    resolvedAt: "2026-11-16T05:50:00.000Z",
    duration: 9_600,
    timeToAcknowledge: 300,
  };
  const part = await renderIncident({ shown: incident(over as never) });
  await part.getByText(/first response after 5 min/).waitFor();
  assert.equal(link(part, "Resolve").count(), 0);
  assert.equal(link(part, "Post update").count(), 1);
});

test("services show their state and at most ten of their checks", async () => {
  const checkIds = Array.from({ length: 12 }, (_, index) => `c-${index}`);
  const part = await renderIncident({
    services: [
      {
        serviceId: "s-1",
        status: "failing",
        isUnderMaintenance: true,
        checks: { checkIds },
      },
    ],
    data: checkIds.map((id) => [
      checkStatusQuery(id).queryKey,
      {
        name: `name ${id}`,
        status: id === "c-0" ? "failing" : "passing",
        explanation: "refused",
      },
    ]),
  });
  assert.equal(part.locator("ul ul > li").count(), 11);
  assert.match(part.locator("ul ul > li").allTextContents().at(-1) ?? "", /\b2\b/);
  assert.equal(part.getByText("refused").count(), 1, "only of the check that does not pass");
});

test("public pages are linked, and a private one needs a key", async () => {
  const part = await renderIncident({
    pages: [
      {
        statusPageId: "p-1",
        name: "Acme",
        url: "https://a.test/",
        isPrivate: true,
      },
    ],
  });
  const href = await link(part, "On Acme").getAttribute("href");
  assert.equal(href, "https://a.test/incidents/i-1");
  await part.getByText("requires a key").waitFor();
});

test("an incident on no page says that it is not public", async () => {
  const part = await renderIncident();
  await part.getByText(/No status page shows its services/).waitFor();
});

test("a reader sees an incident and changes nothing", async () => {
  const part = await renderIncident({ role: "READ_ONLY" });
  await part.getByRole("heading", { level: 1, name: "Shop: Acme is down" }).waitFor();
  assert.equal(button(part, /Edit|Delete|Add/).count(), 0);
  assert.equal(link(part, /^(?:Post update|Resolve|Edit)$/).count(), 0);
});
