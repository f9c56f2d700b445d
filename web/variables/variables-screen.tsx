import { Button } from "@mantine/core";
import { useMutation, useQueryClient, useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { useState } from "react";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import type { Version } from "../editing/index.ts";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Row, ScreenBody } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import tableStyles from "../parts/table.module.css";
import textStyles from "../parts/text.module.css";
import styles from "../settings/settings.module.css";
import { variablesQuery } from "./queries.ts";
import { fetchVariable, kindOf, type Variable, VariableDialog } from "./variable-dialog.tsx";
import { words } from "./words.ts";

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
