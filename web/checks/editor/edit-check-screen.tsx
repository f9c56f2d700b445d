import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { useMay } from "../../api/session.ts";
import { useDeletion } from "../../api/use-deletion.ts";
import { type Fields, getText } from "../../kinds/fields.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { LoadingScreen } from "../../parts/loading.tsx";
import { showNotice } from "../../parts/notices.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { deleteCheck, listCheckKeys } from "../delete-check.ts";
import { useIsPhone } from "../list/use-is-phone.ts";
import { ChangedBanner } from "./changed-banner.tsx";
import { isNews } from "./changes.ts";
import { CheckForm, formId } from "./check-form.tsx";
import { fromCheck } from "./check-values.ts";
import { type Conflict, ConflictPanel } from "./conflict-panel.tsx";
import { type Draft, readDraft } from "./draft.ts";
import styles from "./editor.module.css";
import { GoLink } from "./go-link.tsx";
import { LeaveGuard } from "./leave-guard.tsx";
import { NotAllowed } from "./not-allowed.tsx";
import { editedCheckQuery, fetchCheck, type StoredCheck } from "./queries.ts";
import { RestoredBanner } from "./restored-banner.tsx";
import { changeCheck } from "./save-check.ts";
import { type CheckEditor, useCheckEditor } from "./use-check-editor.ts";
import { words } from "./words.ts";

const from = "/signed-in/checks/$checkId/edit" as const;

function EditCheckScreen() {
  const { checkId } = useParams({ from });
  if (!useMay("write")) return <NotAllowed title={words.editTitle} />;
  return <EditedCheck checkId={checkId} />;
}

function EditedCheck({ checkId }: { readonly checkId: string }) {
  const { data, error, refetch } = useQuery(editedCheckQuery(checkId));
  if (error) {
    return (
      <div className={styles.screen}>
        <ErrorPanel error={error} title={words.notLoaded} onRetry={refetch} />
      </div>
    );
  }
  if (data === undefined) return <LoadingScreen />;
  return <CheckEditing key={checkId} checkId={checkId} stored={data} draft={readDraft(checkId)} />;
}

interface CheckEditingProps {
  readonly checkId: string;
  readonly stored: StoredCheck;
  readonly draft: Draft | null;
}

function useSave(checkId: string, editor: CheckEditor) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const [isSaved, setSaved] = useState(false);
  const save = useMutation({
    mutationFn: async () => {
      const base = editor.base ?? {};
      const { values, etag } = editor;
      try {
        await changeCheck(checkId, { base, values, etag });
        return null;
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 412) throw error;
        return meetOthers(checkId, { base, mine: values });
      }
    },
    onSuccess: async (met) => {
      setConflict(met);
      if (met !== null) return;
      editor.settle();
      setSaved(true);
      void queryClient.invalidateQueries({ queryKey: ["checks"] });
      showNotice({ text: words.saved });
      await navigate({ href: `/checks/${checkId}`, ignoreBlocker: true });
    },
    onError: (error) => editor.refuse(error),
  });
  return { save, conflict, setConflict, isSaved };
}

/** Null: what is stored differs in nothing that anybody sees, so my changes go on top of it. */
async function meetOthers(
  checkId: string,
  { base, mine }: { readonly base: Fields; readonly mine: Fields },
): Promise<Conflict | null> {
  const { check, etag } = await fetchCheck(checkId);
  const theirs = fromCheck(check);
  if (isNews(base, mine, theirs)) return { base, mine, theirs, etag };
  await changeCheck(checkId, { base, values: mine, etag });
  return null;
}

function CheckEditing({ checkId, stored, draft }: CheckEditingProps) {
  const start = fromCheck(stored.check);
  const { etag } = stored;
  const editor = useCheckEditor({ draftKey: checkId, start, base: start, etag, draft });
  const { save, conflict, setConflict, isSaved } = useSave(checkId, editor);
  const name = getText(stored.check, "name");
  const isPhone = useIsPhone();
  const settle = (values: Fields) => {
    if (conflict === null) return;
    editor.rebase(conflict.theirs, conflict.etag, values);
    setConflict(null);
  };
  const buttons = (
    <>
      <Button component={GoLink} href={`/checks/${checkId}`} variant="default">
        {words.cancel}
      </Button>
      <Button type="submit" form={formId} loading={save.isPending}>
        {words.save}
      </Button>
    </>
  );
  return (
    <>
      <PageHeader title={`${words.editTitle} ${name}`} actions={isPhone ? undefined : buttons} />
      <CheckForm
        editor={editor}
        checkId={checkId}
        onSave={() => !save.isPending && save.mutate()}
        notices={
          <>
            <RestoredBanner editor={editor} draft={draft} start={start} />
            {conflict ? (
              <ConflictPanel conflict={conflict} labels={editor.labels} onSettle={settle} />
            ) : (
              !isSaved && <ChangedBanner checkId={checkId} editor={editor} onShow={setConflict} />
            )}
          </>
        }
        actions={
          <>
            {buttons}
            <DeleteAndCopy checkId={checkId} name={name} onGone={editor.settle} />
          </>
        }
      />
      <LeaveGuard isDirty={editor.isDirty && !isSaved} onGiveUp={editor.settle} />
    </>
  );
}

interface DeleteAndCopyProps {
  readonly checkId: string;
  readonly name: string;
  readonly onGone: () => void;
}

function DeleteAndCopy({ checkId, name, onGone }: DeleteAndCopyProps) {
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const remove = useDeletion({
    of: listCheckKeys(checkId),
    send: () => deleteCheck(checkId),
    leave: () => {
      onGone();
      setAsking(false);
      showNotice({ text: `${words.deleted}: ${name}` });
      return navigate({ href: "/checks", ignoreBlocker: true });
    },
    renew: [["checks"]],
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
  });
  return (
    <>
      <Button
        component={GoLink}
        href={`/checks/new?from=${checkId}`}
        variant="default"
        className={styles.end ?? ""}
      >
        {words.duplicate}
      </Button>
      <Button variant="outline" color="red" onClick={() => setAsking(true)}>
        {words.delete}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title={words.deleteTitle}
        action={words.deleteAction}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onCancel={() => setAsking(false)}
      >
        <p>{words.deleteText(name)}</p>
      </ConfirmDialog>
    </>
  );
}

export const route = createLazyRoute(from)({ component: EditCheckScreen });
