/** Columns and saved views of the list of checks, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  rejectRequest,
  renderPart,
  type SentRequest,
} from "../../../test/support/components/part.tsx";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { Notices } from "../../parts/notices.tsx";
import { ColumnsMenu, ViewsMenu } from "./list-menus.tsx";
import { type SavedView, viewsQuery } from "./queries.ts";
import type { ListSearch } from "./search.ts";
import { columnWords, words } from "./words.ts";

const views = [
  { id: 1, name: "Databases", query: "q=db", shared: false },
  { id: 2, name: "Core", query: "q=db", shared: true },
] as SavedView[];

interface Given {
  readonly role?: "OWNER" | "READ_ONLY";
  readonly search?: ListSearch;
  readonly stored?: readonly SavedView[];
  readonly respond?: (request: SentRequest) => Response;
}

async function openViews({ role = "OWNER", search = {}, stored = views, respond }: Given) {
  const part = renderPart(
    <>
      <ViewsMenu search={search} />
      <Notices />
    </>,
    { role, data: [[viewsQuery.queryKey, stored]], respond: respond ?? (() => Response.json({})) },
  );
  await part.getByRole("button", { name: words.views }).click();
  await part.getByLabel(words.viewName).waitFor();
  return part;
}

test("a column is hidden, and a hidden one is shown again", async () => {
  const changes: ListSearch[] = [];
  const part = renderPart(
    <ColumnsMenu search={{ hide: ["tags"] }} onChange={(search) => changes.push(search)} />,
  );
  await part.getByRole("button", { name: words.columns }).click();
  assert.equal(await part.getByLabel(columnWords.tags).isChecked(), false);
  assert.equal(await part.getByLabel(columnWords.group).isChecked(), true);
  await part.getByLabel(columnWords.group).uncheck();
  await part.getByLabel(columnWords.tags).check();
  assert.deepEqual(
    changes.map(({ hide = [] }) => [...hide].sort()),
    [["group", "tags"], []],
  );
});

test("views are listed as one's own and as shared ones", async () => {
  const part = await openViews({});
  const own = part.getByRole("region", { name: words.ownViews });
  await own.getByRole("button", { name: "Databases", exact: true }).waitFor();
  assert.equal(own.getByText("Core").count(), 0);
  const shared = part.getByRole("region", { name: words.sharedViews });
  await shared.getByRole("button", { name: "Core", exact: true }).waitFor();
});

test("a list without views explains what a view is for", async () => {
  const part = await openViews({ stored: [] });
  await part.getByText(words.noViews).waitFor();
  assert.equal(part.getByRole("region").count(), 0);
});

test("the current filters are saved under a name, for all members on request", async () => {
  const respond = ({ method, body }: SentRequest) =>
    method === "GET" ? Response.json(views) : Response.json(body, { status: 201 });
  const part = await openViews({ search: { q: "db", tag: ["core"] }, respond });
  const save = part.getByRole("button", { name: words.saveView });
  assert.equal(await save.isDisabled(), true);
  await part.getByLabel(words.viewName).fill("  Core databases ");
  await part.getByLabel(words.shareView).check();
  await save.click();
  await part.getByText(words.viewSaved("Core databases")).waitFor();
  const [sent] = part.sent;
  assert.deepEqual([sent?.method, sent?.path], ["POST", "/v1/views"]);
  const { query = "", ...rest } = { ...(sent?.body as { query?: string }) };
  assert.deepEqual(rest, { name: "Core databases", shared: true });
  assert.equal(new URLSearchParams(query).get("q"), "db");
  assert.match(query, /core/);
});

test("a view is updated to the current filters, and deleted", async () => {
  const respond = ({ method }: SentRequest) => {
    if (method === "GET") return Response.json(views);
    return method === "PUT" ? Response.json(views[0]) : new Response(null, { status: 204 });
  };
  const part = await openViews({ search: { q: "web" }, respond });
  await part.getByRole("button", { name: words.replaceView("Databases") }).click();
  await part.getByText(words.viewSaved("Databases")).waitFor();
  await part.getByRole("button", { name: words.deleteView("Core") }).click();
  await part.getByText(words.viewDeleted("Core")).waitFor();
  const changes = part.sent.filter(({ method }) => method !== "GET");
  assert.deepEqual(
    changes.map(({ method, path, body }) => [method, path, body]),
    [
      ["PUT", "/v1/views/1", { query: "q=web" }],
      ["DELETE", "/v1/views/2", null],
    ],
  );
});

test("a read-only user changes one's own views only, and shares none", async () => {
  const part = await openViews({ role: "READ_ONLY" });
  await part.getByRole("button", { name: words.deleteView("Databases") }).waitFor();
  assert.equal(part.getByRole("button", { name: words.deleteView("Core") }).count(), 0);
  assert.equal(part.getByRole("button", { name: words.replaceView("Core") }).count(), 0);
  assert.equal(part.getByLabel(words.shareView).count(), 0);
});

test("a view that cannot be saved is reported", async () => {
  const part = await openViews({ respond: () => rejectRequest(409, "The name is taken.") });
  await part.getByLabel(words.viewName).fill("Core");
  await part.getByRole("button", { name: words.saveView }).click();
  await waitUntil("the reason is shown", () => part.getByText("The name is taken.").count() > 0);
});
