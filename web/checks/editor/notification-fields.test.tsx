/** Who is notified about a check, and when, in its editor, without a server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { useState } from "react";
import { renderPart } from "../../../test/support/components/part.tsx";
import { readCheckKinds } from "../../../test/support/modules/check-kinds.ts";
import { audienceQuery, serviceStatusesQuery } from "../../incidents/index.ts";
import { EditorContext, type FieldEditor } from "../../kinds/editor/editor-context.ts";
import type { AnyValues, CheckKind } from "../../kinds/form-values.ts";
import { policiesQuery } from "../../on-call/queries.ts";
import { getAt, mergeFields, setAt } from "../../parts/fields.ts";
import { NotificationFields } from "./notification-fields.tsx";
import { channelsQuery } from "./queries.ts";
import { incidentFieldWords, words } from "./words.ts";

const kind: CheckKind = readCheckKinds().find(({ type }: CheckKind) => type === "URL");
const channels = [
  { id: 7, type: "EMAIL", config: { address: "ops@x.test" } },
  { id: 8, type: "WEBHOOK", config: { name: "pager" } },
];

interface Given {
  readonly values?: object;
  readonly isNew?: boolean;
  readonly channels?: readonly object[];
  readonly services?: readonly object[];
}

function renderFields(given: Given = {}) {
  const { alertChannelSubscriptions: _none, ...defaults } = kind.defaults as AnyValues;
  let current = mergeFields(defaults, given.values ?? {}) as AnyValues;
  function Fields() {
    const [values, setValues] = useState(current);
    current = values;
    const editor: FieldEditor = {
      values,
      kind,
      isNew: given.isNew ?? true,
      set: (path, value) => setValues((before) => setAt(before, path, value) as AnyValues),
      merge: (fields) => setValues((before) => mergeFields(before, fields) as AnyValues),
      findFieldError: () => null,
      noteLabel: () => {},
    };
    return (
      <EditorContext.Provider value={editor}>
        <NotificationFields />
      </EditorContext.Provider>
    );
  }
  const audience = { pages: [{ id: "p-1" }], subscribers: 3 };
  const part = renderPart(<Fields />, {
    data: [
      [channelsQuery.queryKey, given.channels ?? channels],
      [policiesQuery.queryKey, [{ id: "p-1", name: "Shop" }]],
      [serviceStatusesQuery.queryKey, given.services ?? [{ serviceId: "s-1", name: "Shop" }]],
      [audienceQuery([]).queryKey, undefined],
      [audienceQuery(["s-1"]).queryKey, audience],
    ],
  });
  const box = (name: string | RegExp) => part.getByRole("checkbox", { name });
  return { part, box, read: (path: string) => getAt(current, path) };
}

test("a new check notifies every channel, until one is deselected", async () => {
  const { box, read } = renderFields();
  assert.equal(await box(/^ops@x\.test/).isChecked(), true);
  assert.equal(await box(/^pager/).isChecked(), true);
  await box(/^pager/).click();
  assert.deepEqual(read("alertChannelSubscriptions"), [{ alertChannelId: 7, activated: true }]);
});

test("an existing check notifies its own channels only", async () => {
  const subscriptions = [
    { alertChannelId: 7, activated: false },
    { alertChannelId: 8, activated: true },
  ];
  const { box, read } = renderFields({
    isNew: false,
    values: { alertChannelSubscriptions: subscriptions },
  });
  assert.equal(await box(/^ops@x\.test/).isChecked(), false);
  await box(/^ops@x\.test/).click();
  assert.deepEqual(read("alertChannelSubscriptions"), [
    { alertChannelId: 8, activated: true },
    { alertChannelId: 7, activated: true },
  ]);
});

test("without a channel, the form leads to a new one", async () => {
  const { part } = renderFields({ channels: [] });
  await part.getByText(words.noChannels).waitFor();
  const link = part.getByRole("link", { name: words.addChannel });
  assert.equal(await link.getAttribute("href"), "/alerts/channels");
});

test("the check's own alert settings are by runs or by time, with reminders", async () => {
  const { part, read } = renderFields({ values: { useGlobalAlertSettings: true } });
  assert.equal(part.getByLabel(words.reminders).count(), 0);
  await part.getByLabel(words.ownSettings).click();
  assert.equal(read("useGlobalAlertSettings"), false);
  const escalation = part.locator('[data-path="alertSettings.escalationType"]');
  await escalation.selectOption("t10");
  assert.deepEqual(
    [
      read("alertSettings.escalationType"),
      read("alertSettings.timeBasedEscalation.minutesFailingThreshold"),
    ],
    ["TIME_BASED", 10],
  );
  await escalation.selectOption("r3");
  assert.equal(read("alertSettings.runBasedEscalation.failedRunThreshold"), 3);
  await part.getByLabel(words.reminders).selectOption("0");
  assert.equal(part.getByLabel(words.reminderInterval).count(), 0, "no reminder, no interval");
  await part.getByLabel(words.reminders).selectOption("2");
  await part.getByLabel(words.reminderInterval).waitFor();
  await part.getByLabel(words.globalSettings).click();
  assert.equal(read("useGlobalAlertSettings"), true);
});

test("a check selects an escalation policy and an urgency, or leaves both to others", async () => {
  const { part, read } = renderFields({ values: { useGlobalAlertSettings: true } });
  const reminders = read("alertSettings.reminders");
  const policy = part.getByLabel(words.policy);
  const urgency = part.getByLabel(words.urgency);
  await policy.selectOption("Shop");
  await urgency.selectOption(words.urgencies.LOW);
  assert.equal(read("alertSettings.escalationPolicyId"), "p-1");
  assert.equal(read("alertSettings.urgency"), "LOW");
  assert.deepEqual(read("alertSettings.reminders"), reminders);
  await policy.selectOption(words.nearestPolicy);
  await urgency.selectOption(words.nearestUrgency);
  assert.equal(read("alertSettings.escalationPolicyId"), null);
  assert.equal(read("alertSettings.urgency"), null);
});

test("an alert opens an incident for a service, and notifies nobody by itself", async () => {
  const { part, box, read } = renderFields();
  const opens = box(new RegExp(`^${incidentFieldWords.opens}`));
  await opens.click();
  assert.deepEqual(read("triggerIncident"), incidentFieldWords.firstIncident);
  const service = part.getByLabel(incidentFieldWords.service);
  assert.match(await service.textContent(), new RegExp(incidentFieldWords.choose));
  await service.selectOption("Shop");
  assert.equal(read("triggerIncident.serviceId"), "s-1");
  await part.getByText(incidentFieldWords.told(3)).waitFor();
  await part.getByLabel(incidentFieldWords.name).fill("Shop is down");
  await opens.click();
  assert.equal(read("triggerIncident"), null);
  await opens.click();
  assert.equal(read("triggerIncident.name"), "Shop is down", "the input is kept");
});

test("without services, the form leads to the status pages", async () => {
  const { part, box } = renderFields({ services: [] });
  await box(new RegExp(`^${incidentFieldWords.opens}`)).click();
  await part.getByText(incidentFieldWords.noServices).waitFor();
  const link = part.getByRole("link", { name: incidentFieldWords.addServices });
  assert.equal(await link.getAttribute("href"), "/status-pages");
});
