import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useEffect, useRef } from "react";
import { EditorNotices } from "../../editing/index.ts";
import { EditorContext } from "../../kinds/editor/editor-context.ts";
import { VariableNames } from "../../kinds/editor/variable-completion.tsx";
import type { AnyValues } from "../../kinds/form-values.ts";
import { findKind } from "../../kinds/index.ts";
import type { KindEditor } from "../../kinds/kind.ts";
import { kindEditorQuery } from "../../kinds/queries.ts";
import { builtInNames } from "../../kinds/variable-names.ts";
import { Callout } from "../../parts/blocks.tsx";
import { getList, getNumber } from "../../parts/fields.ts";
import { Row, Stack } from "../../parts/layout.tsx";
import { Skeleton } from "../../parts/loading.tsx";
import { useIsNarrow } from "../../parts/use-is-phone.ts";
import { CheckAside, TryBox } from "./check-aside.tsx";
import styles from "./editor.module.css";
import { MoreFields } from "./more-fields.tsx";
import { NotificationFields } from "./notification-fields.tsx";
import { groupsQuery, variableKeysQuery } from "./queries.ts";
import { RetryField } from "./retry-field.tsx";
import { Section } from "./section.tsx";
import { goToField } from "./show-refusal.ts";
import { UndefinedVariables } from "./undefined-variables.tsx";
import type { CheckEditor } from "./use-check-editor.ts";
import { summarize } from "./use-check-editor.ts";
import { WhatFields } from "./what-fields.tsx";
import { WhenFields } from "./when-fields.tsx";
import { words } from "./words.ts";

const listKeys = (variables: readonly { readonly key?: string | undefined }[]) =>
  variables.map(({ key = "" }) => key).filter((key) => key !== "");

/**
 * Returns the variables available to this check: its own, its group's, the account's and the
 * built-in ones. `null` while loading, or if the check type has no variables.
 */
function useVariableNames(values: AnyValues): string[] | null {
  const isUsed = values.environmentVariables !== undefined && JSON.stringify(values).includes("{{");
  const groupId = getNumber(values, "groupId");
  const { data: ofAccount } = useQuery({ ...variableKeysQuery, enabled: isUsed });
  const { data: groups } = useQuery({ ...groupsQuery, enabled: isUsed && groupId !== null });
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

export const formId = "check-editor";

interface CheckNoticesProps {
  readonly editor: CheckEditor;
  /** `null` for a new check. */
  readonly checkId: string | null;
  readonly onDiscard?: () => void;
}

/** Notices above the fields: a restored draft, changes of other writers. */
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
  /** `null` for a new check. */
  readonly checkId: string | null;
  readonly isKindChosen?: boolean;
  readonly onChooseKind?: (type: string) => void;
  readonly onSave: () => void;
  /** Banners and conflicts above the fields. */
  readonly notices?: ReactNode;
  /** Content below the fields. */
  readonly actions: ReactNode;
}

/** The form of a check: target, schedule, failure conditions, notifications and more. */
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
    if (refusal !== null && form.current) goToField(form.current, refusal.keys);
  }, [refusal]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave();
  };
  return (
    <EditorContext value={editor}>
      <VariableNames value={names}>
        <div className={styles.layout}>
          <Stack
            as="form"
            gap={6}
            className={styles.form}
            id={formId}
            ref={form}
            onSubmit={submit}
            noValidate
          >
            {notices}
            {refusal && (
              <Callout as="p" tone="bad" role="alert">
                <strong>{refusal.title}.</strong> {summarize(refusal, editor.labels)}
                {refusal.requestId && ` ${words.requestId} ${refusal.requestId}`}
              </Callout>
            )}
            <Section title={words.what}>
              <WhatFields
                key={checkId ?? "new"}
                editor={editor}
                isKindChosen={props.isKindChosen ?? true}
                onChooseKind={props.onChooseKind ?? (() => {})}
              />
              {own?.WhatFields && <own.WhatFields />}
              <UndefinedVariables editor={editor} names={names} form={form.current} />
            </Section>
            {isNarrow && <TryBox editor={editor} own={own ?? null} checkId={checkId} />}
            {own === undefined || kind === null ? (
              <Skeleton rows={6} />
            ) : (
              <KindSections own={own} kind={kind} />
            )}
            <Row className={styles.bar}>{actions}</Row>
          </Stack>
          <CheckAside editor={editor} own={own ?? null} checkId={checkId} hasTry={!isNarrow} />
        </div>
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
      <Section title={own.WhenFields ? words.whenHeartbeat : words.when}>
        {own.WhenFields ? <own.WhenFields /> : <WhenFields />}
      </Section>
      <Section title={words.failing}>
        {own.FailingFields && <own.FailingFields />}
        {kind.isOrdered && <RetryField />}
      </Section>
      <Section title={words.told}>
        <NotificationFields />
      </Section>
      <MoreFields kind={kind}>{own.MoreFields && <own.MoreFields />}</MoreFields>
    </>
  );
}
