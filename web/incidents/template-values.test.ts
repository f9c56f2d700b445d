import assert from "node:assert/strict";
import { test } from "node:test";
import type { IncidentTemplate } from "./queries.ts";
import {
  addUpdate,
  formatTemplateValue,
  newTemplate,
  toBody,
  toValues,
} from "./template-values.ts";

const template: IncidentTemplate = {
  id: "0190c1f0-0000-7000-8000-000000000001",
  name: "Provider",
  incidentName: null,
  severity: null,
  serviceIds: ["a"],
  updates: [
    { status: "INVESTIGATING", description: "Since {{date}}.", notifySubscribers: true },
    { status: "RESOLVED", description: "Over.", notifySubscribers: false },
  ],
  variables: [],
  created_at: "2026-11-18",
  updated_at: null,
};

test("fields that are chosen when the template is used are empty in the form and null in the body", () => {
  const values = toValues(template);
  assert.equal(values.incidentName, "");
  assert.equal(values.severity, "");
  const body = toBody(values);
  assert.equal(body.incidentName, null);
  assert.equal(body.severity, null);
  assert.equal(toBody({ ...values, incidentName: "  " }).incidentName, null);
  assert.equal(toBody({ ...values, incidentName: "Down" }).incidentName, "Down");
});

test("a saved template keeps its texts in order and notifies nobody", () => {
  const { updates } = toBody(toValues(template));
  assert.deepEqual(updates, [
    { status: "INVESTIGATING", description: "Since {{date}}.", notifySubscribers: false },
    { status: "RESOLVED", description: "Over.", notifySubscribers: false },
  ]);
});

test("a new update has an unused key, also after one was removed", () => {
  const two = addUpdate(newTemplate);
  assert.deepEqual(
    two.updates.map(({ key, status }) => [key, status]),
    [
      [0, "INVESTIGATING"],
      [1, "RESOLVED"],
    ],
  );
  const withoutFirst = { ...two, updates: two.updates.slice(1) };
  const keys = addUpdate(withoutFirst).updates.map(({ key }) => key);
  assert.deepEqual(keys, [1, 2]);
  assert.equal(addUpdate({ ...newTemplate, updates: [] }).updates[0]?.key, 0);
  assert.equal(newTemplate.updates.length, 1, "the initial values are not changed");
});

test("a comparison shows names instead of ids, and updates as text", () => {
  const names = new Map([["a", "Shop"]]);
  assert.equal(formatTemplateValue("serviceIds", ["a", "b"], names), "Shop, b");
  assert.equal(formatTemplateValue("serviceIds", [], names), undefined);
  assert.equal(formatTemplateValue("severity", "", names), "Chosen when used");
  assert.equal(formatTemplateValue("severity", "MINOR", names), "Minor");
  assert.equal(formatTemplateValue("name", "Provider", names), undefined);
  assert.equal(
    formatTemplateValue("updates", toValues(template).updates, names),
    "Investigating: Since {{date}}. · Resolved: Over.",
  );
});
