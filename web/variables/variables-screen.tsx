import { Button, Modal, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQueryClient, useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { api, type Schemas, send, sendFull } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import {
  EditorNotices,
  getFieldError,
  getFormError,
  ifMatch,
  type Naming,
  useEditor,
  type Version,
} from "../editing/index.ts";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { FormLayout, Row, ScreenBody } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { mask } from "../parts/secrets.ts";
import tableStyles from "../parts/table.module.css";
import textStyles from "../parts/text.module.css";
import styles from "../settings/settings.module.css";
import { variablesQuery } from "./queries.ts";
import { words } from "./words.ts";

type Variable = Schemas["Variable"];
type Kind = keyof typeof words.kinds;

function kindOf({ locked, secret }: Variable): Kind {
  if (secret) return "secret";
  return locked ? "locked" : "plain";
}

interface Values {
  readonly key: string;
  /** Value of the variable. A secret has a mask instead, because browsers never receive secrets. */
  readonly value: string;
  readonly kind: Kind;
}

const newVariable: Values = { key: "", value: "", kind: "plain" };

function toValues(variable: Variable): Values {
  const { key, value, secret } = variable;
  return { key, value: secret ? mask : (value ?? ""), kind: kindOf(variable) };
}

function sendVariable(
  { key, value, kind }: Values,
  version: Version<Variable> | null,
): Promise<Version<Variable>> {
  const flags = { locked: kind === "locked", secret: kind === "secret" };
  if (version === null) {
    return sendFull(api.POST("/v1/variables", { body: { key, value, ...flags } }));
  }
  const kept = version.data.secret && value === "" ? mask : value;
  const params = { path: { key }, header: ifMatch(version.etag) };
  return sendFull(api.PUT("/v1/variables/{key}", { params, body: { value: kept, ...flags } }));
}

const fetchVariable = (key: string): Promise<Version<Variable>> =>
  sendFull(api.GET("/v1/variables/{key}", { params: { path: { key } } }));

const naming: Naming = {
  subject: words.subject,
  labels: new Map([
    ["value", words.value],
    ["kind", words.shown],
  ]),
  format: (path, value) => (path === "kind" ? words.kinds[value as Kind] : undefined),
};

interface VariableDialogProps {
  /** Stored variable to edit; `null` for a new variable. */
  readonly stored: Version<Variable> | null;
  readonly onClose: () => void;
}

function useVariableEditor({ stored, onClose }: VariableDialogProps) {
  const queryClient = useQueryClient();
  return useEditor<Variable, Values>({
    // No draft is stored, because the value may be a secret, which must not be in browser storage.
    draftKey: null,
    stored,
    initial: newVariable,
    toValues,
    send: sendVariable,
    refetch: ({ key }) => fetchVariable(key),
    onSaved: async (_saved, isNew) => {
      onClose();
      showNotice({ text: isNew ? words.created : words.changed });
      await renewQueries(queryClient, ["variables"]);
    },
  });
}

function VariableDialog(props: VariableDialogProps) {
  const { onClose } = props;
  const editor = useVariableEditor(props);
  const { values, change, error } = editor;
  const variable = editor.version?.data ?? null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    editor.save();
  };
  const wasSecret = variable?.secret === true;
  const beside = getFormError(error, ["key", "value"]);
  return (
    <Modal
      opened
      onClose={onClose}
      title={variable === null ? words.createTitle : words.changeTitle(variable.key)}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <FormLayout onSubmit={submit}>
        <EditorNotices
          editor={editor}
          owned={variable && { type: "environment-variable", id: variable.key }}
          {...naming}
        />
        {variable === null && (
          <TextInput
            label={words.key}
            description={words.keyHint}
            required
            maxLength={255}
            data-autofocus
            spellCheck={false}
            value={values.key}
            error={getFieldError(error, "key")}
            onChange={(event) => change({ key: event.currentTarget.value })}
          />
        )}
        <Textarea
          label={words.value}
          description={wasSecret ? words.secretHint : undefined}
          autosize={false}
          rows={3}
          spellCheck={false}
          value={values.value === mask ? "" : values.value}
          error={getFieldError(error, "value")}
          onChange={(event) => change({ value: event.currentTarget.value })}
        />
        <NativeSelect
          label={words.shown}
          description={wasSecret ? words.secretStays : words.kindHint}
          value={values.kind}
          disabled={wasSecret}
          onChange={(event) => change({ kind: event.currentTarget.value as Kind })}
          data={Object.entries(words.kinds).map(([value, label]) => ({ value, label }))}
        />
        {beside && <ErrorPanel error={beside} />}
        <Row>
          <Button type="submit" loading={editor.isSaving}>
            {words.save}
          </Button>
        </Row>
      </FormLayout>
    </Modal>
  );
}

interface VariableTableProps {
  readonly variables: readonly Variable[];
  readonly onChange: (variable: Variable) => void;
  readonly onRemove: (variable: Variable) => void;
}

function VariableTable({ variables, onChange, onRemove }: VariableTableProps) {
  const mayWrite = useMay("write");
  return (
    <table className={`${tableStyles.table} ${tableStyles.cards}`}>
      <thead>
        <tr>
          <th>{words.key}</th>
          <th>{words.value}</th>
          <th>{words.shown}</th>
          {mayWrite && (
            <th>
              <span className="unseen">{words.change}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {variables.map((variable) => (
          <tr key={variable.key}>
            <td>
              <code>{variable.key}</code>
            </td>
            <td data-label={words.value}>
              {variable.value === null ? (
                <span className={textStyles.muted}>{words.hidden}</span>
              ) : (
                <code>{variable.value}</code>
              )}
            </td>
            <td data-label={words.shown}>{words.kinds[kindOf(variable)]}</td>
            {mayWrite && (
              <td className={textStyles.end}>
                <Row as="span">
                  <Button
                    variant="default"
                    size="xs"
                    onClick={() => onChange(variable)}
                    aria-label={`${words.change} ${variable.key}`}
                  >
                    {words.change}
                  </Button>
                  <Button
                    variant="default"
                    size="xs"
                    onClick={() => onRemove(variable)}
                    aria-label={`${words.remove} ${variable.key}`}
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

function RemoveDialog({ variable, onClose }: { variable: Variable; onClose: () => void }) {
  const queryClient = useQueryClient();
  const { key } = variable;
  const removing = useMutation({
    mutationFn: () => send(api.DELETE("/v1/variables/{key}", { params: { path: { key } } })),
    onSuccess: async () => {
      onClose();
      showNotice({ text: words.removed });
      await renewQueries(queryClient, ["variables"]);
    },
  });
  return (
    <ConfirmDialog
      isOpen
      title={words.removeTitle(key)}
      action={words.remove}
      isBusy={removing.isPending}
      onConfirm={() => removing.mutate()}
      onCancel={onClose}
    >
      <p>{words.removeText(key)}</p>
      {removing.error && <ErrorPanel error={removing.error} />}
    </ConfirmDialog>
  );
}

function VariablesScreen() {
  const mayWrite = useMay("write");
  const { data, error, refetch, hasNextPage, fetchNextPage } =
    useSuspenseInfiniteQuery(variablesQuery);
  const [edited, setEdited] = useState<Version<Variable> | "new" | null>(null);
  const opening = useMutation({
    mutationFn: ({ key }: Variable) => fetchVariable(key),
    onSuccess: setEdited,
  });
  const [removed, setRemoved] = useState<Variable | null>(null);
  const variables = data.pages.flatMap((page) => page.data);
  const create = mayWrite && <Button onClick={() => setEdited("new")}>{words.create}</Button>;
  return (
    <>
      <PageHeader title={words.title} actions={create}>
        <p className={textStyles.muted}>{words.intro}</p>
      </PageHeader>
      <ScreenBody className={styles.body}>
        {error && <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />}
        {opening.error && <ErrorPanel error={opening.error} />}
        {variables.length === 0 && (
          <EmptyState title={words.empty}>
            <p>{words.emptyText}</p>
          </EmptyState>
        )}
        {variables.length > 0 && (
          <VariableTable variables={variables} onChange={opening.mutate} onRemove={setRemoved} />
        )}
        {hasNextPage && (
          <div>
            <Button variant="default" onClick={() => fetchNextPage()}>
              {words.more}
            </Button>
          </div>
        )}
      </ScreenBody>
      {edited !== null && (
        <VariableDialog stored={edited === "new" ? null : edited} onClose={() => setEdited(null)} />
      )}
      {removed && <RemoveDialog variable={removed} onClose={() => setRemoved(null)} />}
    </>
  );
}

export const route = createLazyRoute("/signed-in/settings/variables")({
  component: VariablesScreen,
});
