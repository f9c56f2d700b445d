import assert from "node:assert/strict";
import { test } from "node:test";
import * as order from "./card-order.ts";

const cards = (...lists: string[]): order.Cards =>
  lists.map((list, index) => ({
    key: `c${index}`,
    id: null,
    name: `Card ${index}`,
    serviceIds: [...list],
  }));
const show = (moved: order.Cards) => moved.map(({ serviceIds }) => serviceIds.join(""));
const at = (serviceId: string, card = 0) => ({ cardKey: `c${card}`, serviceId });
const before = (index: number, card = 0) => ({ cardKey: `c${card}`, index });

test("a service is inserted before the row it is dropped on, or at the end", () => {
  const abc = cards("abc");
  for (const [index, expected] of ["abc", "abc", "bac", "bca"].entries()) {
    assert.deepEqual(show(order.moveService(abc, at("a"), before(index))), [expected]);
  }
  assert.deepEqual(show(order.moveService(abc, at("c"), before(0))), ["cab"]);
  assert.equal(order.moveService(abc, at("b"), before(2)), abc, "no change is no change");
});

test("a service moves to another card, unless that card already shows it", () => {
  const two = cards("ab", "cb");
  assert.deepEqual(show(order.moveService(two, at("a"), before(1, 1))), ["b", "cab"]);
  assert.equal(order.moveService(two, at("b"), before(0, 1)), two);
  assert.equal(order.moveService(two, at("x"), before(0, 1)), two);
});

test("arrow keys move a service through a card and on to the next", () => {
  let state = cards("ab", "", "c");
  const walk = (card: number, step: -1 | 1) => {
    const place = order.stepService(state, at("a", card), step);
    if (place === null) return null;
    state = order.moveService(state, at("a", card), place);
    return show(state);
  };
  assert.deepEqual(walk(0, 1), ["ba", "", "c"]);
  assert.deepEqual(walk(0, 1), ["b", "a", "c"]);
  assert.deepEqual(walk(1, 1), ["b", "", "ac"]);
  assert.deepEqual(walk(2, 1), ["b", "", "ca"]);
  assert.equal(walk(2, 1), null, "there is no further");
  assert.deepEqual(walk(2, -1), ["b", "", "ac"]);
  assert.deepEqual(walk(2, -1), ["b", "a", "c"]);
  assert.deepEqual(walk(1, -1), ["ba", "", "c"]);
});

test("a step skips cards that already show the service", () => {
  const place = order.stepService(cards("a", "ab", "c"), at("a"), 1);
  assert.deepEqual(place, before(0, 2));
  assert.equal(order.stepService(cards("a", "a"), at("a"), 1), null);
});

test("cards are moved, added, renamed and removed", () => {
  const three = cards("a", "b", "c");
  assert.deepEqual(show(order.moveCard(three, "c0", 3)), ["b", "c", "a"]);
  assert.deepEqual(show(order.moveCard(three, "c2", 0)), ["c", "a", "b"]);
  assert.equal(order.moveCard(three, "c1", 1), three);
  assert.equal(order.stepCard(three, "c0", -1), null);
  assert.equal(order.stepCard(three, "c2", 1), null);
  assert.deepEqual(show(order.moveCard(three, "c0", order.stepCard(three, "c0", 1) ?? 0)), [
    "b",
    "a",
    "c",
  ]);
  const more = order.addCard(three, { key: "new", name: "New" });
  assert.deepEqual(more.at(-1), { key: "new", id: null, name: "New", serviceIds: [] });
  assert.equal(order.renameCard(more, "new", "Newer").at(-1)?.name, "Newer");
  assert.deepEqual(show(order.removeCard(three, "c1")), ["a", "c"]);
});

test("services are added once and removed, and have a position", () => {
  const one = order.addService(cards("a"), at("b"));
  assert.deepEqual(show(one), ["ab"]);
  assert.equal(order.addService(one, at("b")), one);
  assert.deepEqual(show(order.removeService(one, at("a"))), ["b"]);
  assert.deepEqual(show(order.forgetService(cards("ab", "b", "c"), "b")), ["a", "", "c"]);
  assert.deepEqual(order.findPosition(one, at("b")), { position: 2, count: 2, card: "Card 0" });
  assert.equal(order.findPosition(one, at("x")), null);
});
