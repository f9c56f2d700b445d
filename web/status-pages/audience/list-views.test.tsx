/** Snapshots of a status page, and the list of pages, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Part,
  type PartOptions,
  rejectRequest,
  renderScreen,
} from "../../../test/support/components/part.tsx";
import type { Schemas } from "../../api/client.ts";
import { route as pagesRoute } from "../pages-screen.tsx";
import { overviewsQuery, pageQuery, pagesQuery, type StatusPage } from "../queries.ts";
import { snapshotQuery } from "./queries.ts";
import { route as snapshotsRoute } from "./snapshots-screen.tsx";

const id = "p-1";
const params = { statusPageId: id };

const address = "https://status.example.com/";

const page = (more: Partial<StatusPage> = {}) =>
  ({
    id,
    name: "Acme",
    url: "acme",
    isPrivate: false,
    customDomain: null,
    cards: [],
    ...more,
  }) as unknown as StatusPage;

const stored = (more: Partial<StatusPage> = {}) =>
  [pageQuery(id).queryKey, { data: page(more), etag: '"3"' }] as const;

const button = (part: Part, name: string | RegExp) => part.getByRole("button", { name });

const listLines = (part: Part) => part.sent.map(({ method, path }) => `${method} ${path}`);

type Snapshot = Schemas["StatusPageSnapshot"];

const snapshot = (more: Partial<Snapshot> = {}) =>
  ({
    isPrivate: false,
    isKept: true,
    writtenAt: null,
    bytes: 0,
    fileCount: 0,
    ...more,
  }) as Snapshot;

const renderSnapshots = (more: Partial<Snapshot>, options: PartOptions = {}) =>
  renderScreen(snapshotsRoute, {
    ...options,
    params,
    data: [stored(), [snapshotQuery(id).queryKey, snapshot(more)]],
  });

test("a snapshot is written on request, and its size and number of files are shown", async () => {
  const written = { writtenAt: "2026-11-16T03:00:00.000Z", bytes: 20_480, fileCount: 1 };
  const part = await renderSnapshots({}, { respond: () => Response.json(snapshot(written)) });
  await part.getByText("No snapshot was written yet.").waitFor();
  await button(part, "Write now").click();
  await part.getByText("Written", { exact: true }).waitFor();
  assert.match(part.readFacts().Size ?? "", /^20\S* \S+ · 1 file$/);
  assert.deepEqual(listLines(part), ["POST /v1/status-pages/p-1/snapshot"]);
});

test("a snapshot that cannot be written shows the reason", async () => {
  const part = await renderSnapshots(
    {},
    { respond: () => rejectRequest(500, "The disk is full.") },
  );
  await button(part, "Write now").click();
  await part.getByText("The disk is full.").waitFor();
  await part.getByText("No snapshot was written yet.").waitFor();
});

test("a server without a folder for snapshots offers the download only", async () => {
  const part = await renderSnapshots({ isKept: false });
  await part.getByText(/This server writes no snapshots/).waitFor();
  assert.equal(button(part, "Write now").count(), 0);
  await button(part, "Download as .tar.gz").waitFor();
});

test("a private page has no snapshot", async () => {
  const part = await renderSnapshots({ isPrivate: true });
  await part.getByText(/A private page has no snapshot/).waitFor();
  assert.equal(part.getByRole("button").count(), 0);
});

test("a reader may download a snapshot and not write one", async () => {
  const part = await renderSnapshots({}, { role: "READ_ONLY" });
  await button(part, "Download as .tar.gz").waitFor();
  assert.equal(button(part, "Write now").count(), 0);
});

const overview = (statusPageId: string, more: object = {}) =>
  ({
    statusPageId,
    address,
    state: "passing",
    sentence: "All systems operational",
    openIncidentCount: 0,
    serviceCount: 1,
    subscriberCount: 1_234,
    ...more,
  }) as const;

function renderPages(
  pages: readonly StatusPage[],
  overviews: readonly object[],
  role?: "READ_ONLY",
) {
  const byId = overviews.map(
    (one) => [(one as { statusPageId: string }).statusPageId, one] as const,
  );
  return renderScreen(pagesRoute, {
    ...(role && { role }),
    data: [
      [pagesQuery.queryKey, pages],
      [overviewsQuery.queryKey, new Map(byId)],
    ],
  });
}

test("the list of pages shows state, address, services and subscribers", async () => {
  const part = await renderPages(
    [page(), page({ id: "p-2", name: "<b>Intern</b>", isPrivate: true })],
    [
      overview(id),
      overview("p-2", {
        state: "failing",
        sentence: "Major outage",
        openIncidentCount: 2,
        serviceCount: 3,
        address: "javascript:alert(1)",
      }),
    ],
  );
  const rows = part.locator("ul > li").allTextContents();
  assert.match(
    rows[0] ?? "",
    /^Acme.*All systems operational.*status\.example\.com.*1 service1,234 subscribers$/,
  );
  assert.match(rows[1] ?? "", /^<b>Intern<\/b> ?Private.*Major outage2 open incidents/);
  const links = part.locator("ul a").elements();
  assert.equal(
    links.some((link) => link.getAttribute("href")?.startsWith("javascript:")),
    false,
    "an address that is no web address is no link",
  );
});

test("a page without services has no state", async () => {
  const part = await renderPages([page()], [overview(id, { state: null, sentence: null })]);
  await part.getByText("No services yet").waitFor();
  assert.equal(part.locator("[data-state]").count(), 0);
});

test("a list of pages is readable before the states are loaded", async () => {
  const part = await renderPages([page()], []);
  const link = await part.getByRole("link", { name: "Acme" }).getAttribute("href");
  assert.equal(link, "/status-pages/p-1/editor");
});

test("an empty list teaches what a page is, and offers one to those who may create it", async () => {
  const part = await renderPages([], []);
  await part.getByText("No status page yet").waitFor();
  assert.equal(part.getByRole("link", { name: "New status page" }).count(), 1);
});

test("a reader of an empty list is offered nothing", async () => {
  const part = await renderPages([], [], "READ_ONLY");
  await part.getByText("No status page yet").waitFor();
  assert.equal(part.getByRole("link").count(), 0);
});
