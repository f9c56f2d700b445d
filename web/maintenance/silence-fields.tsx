import { Checkbox, Switch, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getFieldError } from "../editing/index.ts";
import buttonStyles from "../parts/buttons.module.css";
import { CheckPicker } from "../parts/check-picker.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import styles from "./maintenance.module.css";
import { groupNamesQuery, tagsQuery } from "./queries.ts";
import { toggled } from "./toggled.ts";
import type { FormProps } from "./values.ts";
import { words } from "./words.ts";

const own = words.form;
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
      <div className={styles.choices}>
        {groups.map(({ id, name }) => (
          <Checkbox
            key={id}
            value={String(id)}
            label={name}
            disabled={isReadOnly}
            onChange={() => onChange({ groupIds: toggled(values.groupIds, id) })}
          />
        ))}
      </div>
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
export function SilenceFields(props: FormProps) {
  const { values, isReadOnly, onChange } = props;
  return (
    <Stack as="section" aria-label={own.silences}>
      <h2>{own.silences}</h2>
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
    </Stack>
  );
}
