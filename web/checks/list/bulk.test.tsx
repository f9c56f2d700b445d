/** Bulk changes: what is sent, in which parts, and what is reported. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import {
  type PartOptions,
  rejectRequest,
  renderPart,
  type SentRequest,
} from "../../../test/support/components/part.tsx";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { createQueryClient } from "../../api/query-client.ts";
import { dismissNotice, Notices, showNotice } from "../../parts/notices.tsx";
import {
  type BulkRequest,
  type BulkTarget,
  deleteLater,
  listMuteTargets,
  sendBulk,
  showOutcome,
  useBulk,
  usePendingDeletes,
} from "./bulk.ts";
import type { ListSearch } from "./search.ts";
import { type Selection, useSelection } from "./use-list.ts";

const idOf = (index: number) => `01999999-0000-7000-8000-${String(index).padStart(12, "0")}`;
const listIds = (count: number) => Array.from({ length: count }, (_, index) => idOf(index));
const byIds = (ids: readonly string[]): BulkTarget => ({ ids, search: null, count: ids.length });

type Outcome = "changed" | "unchanged" | "refused" | "notFound" | "deleted";

const answer = (ids: readonly string[], outcome: Outcome = "changed") =>
  Response.json({ checks: ids.map((id) => ({ id, outcome, message: null })) });

const readIds = ({ body }: SentRequest): string[] => (body as { readonly ids: string[] }).ids;

/** Renders the strip of notices only, to send requests from the test itself. */
function listen(respond: NonNullable<PartOptions["respond"]>) {
  const part = renderPart(<Notices />, { respond });
  return { part, readNotices: () => part.getByRole("status").allTextContents().join(" ") };
}

function dismissAll(readButtons: () => readonly HTMLElement[]): void {
  for (const button of readButtons()) button.click();
}

test("more than a thousand checks are sent in parts, and the answers are joined", async () => {
  const { part } = listen((request) => answer(readIds(request)));
  const ids = listIds(2_001);
  const answers = await sendBulk({ target: byIds(ids), action: "activate" });
  assert.deepEqual(
    part.sent.map((request) => readIds(request).length),
    [1_000, 1_000, 1],
  );
  assert.deepEqual(
    answers.map(({ id }) => id),
    ids,
  );
});

test("a selection of everything sends its filter with the count that was shown", async () => {
  const { part } = listen(() => answer([]));
  const target = { ids: [idOf(1)], search: { state: ["failing"], q: "db" }, count: 7 };
  await sendBulk({ target, action: "addTags", tags: ["core"] } as BulkRequest);
  const [{ body } = { body: null }] = part.sent;
  assert.deepEqual(body, {
    action: "addTags",
    tags: ["core"],
    filter: { state: ["failing"], search: "db" },
    expectedCount: 7,
  });
});

test("the targets of a mute are the pages of the filter, at most a thousand checks", async () => {
  const { part } = listen(({ path }) => {
    const page = Number(new URL(path, "http://localhost").searchParams.get("page"));
    const ids = listIds(120).slice((page - 1) * 50, page * 50);
    return Response.json({ entries: ids.map((checkId) => ({ checkId })), total: 120 });
  });
  const target: BulkTarget = { ids: [], search: { tag: ["core"] }, count: 120 };
  const found = await listMuteTargets(target);
  assert.deepEqual(
    found.map(({ checkId }) => checkId),
    listIds(120),
  );
  assert.equal(part.sent.length, 3);
  assert.ok(part.sent.every(({ path }) => path.includes("tag=core")));
  await assert.rejects(listMuteTargets({ ...target, count: 1_001 }), /1,000|1000/);
  assert.deepEqual(await listMuteTargets(byIds([idOf(3)])), [{ type: "CHECK", checkId: idOf(3) }]);
});

test("a list that shrinks while it is read ends the search for targets", async () => {
  const { part } = listen(() => Response.json({ entries: [{ checkId: idOf(1) }], total: 1 }));
  const found = await listMuteTargets({ ids: [], search: {}, count: 90 });
  assert.equal(found.length, 1);
  assert.equal(part.sent.length, 1);
});

test("every outcome is reported, also that checks no longer exist", async () => {
  const { part, readNotices } = listen(() => answer([]));
  const outcomes = (...list: readonly Outcome[]) =>
    list.map((outcome, index) => ({
      id: idOf(index),
      outcome,
      message: outcome === "refused" ? "it belongs to a project" : null,
    })) as Parameters<typeof showOutcome>[1];
  showOutcome("mute", outcomes("changed", "unchanged", "refused", "notFound", "notFound"));
  await part.getByText("1 check was muted; 1 was already muted.").waitFor();
  await part.getByText("1 check was not changed: it belongs to a project.").waitFor();
  await part.getByText("2 checks no longer exist.").waitFor();
  dismissAll(() => part.getByRole("button", { name: "Dismiss" }).elements());
  await waitUntil("the strip is empty", () => readNotices() === "");
  showOutcome("mute", outcomes("notFound"));
  await part.getByText("1 check no longer exists.").waitFor();
  dismissAll(() => part.getByRole("button", { name: "Dismiss" }).elements());
});

function BulkButton({ request }: { readonly request: BulkRequest }) {
  const bulk = useBulk();
  return (
    <>
      <button type="button" onClick={() => bulk.mutate(request)}>
        Apply
      </button>
      <Notices />
    </>
  );
}

test("unmuting also ends the mutes of the checks that were unmuted", async () => {
  const target = byIds(listIds(3));
  const part = renderPart(<BulkButton request={{ target, action: "unmute" }} />, {
    respond: ({ path }) => {
      if (path === "/v1/mutes") return Response.json({ mutes: [] });
      const outcomes: readonly Outcome[] = ["unchanged", "refused", "notFound"];
      const checks = target.ids.map((id, place) => ({
        id,
        outcome: outcomes[place],
        message: "no",
      }));
      return Response.json({ checks });
    },
  });
  await part.getByRole("button", { name: "Apply" }).click();
  await part.getByText(/was not muted/).waitFor();
  const mutes = part.sent.filter(({ path }) => path === "/v1/mutes");
  assert.deepEqual(
    mutes.map(({ method, body }) => ({ method, body })),
    [
      {
        method: "PUT",
        body: { mutedUntil: null, targets: [{ type: "CHECK", checkId: idOf(0) }] },
      },
    ],
  );
  dismissAll(() => part.getByRole("button", { name: "Dismiss" }).elements());
});

test("a rejected bulk change is reported with the API's reason", async () => {
  const message = "The filter now matches 8 checks.";
  const request: BulkRequest = { target: byIds([idOf(1)]), action: "deactivate" };
  const part = renderPart(<BulkButton request={request} />, {
    respond: () => rejectRequest(409, message),
  });
  await part.getByRole("button", { name: "Apply" }).click();
  await part.getByText(message).waitFor();
  dismissAll(() => part.getByRole("button", { name: "Dismiss" }).elements());
});

function Going({ search = {} }: { readonly search?: ListSearch }) {
  const isGoing = usePendingDeletes(search);
  return <output>{`${isGoing(idOf(1))} ${isGoing(idOf(2))}`}</output>;
}

test("a deletion that is undone in time is never sent", async (t) => {
  const client = createQueryClient();
  t.after(() => client.clear());
  const screen = (
    <>
      <Going />
      <Notices />
    </>
  );
  const part = renderPart(screen, { respond: (request) => answer(readIds(request), "deleted") });
  const shows = (text: string) =>
    waitUntil(`it is “${text}”`, () => part.locator("output").allTextContents()[0] === text);
  deleteLater(byIds([idOf(1)]), client);
  await shows("true false");
  await part.getByRole("button", { name: "Undo" }).click();
  await shows("false false");
  await part.getByText("Deletion cancelled. Nothing was deleted.").waitFor();
  assert.deepEqual(part.sent, []);
  dismissAll(() => part.getByRole("button", { name: "Dismiss" }).elements());
});

test("a pending deletion by search marks the checks of this search only", async (t) => {
  const client = createQueryClient();
  t.after(() => client.clear());
  const part = renderPart(
    <>
      <Going search={{ tag: ["core"], sort: "name" }} />
      <Going search={{ tag: ["core"], q: "db" }} />
      <Going />
      <Notices />
    </>,
    { respond: () => answer([], "deleted") },
  );
  deleteLater({ ids: [], search: { tag: ["core"] }, count: 2 }, client);
  await waitUntil("the checks of the search are marked", () =>
    isDeepStrictEqual(part.locator("output").allTextContents(), [
      ...["true true", "false false", "false false"],
    ]),
  );
  await part.getByRole("button", { name: "Undo" }).click();
  dismissAll(() => part.getByRole("button", { name: "Dismiss" }).elements());
});

test("a notice lasts until it is dismissed by its id", async () => {
  const { part } = listen(() => answer([]));
  const id = showNotice({ text: "Saved.", lastsMs: 3_600_000 });
  await part.getByText("Saved.").waitFor();
  dismissNotice(id);
  await part.getByText("Saved.").waitFor({ state: "hidden" });
});

let selection: Selection;

function Selecting() {
  selection = useSelection();
  return <output>{selection.isAll ? "all" : [...selection.ids].join(" ")}</output>;
}

test("rows are selected one by one, in ranges, and all at once", async () => {
  const part = renderPart(<Selecting />);
  const rows = ["a", "b", "c", "d", "e"];
  const between = (from: number, to: number) => rows.slice(from, to + 1);
  const shows = (text: string) =>
    waitUntil(`it is “${text}”`, () => part.locator("output").allTextContents()[0] === text);
  selection.toggle("d", 3);
  await shows("d");
  selection.extend(1, between);
  await shows("d b c");
  selection.toggle("b", 1);
  await shows("d c");
  selection.extend(4, between);
  await shows("d c b e");
  selection.choose(["a"]);
  await shows("a");
  selection.chooseAll();
  await shows("all");
  assert.equal(selection.has("never loaded"), true);
  selection.clear();
  await shows("");
});

test("unticking a row while all are selected never leaves that row selected alone", async () => {
  const part = renderPart(<Selecting />);
  const shows = (text: string) =>
    waitUntil(`it is “${text}”`, () => part.locator("output").allTextContents()[0] === text);
  selection.choose(["a", "b"]);
  await shows("a b");
  selection.chooseAll();
  await shows("all");
  selection.toggle("a", 0);
  await shows("");
});
