/** The editor of a schedule, with the states that a server in a test reaches slowly. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type PartOptions,
  rejectRequest,
  renderPart,
  renderScreen,
  type SentRequest,
} from "../../test/support/components/part.tsx";
import { waitUntil } from "../../test/support/time/wait-until.ts";
import { LayerForm } from "./layer-form.tsx";
import {
  feedsQuery,
  overridesQuery,
  peopleQuery,
  type Schedule,
  type Shifts,
  type Swap,
  scheduleQuery,
  swapsQuery,
} from "./queries.ts";
import { route } from "./schedule-screen.tsx";
import { toInput, toValues } from "./values.ts";
import { words } from "./words.ts";

const id = "7d1f2c9e-4b7a-4c0e-9a53-0f6f6f2b1d10";
type Layer = Schedule["layers"][number];
const layer = (change: Partial<Layer> = {}): Layer => ({
  ...{ name: "Weekly", participants: ["a", "b"], start: "2026-11-16T09:00", end: null },
  rotation: { unit: "WEEK", interval: 1, handoffTime: "09:00", handoffDay: "MONDAY" },
  restrictions: [],
  ...change,
});
const schedule = (change: Partial<Schedule> = {}): Schedule => ({
  ...{ id, name: "Primary", timezone: "Europe/Berlin", warnAboutGaps: true, layers: [layer()] },
  people: [{ userId: "gone", name: "Eve", leftAt: "2026-11-17T09:00:00Z" }],
  ...{ created_at: "2026-11-16T09:00:00Z", updated_at: null },
  ...change,
});
const shifts = (gaps: number): Shifts => ({
  ...{ from: "2026-11-16T00:00:00Z", to: "2026-11-30T00:00:00Z", timezone: "UTC", layers: [] },
  shifts: [],
  gaps: Array.from({ length: gaps }, () => ({ from: "2026-11-16T00:00:00Z", to: null })),
});
const people = [
  { userId: "a", name: "Anna" },
  { userId: "b", name: "Ben" },
  { userId: "me", name: "Me" },
];

type Seeds = NonNullable<PartOptions["data"]>;
const seed = (data = schedule(), more: Seeds = []): Seeds => [
  [["session"], { role: "OWNER", user: { id: "me" } }],
  [peopleQuery.queryKey, people],
  [scheduleQuery(id).queryKey, { data, etag: '"1"', total: null }],
  [overridesQuery(id).queryKey, { entries: [] }],
  [swapsQuery(id).queryKey, []],
  [feedsQuery.queryKey, []],
  ...more,
];

/** Responds to previews, and with `others` to what is saved. */
function answer(others: (request: SentRequest) => Response, gaps = 0) {
  return (request: SentRequest) =>
    request.path.includes("/preview") ? Response.json(shifts(gaps)) : others(request);
}
const rejectAll = () => rejectRequest(500, "It broke.");

function open(options: PartOptions = {}, scheduleId = id) {
  // Drafts of earlier tests.
  sessionStorage.clear();
  const data = options.data ?? seed();
  const params = { scheduleId };
  return renderScreen(route, { params, respond: answer(rejectAll), ...options, data });
}

/** The fields of one layer. Returns how to read what they change. */
function openLayer(first = toValues(schedule()).layers[0]) {
  let current = first ?? assert.fail("no layer");
  const view = () => (
    <LayerForm
      layer={current}
      index={0}
      members={people}
      formerNames={new Map([["gone", "Eve"]])}
      isReadOnly={false}
      error={null}
      onChange={(change) => {
        current = { ...current, ...change };
        part.rerender(view());
      }}
      onRemove={() => {}}
    />
  );
  const part = renderPart(view());
  return { part, read: () => current };
}

test("participants are added, moved and removed, in the order of their turns", async () => {
  const { part, read } = openLayer();
  await part.getByLabel("Add a participant").selectOption("me");
  await part.getByRole("button", { name: "Add", exact: true }).click();
  await part.getByRole("button", { name: "Move Me up" }).click();
  await part.getByRole("button", { name: "Remove Anna" }).click();
  assert.equal(part.getByRole("button", { name: "Move Me up" }).count(), 0, "Me is first");
  assert.deepEqual(read().participants, ["me", "b"]);
});

test("a participant who left is named as such", () => {
  const { part } = openLayer({ ...layer({ participants: ["gone", "a"] }), end: "" });
  assert.equal(part.getByText("1. Eve (left the account)").count(), 1);
});

test("a turn has a unit, a length and a time; only weeks have a day", async () => {
  const { part, read } = openLayer();
  assert.equal(part.getByLabel("Handoff day").count(), 1);
  await part.getByLabel("Unit").selectOption("HOUR");
  assert.equal(part.getByLabel("Handoff day").count(), 0);
  await part.getByLabel("Turns last").fill("12");
  await part.getByLabel("Handoff time").fill("08:00");
  await part.getByLabel("Ends").fill("2026-12-24T18:00");
  const { unit, interval, handoffTime } = read().rotation;
  assert.deepEqual([unit, interval, handoffTime], ["HOUR", 12, "08:00"]);
  const input = toInput({ ...toValues(schedule()), layers: [read()] });
  assert.equal(input.layers?.[0]?.end, "2026-12-24T18:00");
});

test("a layer is limited to hours, of which the last day stays", async () => {
  const { part, read } = openLayer();
  await part.getByRole("button", { name: "Limit to hours" }).click();
  const [office] = read().restrictions;
  assert.deepEqual([office?.days.length, office?.from, office?.to], [5, "09:00", "17:00"]);
  for (const day of ["Mon", "Tue", "Wed", "Thu", "Sat", "Fri", "Sat"]) {
    await part.getByRole("button", { name: day, exact: true }).click();
  }
  await part.getByLabel("From").fill("18:00");
  await part.getByLabel("To").fill("08:00");
  const expected = [{ days: ["SATURDAY"], from: "18:00", to: "08:00" }];
  assert.deepEqual(read().restrictions, expected, "the API rejects hours without days");
  await part.getByRole("button", { name: "Remove these hours" }).click();
  assert.deepEqual(read().restrictions, []);
});

test("a second layer needs a participant, explains the order, and can be removed", async () => {
  const part = await open();
  assert.equal(part.getByText(/^A lower layer in this list wins/).count(), 0);
  await part.getByRole("button", { name: "Add a layer" }).click();
  await part.getByText(/^A lower layer in this list wins/).waitFor();
  const saving = part.getByRole("button", { name: "Save" });
  assert.ok(await saving.isDisabled(), "the API rejects a layer without participants");
  await part.getByRole("button", { name: "Remove Layer 2" }).click();
  assert.equal(await saving.isDisabled(), false);
});

test("the preview of the form counts gaps", async () => {
  const part = await open({ respond: answer(rejectAll, 3) });
  await part.getByText("Nobody is on call at 3 times in these 14 days.").waitFor();
  const [preview] = part.sent;
  assert.match(preview?.path ?? "", new RegExp(`preview\\?.*scheduleId=${id}`));
  assert.match(words.preview.gaps(1), /at one time in/);
  assert.match(words.preview.gaps(0), /^Somebody is on call at any time/);
});

test("settings that the server rejects are reported instead of a preview", async () => {
  const message = "layers.0.end must be after the start";
  const part = await open({ respond: () => rejectRequest(400, message) });
  await part.getByText(`The server rejects these settings: ${message}`).waitFor();
});

test("a new schedule starts with its creator, and needs only a name", async () => {
  const part = await open({}, "new");
  await part.getByText("1. Me").waitFor();
  assert.ok(await part.getByRole("button", { name: "Create schedule" }).isDisabled());
  await part.getByLabel("Name", { exact: true }).fill("Primary");
  assert.equal(await part.getByRole("button", { name: "Create schedule" }).isDisabled(), false);
  await part.getByRole("button", { name: "Remove Me" }).click();
  await part.getByText("Add a layer with a participant to see who is on call.").waitFor();
  assert.ok(await part.getByRole("button", { name: "Create schedule" }).isDisabled());
});

test("errors of the API are at their fields", async () => {
  const respond = answer(() =>
    rejectRequest(400, "Rejected.", {
      name: "is used by another schedule; choose another name",
      "layers.0.participants": "must be members of the account",
    }),
  );
  const part = await open({ respond });
  await part.getByLabel("Name", { exact: true }).fill("Secondary");
  await part.getByRole("button", { name: "Save" }).click();
  await part.getByText(/is used by another schedule/).waitFor();
  await part.getByText(/Must be members of the account/).waitFor();
});

test("a conflict with another writer names the layers of both versions", async () => {
  const theirs = schedule({ layers: [layer({ name: "Theirs" })] });
  const respond = answer(({ method }) =>
    method === "PUT"
      ? rejectRequest(412, "It has changed since you read it.")
      : Response.json(theirs, { headers: { etag: '"2"' } }),
  );
  const part = await open({ respond });
  await part.getByLabel("Name of the layer").fill("Mine");
  await part.getByRole("button", { name: "Save" }).click();
  await part.getByText("Theirs", { exact: true }).waitFor();
  await part.getByText("Mine", { exact: true }).first().waitFor();
});

test("a reader sees the schedule and the swaps, without controls to change them", async () => {
  const data = seed(schedule(), [[["session"], { role: "READ_ONLY", user: { id: "me" } }]]);
  const part = await open({ data });
  await part.getByText(/^Your role is read-only/).waitFor();
  for (const name of ["Save", "Delete", "Add a layer", "Add override", "Limit to hours"]) {
    assert.equal(part.getByRole("button", { name }).count(), 0, name);
  }
  assert.equal(part.getByRole("region", { name: "Absences" }).count(), 0);
  assert.equal(part.getByRole("region", { name: "Swaps" }).count(), 1);
});

test("the schedule is deleted after a confirmation that lists what goes with it", async () => {
  const part = await open({ respond: answer(() => rejectRequest(409, "It is in use.")) });
  await part.getByRole("button", { name: "Delete" }).click();
  await part.getByText("Its overrides, swaps and calendar addresses are deleted too.").waitFor();
  await part.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  const findSent = () => part.sent.find(({ method }) => method === "DELETE");
  await waitUntil("it is sent", () => findSent() !== undefined);
  assert.equal(findSent()?.path, `/v1/on-call/schedules/${id}`);
});

const swap = (change: Partial<Swap>): Swap => ({
  ...{ id: "s", scheduleId: id, reason: null, created_at: "2026-11-18T09:00:00Z" },
  ...{ requesterId: "a", requesterName: "Anna", withUserId: "b", withName: "Ben" },
  give: { from: "2026-11-20T09:00:00Z", to: "2026-11-21T09:00:00Z" },
  take: { from: "2026-11-22T09:00:00Z", to: "2026-11-23T09:00:00Z" },
  ...change,
});

test("a swap is accepted by the other person, and withdrawn by its author", async () => {
  const swaps = [
    swap({ id: "1", withUserId: "me" }),
    swap({ id: "2", requesterId: "me" }),
    swap({ id: "3" }),
  ];
  const part = await open({ data: seed(schedule(), [[swapsQuery(id).queryKey, swaps]]) });
  const rows = part.getByRole("region", { name: "Swaps" }).getByRole("listitem");
  const list = (row: number) => rows.nth(row).getByRole("button").allTextContents();
  assert.deepEqual([list(0), list(1), list(2)], [["Accept", "Decline"], ["Withdraw"], []]);
});

test("a swap is proposed with four times in the reader's time zone", async () => {
  const part = await open({ respond: answer(() => rejectRequest(400, "They are the same.")) });
  await part.getByText("Propose a swap").click();
  await part.getByLabel("Swap with").selectOption("b");
  const proposing = part.getByRole("button", { name: "Propose", exact: true });
  const fields = ["They are on call from", "They are on call until"];
  for (const [index, label] of [
    ...fields,
    "You are on call from",
    "You are on call until",
  ].entries()) {
    assert.ok(await proposing.isDisabled(), "all four are needed");
    await part.getByLabel(label).fill(`2026-11-2${index}T09:00`);
  }
  await proposing.click();
  const findSent = () => part.sent.find(({ path }) => path.endsWith("/swaps"));
  await waitUntil("it is sent", () => findSent() !== undefined);
  const at = (day: number) => new Date(`2026-11-2${day}T09:00`).toISOString();
  assert.deepEqual(findSent()?.body, {
    withUserId: "b",
    give: { from: at(0), to: at(1) },
    take: { from: at(2), to: at(3) },
  });
});

test("nobody is on call by an override that names nobody", async () => {
  const part = await open();
  await part.getByLabel("Who is on call").selectOption("nobody");
  await part.getByLabel("Reason").fill("  ");
  await part.getByRole("button", { name: "Add override" }).click();
  const findSent = () => part.sent.find(({ path }) => path.endsWith("/overrides"));
  await waitUntil("it is sent", () => findSent() !== undefined);
  const { userId, reason } = (findSent()?.body ?? {}) as Record<string, unknown>;
  assert.deepEqual([userId, reason], [null, null]);
});

test("calendar addresses of this schedule and of its reader are listed with their last use", async () => {
  const feed = (scheduleId: string | null, usedAt: string | null) => ({
    ...{ id: `${scheduleId}`, scheduleId, author: "Anna", created_at: "2026-11-18T09:00:00Z" },
    last_used_at: usedAt,
  });
  const feeds = [feed(id, null), feed(null, "2026-11-18T09:00:00Z"), feed("other", null)];
  const part = await open({ data: seed(schedule(), [[feedsQuery.queryKey, feeds]]) });
  const rows = part.getByRole("region", { name: "Calendar" }).getByRole("listitem");
  const texts = rows.allTextContents();
  assert.equal(texts.length, 2);
  assert.match(texts[0] ?? "", /^This schedule by Anna, never used/);
  assert.match(texts[1] ?? "", /^Own shifts in all schedules by Anna, last used /);
});

test("an address is shown once after it was created, and not after it was revoked", async () => {
  const url = "https://vedette.example/v1/on-call/calendars/secret";
  const feed = { id: "f", scheduleId: id, author: "Anna", last_used_at: null };
  const respond = answer(({ method }) =>
    method === "DELETE" ? new Response(null, { status: 204 }) : Response.json({ ...feed, url }),
  );
  const data = seed(schedule(), [[feedsQuery.queryKey, [feed]]]);
  const part = await open({ respond, data });
  await part.getByRole("button", { name: "Address for my shifts" }).click();
  await part.getByText(url).waitFor();
  const created = part.sent.find(({ path }) => path === "/v1/on-call/feeds");
  assert.deepEqual(created?.body, { scheduleId: null });
  await part.getByRole("button", { name: "Revoke" }).click();
  await waitUntil("it is hidden", () => part.getByText(url).count() === 0);
});
