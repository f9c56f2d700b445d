import { Checkbox, NativeSelect, Switch, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getFieldError } from "../editing/index.ts";
import buttonStyles from "../parts/buttons.module.css";
import { ChoiceColumns, FormSection } from "../parts/form.tsx";
import { Row } from "../parts/layout.tsx";
import { pageNamesQuery } from "../parts/queries.ts";
import textStyles from "../parts/text.module.css";
import styles from "./maintenance.module.css";
import { servicesQuery } from "./queries.ts";
import type { FormProps, WindowValues } from "./values.ts";
import { toggled } from "./values.ts";
import { words } from "./words.ts";

const own = words.form;
type Visibility = WindowValues["visibility"];

interface PartProps {
  readonly visibility: Visibility;
  readonly isReadOnly: boolean;
  readonly onChange: (change: Partial<Visibility>) => void;
}

interface ChoiceProps {
  readonly label: string;
  readonly description?: string;
  readonly items: readonly { readonly id: string; readonly name: string }[];
  readonly chosen: readonly string[];
  readonly isReadOnly: boolean;
  readonly onChange: (ids: string[]) => void;
}

function Choice({ label, description, items, chosen, isReadOnly, onChange }: ChoiceProps) {
  if (items.length === 0) return null;
  return (
    <Checkbox.Group
      label={label}
      {...(description !== undefined && { description })}
      value={[...chosen]}
      readOnly={isReadOnly}
    >
      <ChoiceColumns>
        {items.map(({ id, name }) => (
          <Checkbox
            key={id}
            value={id}
            label={name}
            disabled={isReadOnly}
            onChange={() => onChange(toggled(chosen, id))}
          />
        ))}
      </ChoiceColumns>
    </Checkbox.Group>
  );
}

function WhereFields({ visibility, isReadOnly, onChange }: PartProps) {
  const { data: pages } = useQuery(pageNamesQuery);
  const { data: services } = useQuery(servicesQuery);
  return (
    <>
      {pages?.length === 0 && <p className={styles.faint}>{own.noPages}</p>}
      <Choice
        label={own.whichPages}
        description={own.whichPagesHint}
        items={pages ?? []}
        chosen={visibility.statusPageIds}
        isReadOnly={isReadOnly}
        onChange={(statusPageIds) => onChange({ statusPageIds })}
      />
      <Checkbox
        label={own.allServices}
        checked={visibility.affectAllServices}
        disabled={isReadOnly}
        onChange={(event) => onChange({ affectAllServices: event.currentTarget.checked })}
      />
      {!visibility.affectAllServices && (
        <Choice
          label={own.services}
          items={services ?? []}
          chosen={visibility.serviceIds}
          isReadOnly={isReadOnly}
          onChange={(serviceIds) => onChange({ serviceIds })}
        />
      )}
      <NativeSelect
        label={own.severity}
        value={visibility.severity ?? ""}
        disabled={isReadOnly}
        data={[
          { value: "", label: own.noSeverity },
          ...["MINOR", "MEDIUM", "MAJOR", "CRITICAL"].map((value) => ({
            value,
            label: value.charAt(0) + value.slice(1).toLowerCase(),
          })),
        ]}
        onChange={(event) => {
          const value = event.currentTarget.value as NonNullable<Visibility["severity"]> | "";
          onChange({ severity: value === "" ? null : value });
        }}
      />
    </>
  );
}

const reminders = [60, 1_440, 10_080];

function NotifyFields({ visibility, isReadOnly, onChange }: PartProps) {
  const chosen = visibility.reminderMinutesBefore;
  const flags = [
    ["notifyOnStart", own.notifyOnStart],
    ["notifyOnEnd", own.notifyOnEnd],
  ] as const;
  const others = [...new Set([...reminders, ...chosen])].sort((one, other) => one - other);
  return (
    <Row as="fieldset" disabled={isReadOnly}>
      <legend className={textStyles.legend}>{own.tell}</legend>
      {others.map((minutes) => (
        <button
          key={minutes}
          type="button"
          className={buttonStyles.chip}
          aria-pressed={chosen.includes(minutes)}
          disabled={!chosen.includes(minutes) && chosen.length >= 3}
          onClick={() => onChange({ reminderMinutesBefore: toggled(chosen, minutes) })}
        >
          {own.reminder[minutes] ?? `${minutes} min`} before
        </button>
      ))}
      {flags.map(([field, label]) => (
        <button
          key={field}
          type="button"
          className={buttonStyles.chip}
          aria-pressed={visibility[field]}
          onClick={() => onChange({ [field]: !visibility[field] })}
        >
          {label}
        </button>
      ))}
    </Row>
  );
}

function HandFields({ visibility, isReadOnly, onChange }: PartProps) {
  return (
    <>
      <Switch
        label={own.suppress}
        checked={visibility.suppressAutoIncidents}
        disabled={isReadOnly}
        onChange={(event) => onChange({ suppressAutoIncidents: event.currentTarget.checked })}
      />
      <Switch
        label={own.byHandStart}
        description={own.byHandStartHint}
        checked={!visibility.autoStart}
        disabled={isReadOnly}
        onChange={(event) => onChange({ autoStart: !event.currentTarget.checked })}
      />
      <Switch
        label={own.byHandEnd}
        description={own.byHandEndHint}
        checked={!visibility.autoEnd}
        disabled={isReadOnly}
        onChange={(event) => onChange({ autoEnd: !event.currentTarget.checked })}
      />
    </>
  );
}

/** Edits how status pages show the maintenance and whether subscribers are notified. */
export function PageFields({ values, isReadOnly, error, onChange }: FormProps) {
  const { visibility } = values;
  const part = {
    visibility,
    isReadOnly,
    onChange: (change: Partial<Visibility>) =>
      onChange({ visibility: { ...visibility, ...change } }),
  };
  return (
    <FormSection title={own.pages}>
      <Switch
        label={own.show}
        description={own.showHint}
        checked={visibility.enabled}
        disabled={isReadOnly}
        onChange={(event) => part.onChange({ enabled: event.currentTarget.checked })}
      />
      {visibility.enabled && (
        <>
          <Textarea
            label={own.description}
            description={own.descriptionHint}
            value={values.description}
            maxLength={2_000}
            rows={3}
            readOnly={isReadOnly}
            error={getFieldError(error, "description")}
            onChange={(event) => onChange({ description: event.currentTarget.value })}
          />
          <WhereFields {...part} />
          <NotifyFields {...part} />
          <HandFields {...part} />
        </>
      )}
    </FormSection>
  );
}
