import { Button, NativeSelect, Radio, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { api, send } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { keepDraftText, readDraftText } from "../../editing/index.ts";
import { EditorContext, type FieldEditor } from "../../kinds/editor/editor-context.ts";
import type { AnyValues, CheckKind } from "../../kinds/form-values.ts";
import { findKind, kindTargets } from "../../kinds/index.ts";
import type { KindTarget } from "../../kinds/kind.ts";
import {
  bareNameKinds,
  changeItemKind,
  type LeftOut,
  type ListItem,
  parseList,
  toStoredText,
} from "../../kinds/list/parse-list.ts";
import { useFindKind } from "../../kinds/queries.ts";
import { Callout } from "../../parts/blocks.tsx";
import { IconButton } from "../../parts/buttons.tsx";
import { mergeFields, setAt } from "../../parts/fields.ts";
import { FieldRow, FormActions, FormSection } from "../../parts/form.tsx";
import { CloseIcon } from "../../parts/icons.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import { GoLink } from "../../parts/links.tsx";
import { lacksPasswords } from "../../parts/secrets.ts";
import { useSendKey } from "../../parts/send-key.ts";
import { StateMark } from "../../parts/state-mark.tsx";
import textStyles from "../../parts/text.module.css";
import { createValues, toNewBody } from "./check-values.ts";
import styles from "./editor.module.css";

import { GroupField, OwnTagsField } from "./more-fields.tsx";
import { Channels } from "./notification-fields.tsx";
import listStyles from "./paste-list.module.css";
import { asCreateBody } from "./save-check.ts";
import { FrequencyField } from "./when-fields.tsx";
import { listWords, words } from "./words.ts";

/** Returns the initial settings that all checks of a pasted list share. */
const createListSettings = (): AnyValues => ({ frequency: 1, groupId: null, tags: [] });

interface PasteSettingsProps {
  readonly settings: AnyValues;
  readonly onChange: (change: (before: AnyValues) => AnyValues) => void;
  readonly bareNames: readonly ListItem[];
  readonly onBareKind: (kind: KindTarget) => void;
  readonly newGroup: string | null;
  readonly onNewGroup: (name: string | null) => void;
}

/** Edits the frequency, group, tags and channels of all checks in the pasted list. */
function PasteSettings(props: PasteSettingsProps) {
  const { settings, onChange, bareNames, onBareKind } = props;
  // The fields take their limits from a check type. All check types that a list can contain have
  // the same limits for these fields, so any of the types can be used here.
  const kind = useFindKind()(bareNameKinds[0]?.type);
  const editor = useMemo(
    (): FieldEditor => ({
      values: settings,
      kind,
      isNew: true,
      set: (path, value) => onChange((before) => setAt(before, path, value)),
      merge: (fields) => onChange((before) => mergeFields(before, fields)),
      findFieldError: () => null,
      noteLabel: () => {},
    }),
    [settings, kind, onChange],
  );
  return (
    <EditorContext value={editor}>
      <FormSection title={listWords.settings}>
        <FieldRow>
          <FrequencyField />
          <GroupField newName={props.newGroup} onNewName={props.onNewGroup} />
          <OwnTagsField />
        </FieldRow>
        <Channels />
        {bareNames.length > 0 && <BareNames items={bareNames} onChoose={onBareKind} />}
      </FormSection>
    </EditorContext>
  );
}

interface BareNamesProps {
  readonly items: readonly ListItem[];
  readonly onChoose: (kind: KindTarget) => void;
}

function BareNames({ items, onChoose }: BareNamesProps) {
  const types = new Set(items.map(({ checkType }) => checkType));
  const [only] = types;
  return (
    <Radio.Group
      label={listWords.bareNames(items.length)}
      value={types.size === 1 ? (only ?? "") : ""}
      onChange={(type) => {
        const kind = bareNameKinds.find((one) => one.type === type);
        if (kind) onChoose(kind);
      }}
    >
      <Row gap={6}>
        {bareNameKinds.map(({ type, label }) => (
          <Radio key={type} value={type} label={label} />
        ))}
      </Row>
    </Radio.Group>
  );
}

const draftKey = "list";

interface LineOutcome {
  readonly id: string | null;
  readonly message: string | null;
}

interface ListedItem extends ListItem {
  readonly outcome: LineOutcome | null;
}

function toBody({ checkType, name, target }: ListItem, kind: CheckKind, settings: AnyValues) {
  const read = findKind(checkType)?.target?.read(target) ?? {};
  const values = mergeFields(createValues(kind), read);
  return asCreateBody(toNewBody({ ...values, name, ...settings }, kind));
}

/** Returns the state of the pasted list: its checks, the user's edits and the creation results. */
function useList() {
  const queryClient = useQueryClient();
  const findLimits = useFindKind();
  const [text, setText] = useState(() => readDraftText(draftKey));
  const [settings, setSettings] = useState(createListSettings);
  const [newGroup, setNewGroup] = useState<string | null>(null);
  const [edited, setEdited] = useState<readonly ListedItem[] | null>(null);
  const parsed = useMemo(() => parseList(text), [text]);
  const items = edited ?? parsed.items.map((item) => ({ ...item, outcome: null }));
  const open = items.filter(({ outcome }) => outcome?.id == null);
  const findKey = useSendKey();
  /** Creates the new group, if the user named one. A repeated attempt uses it again. */
  const saveGroup = async () => {
    const name = newGroup?.trim() ?? "";
    if (name === "") return settings;
    const { id: groupId } = await send(api.POST("/v1/check-groups", { body: { name } }));
    await renewQueries(queryClient, ["groups"]);
    setSettings((before) => ({ ...before, groupId }));
    setNewGroup(null);
    return { ...settings, groupId };
  };
  const create = useMutation({
    mutationFn: async () => {
      const shared = await saveGroup();
      const checks = open.map((item) => toBody(item, findLimits(item.checkType), shared));
      const body = { checks };
      const params = { header: { "idempotency-key": findKey(body) } };
      return send(api.POST("/v1/checks/many", { params, body }));
    },
    onSuccess: ({ items: outcomes, refused }) => {
      if (refused === 0) keepDraftText(draftKey, "");
      const byLine = new Map(
        open.map(({ line }, index) => {
          const { id = null, error = null } = outcomes[index] ?? {};
          return [line, { id, message: error?.message ?? null }];
        }),
      );
      setEdited(items.map((item) => ({ ...item, outcome: byLine.get(item.line) ?? item.outcome })));
      void renewQueries(queryClient, ["checks"]);
    },
  });
  const paste = (pasted: string) => {
    setText(pasted);
    keepDraftText(draftKey, toStoredText(pasted));
    setEdited(null);
  };
  const change = (line: number, part: Partial<ListItem>) =>
    setEdited(items.map((item) => (item.line === line ? { ...item, ...part } : item)));
  const changeBareNames = (kind: KindTarget) =>
    setEdited(
      items.map((item) =>
        item.isBareName && item.outcome?.id == null
          ? { ...changeItemKind(item, kind), outcome: item.outcome }
          : item,
      ),
    );
  const remove = (line: number) => setEdited(items.filter((item) => item.line !== line));
  return {
    ...{ text, paste, parsed, items, open, change, changeBareNames, remove, create },
    ...{ settings, setSettings, newGroup, setNewGroup },
  };
}

/** Creates checks from pasted lines in one request, after the user has reviewed them. */
export function PasteList() {
  const list = useList();
  const { text, parsed, items, open, create } = list;
  const created = items.filter(({ outcome }) => outcome?.id != null).length;
  const refused = items.filter(({ outcome }) => outcome?.message != null).length;
  const { error } = create;
  return (
    <Stack gap={4} className={styles.screen}>
      <Textarea
        label={listWords.paste}
        description={listWords.pasteHint}
        classNames={{ input: `${textStyles.mono} ${textStyles.small}` }}
        rows={8}
        autoFocus
        spellCheck={false}
        value={text}
        onChange={({ currentTarget }) => list.paste(currentTarget.value)}
      />
      {lacksPasswords(text) && <p className={textStyles.hint}>{listWords.passwordsNotKept}</p>}
      <LeftOutLines lines={parsed.leftOut} isCut={parsed.isCut} />
      {items.length === 0 ? (
        <p className={textStyles.hint}>{listWords.empty}</p>
      ) : (
        <>
          {open.length > 0 && (
            <PasteSettings
              settings={list.settings}
              onChange={list.setSettings}
              bareNames={open.filter(({ isBareName }) => isBareName)}
              onBareKind={list.changeBareNames}
              newGroup={list.newGroup}
              onNewGroup={list.setNewGroup}
            />
          )}
          <ListTable items={items} onChange={list.change} onRemove={list.remove} />
        </>
      )}
      {error instanceof ApiError && (
        <Callout as="p" tone="bad" role="alert">
          <strong>{words.notSaved}.</strong> {error.message}
        </Callout>
      )}
      {items.length > 0 && (
        <FormActions>
          {open.length > 0 && (
            <Button loading={create.isPending} onClick={() => create.mutate()}>
              {refused > 0 ? listWords.retryRefused(open.length) : listWords.createAll(open.length)}
            </Button>
          )}
          {created + refused > 0 && (
            <p role="status">
              <strong>{listWords.summary(created, refused)}</strong>{" "}
              <GoLink href="/checks">{listWords.toChecks}</GoLink>
            </p>
          )}
        </FormActions>
      )}
    </Stack>
  );
}

interface ListTableProps {
  readonly items: readonly ListedItem[];
  readonly onChange: (line: number, part: Partial<ListItem>) => void;
  readonly onRemove: (line: number) => void;
}

const kindChoices = kindTargets
  .filter(({ target }) => target !== null)
  .map(({ type, label }) => ({ value: type, label }));

function ListTable({ items, onChange, onRemove }: ListTableProps) {
  return (
    <table className={listStyles.table}>
      <caption className={listStyles.caption}>{listWords.found(items.length)}</caption>
      <thead>
        <tr>
          <th scope="col">{listWords.line}</th>
          <th scope="col">{listWords.kind}</th>
          <th scope="col">{listWords.name}</th>
          <th scope="col">{listWords.target}</th>
          <th scope="col">{listWords.result}</th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <ListRow key={item.line} item={item} onChange={onChange} onRemove={onRemove} />
        ))}
      </tbody>
    </table>
  );
}

interface ListRowProps extends Omit<ListTableProps, "items"> {
  readonly item: ListedItem;
}

function ListRow({ item, onChange, onRemove }: ListRowProps) {
  const { line, checkType, name, target, outcome } = item;
  const isDone = outcome?.id != null;
  return (
    <tr>
      <td className={listStyles.line}>{line}</td>
      <td>
        <NativeSelect
          aria-label={`${listWords.kind}, ${listWords.line} ${line}`}
          data={kindChoices}
          value={checkType}
          disabled={isDone}
          onChange={({ currentTarget }) => onChange(line, { checkType: currentTarget.value })}
        />
      </td>
      <td>
        <TextInput
          aria-label={`${listWords.name}, ${listWords.line} ${line}`}
          value={name}
          disabled={isDone}
          onChange={({ currentTarget }) => onChange(line, { name: currentTarget.value })}
        />
      </td>
      <td>
        <TextInput
          aria-label={`${listWords.target}, ${listWords.line} ${line}`}
          value={target}
          disabled={isDone}
          spellCheck={false}
          onChange={({ currentTarget }) => onChange(line, { target: currentTarget.value })}
        />
      </td>
      <td className={listStyles.outcome}>
        {outcome === null ? (
          <IconButton aria-label={listWords.remove(name)} onClick={() => onRemove(line)}>
            <CloseIcon size={14} />
          </IconButton>
        ) : (
          <Outcome outcome={outcome} />
        )}
      </td>
    </tr>
  );
}

function Outcome({ outcome }: { readonly outcome: LineOutcome }) {
  if (outcome.id !== null) {
    return <GoLink href={`/checks/${outcome.id}`}>{listWords.created}</GoLink>;
  }
  return (
    <span className={textStyles.fault}>
      <StateMark state="failing" size={14} /> {listWords.refused}: {outcome.message}
    </span>
  );
}

interface LeftOutLinesProps {
  readonly lines: readonly LeftOut[];
  readonly isCut: boolean;
}

const maxShown = 100;

function LeftOutLines({ lines, isCut }: LeftOutLinesProps) {
  if (lines.length === 0 && !isCut) return null;
  return (
    <details open={lines.length <= 10}>
      <summary>{listWords.leftOut(lines.length)}</summary>
      {isCut && <p>{listWords.isCut}</p>}
      <Stack as="ul" gap={1} className={listStyles.leftOut}>
        {lines.slice(0, maxShown).map(({ line, text, reason, of }) => (
          <li key={line}>
            {listWords.line} {line}: <code>{text}</code> {listWords.reasons[reason]} {of}
          </li>
        ))}
      </Stack>
    </details>
  );
}
