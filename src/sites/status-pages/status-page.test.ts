import assert from "node:assert/strict";
import { test } from "node:test";
import { findComponentFault, listComponents } from "./components/component.ts";
import {
  type Card,
  type CardService,
  type ComponentLook,
  findBasePath,
  formatPageFolder,
  formatPageUrl,
  listServicesOf,
  listShownCards,
  nameServices,
  type StatusPage,
} from "./status-page.ts";

const look: ComponentLook = {
  position: 1,
  description: null,
  isHidden: false,
  showsHistory: true,
};
const hidden = { ...look, isHidden: true };
const times = { createdAt: new Date(0), updatedAt: null };

const newService = (id: string, change: Partial<CardService> = {}): CardService => ({
  ...{ id, accountId: "account", name: `Service ${id}`, version: 1, ...times },
  ...{ componentId: `place-${id}`, look },
  ...change,
});

const newCard = (
  id: string,
  services: readonly CardService[],
  change: Partial<Card> = {},
): Card => ({
  ...{ id, name: `Card ${id}`, isUngrouped: false, look, services, ...times },
  ...change,
});

const newPage = (...cards: readonly Card[]) => ({ id: "page", cards }) as unknown as StatusPage;

test("visitors see neither hidden cards nor hidden services", () => {
  const page = newPage(
    newCard("1", [newService("a"), newService("b", { look: hidden })]),
    newCard("2", [newService("c")], { look: hidden }),
    newCard("3", []),
  );
  const shown = listShownCards(page).map(({ id, services }) => [id, services.map((one) => one.id)]);
  assert.deepEqual(shown, [
    ["1", ["a"]],
    ["3", []],
  ]);
  assert.deepEqual(
    listServicesOf(page).map(({ id }) => id),
    ["a"],
  );
});

test("a service on several cards is listed once, under the first card that shows it", () => {
  const page = newPage(
    newCard("1", [newService("a", { look: hidden })]),
    newCard("2", [newService("b"), newService("a")]),
    newCard("3", [newService("a")]),
  );
  assert.deepEqual(
    listServicesOf(page).map(({ id }) => id),
    ["b", "a"],
  );
  assert.deepEqual(nameServices(page), [
    { id: "b", name: "Service b", card: "Card 2" },
    { id: "a", name: "Service a", card: "Card 2" },
  ]);
});

test("services are named without their card if only one card has services", () => {
  const page = newPage(newCard("1", [newService("a")]), newCard("2", []));
  assert.deepEqual(nameServices(page), [{ id: "a", name: "Service a" }]);
});

test("links of a page begin with its path, or with the root of a custom domain", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["/status/shop", "/status/shop/"],
    ["/status/shop?theme=dark", "/status/shop/"],
    ["/STATUS/Shop/history", "/status/shop/"],
    ["/", "/"],
    ["/history", "/"],
    // Another page whose name begins alike.
    ["/status/shop2", "/"],
    ["/?next=/status/shop/", "/"],
  ];
  for (const [url, expected] of rows) assert.equal(findBasePath(url, "shop"), expected, url);
});

test("the URL of a page has the verified domain, and the protocol of this server", () => {
  const page = { url: "shop", servedDomain: null };
  assert.equal(
    formatPageFolder("https://vedette.example", page as StatusPage),
    "https://vedette.example/status/shop",
  );
  assert.equal(
    formatPageUrl("https://vedette.example", page),
    "https://vedette.example/status/shop/",
  );
  const own = { ...page, servedDomain: "status.shop.example" };
  assert.equal(formatPageUrl("https://vedette.example", own), "https://status.shop.example/");
  assert.equal(formatPageUrl("http://localhost:3000", own), "http://status.shop.example/");
});

const grouped = newPage(
  newCard("1", [newService("a"), newService("b")]),
  newCard("2", [newService("c")], { isUngrouped: true }),
);

test("components are groups before their services, and services without a group", () => {
  const components = listComponents(grouped).map(({ id, type, parentId, serviceId }) => [
    ...[id, type, parentId, serviceId],
  ]);
  assert.deepEqual(components, [
    ["1", "GROUP", null, null],
    ["place-a", "SERVICE", "1", "a"],
    ["place-b", "SERVICE", "1", "b"],
    ["place-c", "SERVICE", null, "c"],
  ]);
  assert.ok(listComponents(grouped).every(({ statusPageId }) => statusPageId === "page"));
  assert.deepEqual(listComponents(newPage()), []);
});

test("a component must fit its page", () => {
  const [group, service] = listComponents(grouped);
  assert.ok(group !== undefined && service !== undefined);
  const find = (
    input: { readonly type: "SERVICE" | "GROUP"; readonly parentId: string | null },
    before: typeof group | null = null,
  ) => findComponentFault(grouped, { name: "x", look, ...input }, before)?.key ?? null;
  assert.equal(find({ type: "SERVICE", parentId: "1" }), null);
  assert.equal(find({ type: "SERVICE", parentId: null }), null);
  assert.equal(find({ type: "GROUP", parentId: null }), null);
  assert.equal(find({ type: "GROUP", parentId: "1" }), "parentId");
  assert.equal(find({ type: "SERVICE", parentId: "7" }), "parentId");
  // The card of services without a group is no group, and neither is a service.
  assert.equal(find({ type: "SERVICE", parentId: "2" }), "parentId");
  assert.equal(find({ type: "SERVICE", parentId: "place-a" }), "parentId");
  assert.equal(find({ type: "SERVICE", parentId: null }, service), null);
  assert.equal(find({ type: "GROUP", parentId: null }, service), "type");
  assert.equal(find({ type: "SERVICE", parentId: "1" }, group), "type");
});
