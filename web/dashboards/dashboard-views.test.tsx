/** The list of dashboards and the keys of one, without a server. */
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import {
  type Part,
  type PartOptions,
  rejectRequest,
  renderPart,
  renderScreen,
} from "../../test/support/components/part.tsx";
import { waitUntil } from "../../test/support/time/wait-until.ts";
import { route } from "./dashboards-screen.tsx";
import { KeysSection, ShownKey } from "./editor/keys-section.tsx";
import { type Dashboard, dashboardsQuery, keysQuery } from "./queries.ts";

beforeEach(() => sessionStorage.clear());

const dashboard = (more: Partial<Dashboard> = {}) =>
  ({
    dashboardId: "d-1",
    header: "Harbour",
    customUrl: "harbour",
    isPrivate: false,
    tags: [],
    useTagsAndOperator: false,
    keys: [],
    ...more,
  }) as unknown as Dashboard;

const renderList = (list: readonly Dashboard[], options: PartOptions = {}) =>
  renderScreen(route, { ...options, data: [[dashboardsQuery.queryKey, list]] });

test("the list shows the address and the chosen checks of each dashboard", async () => {
  const part = await renderList([
    dashboard(),
    dashboard({ dashboardId: "d-2", header: "<b>Sea</b>", customUrl: null, tags: ["a", "b"] }),
    dashboard({ dashboardId: "d-3", tags: ["a", "b"], useTagsAndOperator: true, isPrivate: true }),
  ]);
  const rows = part.locator("ul > li").allTextContents();
  assert.deepEqual(rows, [
    "Harbour/dashboards/harbourall checksPublic",
    "<b>Sea</b>/dashboards/d-2a or bPublic",
    "Harbour/dashboards/harboura and bPrivate",
  ]);
  const [editor] = part.locator("ul a").elements();
  assert.equal(editor?.getAttribute("href"), "/edit-dashboard/d-1");
});

test("a reader sees dashboards and creates none", async () => {
  const part = await renderList([dashboard()], { role: "READ_ONLY" });
  await part.getByText("Harbour").waitFor();
  assert.equal(part.getByRole("button").count(), 0);
});

async function create(header: string, respond: NonNullable<PartOptions["respond"]>) {
  const part = await renderList([], { respond });
  await part.getByRole("button", { name: "New dashboard" }).click();
  await part.getByLabel("Heading").fill(header);
  await part.getByRole("button", { name: "Create dashboard" }).click();
  return part;
}

/** Bodies of the dashboards that were sent. The list is fetched again afterwards. */
const listPosted = (part: Part) =>
  part.sent.filter(({ method }) => method === "POST").map(({ body }) => body);

const created = () => Response.json(dashboard(), { status: 201 });

test("the address of a new dashboard follows its heading", async () => {
  const part = await create("  Häfen & Docks (EU) ", created);
  await waitUntil("it is sent", () => part.sent.length > 0);
  assert.deepEqual(part.sent[0]?.body, {
    header: "Häfen & Docks (EU)",
    keys: false,
    customUrl: "hafen-docks-eu",
  });
});

test("a taken address gets a number", async () => {
  const part = await create("Harbour", ({ body }) => {
    const { customUrl } = body as { customUrl?: string };
    return customUrl === "harbour-3" ? created() : rejectRequest(409, "It is taken.");
  });
  await waitUntil("one is free", () => listPosted(part).length === 3);
  assert.deepEqual(
    listPosted(part).map((body) => (body as { customUrl?: string }).customUrl),
    ["harbour", "harbour-2", "harbour-3"],
  );
});

test("after five taken addresses, the server chooses one", async () => {
  const part = await create("Harbour", ({ body }) =>
    "customUrl" in (body as object) ? rejectRequest(409, "It is taken.") : created(),
  );
  await waitUntil("it is created", () => listPosted(part).length === 6);
  assert.deepEqual(listPosted(part).at(-1), { header: "Harbour", keys: false });
});

test("a heading without letters has no address", async () => {
  const part = await create("★★★", created);
  await waitUntil("it is sent", () => part.sent.length > 0);
  assert.deepEqual(part.sent[0]?.body, { header: "★★★", keys: false });
});

test("a rejected heading is explained at its field, and tried only once", async () => {
  const part = await create("Harbour", () =>
    rejectRequest(400, "Invalid.", { header: "must be shorter." }),
  );
  await part.getByText("must be shorter.").waitFor();
  assert.equal(await part.getByLabel("Heading").getAttribute("aria-invalid"), "true");
  assert.equal(await part.getByLabel("Heading").inputValue(), "Harbour");
  assert.equal(part.sent.length, 1);
});

test("an error of the server is shown beside the form", async () => {
  const part = await create("Harbour", () => rejectRequest(500, "It broke."));
  await part.getByText("It broke.").waitFor();
  assert.equal(part.sent.length, 1);
});

const key = (id: string, maskedKey: string) => ({
  id,
  maskedKey,
  created_at: "2026-11-15T00:00:00.000Z",
  updated_at: null,
});

function renderKeys(keys: readonly object[], options: PartOptions = {}) {
  const shown: string[] = [];
  const part = renderPart(
    <KeysSection dashboard={dashboard()} onKey={(rawKey) => shown.push(rawKey)} />,
    { ...options, data: [[keysQuery("d-1").queryKey, keys]] },
  );
  return { part, shown };
}

test("a private dashboard without keys is open to members only", async () => {
  const { part } = renderKeys([]);
  await part.getByText(/^No keys\. Members open the dashboard/).waitFor();
});

test("a new key is passed on to be shown once", async () => {
  const { part, shown } = renderKeys([], {
    respond: () => Response.json({ ...key("k-1", "da_...1"), rawKey: "da_raw" }, { status: 201 }),
  });
  await part.getByRole("button", { name: "Create key" }).click();
  await waitUntil("it is passed on", () => shown.length > 0);
  assert.deepEqual(shown, ["da_raw"]);
  assert.equal(part.sent[0]?.path, "/v1/dashboards/d-1/keys");
});

test("replacing and deleting a key warn of the screens that use it", async () => {
  const { part, shown } = renderKeys([key("k-1", "da_...1"), key("k-2", "da_...2")], {
    respond: ({ method }) =>
      method === "DELETE"
        ? new Response(null, { status: 204 })
        : Response.json({ ...key("k-1", "da_...9"), rawKey: "da_next" }),
  });
  await part.getByRole("button", { name: "Replace da_...1" }).click();
  const replacing = part.getByRole("dialog", { name: "Replace the key da_...1?" });
  await replacing.getByText(/loses access immediately/).waitFor();
  assert.equal(part.sent.length, 0);
  await replacing.getByRole("button", { name: "Replace key" }).click();
  await waitUntil("it is replaced", () => shown.length > 0);
  await part.getByRole("button", { name: "Delete da_...2" }).click();
  const deleting = part.getByRole("dialog", { name: "Delete the key da_...2?" });
  await deleting.getByRole("button", { name: "Delete key" }).click();
  await waitUntil("it is deleted", () => part.sent.some(({ method }) => method === "DELETE"));
  assert.deepEqual(
    part.sent
      .filter(({ method }) => method !== "GET")
      .map(({ method, path }) => `${method} ${path}`),
    ["POST /v1/dashboards/d-1/keys/k-1/rotate", "DELETE /v1/dashboards/d-1/keys/k-2"],
  );
  assert.deepEqual(shown, ["da_next"]);
});

test("a cancelled deletion sends nothing", async () => {
  const { part } = renderKeys([key("k-1", "da_...1")]);
  await part.getByRole("button", { name: "Delete da_...1" }).click();
  const dialog = part.getByRole("dialog");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "hidden" });
  assert.equal(part.sent.length, 0);
});

test("a shown key has an address to open on each screen, and only its button closes it", async () => {
  let isDone = false;
  const part = renderPart(
    <ShownKey dashboard={dashboard()} rawKey="da_raw" onDone={() => (isDone = true)} />,
  );
  assert.deepEqual(part.locator("code").allTextContents(), [
    "da_raw",
    `${location.origin}/dashboards/harbour?key=da_raw`,
  ]);
  await part.keyboard("{Escape}");
  assert.equal(isDone, false);
  await part.getByRole("button", { name: "I have copied it" }).click();
  assert.equal(isDone, true);
});
