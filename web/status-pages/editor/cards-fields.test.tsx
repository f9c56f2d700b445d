/** Cards and services of a status page in its editor, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { useState } from "react";
import { renderPart } from "../../../test/support/components/part.tsx";
import { waitUntil } from "../../../test/support/time/wait-until.ts";
import { ApiError } from "../../api/api-error.ts";
import { foundChecksQuery } from "../../parts/queries.ts";
import { CardsFields } from "./cards-fields.tsx";
import type { CardValues, PageValues } from "./page-values.ts";
import { type Service, servicesQuery, useServices } from "./queries.ts";
import type { PageEditor } from "./use-page-editor.ts";
import { words } from "./words.ts";

const service = (id: string, name: string, checkIds: readonly string[] = ["c-1"]) =>
  ({ id, name, follows: { checkIds, tags: [] } }) as unknown as Service;

const services = [
  service("s-1", "Shop"),
  service("s-2", "Search", ["c-2"]),
  service("s-3", "API", []),
  service("s-4", "Mail", ["c-4"]),
];
const card = (key: string, name: string, serviceIds: readonly string[]): CardValues => ({
  key,
  id: key,
  name,
  serviceIds,
});
const twoCards = [card("a", "Website", ["s-1", "s-2"]), card("b", "Interfaces", ["s-3"])];
const found = {
  entries: [{ checkId: "c-4", name: "ping mail", target: "192.0.2.4" }],
  total: 26,
};

function renderCards(cards: readonly CardValues[], error: unknown = null, checks = found) {
  let current = cards;
  function Fields() {
    const [values, setValues] = useState({ cards } as unknown as PageValues);
    current = values.cards;
    const editor = {
      values,
      change: (more: Partial<PageValues>) => setValues((before) => ({ ...before, ...more })),
      update: (decide: (before: PageValues) => PageValues) => setValues(decide),
    } as unknown as PageEditor;
    return <CardsFields editor={editor} services={useServices()} error={error} />;
  }
  const part = renderPart(<Fields />, {
    data: [
      [servicesQuery.queryKey, services],
      [foundChecksQuery("").queryKey, checks],
    ],
    respond: () => Response.json(service("s-9", "Shop front", ["c-9"]), { status: 201 }),
  });
  const read = () => current.map(({ name, serviceIds }) => [name, ...serviceIds]);
  const handle = (name: string) =>
    part.getByRole("button", { name: words.move(name), exact: true });
  return { part, read, handle };
}

test("a service is moved by keyboard through its card and on to the next, with the focus", async () => {
  const { part, read, handle } = renderCards(twoCards);
  await handle("Shop").press("{ArrowDown}");
  await part.getByText("Shop: position 2 of 2 on Website.").waitFor();
  await part.keyboard("{ArrowDown}");
  await part.getByText("Shop: position 1 of 2 on Interfaces.").waitFor();
  assert.deepEqual(read(), [
    ["Website", "s-2"],
    ["Interfaces", "s-1", "s-3"],
  ]);
  const label = () => document.activeElement?.getAttribute("aria-label");
  await waitUntil("the focus moves along", () => label() === words.move("Shop"));
});

test("a card is moved by keyboard, and not beyond the first", async () => {
  const { part, read, handle } = renderCards(twoCards);
  await handle("Interfaces").press("{ArrowUp}");
  await part.getByText("Card Interfaces: position 1 of 2.").waitFor();
  assert.deepEqual(read()[0], ["Interfaces", "s-3"]);
  await part.keyboard("{ArrowUp}");
  assert.deepEqual(read()[0], ["Interfaces", "s-3"]);
});

test("cards are added, renamed and removed", async () => {
  const { part, read } = renderCards([]);
  await part.getByText(words.noCards).waitFor();
  await part.getByRole("button", { name: words.addCard }).click();
  await part.getByLabel(words.cardName).fill("Back");
  assert.deepEqual(read(), [["Back"]]);
  await part.getByRole("button", { name: words.removeCard("Back") }).click();
  assert.deepEqual(read(), []);
});

test("a service is removed from its card only", async () => {
  const { part, read } = renderCards([card("a", "One", ["s-1"]), card("b", "Two", ["s-1"])]);
  await part
    .getByRole("button", { name: words.removeService("Shop") })
    .first()
    .click();
  assert.deepEqual(read(), [["One"], ["Two", "s-1"]]);
});

test("services that follow no check are counted, and marked", async () => {
  const { part } = renderCards(twoCards);
  await part.getByText(words.followNothing(1)).waitFor();
  assert.equal(part.getByText(words.followsNothing, { exact: true }).count(), 1);
});

test("existing services and checks are offered, without those on the card", async () => {
  const { part, read } = renderCards([card("a", "Website", ["s-1"])]);
  const field = part.getByLabel(words.addServiceTo("Website"));
  await field.click();
  const options = part.getByRole("option");
  await options.first().waitFor();
  const offered = options.allTextContents().map((text) => text.split(" ")[0]);
  assert.equal(offered.includes("Shop"), false);
  assert.ok(offered.includes("Search") && offered.includes("API"), offered.join());
  await part.getByText(words.moreChecks(25)).waitFor();
  await part.getByRole("option", { name: /^ping mail/ }).click();
  assert.deepEqual(read(), [["Website", "s-1", "s-4"]], "the service that follows this check");
});

test("typing narrows the services, and an unknown name can be created", async () => {
  const { part } = renderCards([card("a", "Website", [])]);
  const field = part.getByLabel(words.addServiceTo("Website"));
  await field.fill("api");
  const names = () => part.getByRole("option").allTextContents().join();
  await waitUntil("services are filtered", () => /API/.test(names()) && !/Search/.test(names()));
  assert.equal(part.getByRole("option", { name: words.createService("api") }).count(), 0);
  await field.fill("Billing");
  await part.getByRole("option", { name: words.createService("Billing") }).waitFor();
});

test("a service that is gone is shown as unknown and cannot be edited", async () => {
  const { part } = renderCards([card("a", "Website", ["gone"])]);
  await part.getByText(words.unknownService).first().waitFor();
  const edit = part.getByRole("button", { name: words.editService(words.unknownService) });
  assert.equal(edit.count(), 0);
});

test("the error of a card is at its name", async () => {
  const error = new ApiError({
    kind: "rejected",
    message: "",
    status: 400,
    fieldErrors: { "cards.1.name": "must not be empty" },
  });
  const { part } = renderCards(twoCards, error);
  const invalid = part.locator("[aria-invalid=true]").elements() as HTMLInputElement[];
  assert.deepEqual(
    invalid.map(({ value }) => value),
    ["Interfaces"],
  );
});

test("a service of a check that is named by its address gets a public name", async () => {
  const address = "127.0.0.1:4180/shop";
  const entries = [{ checkId: "c-9", name: address, target: address }];
  const { part, read } = renderCards([card("a", "Website", [])], null, { entries, total: 1 });
  await part.getByLabel(words.addServiceTo("Website")).click();
  await part.getByRole("option", { name: new RegExp(address) }).click();
  const field = part.getByRole("dialog").getByRole("textbox");
  assert.equal(await field.inputValue(), "", "the address is not suggested");
  await waitUntil("the name has the focus", () => document.activeElement?.tagName === "INPUT");
  await field.fill("Shop front");
  await part.getByRole("button", { name: words.addNamedService }).click();
  await waitUntil("the card has the service", () => read()[0]?.[1] === "s-9");
  const [sent] = part.sent;
  assert.deepEqual(sent?.body, { name: "Shop front", follows: { checkIds: ["c-9"] } });
});
