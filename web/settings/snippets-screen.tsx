import { Button, Modal, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { api, type Schemas, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { getFieldError, getFormError } from "../editing/index.ts";
import { snippetsQuery } from "../kinds/scripts/queries.ts";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { FormLayout, Row, ScreenBody } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import tableStyles from "../parts/table.module.css";
import textStyles from "../parts/text.module.css";
import { snippetWords as words } from "./installation-words.ts";
import styles from "./settings.module.css";

type Snippet = Schemas["Snippet"];
type Values = Pick<Snippet, "name" | "script">;

interface SnippetDialogProps {
  /** Snippet to edit; `null` for a new snippet. */
  readonly snippet: Snippet | null;
  readonly onClose: () => void;
}

function SnippetDialog({ snippet, onClose }: SnippetDialogProps) {
  const queryClient = useQueryClient();
  const [values, setValues] = useState<Values>({
    name: snippet?.name ?? "",
    script: snippet?.script ?? "",
  });
  const saving = useMutation({
    mutationFn: () =>
      send(
        snippet === null
          ? api.POST("/v1/snippets", { body: values })
          : api.PUT("/v1/snippets/{id}", { params: { path: { id: snippet.id } }, body: values }),
      ),
    onSuccess: async () => {
      onClose();
      showNotice({ text: words.saved });
      await renewQueries(queryClient, ["snippets"]);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate();
  };
  const beside = getFormError(saving.error, ["name", "script"]);
  return (
    <Modal
      opened
      onClose={onClose}
      size="xl"
      title={snippet === null ? words.create : words.changeTitle(snippet.name)}
      closeButtonProps={{ "aria-label": words.close }}
    >
      <FormLayout onSubmit={submit}>
        <TextInput
          label={words.name}
          description={words.nameHint}
          required
          maxLength={255}
          data-autofocus
          spellCheck={false}
          value={values.name}
          error={getFieldError(saving.error, "name")}
          onChange={({ currentTarget }) => setValues({ ...values, name: currentTarget.value })}
        />
        <Textarea
          label={words.script}
          autosize={false}
          rows={14}
          spellCheck={false}
          value={values.script}
          error={getFieldError(saving.error, "script")}
          onChange={({ currentTarget }) => setValues({ ...values, script: currentTarget.value })}
        />
        {beside && <ErrorPanel error={beside} />}
        <Row>
          <Button type="submit" loading={saving.isPending}>
            {words.save}
          </Button>
        </Row>
      </FormLayout>
    </Modal>
  );
}

function RemoveDialog({ snippet, onClose }: { snippet: Snippet; onClose: () => void }) {
  const queryClient = useQueryClient();
  const { id, name } = snippet;
  const removing = useMutation({
    mutationFn: () => send(api.DELETE("/v1/snippets/{id}", { params: { path: { id } } })),
    onSuccess: async () => {
      onClose();
      showNotice({ text: words.removed });
      await renewQueries(queryClient, ["snippets"]);
    },
  });
  return (
    <ConfirmDialog
      isOpen
      title={words.removeTitle(name)}
      action={words.remove}
      isBusy={removing.isPending}
      onConfirm={() => removing.mutate()}
      onCancel={onClose}
    >
      <p>{words.removeText}</p>
      {removing.error && <ErrorPanel error={removing.error} />}
    </ConfirmDialog>
  );
}

interface SnippetTableProps {
  readonly snippets: readonly Snippet[];
  readonly onChange: (snippet: Snippet) => void;
  readonly onRemove: (snippet: Snippet) => void;
}

function SnippetTable({ snippets, onChange, onRemove }: SnippetTableProps) {
  const mayWrite = useMay("write");
  return (
    <table className={`${tableStyles.table} ${tableStyles.cards}`}>
      <thead>
        <tr>
          <th>{words.name}</th>
          <th>{words.importedAs}</th>
          {mayWrite && (
            <th>
              <span className="unseen">{words.change}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {snippets.map((snippet) => (
          <tr key={snippet.id}>
            <td>{snippet.name}</td>
            <td data-label={words.importedAs}>
              <code>{words.importExample(snippet.name)}</code>
            </td>
            {mayWrite && (
              <td className={textStyles.end}>
                <Row as="span">
                  <Button
                    variant="default"
                    size="xs"
                    onClick={() => onChange(snippet)}
                    aria-label={`${words.change} ${snippet.name}`}
                  >
                    {words.change}
                  </Button>
                  <Button
                    variant="default"
                    size="xs"
                    onClick={() => onRemove(snippet)}
                    aria-label={`${words.remove} ${snippet.name}`}
                  >
                    {words.remove}
                  </Button>
                </Row>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function SnippetsScreen() {
  const mayWrite = useMay("write");
  const { data: snippets, error, refetch } = useSuspenseQuery(snippetsQuery);
  const [edited, setEdited] = useState<Snippet | "new" | null>(null);
  const [removed, setRemoved] = useState<Snippet | null>(null);
  const create = mayWrite && <Button onClick={() => setEdited("new")}>{words.create}</Button>;
  return (
    <>
      <PageHeader title={words.title} actions={create}>
        <p className={textStyles.muted}>{words.intro}</p>
      </PageHeader>
      <ScreenBody className={styles.body}>
        {error && <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />}
        {snippets.length === 0 ? (
          <EmptyState title={words.empty}>
            <p>{words.emptyText}</p>
          </EmptyState>
        ) : (
          <SnippetTable snippets={snippets} onChange={setEdited} onRemove={setRemoved} />
        )}
      </ScreenBody>
      {edited !== null && (
        <SnippetDialog snippet={edited === "new" ? null : edited} onClose={() => setEdited(null)} />
      )}
      {removed && <RemoveDialog snippet={removed} onClose={() => setRemoved(null)} />}
    </>
  );
}

export const route = createLazyRoute("/signed-in/settings/snippets")({
  component: SnippetsScreen,
});
