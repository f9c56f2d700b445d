import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { renewQueries } from "../../api/renew-queries.ts";
import { useMay } from "../../api/session.ts";
import type { AnyValues } from "../../kinds/form-values.ts";
import { guessKind } from "../../kinds/guess-kind.ts";
import { findKind, kindTargets } from "../../kinds/index.ts";
import { useFindKind } from "../../kinds/queries.ts";
import { TabBar } from "../../parts/blocks.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { FormActions } from "../../parts/form.tsx";
import { Stack } from "../../parts/layout.tsx";
import { GoLink } from "../../parts/links.tsx";
import { LoadingScreen } from "../../parts/loading.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { useSendKey } from "../../parts/send-key.ts";
import { CheckForm, CheckNotices } from "./check-form.tsx";
import { createValues, fromCopy } from "./check-values.ts";
import styles from "./editor.module.css";
import { NotAllowed } from "./editor-parts.tsx";
import { PasteList } from "./paste-list.tsx";
import { storedCheckQuery } from "./queries.ts";
import { createCheck } from "./save-check.ts";
import { useCheckEditor } from "./use-check-editor.ts";
import { words } from "./words.ts";

const from = "/signed-in/checks/new" as const;

/**
 * Returns the name of the draft. An empty form, each check type and each copied check have separate
 * drafts.
 */
function nameDraft(kind: string | undefined, copied: string | undefined): string {
  if (copied !== undefined) return `copy.${copied}`;
  return kind === undefined ? "new" : `new.${kind}`;
}

function NewCheckScreen() {
  const { tab } = useSearch({ from });
  const mayWrite = useMay("write");
  if (!mayWrite) return <NotAllowed title={words.newTitle} />;
  return (
    <>
      {tab === "list" ? (
        <>
          <PageHeader title={words.newTitle}>
            <Tabs tab="list" />
          </PageHeader>
          <PasteList />
        </>
      ) : (
        <OneCheck />
      )}
    </>
  );
}

function Tabs({ tab }: { readonly tab: "one" | "list" }) {
  const tabs = [
    { key: "one", label: words.one, href: "/checks/new" },
    { key: "list", label: words.list, href: "/checks/new?tab=list" },
  ];
  return (
    <TabBar aria-label={words.newTitle}>
      {tabs.map(({ key, label, href }) => (
        <GoLink key={key} href={href} aria-current={key === tab ? "page" : undefined}>
          {label}
        </GoLink>
      ))}
    </TabBar>
  );
}

/** Shows the form of a new check. For a copy, the form waits until the original is loaded. */
function OneCheck() {
  const { kind, from: copied } = useSearch({ from });
  const [discarded, setDiscarded] = useState(0);
  const findLimits = useFindKind();
  const original = useQuery({ ...storedCheckQuery(copied ?? ""), enabled: copied !== undefined });
  if (original.error) {
    return (
      <Stack gap={4} className={styles.screen}>
        <ErrorPanel error={original.error} title={words.notLoaded} onRetry={original.refetch} />
      </Stack>
    );
  }
  if (copied !== undefined && original.data === undefined) return <LoadingScreen />;
  const chosen = findKind(kind);
  const [usual] = kindTargets;
  const start = original.data
    ? fromCopy(original.data.data, findLimits(original.data.data.checkType))
    : createValues(findLimits(chosen?.type ?? usual?.type));
  const isFresh = copied === undefined && chosen === null;
  const draftKey = nameDraft(chosen?.type, copied);
  return (
    <NewCheckEditor
      // A changed key recreates the form, so that no state of a discarded draft remains.
      key={`${draftKey} ${discarded}`}
      draftKey={draftKey}
      start={start}
      isKindChosen={!isFresh}
      onDiscard={() => setDiscarded(discarded + 1)}
    />
  );
}

interface NewCheckEditorProps {
  readonly draftKey: string;
  readonly start: AnyValues;
  readonly isKindChosen: boolean;
  readonly onDiscard: () => void;
}

/**
 * Returns whether the check type of the draft differs from the type detected from the draft's
 * target.
 */
function hasChosenKind(values: AnyValues): boolean {
  const kind = findKind(values.checkType);
  const written = kind?.target?.write(values) ?? "";
  const guessed = written === "" ? kindTargets[0] : guessKind(written);
  return kind?.type !== guessed?.type;
}

function NewCheckEditor(props: NewCheckEditorProps) {
  const { draftKey, start, isKindChosen, onDiscard } = props;
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const findKey = useSendKey();
  const editor = useCheckEditor({
    draftKey,
    stored: null,
    initial: start,
    send: (values, kind) => createCheck(values, kind, findKey),
    onSaved: async ({ data }) => {
      editor.close();
      void renewQueries(queryClient, ["checks"]);
      await navigate({ href: `/checks/${data.id}`, ignoreBlocker: true });
    },
  });
  const [isChosen, setChosen] = useState(
    () => isKindChosen || (editor.isRestored && hasChosenKind(editor.values)),
  );
  const discard = () => {
    editor.close();
    onDiscard();
  };
  return (
    <>
      <PageHeader title={words.newTitle}>
        <Tabs tab="one" />
      </PageHeader>
      <CheckForm
        editor={editor}
        checkId={null}
        isKindChosen={isChosen}
        onChooseKind={() => setChosen(true)}
        onSave={editor.save}
        notices={<CheckNotices editor={editor} checkId={null} onDiscard={discard} />}
        actions={
          <FormActions>
            <Button type="submit" loading={editor.isSaving}>
              {words.create}
            </Button>
          </FormActions>
        }
      />
    </>
  );
}

export const route = createLazyRoute(from)({ component: NewCheckScreen });
