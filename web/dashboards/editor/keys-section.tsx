import { Button, Modal } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, send } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { CopyButton } from "../../parts/buttons.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import layoutStyles from "../../parts/layout.module.css";
import { Row, Stack } from "../../parts/layout.tsx";
import listStyles from "../../parts/list.module.css";
import { showNotice } from "../../parts/notices.tsx";
import textStyles from "../../parts/text.module.css";
import { DateTime } from "../../parts/time.tsx";
import type { Dashboard } from "../queries.ts";
import { addressOf, keysQuery } from "../queries.ts";
import { words } from "../words.ts";

const own = words.keys;
type Key = Dashboard["keys"][number];

/**
 * Shows a new key. The key cannot be shown again, so clicking outside does not close the dialog.
 */
export function ShownKey(props: {
  readonly dashboard: Dashboard;
  readonly rawKey: string | null;
  readonly onDone: () => void;
}) {
  const { dashboard, rawKey, onDone } = props;
  const address = `${location.origin}${addressOf(dashboard)}?key=${rawKey}`;
  return (
    <Modal
      opened={rawKey !== null}
      onClose={onDone}
      title={own.shownTitle}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <p>{own.shownOnce}</p>
        <code className={textStyles.code}>{rawKey}</code>
        <div>
          <CopyButton text={rawKey ?? ""} />
        </div>
        <p>{own.openWith}</p>
        <code className={textStyles.code}>{address}</code>
        <div>
          <CopyButton text={address} label="Copy address" />
        </div>
        <div>
          <Button onClick={onDone}>{own.done}</Button>
        </div>
      </Stack>
    </Modal>
  );
}

function useKeyActions(dashboardId: string, onKey: (rawKey: string) => void) {
  const client = useQueryClient();
  const renew = () => void renewQueries(client, ["dashboards"]);
  const show = ({ rawKey }: Key) => {
    renew();
    if (rawKey !== undefined) onKey(rawKey);
  };
  const onError = (error: Error) => showNotice({ text: error.message, tone: "bad" });
  const pathOf = (keyId: string) => ({ params: { path: { dashboardId, keyId } } });
  const add = useMutation({
    mutationFn: () =>
      send(api.POST("/v1/dashboards/{dashboardId}/keys", { params: { path: { dashboardId } } })),
    onSuccess: show,
    onError,
  });
  const replace = useMutation({
    mutationFn: (keyId: string) =>
      send(api.POST("/v1/dashboards/{dashboardId}/keys/{keyId}/rotate", pathOf(keyId))),
    onSuccess: show,
    onError,
  });
  const remove = useMutation({
    mutationFn: (keyId: string) =>
      send(api.DELETE("/v1/dashboards/{dashboardId}/keys/{keyId}", pathOf(keyId))),
    onSuccess: () => {
      renew();
      showNotice({ text: own.deleted });
    },
    onError,
  });
  return { add, replace, remove };
}

interface Question {
  readonly kind: "replace" | "delete";
  readonly key: Key;
}

export function KeysSection(props: {
  readonly dashboard: Dashboard;
  readonly onKey: (rawKey: string) => void;
}) {
  const { dashboardId } = props.dashboard;
  const { data: keys, error } = useQuery(keysQuery(dashboardId));
  const { add, replace, remove } = useKeyActions(dashboardId, props.onKey);
  const [question, setQuestion] = useState<Question | null>(null);
  const isReplacing = question?.kind === "replace";
  const confirm = () => {
    if (question === null) return;
    (isReplacing ? replace : remove).mutate(question.key.id);
    setQuestion(null);
  };
  const masked = question?.key.maskedKey ?? "";
  return (
    <Stack>
      <h3>{own.title}</h3>
      {error && <ErrorPanel error={error} />}
      {keys?.length === 0 && <p>{own.none}</p>}
      {keys !== undefined && keys.length > 0 && (
        <ul className={listStyles.list}>
          {keys.map((key) => (
            <Row as="li" gap={3} tight key={key.id} className={listStyles.item}>
              <code>{key.maskedKey}</code>
              <span className={`${textStyles.hint} ${textStyles.wrap}`}>
                {own.madeAt} <DateTime at={key.updated_at ?? key.created_at} />
              </span>
              <span className={layoutStyles.atFarEnd}>
                <Button
                  variant="default"
                  size="compact-sm"
                  aria-label={`${own.replace} ${key.maskedKey}`}
                  onClick={() => setQuestion({ kind: "replace", key })}
                >
                  {own.replace}
                </Button>{" "}
                <Button
                  variant="default"
                  size="compact-sm"
                  aria-label={`${own.delete} ${key.maskedKey}`}
                  onClick={() => setQuestion({ kind: "delete", key })}
                >
                  {own.delete}
                </Button>
              </span>
            </Row>
          ))}
        </ul>
      )}
      <div>
        <Button variant="default" loading={add.isPending} onClick={() => add.mutate()}>
          {own.add}
        </Button>
      </div>
      <ConfirmDialog
        isOpen={question !== null}
        title={isReplacing ? own.replaceTitle(masked) : own.deleteTitle(masked)}
        action={isReplacing ? own.replaceAction : own.deleteAction}
        onConfirm={confirm}
        onCancel={() => setQuestion(null)}
      >
        <p>{own.loss}</p>
      </ConfirmDialog>
    </Stack>
  );
}
