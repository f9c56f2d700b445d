import { Button, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { EditorNotices } from "../../editing/index.ts";
import { EditorContext, useEditor } from "../../kinds/editor/editor-context.ts";
import { VariableNames } from "../../kinds/editor/variable-completion.tsx";
import { type AnyValues, builtInNames, listUndefinedNames } from "../../kinds/form-values.ts";
import { findKind } from "../../kinds/index.ts";
import type { KindEditor } from "../../kinds/kind.ts";
import { kindEditorQuery } from "../../kinds/queries.ts";
import { locationsQuery, privateNamesQuery } from "../../locations/index.ts";
import blockStyles from "../../parts/blocks.module.css";
import { Callout } from "../../parts/blocks.tsx";
import { getList, getNumber, isSame } from "../../parts/fields.ts";
import { EditorForm, EditorLayout, FormSection } from "../../parts/form.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import { Skeleton } from "../../parts/loading.tsx";
import { groupNamesQuery } from "../../parts/queries.ts";
import textStyles from "../../parts/text.module.css";
import { useIsNarrow } from "../../parts/use-is-phone.ts";
import { describeSchedule } from "./describe-check.ts";
import styles from "./editor.module.css";
import { MoreFields } from "./more-fields.tsx";
import { NotificationFields } from "./notification-fields.tsx";
import { channelsQuery, variableKeysQuery } from "./queries.ts";
import { TryPanel } from "./try-panel.tsx";
import { type CheckEditor, summarize } from "./use-check-editor.ts";
import { WhatFields } from "./what-fields.tsx";
import { WhenFields } from "./when-fields.tsx";
import { words } from "./words.ts";

interface CheckAsideProps {
  readonly editor: CheckEditor;
  readonly own: KindEditor | null;
  readonly checkId: string | null;
  /**
   * Whether this panel shows the test run. On a narrow screen, the form shows it near the target.
   */
  readonly hasTry: boolean;
}

/** Shows a summary of the settings and a test run beside the fields. */
function CheckAside({ editor, own, checkId, hasTry }: CheckAsideProps) {
  const { data: locations = [] } = useQuery(locationsQuery);
  const { data: privates = [] } = useQuery(privateNamesQuery);
  const { data: channels = [] } = useQuery(channelsQuery);
  const { values, kind } = editor;
  const known = {
    kind,
    locations: new Map([
      ...locations.map(({ region, name }) => [region, name] as const),
      ...privates.map(({ slugName, name }) => [slugName, name] as const),
    ]),
    channelCount: channels.length,
  };
  const sentences = [
    ...(own?.describe(values, kind.defaults) ?? []),
    ...describeSchedule(values, known),
  ];
  return (
    <Stack as="aside" gap={6} className={styles.aside}>
      <Stack as="section" className={blockStyles.card} aria-label={words.willDo}>
        <h2>{words.willDo}</h2>
        <Stack as="ul" gap={2}>
          {sentences.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </Stack>
      </Stack>
      {hasTry && <TryBox editor={editor} own={own} checkId={checkId} />}
    </Stack>
  );
}

/** Shows a test run of the settings, or explains why this check type has no test run. */
function TryBox({ editor, own, checkId }: Omit<CheckAsideProps, "hasTry">) {
  const target = findKind(editor.values.checkType);
  if (target?.isOrdered !== true) return <p className={textStyles.hint}>{target?.noTrial}</p>;
  return <TryPanel editor={editor} own={own} checkId={checkId} />;
}

/** Sorts the paths of invalid fields in the order of the form. Those without a field come last. */
function sortAsShown(form: HTMLElement | null, keys: readonly string[]): readonly string[] {
  const fields = new Map(keys.map((key) => [key, form && findField(form, key)]));
  return keys.toSorted((one, other) => {
    const [first, second] = [fields.get(one), fields.get(other)];
    if (!first || !second) return Number(!first) - Number(!second);
    const isBefore = first.compareDocumentPosition(second) & Node.DOCUMENT_POSITION_FOLLOWING;
    return isBefore ? -1 : Number(first !== second);
  });
}

/** Focuses the first of these fields that exists, and expands its section. */
function goToField(form: HTMLElement, keys: readonly string[]): void {
  const [field] = keys.flatMap((key) => findField(form, key) ?? []);
  if (field === undefined) return;
  for (let fold = field.closest("details"); fold; fold = outer(fold)) fold.open = true;
  field.focus({ preventScroll: true });
  field.scrollIntoView({ block: "center" });
}

function outer(fold: HTMLDetailsElement): HTMLDetailsElement | null {
  return fold.parentElement?.closest("details") ?? null;
}

/** Returns the form field of a path, or the field of the path's closest ancestor. */
function findField(form: HTMLElement, key: string): HTMLElement | null {
  const names = key.split(".");
  for (let length = names.length; length > 0; length -= 1) {
    const path = CSS.escape(names.slice(0, length).join("."));
    const field = form.querySelector<HTMLElement>(`[data-path~="${path}"]`);
    if (field !== null) return field;
  }
  return null;
}

interface UndefinedVariablesProps {
  readonly editor: CheckEditor;
  /** Names of the known variables; `null` while loading. */
  readonly names: readonly string[] | null;
  readonly form: HTMLElement | null;
}

const path = "environmentVariables";

/** Warns about undefined `{{NAME}}` variables and offers to define them in this check. */
function UndefinedVariables({ editor, names, form }: UndefinedVariablesProps) {
  const { values, set } = editor;
  const [added, setAdded] = useState<string | null>(null);
  // The field of the added variable exists only after the next render.
  useEffect(() => {
    if (added === null || form === null) return;
    goToField(form, [added]);
    setAdded(null);
  }, [added, form]);
  if (names === null) return null;
  const unknown = listUndefinedNames(values.request, names);
  if (unknown.length === 0) return null;
  const define = (key: string) => {
    const own = getList(values, path);
    set(path, [...own, { key, value: "", secret: false }]);
    setAdded(`${path}.${own.length}.value`);
  };
  return (
    <Callout tone="fair" role="status">
      {unknown.map((name) => (
        <Row as="p" gap={3} tight key={name}>
          <span>{words.undefinedVariable(name)}</span>
          <Button variant="default" size="compact-sm" onClick={() => define(name)}>
            {words.defineVariable(name)}
          </Button>
        </Row>
      ))}
    </Callout>
  );
}

const shared = { sameRegion: true, maxDurationSeconds: 600, onlyOn: [] };

/** Common retry strategies, which the user can select. A check with any other strategy keeps it. */
const strategies = {
  none: null,
  once: { type: "SINGLE_RETRY", baseBackoffSeconds: 0, maxRetries: 1, ...shared },
  twice: { type: "FIXED", baseBackoffSeconds: 60, maxRetries: 2, ...shared },
} as const satisfies Readonly<Record<string, AnyValues["retryStrategy"]>>;

type RetryName = keyof typeof strategies | "other";

function nameStrategy(strategy: unknown): RetryName {
  const names = Object.keys(strategies) as (keyof typeof strategies)[];
  return names.find((name) => isSame(strategies[name], strategy ?? null)) ?? "other";
}

function RetryField() {
  const { values, set, findFieldError, noteLabel } = useEditor();
  noteLabel("retryStrategy", words.retries);
  const name = nameStrategy(values.retryStrategy);
  return (
    <NativeSelect
      label={words.retries}
      data-path="retryStrategy"
      error={findFieldError("retryStrategy")}
      data={[
        { value: "none", label: words.noRetry },
        { value: "once", label: words.retryOnce },
        { value: "twice", label: words.retryTwice },
        ...(name === "other" ? [{ value: "other", label: words.retryOther }] : []),
      ]}
      value={name}
      onChange={({ currentTarget: { value } }) => {
        if (value !== "other") set("retryStrategy", strategies[value as keyof typeof strategies]);
      }}
    />
  );
}

const listKeys = (variables: readonly { readonly key?: string | undefined }[]) =>
  variables.map(({ key = "" }) => key).filter((key) => key !== "");

/**
 * Returns the names of the variables that this check can use: its own variables and those of its
 * group, of the account and of the server. Returns `null` while they load, or if the check uses
 * none.
 */
function useVariableNames(values: AnyValues): string[] | null {
  const isUsed = values.environmentVariables !== undefined && JSON.stringify(values).includes("{{");
  const groupId = getNumber(values, "groupId");
  const { data: ofAccount } = useQuery({ ...variableKeysQuery, enabled: isUsed });
  const { data: groups } = useQuery({ ...groupNamesQuery, enabled: isUsed && groupId !== null });
  if (!isUsed || ofAccount === undefined) return null;
  if (groupId !== null && groups === undefined) return null;
  const group = groups?.find(({ id }) => id === groupId);
  const names = [
    ...listKeys(getList(values, "environmentVariables")),
    ...listKeys(group?.environmentVariables ?? []),
    ...ofAccount,
    ...builtInNames,
  ];
  return [...new Set(names)];
}

interface CheckNoticesProps {
  readonly editor: CheckEditor;
  /** Id of the check; `null` for a new check. */
  readonly checkId: string | null;
  readonly onDiscard?: () => void;
}

/** Shows notices above the fields: a restored draft, or changes by other users. */
export function CheckNotices({ editor, checkId, onDiscard }: CheckNoticesProps) {
  return (
    <EditorNotices
      editor={editor}
      owned={checkId === null ? null : { type: "check", id: checkId }}
      subject={words.subject}
      labels={editor.labels}
      {...(onDiscard && { onDiscard })}
    />
  );
}

interface CheckFormProps {
  readonly editor: CheckEditor;
  /** Id of the check; `null` for a new check. */
  readonly checkId: string | null;
  readonly isKindChosen?: boolean;
  readonly onChooseKind?: (type: string) => void;
  readonly onSave: () => void;
  /** Banners and conflicts, shown above the fields. */
  readonly notices?: ReactNode;
  /** Content shown below the fields, such as the save button. */
  readonly actions: ReactNode;
}

/** Form of a check: target, schedule, failure conditions, notifications and more. */
export function CheckForm(props: CheckFormProps) {
  const { editor, checkId, onSave, notices, actions } = props;
  const { values, refusal } = editor;
  const form = useRef<HTMLFormElement>(null);
  const isNarrow = useIsNarrow();
  const type = String(values.checkType);
  const kind = findKind(type);
  const names = useVariableNames(values);
  const { data: own } = useQuery(kindEditorQuery(type));
  useEffect(() => {
    if (refusal === null || form.current === null) return;
    goToField(form.current, sortAsShown(form.current, refusal.keys));
  }, [refusal]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave();
  };
  return (
    <EditorContext value={editor}>
      <VariableNames value={names}>
        <EditorLayout>
          <EditorForm ref={form} onSubmit={submit} noValidate>
            {notices}
            {refusal && (
              <Callout as="p" tone="bad" role="alert">
                <strong>{refusal.title}.</strong>{" "}
                {summarize(
                  { ...refusal, keys: sortAsShown(form.current, refusal.keys) },
                  editor.labels,
                )}
                {refusal.requestId && ` ${words.requestId} ${refusal.requestId}`}
              </Callout>
            )}
            <FormSection title={words.what}>
              <WhatFields
                key={checkId ?? "new"}
                editor={editor}
                isKindChosen={props.isKindChosen ?? true}
                onChooseKind={props.onChooseKind ?? (() => {})}
              />
              {own?.WhatFields && <own.WhatFields />}
              <UndefinedVariables editor={editor} names={names} form={form.current} />
            </FormSection>
            {isNarrow && <TryBox editor={editor} own={own ?? null} checkId={checkId} />}
            {own === undefined || kind === null ? (
              <Skeleton rows={6} />
            ) : (
              <KindSections own={own} kind={kind} />
            )}
            {actions}
          </EditorForm>
          <CheckAside editor={editor} own={own ?? null} checkId={checkId} hasTry={!isNarrow} />
        </EditorLayout>
      </VariableNames>
    </EditorContext>
  );
}

interface KindSectionsProps {
  readonly own: KindEditor;
  readonly kind: NonNullable<ReturnType<typeof findKind>>;
}

function KindSections({ own, kind }: KindSectionsProps) {
  return (
    <>
      <FormSection title={own.WhenFields ? words.whenHeartbeat : words.when}>
        {own.WhenFields ? <own.WhenFields /> : <WhenFields />}
      </FormSection>
      <FormSection title={words.failing}>
        {own.FailingFields && <own.FailingFields />}
        {kind.isOrdered && <RetryField />}
      </FormSection>
      <FormSection title={words.told}>
        <NotificationFields />
      </FormSection>
      <MoreFields kind={kind}>{own.MoreFields && <own.MoreFields />}</MoreFields>
    </>
  );
}
