/** Occurrences and their updates, in states that take weeks to reach. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Part,
  type PartOptions,
  rejectRequest,
  renderPart,
} from "../../test/support/components/part.tsx";
import { Occurrences } from "./occurrences.tsx";
import {
  type Maintenance,
  type MaintenanceWindow,
  occurrencesQuery,
  type Status,
} from "./queries.ts";
import { Said } from "./said.tsx";
import { hidden } from "./values.ts";

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

const maintenance = (id: string, more: Partial<Maintenance> = {}) =>
  ({
    id,
    maintenanceWindowId: 7,
    startsAt: "2026-11-16T10:00:00.000Z",
    endsAt: "2026-11-16T11:00:00.000Z",
    status: "SCHEDULED",
    isMoved: false,
    updates: [],
    ...more,
  }) as unknown as Maintenance;

type Update = Maintenance["updates"][number];

const update = (id: string, more: Partial<Update> = {}) =>
  ({
    id,
    maintenanceWindowId: 7,
    maintenanceId: "m",
    status: "IN_PROGRESS",
    description: "It has started.",
    notifySubscribers: false,
    created_at: "2026-11-16T10:00:00.000Z",
    ...more,
  }) as unknown as Update;

interface Shown extends PartOptions {
  readonly window?: MaintenanceWindow;
  readonly total?: number;
}

function renderOccurrences(list: readonly Maintenance[], options: Shown = {}) {
  const { window = maintenanceWindow(), total = list.length, ...rest } = options;
  const found = { data: list, total, etag: null };
  return renderPart(<Occurrences window={window} />, {
    ...rest,
    data: [[occurrencesQuery(7).queryKey, found]],
  });
}

/** Labels of the actions, without the time that they name for screen readers. */
const listActions = (part: Part) => part.locator("ol button").allTextContents();

const offered: Readonly<Record<Status, readonly string[]>> = {
  SCHEDULED: ["Skip", "Start now", "Post update", "Move"],
  IN_PROGRESS: ["End now", "Post update", "Move"],
  VERIFYING: ["End now", "Post update", "Move"],
  CANCELLED: ["Reschedule"],
  COMPLETED: [],
};
for (const [status, actions] of Object.entries(offered)) {
  test(`an occurrence that is ${status} offers ${actions.join(", ") || "nothing"}`, () => {
    const part = renderOccurrences([maintenance("m", { status: status as Status })]);
    assert.deepEqual(listActions(part), actions);
  });
}

test("a later occurrence is skipped or moved, but not started", () => {
  const part = renderOccurrences([
    maintenance("m1"),
    maintenance("m2", {
      startsAt: "2026-11-23T10:00:00.000Z",
      endsAt: "2026-11-23T11:00:00.000Z",
    }),
  ]);
  assert.deepEqual(listActions(part).slice(4), ["Skip", "Move"]);
});

test("a reader sees occurrences and their updates without actions", async () => {
  const updates = [update("u", { description: "It is done." })];
  const part = renderOccurrences([maintenance("m", { updates })], { role: "READ_RUN" });
  await part.getByText("It is done.").waitFor();
  assert.equal(part.getByRole("button").count(), 0);
});

test("occurrences that are not listed are counted", async () => {
  const part = renderOccurrences([maintenance("m")], { total: 12 });
  await part.getByText("and 11 more within 400 days").waitFor();
});

test("the message of an update follows its status until it is edited", async () => {
  const part = renderOccurrences([maintenance("m", { status: "IN_PROGRESS" })]);
  await part.getByRole("button", { name: /^Post update/ }).click();
  const message = part.getByLabel("Message");
  assert.equal(await message.inputValue(), "The maintenance has started.");
  await part.getByLabel("Status").selectOption("verifying");
  assert.match(await message.inputValue(), /^The work is done\./);
  await message.fill("Nearly done.");
  await part.getByLabel("Status").selectOption("in progress");
  assert.equal(await message.inputValue(), "Nearly done.");
});

test("an update is sent with its status, and subscribers are notified only on request", async () => {
  const pages = { ...hidden, enabled: true };
  const part = renderOccurrences([maintenance("m", { status: "IN_PROGRESS" })], {
    window: maintenanceWindow({ statusPageVisibility: pages }),
    respond: () => Response.json({}),
  });
  await part.getByRole("button", { name: /^End now/ }).click();
  const dialog = part.getByRole("dialog");
  await dialog.getByRole("switch", { name: /Notify subscribers/ }).waitFor();
  await dialog.getByRole("button", { name: "End now" }).click();
  await dialog.waitFor({ state: "hidden" });
  const [sent] = part.sent;
  assert.equal(sent?.path, "/v1/maintenance-windows/7/maintenances/m/updates");
  assert.deepEqual(sent?.body, {
    status: "COMPLETED",
    description: "The maintenance is complete.",
    notifySubscribers: false,
  });
});

test("subscribers cannot be notified of a window that no status page shows", async () => {
  const part = renderOccurrences([maintenance("m")]);
  await part.getByRole("button", { name: /^Skip/ }).click();
  await part.getByRole("dialog").waitFor();
  assert.equal(part.getByRole("switch").count(), 0);
});

test("an update needs a message, and a rejected one stays open", async () => {
  const part = renderOccurrences([maintenance("m")], {
    respond: () => rejectRequest(409, "The maintenance is over."),
  });
  await part.getByRole("button", { name: /^Skip/ }).click();
  const dialog = part.getByRole("dialog");
  const send = dialog.getByRole("button", { name: "Skip this occurrence" });
  await dialog.getByLabel("Message").fill("   ");
  assert.equal(await send.isDisabled(), true);
  await dialog.getByLabel("Message").fill("Not today.");
  await send.click();
  await dialog.getByText("The maintenance is over.").waitFor();
  assert.equal(await dialog.getByLabel("Message").inputValue(), "Not today.");
});

test("moving an occurrence keeps its length, in the time zone of its window", async () => {
  const zone = "America/New_York";
  const part = renderOccurrences(
    [
      maintenance("m", {
        startsAt: "2026-11-16T15:00:00.000Z",
        endsAt: "2026-11-16T16:30:00.000Z",
      }),
    ],
    { window: maintenanceWindow({ timezone: zone }), respond: () => Response.json({}) },
  );
  await part.getByRole("button", { name: /^Move/ }).click();
  const dialog = part.getByRole("dialog");
  const start = dialog.getByLabel(`Start (${zone})`);
  assert.equal(await start.inputValue(), "2026-11-16T10:00");
  await start.fill("2026-11-17T22:15");
  await dialog.getByRole("button", { name: "Move" }).click();
  await dialog.waitFor({ state: "hidden" });
  assert.deepEqual(part.sent[0]?.body, {
    startsAt: "2026-11-18T03:15:00.000Z",
    endsAt: "2026-11-18T04:45:00.000Z",
  });
});

test("the second of two equal local times stays the second if only the length changes", async () => {
  const part = renderOccurrences(
    [
      maintenance("m", {
        startsAt: "2026-10-25T01:30:00.000Z",
        endsAt: "2026-10-25T02:30:00.000Z",
      }),
    ],
    { window: maintenanceWindow({ timezone: "Europe/Berlin" }), respond: () => Response.json({}) },
  );
  await part.getByRole("button", { name: /^Move/ }).click();
  const dialog = part.getByRole("dialog");
  await dialog.getByLabel("Minutes").fill("90");
  await dialog.getByRole("button", { name: "Move" }).click();
  await dialog.waitFor({ state: "hidden" });
  assert.deepEqual(part.sent[0]?.body, {
    startsAt: "2026-10-25T01:30:00.000Z",
    endsAt: "2026-10-25T03:00:00.000Z",
  });
});

test("updates name their status and whether subscribers were notified", () => {
  const updates = [
    update("u2", { status: "COMPLETED", description: "Over.", notifySubscribers: true }),
    update("u1"),
  ];
  const part = renderPart(<Said maintenance={maintenance("m", { updates })} />);
  const [newest = "", oldest = ""] = part.locator("li").allTextContents();
  assert.match(newest, /completed, subscribers were notified.*Over\./);
  assert.match(oldest, /in progress(?!, subscribers).*It has started\./);
});

test("an update is edited and deleted by its place", async () => {
  const part = renderPart(<Said maintenance={maintenance("m", { updates: [update("u")] })} />, {
    respond: ({ method }) =>
      method === "DELETE" ? rejectRequest(409, "It has ended.") : Response.json({}),
  });
  await part.getByRole("button", { name: "Edit this update" }).click();
  const dialog = part.getByRole("dialog");
  await dialog.getByLabel("Message").fill("It has begun.");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "hidden" });
  await part.getByRole("button", { name: "Delete this update" }).click();
  const path = "/v1/maintenance-windows/7/maintenances/m/updates/u";
  assert.deepEqual(
    part.sent.map(({ method, path: own, body }) => [method, own, body]),
    [
      ["PUT", path, { description: "It has begun." }],
      ["DELETE", path, null],
    ],
  );
  await part.getByText("It has started.").waitFor();
});
