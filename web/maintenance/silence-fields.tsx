import { Checkbox, Switch, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { faultOf } from "../parts/field-fault.ts";
import { CloseIcon } from "../parts/icons.tsx";
import styles from "./maintenance.module.css";
import { checkSearchQuery, groupNamesQuery, tagsQuery } from "./queries.ts";
import { toggled } from "./toggled.ts";
import type { FormProps } from "./window-form.tsx";
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
    <div className={styles.field}>
      <TextInput
        label={own.tags}
        description={own.tagsHint}
        value={values.tags}
        readOnly={isReadOnly}
        error={faultOf(error, "tags")}
        onChange={(event) => onChange({ tags: event.currentTarget.value })}
      />
      {!isReadOnly && known.length > 0 && (
        <div className={styles.suggestions}>
          {known.slice(0, maxTags).map(({ value, count }) => (
            <button
              key={value}
              type="button"
              className={styles.lengthChip}
              aria-pressed={chosen.includes(value)}
              onClick={() => onChange({ tags: toggled(chosen, value).join(", ") })}
            >
              {value} <span className={styles.faint}>{count}</span>
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function GroupField({ values, isReadOnly, error, onChange }: FormProps) {
  const { data: groups } = useQuery(groupNamesQuery);
  if (groups === undefined || groups.length === 0) return null;
  return (
    <Checkbox.Group
      label={own.groups}
      error={faultOf(error, "groupIds")}
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

function CheckField({ values, isReadOnly, error, onChange }: FormProps) {
  const [search, setSearch] = useState("");
  const { data } = useQuery(checkSearchQuery(useDeferredValue(search.trim())));
  const chosen = new Set(values.checks.map(({ id }) => id));
  const found = search.trim() === "" ? [] : (data?.entries ?? []);
  return (
    <div className={styles.field}>
      <TextInput
        label={own.checks}
        placeholder={own.findCheck}
        value={search}
        readOnly={isReadOnly}
        error={faultOf(error, "checkIds")}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      {found.length > 0 && (
        <ul className={styles.found}>
          {found
            .filter(({ checkId }) => !chosen.has(checkId))
            .map(({ checkId, name, target }) => (
              <li key={checkId}>
                <button
                  type="button"
                  className={styles.foundCheck}
                  aria-label={own.addCheck(name)}
                  onClick={() => {
                    onChange({ checks: [...values.checks, { id: checkId, name }] });
                    setSearch("");
                  }}
                >
                  <bdi>{name}</bdi> <span className={styles.faint}>{target}</span>
                </button>
              </li>
            ))}
        </ul>
      )}
      {values.checks.length > 0 && (
        <ul className={styles.suggestions}>
          {values.checks.map(({ id, name }) => (
            <li key={id} className={styles.chosen}>
              <bdi>{name ?? own.deletedCheck}</bdi>
              {!isReadOnly && (
                <button
                  type="button"
                  className={styles.drop}
                  aria-label={own.removeCheck(name ?? own.deletedCheck)}
                  onClick={() => onChange({ checks: values.checks.filter((one) => one.id !== id) })}
                >
                  <CloseIcon size={14} />
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Which checks send no alerts while the window is open. */
export function SilenceFields(props: FormProps) {
  const { values, isReadOnly, onChange } = props;
  return (
    <section className={styles.fields} aria-label={own.silences}>
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
    </section>
  );
}
