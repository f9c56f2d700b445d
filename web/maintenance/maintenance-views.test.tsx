/** The list and the calendar of windows, and the settings for status pages. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { useState } from "react";
import {
  type PartOptions,
  rejectRequest,
  renderPart,
} from "../../test/support/components/part.tsx";
import { pageNamesQuery } from "../parts/queries.ts";
import { Month, Week } from "./calendar-views.tsx";
import { listMonth, listWeek, startOfDay } from "./days.ts";
import { PageFields } from "./page-fields.tsx";
import {
  type Calendar,
  type CalendarEntry,
  type MaintenanceWindow,
  occurrencesQuery,
  type Status,
  servicesQuery,
} from "./queries.ts";
import { hidden, newValues, type WindowValues } from "./values.ts";
import { WindowActions } from "./window-actions.tsx";
import { WindowList } from "./window-list.tsx";

const hourMs = 3_600_000;
const fromNow = (hours: number) => new Date(Date.now() + hours * hourMs).toISOString();

const maintenanceWindow = (more: Partial<MaintenanceWindow> = {}) =>
  ({
    id: 7,
    name: "Disks",
    description: null,
    timezone: "UTC",
    startsAt: "2026-11-16T10:00:00.000Z",
    endsAt: "2026-11-16T11:00:00.000Z",
    repeatUnit: null,
    repeatInterval: null,
    repeatEndsAt: null,
    tags: [],
    silenceAlertsTags: [],
    silenceAllAlerts: false,
    groupIds: [],
    checkIds: [],
    statusPageVisibility: hidden,
    created_at: "2026-11-01T00:00:00.000Z",
    updated_at: null,
    ...more,
  }) as unknown as MaintenanceWindow;

const entry = (name: string, more: object = {}) =>
  ({
    window: maintenanceWindow({ id: name.length, name }),
    silences: { isEverything: false, checkCount: 0, tags: [], groups: [], checks: [] },
    next: null,
    ...more,
  }) as unknown as CalendarEntry;

const calendar = (windows: readonly CalendarEntry[], maintenances: readonly object[] = []) =>
  ({ windows, maintenances, isTruncated: false }) as unknown as Calendar;

const next = (hours: number, status: Status = "SCHEDULED") => ({
  next: { startsAt: fromNow(hours), endsAt: fromNow(hours + 1), status },
});

test("windows are listed by their next occurrence, and finished ones last", () => {
  const windows = [
    entry("Over"),
    entry("Later", next(50)),
    entry("Sooner", next(-1, "IN_PROGRESS")),
    entry("Also over"),
  ];
  const part = renderPart(<WindowList calendar={calendar(windows)} />);
  assert.deepEqual(part.getByRole("link").allTextContents(), [
    "Sooner",
    "Later",
    "Also over",
    "Over",
  ]);
});

test("a window names the status pages that show it", () => {
  const pages = [{ id: "p1", name: "Shop" }];
  const shown = (statusPageIds: readonly string[]) => ({
    window: maintenanceWindow({
      id: statusPageIds.length + 1,
      statusPageVisibility: { ...hidden, enabled: true, statusPageIds: [...statusPageIds] },
    }),
  });
  const windows = [
    entry("x", shown([])),
    entry("x", shown(["p1"])),
    entry("x", shown(["p1", "p2"])),
    entry("a hidden one"),
  ];
  const part = renderPart(<WindowList calendar={calendar(windows)} />, {
    data: [[pageNamesQuery.queryKey, pages]],
  });
  const texts = part.locator("li").allTextContents().join("\n");
  assert.match(texts, /on every status page/);
  assert.match(texts, /on Shop(?!,)/);
  assert.match(texts, /on Shop, deleted page/);
  assert.match(texts, /on no status page/);
});

const monday = "2026-11-16";
const at = (day: string, hour: number) => {
  const start = startOfDay(day);
  start.setHours(hour);
  return start.toISOString();
};

const occurrence = (id: number, day: string, hour = 10) => ({
  id: `m${id}`,
  maintenanceWindowId: 5,
  status: "SCHEDULED",
  isMoved: false,
  startsAt: at(day, hour),
  endsAt: at(day, hour + 1),
});

test("a day of the month shows four occurrences, or three and a link to its week", () => {
  const month = (count: number) => {
    const on = Array.from({ length: count }, (_, id) => occurrence(id, monday));
    const shown = calendar([entry("Disks")], on);
    return <Month days={listMonth(monday)} month="2026-11" calendar={shown} />;
  };
  const part = renderPart(month(4));
  assert.equal(part.getByRole("link").count(), 4);
  part.rerender(month(6));
  assert.equal(part.getByRole("link").count(), 4);
  assert.equal(part.getByRole("link").allTextContents().at(-1), "3 more");
});

test("days of other months are marked, and every day of the month has one cell", () => {
  const days = listMonth(monday);
  const part = renderPart(<Month days={days} month="2026-11" calendar={calendar([])} />);
  const cells = part.locator("ol > li").elements();
  assert.equal(cells.length, days.length);
  const others = cells.filter(({ dataset }) => dataset.other !== undefined);
  assert.equal(cells.length - others.length, 30);
});

test("a week shows an occurrence over midnight on both days", () => {
  const night = { ...occurrence(1, monday, 23), endsAt: at("2026-11-17", 2) };
  const part = renderPart(
    <Week days={listWeek(monday)} calendar={calendar([entry("Disks")], [night])} />,
  );
  const links = part.getByRole("link").allTextContents();
  assert.equal(links.length, 2);
  assert.match(links[0] ?? "", /^23:00/);
  assert.match(links[1] ?? "", /^– 02:00/);
});

function renderPageFields(
  visibility: Partial<WindowValues["visibility"]> = {},
  isReadOnly = false,
) {
  let current: WindowValues = {
    ...newValues(Date.now(), undefined),
    visibility: { ...hidden, enabled: true, ...visibility },
  };
  function Fields() {
    const [values, setValues] = useState(current);
    current = values;
    return (
      <PageFields
        values={values}
        checkNames={new Map()}
        isReadOnly={isReadOnly}
        error={null}
        onChange={(change) => setValues((before) => ({ ...before, ...change }))}
      />
    );
  }
  const part = renderPart(<Fields />, {
    data: [
      [pageNamesQuery.queryKey, [{ id: "p1", name: "Shop" }]],
      [servicesQuery.queryKey, [{ id: "s1", name: "Checkout" }]],
    ],
  });
  return { part, read: () => current.visibility };
}

test("at most three reminders are chosen, and one of another length can be removed", async () => {
  const { part, read } = renderPageFields({ reminderMinutesBefore: [30, 60] });
  const chip = (name: string) => part.getByRole("button", { name, exact: true });
  await chip("1 day before").click();
  assert.deepEqual(read().reminderMinutesBefore, [30, 60, 1_440]);
  assert.equal(await chip("1 week before").isDisabled(), true);
  await chip("30 min before").click();
  assert.deepEqual(read().reminderMinutesBefore, [60, 1_440]);
  assert.equal(await chip("1 week before").isDisabled(), false);
});

test("services are chosen only if not all are affected", async () => {
  const { part, read } = renderPageFields();
  await part.getByLabel("Checkout").check();
  assert.deepEqual(read().serviceIds, ["s1"]);
  await part.getByLabel("All services are affected").check();
  assert.equal(part.getByLabel("Checkout").count(), 0);
  assert.deepEqual(read().serviceIds, ["s1"], "for when it is unchecked again");
});

test("a manual start and end are the opposite of automatic ones", async () => {
  const { part, read } = renderPageFields();
  await part.getByRole("switch", { name: /^Start manually/ }).click();
  assert.deepEqual([read().autoStart, read().autoEnd], [false, true]);
  await part.getByRole("switch", { name: /^End manually/ }).click();
  assert.deepEqual([read().autoStart, read().autoEnd], [false, false]);
});

test("no severity is null, not an empty text", async () => {
  const { part, read } = renderPageFields();
  await part.getByLabel("Severity").selectOption("Major");
  assert.equal(read().severity, "MAJOR");
  await part.getByLabel("Severity").selectOption("None");
  assert.equal(read().severity, null);
});

test("a window that status pages do not show has no further settings", async () => {
  const { part, read } = renderPageFields();
  await part.getByRole("switch", { name: /^Show on status pages/ }).click();
  assert.equal(read().enabled, false);
  assert.equal(part.getByLabel("Severity").count(), 0);
});

const silences = { isEverything: false, checkCount: 2, tags: [{ tag: "db", checkCount: 2 }] };
const disks = entry("Disks", { silences: { ...silences, groups: [], checks: [] } });
const actions = (more: Partial<MaintenanceWindow>) => (
  <WindowActions window={maintenanceWindow(more)} etag={'"4"'} entry={disks} />
);

function renderActions(
  more: Partial<MaintenanceWindow>,
  options: PartOptions & { readonly total?: number } = {},
) {
  const { total = 3, ...rest } = options;
  const found = { data: [], total, etag: null };
  return renderPart(actions(more), { ...rest, data: [[occurrencesQuery(7).queryKey, found]] });
}

test("only a series that goes on can be stopped", () => {
  const daily = { repeatUnit: "DAY" } as const;
  const part = renderActions({});
  const count = () => part.getByRole("button", { name: "Stop repeating" }).count();
  assert.equal(count(), 0, "it does not repeat");
  part.rerender(actions({ ...daily, repeatEndsAt: fromNow(-1) }));
  assert.equal(count(), 0, "it has ended");
  part.rerender(actions({ ...daily, repeatEndsAt: fromNow(1) }));
  assert.equal(count(), 1);
  part.rerender(actions({ ...daily, repeatEndsAt: null }));
  assert.equal(count(), 1);
});

test("stopping a series sends the whole window with its version, and never ends it before its start", async () => {
  const startsAt = fromNow(48);
  const part = renderActions(
    { repeatUnit: "DAY", repeatInterval: 1, startsAt, endsAt: fromNow(49) },
    { respond: () => Response.json(maintenanceWindow(), { headers: { etag: '"5"' } }) },
  );
  await part.getByRole("button", { name: "Stop repeating" }).click();
  const dialog = part.getByRole("dialog");
  await dialog.getByText(/^3 occurrences in the next 400 days/).waitFor();
  await dialog.getByRole("button", { name: "Stop repeating" }).click();
  await dialog.waitFor({ state: "hidden" });
  const [sent] = part.sent;
  const body = sent?.body as Record<string, unknown>;
  assert.equal(sent?.headers.get("if-match"), '"4"');
  assert.deepEqual([body.repeatEndsAt, body.name, body.repeatUnit], [startsAt, "Disks", "DAY"]);
  assert.deepEqual(["id" in body, "created_at" in body], [false, false]);
});

test("deleting a window names its occurrences, its checks and its status pages", async () => {
  const part = renderActions(
    { statusPageVisibility: { ...hidden, enabled: true } },
    { total: 1, respond: () => rejectRequest(500, "It broke.") },
  );
  await part.getByRole("button", { name: "Delete" }).click();
  const text = await part.getByRole("dialog").textContent();
  assert.match(text, /1 occurrence in the next 400 days/);
  assert.match(text, /It silences 2 checks: tag db \(2 checks\)/);
  assert.match(text, /removed from status pages/);
});
