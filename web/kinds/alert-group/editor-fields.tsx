import { getText } from "../../parts/fields.ts";
import { FieldRow } from "../../parts/form.tsx";
import { fieldsOf } from "../editor/fields.tsx";
import type { KindEditor } from "../kind.ts";

const words = {
  groupKey: "Group key",
  sourceId: "Id of the alert source",
  when: "It runs when the source sends a notification.",
  failing: "The severity label of the alerts decides.",
} as const;

const { TextField } = fieldsOf<"ALERT_GROUP">();

function WhatFields() {
  return (
    <FieldRow>
      <TextField
        path="alertGroup.groupKey"
        label={words.groupKey}
        example="{}:{team=&quot;shop&quot;}"
      />
      <TextField path="alertGroup.sourceId" label={words.sourceId} />
    </FieldRow>
  );
}

export const editor: KindEditor<"ALERT_GROUP"> = {
  describe: (values) => [
    `Follows the alert group ${getText(values, "alertGroup.groupKey")} of an alert source.`,
    "It fails while alerts fire, and is degraded if their severity is warning or less.",
    "It alerts with the first notification: the source has already waited.",
  ],
  WhatFields,
  WhenFields: () => <p>{words.when}</p>,
  FailingFields: () => <p>{words.failing}</p>,
};
