import assert from "node:assert/strict";
import { test } from "node:test";
import { KnownError } from "../../../platform/errors.ts";
import {
  fillIncident,
  fillUpdate,
  type IncidentTemplate,
  listRequiredVariables,
  tagTemplate,
} from "./incident-template.ts";

const now = new Date("2026-11-16T09:05:00Z");
const services = ["Web", "API"].map((name) => ({ name })) as never;

const template: IncidentTemplate = {
  id: "1",
  name: "Outage",
  incidentName: "{{services}} down in {{region}}",
  severity: "MAJOR",
  serviceIds: ["web"],
  updates: [
    { status: "INVESTIGATING", description: "Since {{time}} on {{date}}", notifySubscribers: true },
    {
      status: "RESOLVED",
      description: "Fixed by {{who}} ({{severity}})",
      notifySubscribers: false,
    },
  ],
  createdAt: now,
  updatedAt: null,
};

const variables = (values: Readonly<Record<string, string>> = {}) =>
  new Map(Object.entries(values));
const circumstances = { template, services, now };

function assertInvalid(work: () => unknown, message: string | RegExp): void {
  assert.throws(work, (error) => {
    assert.ok(error instanceof KnownError, String(error));
    if (typeof message === "string") assert.equal(error.message, message);
    else assert.match(error.message, message);
    return true;
  });
}

test("the variables that a person must supply are those without a built-in value", () => {
  assert.deepEqual(listRequiredVariables(template), ["region", "who"]);
  const other = { ...template, incidentName: null, updates: [] };
  assert.deepEqual(listRequiredVariables(other), []);
});

test("an incident gets name, severity and first update from the template", () => {
  const filled = fillIncident({ variables: variables({ region: "EU" }) }, circumstances);
  assert.deepEqual(filled, {
    name: "Web, API down in EU",
    severity: "MAJOR",
    updates: [
      {
        status: "INVESTIGATING",
        description: "Since 09:05 on 2026-11-16",
        notifySubscribers: true,
        publicAt: now,
      },
    ],
  });
});

test("fields of the request take precedence, and decide the variables", () => {
  const filled = fillIncident(
    {
      name: "Own {{name}}",
      severity: "MINOR",
      status: "RESOLVED",
      variables: variables({ who: "Ada" }),
    },
    circumstances,
  );
  // The text of a request is no template.
  assert.equal(filled.name, "Own {{name}}");
  assert.equal(filled.updates[0]?.description, "Fixed by Ada (MINOR)");
});

test("a supplied value replaces a built-in one, and is never filled in itself", () => {
  const values = variables({ region: "{{who}}", services: "Everything", who: "x" });
  assert.equal(
    fillIncident({ variables: values }, circumstances).name,
    "Everything down in {{who}}",
  );
});

test("a template that leaves a field open needs it in the request", () => {
  const open = { ...template, incidentName: null, severity: null };
  const fill = (request: object, of: IncidentTemplate | null) =>
    fillIncident(
      { variables: variables({ region: "EU" }), ...request },
      { ...circumstances, template: of },
    );
  assertInvalid(() => fill({ name: "A" }, open), "severity is required");
  assertInvalid(() => fill({ severity: "MINOR" }, open), "name is required");
  assertInvalid(() => fill({ name: "A", severity: "MINOR" }, null), "incidentUpdates is required");
  assert.equal(fill({ name: "A", severity: "MINOR" }, open).name, "A");
});

test("updates of the request replace those of the template", () => {
  const publicAt = new Date(now.getTime() - 60_000);
  const updates = [
    { variables: variables(), publicAt },
    { variables: variables(), description: "x" },
  ];
  const request = { name: "A", severity: "MINOR", status: "MONITORING", updates } as const;
  const filled = fillIncident({ ...request, variables: variables() }, circumstances);
  const rest = { status: "MONITORING", notifySubscribers: false };
  assert.deepEqual(filled.updates, [
    { ...rest, description: "", publicAt },
    { ...rest, description: "x", publicAt: now },
  ]);
  const future = [{ variables: variables(), publicAt: new Date(now.getTime() + 86_400_000) }];
  assertInvalid(
    () => fillIncident({ ...request, updates: future, variables: variables() }, circumstances),
    "incidentUpdates.0.publicIncidentUpdateDate must not be in the future",
  );
});

test("a text that cannot be filled in is rejected with its field", () => {
  const fill = (description: string, values: Readonly<Record<string, string>>) => {
    const updates = [{ ...template.updates[0], description }] as IncidentTemplate["updates"];
    return fillIncident(
      { name: "A", variables: variables(values) },
      { ...circumstances, template: { ...template, updates } },
    );
  };
  assertInvalid(() => fill("{{a}}", {}), "variables.a is required by the template");
  assertInvalid(() => fill("{{a}}", { a: " " }), /^incidentUpdates is empty once/);
  assertInvalid(
    () => fill("{{a}}", { a: "x".repeat(20_001) }),
    /^incidentUpdates must have at most/,
  );
  assertInvalid(
    () => fill("{{a}}".repeat(50), { a: "x".repeat(2_000) }),
    /^incidentUpdates must have/,
  );
  // Characters count, not UTF-16 units.
  assert.equal(fill("{{a}}", { a: "😀".repeat(15_000) }).updates.length, 1);
});

const update = (request: object, of: IncidentTemplate | null = template) =>
  fillUpdate(
    { variables: variables({ who: "Ada" }), ...request },
    { template: of, severity: "CRITICAL", services, now },
    () => "MONITORING",
  );

test("an update uses the text for its status, or the first", () => {
  assert.deepEqual(update({ status: "RESOLVED" }), {
    ...{ status: "RESOLVED", description: "Fixed by Ada (CRITICAL)" },
    ...{ publicAt: now, notifySubscribers: false },
  });
  assert.equal(update({}).status, "INVESTIGATING");
  assert.equal(update({}).notifySubscribers, true);
  assert.equal(update({ notifySubscribers: false }).notifySubscribers, false);
  assertInvalid(() => update({ status: "MONITORING" }), /^status is not a status of one of/);
});

test("an update has the date and time that it is published at", () => {
  const publicAt = new Date("2026-11-15T23:59:59Z");
  assert.equal(update({ publicAt }).description, "Since 23:59 on 2026-11-15");
  assertInvalid(
    () => update({ publicAt: new Date(Number.NaN) }),
    "publicIncidentUpdateDate must be a valid date and time",
  );
});

test("without a template, an update needs a text and keeps the status of its time", () => {
  assert.deepEqual(update({ description: "Own" }, null), {
    ...{ status: "MONITORING", description: "Own", publicAt: now, notifySubscribers: false },
  });
  assertInvalid(() => update({}, null), /^description is empty/);
});

test("the tag changes with every field that a request can set", () => {
  const tag = tagTemplate(template);
  assert.equal(tagTemplate({ ...template }), tag);
  const changes: readonly Partial<IncidentTemplate>[] = [
    { name: "Other" },
    { incidentName: null },
    { severity: null },
    { serviceIds: [] },
    { updates: template.updates.slice(1) },
    { updates: template.updates.toReversed() },
  ];
  const tags = changes.map((change) => tagTemplate({ ...template, ...change }));
  assert.equal(new Set([tag, ...tags]).size, changes.length + 1);
  assert.equal(tagTemplate({ ...template, updatedAt: now } as IncidentTemplate), tag);
});
