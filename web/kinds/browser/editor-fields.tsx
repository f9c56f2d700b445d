import { getNumber } from "../../parts/fields.ts";
import { formatMs } from "../../parts/figures.ts";
import { FieldRow } from "../../parts/form.tsx";
import { Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import { useFieldEditor } from "../editor/editor-context.ts";
import { fieldsOf } from "../editor/fields.tsx";
import type { CheckValues } from "../form-values.ts";
import type { KindEditor } from "../kind.ts";
import { describeScript } from "../scripts/describe.ts";
import { vitals, words } from "../scripts/page-words.ts";
import { ScriptFields, ScriptFileFields } from "../scripts/script-fields.tsx";
import { browserTemplates } from "../scripts/templates.ts";

const { NumberField, TextField } = fieldsOf<"BROWSER">();

function describeBudgets(values: CheckValues<"BROWSER">): string[] {
  const list = (level: "degraded" | "failing") =>
    vitals.flatMap(({ name }) => {
      const limit = getNumber(values, `webVitalBudgets.${name}.${level}`);
      if (limit === null) return [];
      return [`${name} above ${name === "CLS" ? limit : formatMs(limit)}`];
    });
  return (["degraded", "failing"] as const).flatMap((level) => {
    const limits = list(level);
    return limits.length === 0 ? [] : [words.budget(level, limits)];
  });
}

/**
 * Edits the limits of the web vitals. The limits that the Chromium project recommends are shown as
 * examples.
 */
function BudgetFields() {
  useFieldEditor().noteLabel("webVitalBudgets", words.budgets);
  return (
    <Stack as="fieldset" gap={3} data-path="webVitalBudgets">
      <legend className={textStyles.strong}>{words.budgets}</legend>
      <p className={textStyles.hint}>{words.budgetsHint}</p>
      {vitals.map(({ name, good, bad }) => {
        const unit = name === "CLS" ? {} : { unit: words.ms };
        return (
          <FieldRow key={name}>
            <NumberField
              {...unit}
              path={`webVitalBudgets.${name}.degraded`}
              label={words.degradedAbove(words.vitals[name])}
              example={String(good)}
            />
            <NumberField
              {...unit}
              path={`webVitalBudgets.${name}.failing`}
              label={words.failingAbove(words.vitals[name])}
              example={String(bad)}
            />
          </FieldRow>
        );
      })}
    </Stack>
  );
}

export const editor: KindEditor<"BROWSER"> = {
  describe: (values) => [...describeScript(values), ...describeBudgets(values)],
  WhatFields: () => <ScriptFields templates={browserTemplates} />,
  MoreFields: () => (
    <>
      <BudgetFields />
      <TextField
        path="sslCheckDomain"
        label={words.certificateDomain}
        hint={words.certificateHint}
        example="shop.example.com"
      />
      <ScriptFileFields />
    </>
  ),
};
