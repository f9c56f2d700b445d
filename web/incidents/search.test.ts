import assert from "node:assert/strict";
import { test } from "node:test";
import {
  parseIncidentSearch,
  parseNewIncidentSearch,
  parseOneIncidentSearch,
  parseStatisticsSearch,
} from "./search.ts";
import { addUpdate, newTemplate, toBody, toValues } from "./template-values.ts";

const id = "01a1ec6f-ef45-7cb0-b0b7-25564ae7440d";

test("the filters of the address are kept, and everything else is ignored", () => {
  const filter = { state: "resolved", severity: "MAJOR", page: id, from: id };
  assert.deepEqual(parseIncidentSearch({ ...filter, other: 1 }), filter);
  const invalid = { state: "open", severity: "HUGE", page: "1", from: 7 };
  assert.deepEqual(parseIncidentSearch(invalid), {});
});

test("a new incident is preselected by ids only", () => {
  assert.deepEqual(parseNewIncidentSearch({ checkId: id, serviceId: "<b>", templateId: 3 }), {
    checkId: id,
  });
});

test("the composer opens for an update or a resolution", () => {
  assert.deepEqual(parseOneIncidentSearch({ compose: "resolve", edit: true }), {
    compose: "resolve",
    edit: true,
  });
  assert.deepEqual(parseOneIncidentSearch({ compose: "delete", edit: "true" }), {});
});

test("the default period of the statistics is not in the address", () => {
  assert.deepEqual(
    [30, 90, 365, 7].map((days) => parseStatisticsSearch({ days })),
    [{ days: 30 }, {}, { days: 365 }, {}],
  );
});

test("a template never notifies subscribers, and empty texts are sent as null", () => {
  const body = toBody({ ...newTemplate, name: "Provider", incidentName: "  " });
  assert.deepEqual([body.incidentName, body.severity], [null, null]);
  assert.deepEqual(body.updates, [
    { status: "INVESTIGATING", description: "", notifySubscribers: false },
  ]);
});

test("every update of a template has a unique key", () => {
  const two = addUpdate(addUpdate(newTemplate));
  const [, second, third] = two.updates;
  const without = { ...two, updates: two.updates.filter((update) => update !== second) };
  const keys = addUpdate(without).updates.map(({ key }) => key);
  assert.equal(new Set(keys).size, keys.length, keys.join());
  assert.equal(third?.status, "RESOLVED");
});

test("opening a template and saving it changes nothing", () => {
  const template = {
    ...toBody({ ...newTemplate, name: "Provider", severity: "MAJOR", serviceIds: [id] }),
    id,
  } as unknown as Parameters<typeof toValues>[0];
  const { id: _, ...rest } = template;
  assert.deepEqual(toBody(toValues(template)), rest);
});
