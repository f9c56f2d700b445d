import { Button, NativeSelect, NumberInput } from "@mantine/core";
import { useState } from "react";
import { type Editor, getFieldError } from "../editing/index.ts";
import blockStyles from "../parts/blocks.module.css";
import { IconButton } from "../parts/buttons.tsx";
import { FormSection } from "../parts/form.tsx";
import { CloseIcon, PlusIcon, TrashIcon } from "../parts/icons.tsx";
import layoutStyles from "../parts/layout.module.css";
import { joinClasses, Row, Stack } from "../parts/layout.tsx";
import listStyles from "../parts/list.module.css";
import textStyles from "../parts/text.module.css";
import { describeStep, keyOf, parseKey, useTargetNames } from "./policy-sentences.ts";
import type { Policy, PolicyStep } from "./queries.ts";
import { type PolicyValues, removeAt, replaceAt } from "./values.ts";
import { words } from "./words.ts";

const own = words.policies;
const maxSteps = 10;

interface StepProps {
  readonly step: PolicyStep;
  readonly index: number;
  readonly error: Error | null;
  readonly onChange: (step: PolicyStep) => void;
  readonly onRemove: (() => void) | null;
}

/**
 * Adds a target to a step. A separate button adds the selected target, because arrow keys already
 * change the selection.
 */
function AddTarget({ onAdd, chosenKeys }: { onAdd: (key: string) => void; chosenKeys: string[] }) {
  const names = useTargetNames();
  const [chosen, setChosen] = useState("");
  const group = (prefix: string, label: string) => ({
    group: label,
    items: [...names]
      .filter(([key]) => key.startsWith(prefix) && !chosenKeys.includes(key))
      .map(([value, name]) => ({ value, label: name })),
  });
  const groups = [group("s:", own.schedules), group("u:", own.members), group("c:", own.channels)];
  return (
    <Row nowrap align="end">
      <NativeSelect
        className={layoutStyles.grow ?? ""}
        label={own.addTarget}
        value={chosen}
        data={[{ value: "", label: own.choose }, ...groups.filter(({ items }) => items.length > 0)]}
        onChange={({ currentTarget }) => setChosen(currentTarget.value)}
      />
      <Button
        variant="default"
        disabled={chosen === ""}
        onClick={() => {
          onAdd(chosen);
          setChosen("");
        }}
      >
        {own.addTargetAction}
      </Button>
    </Row>
  );
}

function StepForm({ step, index, error, onChange, onRemove }: StepProps) {
  const names = useTargetNames();
  const { targets } = step;
  const keys = targets.map(keyOf);
  return (
    <Stack as="section" gap={3} className={blockStyles.card} aria-label={own.step(index)}>
      <Row nowrap justify="between">
        <h3 className={joinClasses(layoutStyles.grow, textStyles.wrap)}>
          <bdi>{targets.length === 0 ? own.step(index) : describeStep(step, names)}</bdi>
        </h3>
        {onRemove && (
          <IconButton aria-label={own.removeStep(index)} onClick={onRemove}>
            <TrashIcon size={18} />
          </IconButton>
        )}
      </Row>
      <NumberInput
        label={own.afterMinutes}
        value={step.afterMinutes}
        min={0}
        max={10_080}
        allowDecimal={false}
        error={getFieldError(error, `steps.${index}.afterMinutes`)}
        onChange={(value) => onChange({ ...step, afterMinutes: Number(value) || 0 })}
      />
      {targets.length > 0 && (
        <ul className={listStyles.list}>
          {keys.map((key, place) => (
            <li key={key}>
              <Row nowrap justify="between" className={listStyles.item}>
                <span className={joinClasses(layoutStyles.grow, textStyles.wrap)}>
                  <bdi>{names.get(key) ?? own.deleted}</bdi>
                </span>
                <IconButton
                  aria-label={own.removeTarget(names.get(key) ?? own.deleted)}
                  onClick={() => onChange({ ...step, targets: removeAt(targets, place) })}
                >
                  <CloseIcon size={18} />
                </IconButton>
              </Row>
            </li>
          ))}
        </ul>
      )}
      <AddTarget
        chosenKeys={keys}
        onAdd={(key) => onChange({ ...step, targets: [...targets, parseKey(key)] })}
      />
    </Stack>
  );
}

/** Edits the steps of a policy and the targets of each step. */
export function StepFields({ editor }: { readonly editor: Editor<Policy, PolicyValues> }) {
  const { values, error, change } = editor;
  const { steps } = values;
  const last = steps.at(-1)?.afterMinutes ?? -10;
  return (
    <FormSection title={own.steps} ofCards>
      {steps.map((step, index) => (
        <StepForm
          // biome-ignore lint/suspicious/noArrayIndexKey: steps have no id
          key={index}
          step={step}
          index={index}
          error={error}
          onChange={(next) => change({ steps: replaceAt(steps, index, next) })}
          onRemove={steps.length > 1 ? () => change({ steps: removeAt(steps, index) }) : null}
        />
      ))}
      {steps.length < maxSteps && (
        <Row>
          <Button
            variant="default"
            leftSection={<PlusIcon size={16} />}
            onClick={() => change({ steps: [...steps, { afterMinutes: last + 10, targets: [] }] })}
          >
            {own.addStep}
          </Button>
        </Row>
      )}
    </FormSection>
  );
}
