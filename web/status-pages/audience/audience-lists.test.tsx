/** Subscribers and messages of a status page, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { renderPart } from "../../../test/support/components/part.tsx";
import type { AudienceSearch } from "./audience-search.ts";
import { Choices, Messages } from "./messages.tsx";
import { People } from "./people.tsx";
import { type Delivery, deliveriesQuery, type Subscription, subscribersQuery } from "./queries.ts";
import { words } from "./words.ts";

type Role = "OWNER" | "READ_ONLY";

const person = (more: object = {}) =>
  ({
    id: "s-1",
    type: "EMAIL",
    address: "ada@x.test",
    status: "VERIFIED",
    created_at: "2026-11-15",
    ...more,
  }) as unknown as Subscription;

function renderPeople(
  list: readonly Subscription[],
  search: AudienceSearch = {},
  role: Role = "OWNER",
) {
  const pages = {
    pages: [{ entries: list, total: list.length, nextId: null }],
    pageParams: [null],
  };
  const { search: text, status } = search;
  const filter = { ...(text && { search: text }), ...(status && { status }) };
  return renderPart(<People statusPageId="p-1" search={search} />, {
    role,
    data: [[subscribersQuery("p-1", filter).queryKey, pages]],
  });
}

test("subscribers are listed with their state, and the total", async () => {
  const part = renderPeople([
    person(),
    person({ id: "s-2", address: "bob@x.test", status: "PENDING" }),
    person({ id: "s-3", address: "hooks.test", type: "WEBHOOK", status: "QUARANTINED" }),
  ]);
  await part.getByText("3 subscribers").waitFor();
  const rows = part.readRows();
  assert.deepEqual(
    rows.map(([address, type, state, since]) => [address, type, state, since]),
    [
      ["ada@x.test", "Email", "Confirmed", "2026-11-15"],
      ["bob@x.test", "Email", "Not confirmed", "2026-11-15"],
      ["hooks.test", "Webhook", "Quarantined", "2026-11-15"],
    ],
  );
  const states = part
    .locator("[data-state]")
    .elements()
    .map(({ dataset }) => dataset.state);
  assert.deepEqual(states, ["passing", "unknown", "failing"]);
});

test("only an unconfirmed subscriber is asked again, and removing names the loss", async () => {
  const part = renderPeople([
    person(),
    person({ id: "s-2", address: "bob@x.test", status: "PENDING" }),
  ]);
  assert.equal(part.getByRole("button", { name: /^Resend confirmation/ }).count(), 1);
  await part.getByRole("button", { name: "Remove bob@x.test" }).click();
  const dialog = part.getByRole("dialog", { name: "Remove bob@x.test?" });
  await dialog.getByText(/message history is deleted too/).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "hidden" });
});

test("the address of a subscriber leads to the messages", async () => {
  const part = renderPeople([person()]);
  const href = await part.getByRole("link", { name: "ada@x.test" }).getAttribute("href");
  assert.match(href ?? "", /^\/status-pages\/p-1\/subscribers\?.*view=messages/);
  assert.match(href ?? "", /subscriber=s-1/);
});

test("a read-only user sees subscribers and no controls", () => {
  const part = renderPeople([person({ status: "PENDING" })], {}, "READ_ONLY");
  assert.match(part.readText(), /ada@x\.test/);
  assert.equal(part.getByRole("button").count(), 0);
});

test("an empty list explains itself, and a filtered one its filter", async () => {
  const part = renderPeople([]);
  await part.getByRole("heading", { name: words.subscribers.empty }).waitFor();
  part.rerender(<p />);
  const filtered = renderPeople([], { search: "zoe" } as AudienceSearch);
  await filtered.getByText(words.subscribers.noneText).waitFor();
});

const delivery = (more: object = {}) =>
  ({
    id: "d-1",
    address: "ada@x.test",
    purpose: "announce",
    title: "Payments fail",
    status: "SENT",
    attempts: 1,
    reason: null,
    created_at: "2026-11-15T12:00:00.000Z",
    sentAt: new Date(Date.now() - 120_000).toISOString(),
    nextAttemptAt: null,
    ...more,
  }) as unknown as Delivery;

const dead = { status: "DEAD", sentAt: null, attempts: 3, reason: "550 no such user" };

function renderMessages(
  list: readonly Delivery[],
  search: AudienceSearch = {},
  role: Role = "OWNER",
) {
  const changes: AudienceSearch[] = [];
  const pages = { pages: [{ entries: list, nextId: null }], pageParams: [null] };
  const { outcome, subscriber } = search;
  const filter = {
    ...(outcome && { status: outcome }),
    ...(subscriber && { subscriptionId: subscriber }),
  };
  const part = renderPart(
    <Messages statusPageId="p-1" search={search} onChange={(next) => changes.push(next)} />,
    { role, data: [[deliveriesQuery("p-1", filter).queryKey, pages]] },
  );
  return { part, changes };
}

test("a message shows whether it arrived, and why not", () => {
  const { part } = renderMessages([
    delivery(),
    delivery({ id: "d-2", ...dead }),
    delivery({
      ...{ id: "d-3", title: null, purpose: "confirm", status: "PENDING", sentAt: null },
      ...{ reason: "busy", nextAttemptAt: "2026-11-15T13:00:00.000Z" },
    }),
  ]);
  const outcomes = part.readRows().map(([, what, outcome]) => [what, outcome]);
  assert.deepEqual(outcomes[0], ["Payments fail", "Delivered 2 min ago"]);
  assert.deepEqual(outcomes[1], ["Payments fail", "Not delivered 550 no such user 3 attempts"]);
  assert.equal(outcomes[2]?.[0], "Confirmation");
  assert.match(outcomes[2]?.[1] ?? "", /^Waiting busy 1 attempt, next .*2026/);
});

test("only a message that was not delivered is sent again, and only by a writer", () => {
  const list = [delivery(), delivery({ id: "d-2", ...dead })];
  const { part } = renderMessages(list);
  const again = part.getByRole("button", { name: "Send again ada@x.test Payments fail" });
  assert.equal(again.count(), 1);
  part.rerender(<p />);
  const { part: reader } = renderMessages(list, {}, "READ_ONLY");
  assert.equal(reader.getByRole("button", { name: /^Send again/ }).count(), 0);
});

test("messages are filtered by outcome, and those of one subscriber are named", async () => {
  const search = { view: "messages", subscriber: "s-1" } as AudienceSearch;
  const { part, changes } = renderMessages([delivery()], search);
  await part.getByText("Messages to ada@x.test").waitFor();
  await part.getByRole("link", { name: "Show all" }).waitFor();
  await part.getByRole("button", { name: "Not delivered" }).click();
  assert.deepEqual(changes, [{ ...search, outcome: "DEAD" }]);
});

test("a filter without a match is explained", async () => {
  const { part, changes } = renderMessages([], { outcome: "DEAD" } as AudienceSearch);
  await part.getByRole("heading", { name: "No message matches" }).waitFor();
  await part.getByRole("button", { name: "All" }).click();
  assert.deepEqual(changes, [{}]);
});

test("a choice shows the count of each value", async () => {
  const chosen: unknown[] = [];
  const part = renderPart(
    <Choices<"A" | "B">
      label="State"
      all="All"
      options={{ A: "Alpha", B: "Beta" }}
      chosen="A"
      counts={{ total: 3, A: 1, B: 2 }}
      onChoose={(value) => chosen.push(value)}
    />,
  );
  assert.deepEqual(part.getByRole("button").allTextContents(), ["All3", "Alpha1", "Beta2"]);
  const pressed = part.getByRole("button", { pressed: true });
  assert.deepEqual(pressed.allTextContents(), ["Alpha1"]);
  await part.getByRole("button", { name: /^Beta/ }).click();
  await part.getByRole("button", { name: /^All/ }).click();
  assert.deepEqual(chosen, ["B", undefined]);
});
