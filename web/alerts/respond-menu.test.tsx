/** Snoozes, reassigns and escalates an open alert, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Part, rejectRequest, renderPart } from "../../test/support/components/part.tsx";
import { waitUntil } from "../../test/support/time/wait-until.ts";
import { pageTargetsQuery } from "./contacts/queries.ts";
import { countUntilMorning, RespondMenu } from "./respond-menu.tsx";

const targets = new Map([
  ["scheduleId", new Map([["s-1", "Primary"]])],
  ["userId", new Map([["u-1", "Anna"]])],
]);
const done = { checkId: "c-1", alertNumber: 1, snoozedUntil: null, summary: "Done." };

function renderMenu(respond: () => Response) {
  const data = [[pageTargetsQuery.queryKey, targets]] as const;
  return renderPart(<RespondMenu checkId="c-1" name="Shop" />, { data, respond });
}

async function choose(part: Part, name: string) {
  await part.getByRole("button", { name: "Snooze, reassign or escalate Shop" }).click();
  await part.getByRole("menuitem", { name }).click();
}

test("an open alert is snoozed and escalated", async () => {
  const part = renderMenu(() => Response.json(done));
  for (const name of ["Snooze for 15 minutes", "Snooze for 4 hours", "Escalate now"]) {
    const before = part.sent.length;
    await choose(part, name);
    await waitUntil(`${name} is sent`, () => part.sent.length > before);
  }
  assert.deepEqual(
    part.sent.map(({ path, body }) => [path, body]),
    [
      ["/v1/check-alerts/c-1/snooze", { minutes: 15 }],
      ["/v1/check-alerts/c-1/snooze", { minutes: 240 }],
      ["/v1/check-alerts/c-1/escalate", null],
    ],
  );
});

test("an open alert is reassigned to a schedule or a member, and an error stays", async () => {
  const part = renderMenu(() => rejectRequest(409, "There is no open alert."));
  await choose(part, "Reassign…");
  const reassign = part.getByRole("button", { name: /^Reassign$/ });
  const to = part.getByLabel("To", { exact: true });
  await to.selectOption("Primary");
  await reassign.click();
  await part.getByText("There is no open alert.").waitFor();
  await to.selectOption("Anna");
  await reassign.click();
  await waitUntil("both are sent", () => part.sent.length === 2);
  assert.deepEqual(
    part.sent.map(({ body }) => body),
    [{ scheduleId: "s-1" }, { userId: "u-1" }],
  );
});

test("an alert is snoozed until the next 09:00, within a day", () => {
  const count = (hour: number, minute = 0) =>
    countUntilMorning(new Date(2026, 10, 18, hour, minute).getTime());
  assert.deepEqual([count(22), count(9), count(1, 30)], [660, 1_440, 450]);
  assert.equal(count(8, 50), null, "less than 15 minutes");
});
