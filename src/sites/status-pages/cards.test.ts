import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { maxServicesPerPage, placeInOrder, planCards } from "./cards.ts";
import type { Card, CardInput } from "./status-page.ts";

const before = new Date("2026-01-01T00:00:00Z");
const at = new Date("2026-02-01T00:00:00Z");
const serviceIds = ["s1", "s2", "s3"];

const look = { position: 0, description: null, isHidden: false, showsHistory: true };

function toCard(id: string, services: readonly string[]): Card {
  return {
    id,
    name: `card ${id}`,
    services: services.map((one) => ({
      id: one,
      accountId: "account",
      name: one,
      version: 1,
      createdAt: before,
      updatedAt: null,
      componentId: `${id} ${one}`,
      look: { ...look, position: services.indexOf(one) },
    })),
    isUngrouped: false,
    look,
    createdAt: before,
    updatedAt: null,
  };
}

function createSnapshot(cards: readonly Card[]) {
  let made = 0;
  const newId = () => {
    made += 1;
    return `new-${made}`;
  };
  return { before: cards, knownServiceIds: new Set(serviceIds), newId, at };
}

const services = fc.subarray(serviceIds).chain((list) => fc.shuffledSubarray(list));
const existing = fc
  .uniqueArray(fc.constantFrom("c1", "c2", "c3", "c4"), { maxLength: 4 })
  .chain((ids) => fc.tuple(...ids.map((id) => services.map((list) => toCard(id, list)))));

test("a plan has one card per input, in order; only cards with an id existed before", () => {
  const run = existing.chain((cards) =>
    fc.tuple(
      fc.constant(cards),
      fc.shuffledSubarray(cards.map(({ id }) => id)),
      fc.array(fc.record({ name: fc.string(), services: fc.option(services) }), { maxLength: 6 }),
    ),
  );
  fc.assert(
    fc.property(run, ([cards, ids, rest]) => {
      const inputs: CardInput[] = rest.map((input, index) => ({
        id: ids[index],
        name: input.name,
        services: input.services?.map((id) => ({ id })),
      }));
      const plan = planCards(inputs, createSnapshot(cards));
      assert.ok(plan.kind === "planned");
      assert.equal(plan.cards.length, inputs.length);
      assert.equal(new Set(plan.cards.map(({ id }) => id)).size, inputs.length);
      for (const [index, planned] of plan.cards.entries()) {
        const input = inputs[index];
        const stored = cards.find(({ id }) => id === input?.id);
        const had = stored?.services.map(({ id }) => id) ?? [];
        const expected = input?.services?.map(({ id }) => id) ?? had;
        assert.equal(planned.name, input?.name);
        assert.deepEqual(
          planned.services.map(({ serviceId }) => serviceId),
          expected,
        );
        assert.equal(planned.createdAt, stored === undefined ? at : before);
        const isSame = stored?.name === input?.name && had.join() === expected.join();
        assert.equal(planned.updatedAt, stored === undefined || isSame ? null : at);
      }
    }),
  );
});

test("services that a card keeps implicitly count towards the page limit", () => {
  const many = Array.from({ length: maxServicesPerPage }, (_, index) => `s${index}`);
  const card = toCard("full", many);
  const fixture = { ...createSnapshot([card]), knownServiceIds: new Set(many) };
  assert.equal(planCards([{ id: "full", name: "a" }], fixture).kind, "planned");
  const inputs = [
    { id: "full", name: "a" },
    { name: "b", services: [{ id: "s1" }] },
  ];
  assert.equal(planCards(inputs, fixture).kind, "invalid");
});

test("positions that are in order are kept, and the others follow their predecessor", () => {
  const place = (positions: readonly (readonly [string, number])[]) =>
    placeInOrder(positions.map(([id, position]) => ({ id, look: { ...look, position } }))).map(
      (item) => item.look.position,
    );
  assert.deepEqual(
    place([
      ["a", 10],
      ["b", 20],
      ["c", 20],
    ]),
    [10, 20, 20],
  );
  assert.deepEqual(
    place([
      ["b", 20],
      ["a", 20],
      ["c", 5],
    ]),
    [20, 21, 22],
  );
  assert.deepEqual(
    place([
      ["a", -1],
      ["b", -1],
      ["c", 7],
    ]),
    [0, 1, 7],
  );
});

test("a service keeps its place on its card and takes it along to another one", () => {
  const cards = [toCard("c1", ["s1", "s2"]), toCard("c2", ["s1"])];
  const plan = planCards(
    [
      { id: "c2", name: "b", services: [{ id: "s2" }, { id: "s1" }] },
      { name: "new", services: [{ id: "s1" }, { id: "s3" }] },
    ],
    createSnapshot(cards),
  );
  assert.ok(plan.kind === "planned");
  const ids = plan.cards.map(({ services }) => services.map(({ componentId }) => componentId));
  assert.deepEqual(ids, [
    ["c1 s2", "c2 s1"],
    ["c1 s1", "new-2"],
  ]);
});
