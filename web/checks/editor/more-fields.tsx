import { NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useEditor } from "../../kinds/editor/editor-context.ts";
import { anyFields } from "../../kinds/editor/fields.tsx";
import { PairsField } from "../../kinds/editor/pairs-field.tsx";
import type { AnyValues } from "../../kinds/form-values.ts";
import type { KindTarget } from "../../kinds/kind.ts";
import { countOf, formatFamily } from "../../kinds/sentences.ts";
import blockStyles from "../../parts/blocks.module.css";
import { getFlag, getList, getNumber, getText, getTexts } from "../../parts/fields.ts";
import { FieldRow } from "../../parts/form.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import { groupNamesQuery } from "../../parts/queries.ts";
import { TagsField } from "../../parts/tags-field.tsx";
import textStyles from "../../parts/text.module.css";
import styles from "./editor.module.css";
import { words } from "./words.ts";

const { FlagField, LongTextField } = anyFields;

interface MoreFieldsProps {
  readonly kind: KindTarget;
  readonly children: ReactNode;
}

/** Summarises the collapsed settings, for example "no group, no tags, active". */
function describeMore({ ipFamilyPath }: KindTarget, values: AnyValues): string {
  const count = getTexts(values, "tags").length;
  const variables = getList(values, "environmentVariables").length;
  const family = ipFamilyPath === undefined ? "" : getText(values, ipFamilyPath);
  return [
    getNumber(values, "groupId") === null ? "no group" : "in a group",
    count === 0 ? "no tags" : countOf(count, "tag"),
    ...(family === "" ? [] : [formatFamily(family)]),
    ...(variables === 0 ? [] : [countOf(variables, "variable")]),
    getFlag(values, "activated") ? "active" : "not active",
    ...(getFlag(values, "muted") ? ["muted"] : []),
    ...(getFlag(values, "shouldFail") ? ["upside down"] : []),
  ].join(", ");
}

/** Shows rarely changed settings, collapsed under a one-line summary. */
export function MoreFields({ kind, children }: MoreFieldsProps) {
  const { values } = useEditor();
  return (
    <details className={styles.more}>
      <Row as="summary" gap={3} tight align="baseline" className={styles.summary}>
        <span className={textStyles.strong}>{words.more}</span>
        <span className={textStyles.hint}>{describeMore(kind, values)}</span>
      </Row>
      <Stack gap={4} className={`${blockStyles.card} ${styles.fields}`}>
        <FieldRow>
          <GroupField />
          <OwnTagsField />
        </FieldRow>
        <LongTextField
          path="description"
          label={words.description}
          hint={words.descriptionHint}
          rows={3}
        />
        {children}
        <FlagField path="activated" label={words.activated} />
        <FlagField path="muted" label={words.muted} />
        {kind.isOrdered && <FlagField path="shouldFail" label={words.shouldFail} />}
        {values.environmentVariables !== undefined && (
          <PairsField
            path="environmentVariables"
            label={words.variables}
            one={words.variable}
            hint={words.variablesHint}
            secretField="secret"
          />
        )}
      </Stack>
    </details>
  );
}

interface GroupFieldProps {
  /** Name of a group to create with the checks; `null` to select an existing one. */
  readonly newName?: string | null;
  readonly onNewName?: (name: string | null) => void;
}

const newGroup = "new";

export function GroupField({ newName = null, onNewName }: GroupFieldProps) {
  const { values, set, findFieldError, noteLabel } = useEditor();
  const { data = [] } = useQuery(groupNamesQuery);
  noteLabel("groupId", words.group);
  const id = getNumber(values, "groupId");
  const isListed = id === null || data.some((group) => group.id === id);
  const select = (
    <NativeSelect
      label={words.group}
      data-path="groupId"
      error={findFieldError("groupId")}
      data={[
        { value: "", label: words.noGroup },
        ...data.map((group) => ({ value: String(group.id), label: group.name })),
        ...(isListed ? [] : [{ value: String(id), label: String(id) }]),
        ...(onNewName ? [{ value: newGroup, label: words.newGroup }] : []),
      ]}
      value={newName === null ? String(id ?? "") : newGroup}
      onChange={({ currentTarget: { value } }) => {
        onNewName?.(value === newGroup ? "" : null);
        set("groupId", value === "" || value === newGroup ? null : Number(value));
      }}
    />
  );
  if (newName === null) return select;
  return (
    <Stack gap={2}>
      {select}
      <TextInput
        aria-label={words.newGroupName}
        placeholder={words.newGroupName}
        maxLength={255}
        autoFocus
        value={newName}
        onChange={({ currentTarget }) => onNewName?.(currentTarget.value)}
      />
    </Stack>
  );
}

function splitTags(text: string): string[] {
  const tags = text.split(",").map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ""))];
}

/**
 * Edits the tags of a check. The field keeps the typed text unchanged. If it removed a trailing
 * comma, the user could not type the next tag.
 */
export function OwnTagsField() {
  const { values, set, findFieldError, noteLabel } = useEditor();
  noteLabel("tags", words.tags);
  const tags = getTexts(values, "tags");
  const [typed, setTyped] = useState(tags.join(", "));
  const shown = splitTags(typed).join() === tags.join() ? typed : tags.join(", ");
  const faults = tags.map((_, index) => findFieldError(`tags.${index}`));
  return (
    <TagsField
      label={words.tags}
      placeholder={words.tagsExample}
      data-path="tags"
      error={findFieldError("tags") ?? faults.find(Boolean)}
      value={shown}
      onChange={(value) => {
        setTyped(value);
        set("tags", splitTags(value));
      }}
    />
  );
}
