import { Checkbox, NativeSelect, NumberInput, Switch, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getFieldError } from "../editing/index.ts";
import buttonStyles from "../parts/buttons.module.css";
import { CheckPicker } from "../parts/check-picker.tsx";
import { ChoiceColumns, FieldRow, FormSection } from "../parts/form.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import { groupNamesQuery, tagsQuery } from "../parts/queries.ts";
import textStyles from "../parts/text.module.css";
import { ownZone } from "../parts/time-zones.ts";
import { ZoneSelect } from "../parts/zone-select.tsx";
import styles from "./maintenance.module.css";
import { PageFields } from "./page-fields.tsx";
import { formatSpan, isSameClock, toTimestampMs } from "./sentences.ts";
import { type FormProps, toggled, type WindowValues } from "./values.ts";
import { words } from "./words.ts";

const maxTags = 12;

function TagField({ values, isReadOnly, error, onChange }: FormProps) {
  const { data: known = [] } = useQuery(tagsQuery);
  const chosen = values.tags
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);
  return (
    <Stack gap={2}>
      <TextInput
        label={own.tags}
        description={own.tagsHint}
        value={values.tags}
        readOnly={isReadOnly}
        error={getFieldError(error, "tags")}
        onChange={(event) => onChange({ tags: event.currentTarget.value })}
      />
      {!isReadOnly && known.length > 0 && (
        <Row>
          {known.slice(0, maxTags).map(({ value, count }) => (
            <button
              key={value}
              type="button"
              className={buttonStyles.chip}
              aria-pressed={chosen.includes(value)}
              onClick={() => onChange({ tags: toggled(chosen, value).join(", ") })}
            >
              {value} <span className={styles.faint}>{count}</span>
            </button>
          ))}
        </Row>
      )}
    </Stack>
  );
}

function GroupField({ values, isReadOnly, error, onChange }: FormProps) {
  const { data: groups } = useQuery(groupNamesQuery);
  if (groups === undefined || groups.length === 0) return null;
  return (
    <Checkbox.Group
      label={own.groups}
      error={getFieldError(error, "groupIds")}
      value={values.groupIds.map(String)}
      readOnly={isReadOnly}
    >
      <ChoiceColumns>
        {groups.map(({ id, name }) => (
          <Checkbox
            key={id}
            value={String(id)}
            label={name}
            disabled={isReadOnly}
            onChange={() => onChange({ groupIds: toggled(values.groupIds, id) })}
          />
        ))}
      </ChoiceColumns>
    </Checkbox.Group>
  );
}

function CheckField({ values, checkNames, isReadOnly, error, onChange }: FormProps) {
  return (
    <CheckPicker
      label={own.checks}
      chosen={values.checkIds.map((id) => ({ id, name: checkNames.get(id) ?? null }))}
      isReadOnly={isReadOnly}
      fault={getFieldError(error, "checkIds")}
      formatRemoveLabel={own.removeCheck}
      onChange={(checks) => onChange({ checkIds: checks.map(({ id }) => id) })}
    />
  );
}

/** Selects the checks that send no alerts during the window. */
function SilenceFields(props: FormProps) {
  const { values, isReadOnly, onChange } = props;
  return (
    <FormSection title={own.silences}>
      <Switch
        label={own.all}
        description={own.allHint}
        checked={values.silencesAll}
        disabled={isReadOnly}
        onChange={(event) => onChange({ silencesAll: event.currentTarget.checked })}
      />
      {!values.silencesAll && (
        <>
          <TagField {...props} />
          <GroupField {...props} />
          <CheckField {...props} />
        </>
      )}
    </FormSection>
  );
}

const own = words.form;

const lengths = [
  [30, "30 min"],
  [60, "1 h"],
  [120, "2 h"],
  [240, "4 h"],
  [480, "8 h"],
  [1_440, "1 d"],
] as const;

function LengthField({ values, isReadOnly, error, onChange }: FormProps) {
  return (
    <Stack gap={2}>
      <Row as="fieldset" disabled={isReadOnly}>
        <legend className={textStyles.legend}>{own.length}</legend>
        {lengths.map(([minutes, label]) => (
          <button
            key={minutes}
            type="button"
            className={buttonStyles.chip}
            aria-pressed={values.minutes === minutes}
            onClick={() => onChange({ minutes })}
          >
            {label}
          </button>
        ))}
      </Row>
      <NumberInput
        className={styles.short ?? ""}
        label={own.minutes}
        value={values.minutes}
        min={1}
        max={1_000_000}
        readOnly={isReadOnly}
        error={getFieldError(error, "endsAt")}
        onChange={(minutes) => onChange({ minutes: Number(minutes) })}
      />
    </Stack>
  );
}

/** Shows the start in the user's time zone if it differs from the window's time zone. */
function OwnTime({ values }: { readonly values: WindowValues }) {
  const startsAtMs = toTimestampMs(values.startsAt, values.timezone);
  if (Number.isNaN(startsAtMs) || !(values.minutes > 0)) return null;
  const startsAt = new Date(startsAtMs).toISOString();
  if (isSameClock(values.timezone, startsAt)) return null;
  const endsAt = new Date(startsAtMs + values.minutes * 60_000).toISOString();
  return <p className={styles.faint}>{own.yours(formatSpan(startsAt, endsAt), ownZone)}</p>;
}

function WhenFields(props: FormProps) {
  const { values, isReadOnly, error, onChange } = props;
  return (
    <FormSection title={own.when}>
      <FieldRow>
        <TextInput
          type="datetime-local"
          label={own.start}
          value={values.startsAt}
          readOnly={isReadOnly}
          error={getFieldError(error, "startsAt")}
          onChange={(event) => onChange({ startsAt: event.currentTarget.value })}
        />
        <ZoneSelect
          label={own.timezone}
          description={own.timezoneHint}
          value={values.timezone}
          disabled={isReadOnly}
          error={getFieldError(error, "timezone")}
          onChange={(timezone) => timezone && onChange({ timezone })}
        />
      </FieldRow>
      <OwnTime values={values} />
      <LengthField {...props} />
      <RepeatFields {...props} />
    </FormSection>
  );
}

function RepeatFields({ values, isReadOnly, error, onChange }: FormProps) {
  const { repeatUnit } = values;
  return (
    <>
      <NativeSelect
        label={own.repeats}
        value={repeatUnit}
        disabled={isReadOnly}
        data={[
          { value: "", label: own.once },
          { value: "DAY", label: own.DAY },
          { value: "WEEK", label: own.WEEK },
          { value: "MONTH", label: own.MONTH },
        ]}
        onChange={(event) =>
          onChange({ repeatUnit: event.currentTarget.value as WindowValues["repeatUnit"] })
        }
      />
      {repeatUnit !== "" && (
        <FieldRow>
          <NumberInput
            label={own.every[repeatUnit]}
            value={values.repeatInterval}
            min={1}
            max={10_000}
            readOnly={isReadOnly}
            error={getFieldError(error, "repeatInterval")}
            onChange={(value) => onChange({ repeatInterval: Number(value) || 1 })}
          />
          <TextInput
            type="date"
            label={own.until}
            description={own.untilHint}
            value={values.repeatUntil}
            readOnly={isReadOnly}
            error={getFieldError(error, "repeatEndsAt")}
            onChange={(event) => onChange({ repeatUntil: event.currentTarget.value })}
          />
        </FieldRow>
      )}
    </>
  );
}

function WhatFields({ values, isReadOnly, error, onChange }: FormProps) {
  return (
    <FormSection title={own.what}>
      <TextInput
        label={own.name}
        placeholder={own.namePlaceholder}
        value={values.name}
        maxLength={200}
        required
        readOnly={isReadOnly}
        error={getFieldError(error, "name")}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
    </FormSection>
  );
}

export function WindowForm(props: FormProps) {
  return (
    <>
      <WhatFields {...props} />
      <WhenFields {...props} />
      <SilenceFields {...props} />
      <PageFields {...props} />
    </>
  );
}
