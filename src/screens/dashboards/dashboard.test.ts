import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createDashboardId,
  type DashboardSettings,
  type DashboardWithKeys,
  defaultSettings,
  formatDashboardUrl,
  mergeSettings,
  needsFirstKey,
} from "./dashboard.ts";

const settings: DashboardSettings = { ...defaultSettings, header: "Network" };

test("a new dashboard has the defaults beside its heading", () => {
  assert.deepEqual(mergeSettings(null, { header: "Network" }), settings);
});

test("an update keeps what it omits, and null resets a setting to its default", () => {
  const before: DashboardSettings = {
    ...settings,
    ...{ width: "960PX", checksPerPage: 20, paginate: false, showP95: false },
    ...{
      customUrl: "noc",
      logo: "https://example.com/logo.svg",
      tags: ["prod"],
      customCSS: "a {}",
    },
  };
  assert.deepEqual(mergeSettings(before, {}), before);
  assert.deepEqual(mergeSettings(before, { header: "NOC" }), { ...before, header: "NOC" });
  const reset = Object.fromEntries(Object.keys(defaultSettings).map((name) => [name, null]));
  assert.deepEqual(mergeSettings(before, reset), settings);
});

test("an empty address removes it, and an empty text is a text", () => {
  const before = { ...settings, customUrl: "noc", link: "https://a.example", description: "x" };
  const addresses = { customUrl: "", customDomain: "", logo: "", favicon: "", link: "" };
  assert.deepEqual(mergeSettings(before, addresses), { ...settings, description: "x" });
  assert.equal(mergeSettings(before, { description: "" }).description, "");
});

test("a tag counts once, in the order of its first place", () => {
  assert.deepEqual(mergeSettings(null, { tags: ["b", "a", "b"] }).tags, ["b", "a"]);
  assert.deepEqual(mergeSettings({ ...settings, tags: ["x"] }, { tags: [] }).tags, []);
});

test("unknown settings are not stored", () => {
  const input = { header: "Network", accountId: "other", cssWarnings: [] };
  assert.deepEqual(mergeSettings(null, input as never), settings);
});

const dashboard = (isPrivate: boolean, keys: number) =>
  ({
    settings: { ...settings, isPrivate },
    keys: Array.from({ length: keys }, () => ({})),
  }) as unknown as DashboardWithKeys;

test("a dashboard that becomes private gets its first key, unless the request declines it", () => {
  const isPrivate = { ...settings, isPrivate: true };
  const rows: readonly (readonly [DashboardWithKeys | null, boolean | null, boolean])[] = [
    [null, null, true],
    [null, true, true],
    [null, false, false],
    [dashboard(false, 0), null, true],
    // It has a key of the time when it was private before.
    [dashboard(false, 1), null, false],
    [dashboard(false, 1), true, false],
    // Its last key was deleted: a new one is created only on request.
    [dashboard(true, 0), null, false],
    [dashboard(true, 0), true, true],
    [dashboard(true, 1), true, false],
  ];
  for (const [before, firstKey, expected] of rows) {
    assert.equal(needsFirstKey(isPrivate, firstKey, before), expected);
    const shared = { ...settings, isPrivate: false };
    assert.equal(needsFirstKey(shared, firstKey, before), false, "public");
  }
});

test("an id has eight characters and never reads as a number", () => {
  assert.equal(
    createDashboardId(() => 0),
    "aaaaaaaa",
  );
  assert.equal(
    createDashboardId((bound) => bound - 1),
    "z9999999",
  );
  for (let count = 0; count < 50; count += 1) {
    assert.match(createDashboardId(), /^[a-z][a-z0-9]{7}$/);
  }
});

test("the URL of a dashboard is its domain, or its name, or its id", () => {
  const format = (change: Partial<DashboardSettings>, publicUrl = "https://vedette.example") =>
    formatDashboardUrl(publicUrl, {
      dashboardId: "abcd1234",
      settings: { ...settings, ...change },
    });
  assert.equal(format({}), "https://vedette.example/dashboards/abcd1234");
  assert.equal(format({ customUrl: "noc" }), "https://vedette.example/dashboards/noc");
  const own = { customUrl: "noc", customDomain: "noc.example" };
  assert.equal(format(own), "https://noc.example/");
  assert.equal(format(own, "http://localhost:3000"), "http://noc.example/");
});
