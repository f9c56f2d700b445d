import assert from "node:assert/strict";
import { test } from "node:test";
import { isEveryPlaceSuspect } from "./decision-snapshot.ts";

const office = "00000000-0000-4000-8000-000000000001";
const accounts = new Map([[office, "ours"]]);
const probe = (route: string, location: string, isSuspect: boolean) => ({
  route,
  location,
  isSuspect,
});
const lost = probe("built-in", "eu-central-1", true);
const check = (...places: string[]) => ({ accountId: "ours", places });

test("a healthy probe elsewhere does not count for a location with a suspect probe", () => {
  const elsewhere = probe(office, "office", false);
  assert.equal(isEveryPlaceSuspect(check("eu-central-1"), [lost, elsewhere], accounts), true);
  assert.equal(isEveryPlaceSuspect(check("us-east-1"), [lost, elsewhere], accounts), true);
  assert.equal(isEveryPlaceSuspect(check("office"), [lost, elsewhere], accounts), false);
  assert.equal(
    isEveryPlaceSuspect(check("us-east-1", "office"), [lost, elsewhere], accounts),
    false,
  );
});

test("a probe of another account's location of the same name is ignored", () => {
  const theirs = probe("00000000-0000-4000-8000-000000000002", "office", true);
  const healthy = { ...lost, isSuspect: false };
  assert.equal(isEveryPlaceSuspect(check("office"), [healthy, theirs], accounts), false);
});

test("a location without probes is not suspect", () => {
  assert.equal(isEveryPlaceSuspect(check("eu-central-1"), [], accounts), false);
});
