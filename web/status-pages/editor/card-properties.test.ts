/** Random moves of cards and services in the page editor. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../../../test/support/properties.ts";
import * as order from "./card-order.ts";

const services = ["a", "b", "c", "d", "e"];

const pages: fc.Arbitrary<order.Cards> = fc
  .array(fc.subarray(services), { minLength: 1, maxLength: 4 })
  .map((lists) =>
    lists.map((serviceIds, index) => ({
      key: `c${index}`,
      id: null,
      name: `Card ${index}`,
      serviceIds,
    })),
  );

const places = fc.record({
  cardKey: fc.constantFrom("c0", "c1", "c2", "c3", "gone"),
  serviceId: fc.constantFrom(...services, "gone"),
});

const list = (cards: order.Cards) => cards.flatMap(({ serviceIds }) => serviceIds).sort();

test("moving a service loses none and shows none twice in a card", () => {
  const index = fc.nat(6);
  fc.assert(
    fc.property(pages, places, places, index, (cards, from, { cardKey }, to) => {
      const target = cards.find(({ key }) => key === cardKey);
      const at = Math.min(to, target?.serviceIds.length ?? 0);
      const moved = order.moveService(cards, from, { cardKey, index: at });
      assert.deepEqual(list(moved), list(cards));
      for (const { serviceIds } of moved) assert.equal(new Set(serviceIds).size, serviceIds.length);
      assert.deepEqual(
        moved.map(({ key }) => key),
        cards.map(({ key }) => key),
      );
    }),
    { numRuns: propertyRuns },
  );
});

test("a dropped service stands before the row that it was dropped on", () => {
  fc.assert(
    fc.property(pages, places, places, fc.nat(6), (cards, from, { cardKey }, to) => {
      const target = cards.find(({ key }) => key === cardKey);
      const below = target?.serviceIds[to];
      const moved = order.moveService(cards, from, { cardKey, index: to });
      const isMoved = moved !== cards && below !== undefined && below !== from.serviceId;
      if (!isMoved) return;
      const after = moved.find(({ key }) => key === cardKey)?.serviceIds ?? [];
      assert.equal(after.indexOf(from.serviceId), after.indexOf(below) - 1);
    }),
    { numRuns: propertyRuns },
  );
});

/** Finds the card that shows a service after a step from another one. */
const step = (cards: order.Cards, from: order.ServicePlace, by: -1 | 1) => {
  const to = order.stepService(cards, from, by);
  if (to === null) return null;
  const moved = order.moveService(cards, from, to);
  return { cards: moved, place: { cardKey: to.cardKey, serviceId: from.serviceId } };
};

test("a step in one direction and back leaves everything as it was", () => {
  fc.assert(
    fc.property(pages, places, fc.constantFrom<-1 | 1>(-1, 1), (cards, from, by) => {
      const there = step(cards, from, by);
      if (there === null) return;
      const back = step(there.cards, there.place, by === 1 ? -1 : 1);
      assert.deepEqual(back?.cards, cards);
    }),
    { numRuns: propertyRuns },
  );
});

test("every service reaches the end of the last card that can show it, and stops there", () => {
  fc.assert(
    fc.property(pages, places, (cards, from) => {
      let state: { cards: order.Cards; place: order.ServicePlace } | null = { cards, place: from };
      let last = state;
      for (let steps = 0; state !== null; steps += 1) {
        assert.ok(steps <= 30, "it does not stop");
        last = state;
        state = step(state.cards, state.place, 1);
      }
      const card = last.cards.find(({ key }) => key === last.place.cardKey);
      if (!card?.serviceIds.includes(from.serviceId)) return;
      assert.equal(card.serviceIds.at(-1), from.serviceId);
    }),
    { numRuns: propertyRuns },
  );
});

test("moving a card keeps the order of the others", () => {
  fc.assert(
    fc.property(pages, fc.nat(3), fc.nat(4), (cards, which, to) => {
      const key = `c${which}`;
      const moved = order.moveCard(cards, key, Math.min(to, cards.length));
      const others = (list: order.Cards) => list.filter((card) => card.key !== key);
      assert.deepEqual(others(moved), others(cards));
      assert.equal(moved.length, cards.length);
    }),
    { numRuns: propertyRuns },
  );
});

test("a deleted service is in no card, and nothing else changes", () => {
  fc.assert(
    fc.property(pages, fc.constantFrom(...services), (cards, service) => {
      const rest = order.forgetService(cards, service);
      const expected = list(cards).filter((one) => one !== service);
      assert.deepEqual(list(rest), expected);
    }),
    { numRuns: propertyRuns },
  );
});
