import assert from "node:assert/strict";
import { test } from "node:test";
import {
  findRunLocation,
  isThisServer,
  type ListedLocation,
  replaceCodes,
  sortLocations,
} from "./listed-location.ts";

const place = (region: string, more: Partial<ListedLocation> = {}): ListedLocation => ({
  region,
  name: region.toUpperCase(),
  servedBy: "built-in-probe",
  probes: [],
  ...more,
});
const server = place("home", {
  servedBy: "own-probe",
  probes: [{ id: "vm-home", isBuiltIn: true, status: "alive" }],
});
const remote = place("paris", {
  servedBy: "own-probe",
  probes: [{ id: "probe-1", isBuiltIn: false, status: "alive" }],
});
const silent = place("tokyo", {
  probes: [{ id: "probe-2", isBuiltIn: false, status: "silent" }],
});
const places = [place("ohio"), remote, silent, server];

const regionsOf = (list: readonly ListedLocation[]) => list.map(({ region }) => region);

test("locations with a live probe come first, the server before all, and other locations are separate", () => {
  const { served, others } = sortLocations(places, []);
  assert.deepEqual(regionsOf(served), ["home", "paris"]);
  assert.deepEqual(regionsOf(others), ["ohio", "tokyo"]);
});

test("a location that the check already uses stays visible", () => {
  const { served, others } = sortLocations(places, ["ohio"]);
  assert.deepEqual(regionsOf(served), ["home", "ohio", "paris"]);
  assert.deepEqual(regionsOf(others), ["tokyo"]);
});

test("a location that no probe serves is offered only to a check that already uses it", () => {
  const unserved = place("mars", { servedBy: "nobody" });
  assert.deepEqual(sortLocations([unserved], []), { served: [], others: [] });
  assert.deepEqual(regionsOf(sortLocations([unserved], ["mars"]).served), ["mars"]);
});

test("a location with a second probe besides the server's is not this server", () => {
  assert.equal(isThisServer(server), true);
  assert.equal(isThisServer({ probes: [...server.probes, ...remote.probes] }), false);
  assert.equal(isThisServer({ probes: [] }), false);
});

test("the location of a run is that of its probe, not the one that was requested", () => {
  const own = [{ slugName: "office", name: "Office", probes: [{ id: "probe-3" }] }];
  const find = (probeId: string, runLocation: string) =>
    findRunLocation({ probeId, runLocation }, { places, own });
  assert.deepEqual(find("vm-home", "ohio"), { name: "HOME", isServer: true, isStandIn: true });
  assert.deepEqual(find("vm-home", "home"), { name: "HOME", isServer: true, isStandIn: false });
  assert.deepEqual(find("probe-1", "paris"), { name: "PARIS", isServer: false, isStandIn: false });
  assert.deepEqual(find("probe-3", "office"), {
    name: "Office",
    isServer: false,
    isStandIn: false,
  });
  assert.equal(find("gone", "paris").name, null);
});

const names = [
  ["eu-central-1", "Frankfurt"],
  ["eu-west-1", "Ireland"],
  ["lab", "The lab"],
] as const;

test("location codes in a sentence are replaced by names, and other words stay", () => {
  assert.equal(
    replaceCodes("Failing from eu-central-1, lab; passing from eu-west-1.", names),
    "Failing from Frankfurt, The lab; passing from Ireland.",
  );
  const other = "Nothing answers at eu-west-1.example.com or x.eu-west-12; the laboratory is fine.";
  assert.equal(replaceCodes(other, names), other);
});
