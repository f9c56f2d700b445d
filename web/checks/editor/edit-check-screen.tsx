import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, useNavigate, useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useDeletion } from "../../api/deletion.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { useMay } from "../../api/session.ts";
import { useLoaded } from "../../api/use-loaded.ts";
import type { Version } from "../../editing/index.ts";
import type { Check } from "../../kinds/form-values.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { GonePanel } from "../../parts/error-panel.tsx";
import { FormActions } from "../../parts/form.tsx";
import { GoLink } from "../../parts/links.tsx";
import { showNotice } from "../../parts/notices.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { deleteCheck, listCheckKeys } from "../delete-check.ts";
import { CheckForm, CheckNotices } from "./check-form.tsx";
import { NotAllowed } from "./editor-parts.tsx";
import { fetchCheck, storedCheckQuery } from "./queries.ts";
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
  const { data, error } = useLoaded(storedCheckQuery(checkId));
  return (
    <CheckEditing
      key={checkId}
      checkId={checkId}
      stored={data}
      notice={<GonePanel error={error} />}
    />
  );
}

interface CheckEditingProps {
  readonly checkId: string;
  readonly stored: Version<Check>;
  readonly notice: ReactNode;
}

function useStoredCheckEditor(checkId: string, stored: Version<Check>): CheckEditor {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const editor = useCheckEditor({
    draftKey: checkId,
    stored,
    send: (values, kind, version) => changeCheck(values, kind, version ?? stored),
    refetch: () => fetchCheck(checkId),
    onSaved: async () => {
      editor.close();
      void renewQueries(queryClient, ["checks"]);
      showNotice({ text: words.saved });
      await navigate({ href: `/checks/${checkId}`, ignoreBlocker: true });
    },
  });
  return editor;
}

function CheckEditing({ checkId, stored, notice }: CheckEditingProps) {
  const editor = useStoredCheckEditor(checkId, stored);
  const { name } = stored.data;
  return (
    <>
      <PageHeader title={`${words.editTitle} ${name}`} />
      <CheckForm
        editor={editor}
        checkId={checkId}
        onSave={editor.save}
        notices={
          <>
            {notice}
            <CheckNotices editor={editor} checkId={checkId} />
          </>
        }
        actions={
          <FormActions
            atEnd={<DeleteAndCopy checkId={checkId} name={name} onGone={editor.close} />}
          >
            <Button type="submit" loading={editor.isSaving}>
              {words.save}
            </Button>
            <Button component={GoLink} href={`/checks/${checkId}`} variant="default">
              {words.cancel}
            </Button>
          </FormActions>
        }
      />
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
  const [isConfirming, setConfirming] = useState(false);
  const remove = useDeletion({
    of: listCheckKeys(checkId),
    send: () => deleteCheck(checkId),
    leave: () => {
      onGone();
      setConfirming(false);
      showNotice({ text: `${words.deleted}: ${name}` });
      return navigate({ href: "/checks", ignoreBlocker: true });
    },
    renew: [["checks"]],
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
  });
  return (
    <>
      <Button component={GoLink} href={`/checks/new?from=${checkId}`} variant="default">
        {words.duplicate}
      </Button>
      <Button variant="outline" color="red" onClick={() => setConfirming(true)}>
        {words.delete}
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        title={words.deleteTitle}
        action={words.deleteAction}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onCancel={() => setConfirming(false)}
      >
        <p>{words.deleteText(name)}</p>
      </ConfirmDialog>
    </>
  );
}

export const route = createLazyRoute(from)({ component: EditCheckScreen });
