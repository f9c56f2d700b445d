import { Button, Modal } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api, send } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { useMay } from "../../api/session.ts";
import { useLoaded } from "../../api/use-loaded.ts";
import { CopyButton } from "../../parts/buttons.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Row, ScreenBody, Stack } from "../../parts/layout.tsx";
import { Skeleton } from "../../parts/loading.tsx";
import { showNotice } from "../../parts/notices.tsx";
import tableStyles from "../../parts/table.module.css";
import textStyles from "../../parts/text.module.css";
import { Ago } from "../../parts/time.tsx";
import { overviewsQuery, pageQuery, type StoredPage } from "../queries.ts";
import styles from "./audience.module.css";
import { type CreatedKey, keysQuery, type PageKey, useChangePage } from "./queries.ts";
import { words } from "./words.ts";

const own = words.access;
const from = "/signed-in/status-pages/$statusPageId/access" as const;

function Visibility({ stored, address }: { readonly stored: StoredPage; address: string }) {
  const { isPrivate } = stored.data;
  const mayWrite = useMay("write");
  const [isConfirming, setConfirming] = useState(false);
  const change = useChangePage(stored, () => {
    setConfirming(false);
    showNotice({ text: isPrivate ? own.madePublic : own.madePrivate });
  });
  const action = isPrivate ? own.makePublic : own.makePrivate;
  return (
    <Stack as="section" align="start" className={styles.section}>
      <h2>{own.title}</h2>
      <p>{isPrivate ? own.private : own.public}</p>
      {mayWrite && (
        <Button variant="default" onClick={() => setConfirming(true)}>
          {action}
        </Button>
      )}
      <ConfirmDialog
        isOpen={isConfirming}
        title={isPrivate ? own.publicTitle : own.privateTitle}
        action={action}
        isBusy={change.isPending}
        onConfirm={() => change.mutate({ isPrivate: !isPrivate })}
        onCancel={() => setConfirming(false)}
      >
        <p>{isPrivate ? own.publicText(address) : own.privateText}</p>
        {change.error && <ErrorPanel error={change.error} title={words.notSaved} />}
      </ConfirmDialog>
    </Stack>
  );
}

interface ShownKeyProps {
  readonly created: CreatedKey;
  readonly address: string;
  readonly onClose: () => void;
}

/** Shows a new key and a link that contains the key. They cannot be shown again. */
function ShownKey({ created, address, onClose }: ShownKeyProps) {
  const link = `${address}?key=${created.rawKey}`;
  return (
    <Modal
      opened
      onClose={onClose}
      title={own.shownTitle}
      closeButtonProps={{ "aria-label": "Close" }}
      // Clicking outside must not close the dialog, because the key cannot be shown again.
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack align="start" className={styles.section}>
        <p>{own.shownOnce}</p>
        <code className={`${textStyles.code} ${styles.wide}`}>{created.rawKey}</code>
        <CopyButton text={created.rawKey} label={own.copyKey} />
        <p>{own.link}</p>
        <code className={`${textStyles.code} ${styles.wide}`}>{link}</code>
        <CopyButton text={link} label={own.copyLink} />
        <p className={textStyles.muted}>{own.linkHint}</p>
        <Button onClick={onClose}>{words.done}</Button>
      </Stack>
    </Modal>
  );
}

interface KeyChange {
  readonly key: PageKey;
  readonly kind: "replace" | "revoke";
}

interface KeyDialogProps {
  readonly statusPageId: string;
  readonly change: KeyChange;
  readonly onShown: (created: CreatedKey) => void;
  readonly onClose: () => void;
}

function KeyDialog({ statusPageId, change, onShown, onClose }: KeyDialogProps) {
  const { key, kind } = change;
  const client = useQueryClient();
  const params = { path: { statusPageId, keyId: key.id } };
  const run = useMutation({
    mutationFn: async () => {
      if (kind === "replace") {
        const path = "/v1/status-pages/{statusPageId}/keys/{keyId}/rotate";
        return send(api.POST(path, { params }));
      }
      await send(api.DELETE("/v1/status-pages/{statusPageId}/keys/{keyId}", { params }));
      return null;
    },
    onSuccess: async (created) => {
      onClose();
      if (created === null) showNotice({ text: own.revoked });
      else onShown(created);
      await renewQueries(client, keysQuery(statusPageId).queryKey);
    },
  });
  const isReplacing = kind === "replace";
  return (
    <ConfirmDialog
      isOpen
      title={isReplacing ? own.replaceTitle(key.maskedKey) : own.revokeTitle(key.maskedKey)}
      action={isReplacing ? own.replace : own.revoke}
      isBusy={run.isPending}
      onConfirm={() => run.mutate()}
      onCancel={onClose}
    >
      <p>{isReplacing ? own.replaceText : own.revokeText}</p>
      {run.error && <ErrorPanel error={run.error} />}
    </ConfirmDialog>
  );
}

interface KeyTableProps {
  readonly keys: readonly PageKey[];
  readonly onChange: (change: KeyChange) => void;
}

function KeyTable({ keys, onChange }: KeyTableProps) {
  const mayWrite = useMay("write");
  return (
    <table className={`${tableStyles.table} ${tableStyles.cards}`}>
      <thead>
        <tr>
          <th>{own.key}</th>
          <th>{own.created}</th>
          <th>{own.lastUsed}</th>
          <th>
            <span className="unseen">{words.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.id}>
            <td className={`${textStyles.mono} ${textStyles.wrap}`}>{key.maskedKey}</td>
            <td data-label={own.created} className={textStyles.nowrap}>
              {key.created_at}
              {key.updated_at !== null && (
                <span className={textStyles.muted}>
                  {" "}
                  {own.replaced} {key.updated_at}
                </span>
              )}
            </td>
            <td data-label={own.lastUsed}>
              {key.lastUsedAt === null ? own.never : <Ago at={key.lastUsedAt} />}
            </td>
            <td>
              {mayWrite && (
                <Row as="span">
                  {(["replace", "revoke"] as const).map((kind) => (
                    <Button
                      key={kind}
                      variant="default"
                      size="xs"
                      aria-label={`${own[kind]} ${key.maskedKey}`}
                      onClick={() => onChange({ key, kind })}
                    >
                      {own[kind]}
                    </Button>
                  ))}
                </Row>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Keys({ stored, address }: { readonly stored: StoredPage; address: string }) {
  const { id, isPrivate } = stored.data;
  const client = useQueryClient();
  const mayWrite = useMay("write");
  const { data: keys, error, refetch } = useQuery(keysQuery(id));
  const [shown, setShown] = useState<CreatedKey | null>(null);
  const [change, setChange] = useState<KeyChange | null>(null);
  const create = useMutation({
    mutationFn: () =>
      send(
        api.POST("/v1/status-pages/{statusPageId}/keys", {
          params: { path: { statusPageId: id } },
        }),
      ),
    onSuccess: async (created) => {
      setShown(created);
      await renewQueries(client, keysQuery(id).queryKey);
    },
  });
  return (
    <Stack as="section" align="start" className={styles.section}>
      <h2>{own.keys}</h2>
      <p className={textStyles.muted}>{isPrivate ? own.keysText : own.keysOfPublic}</p>
      {error && <ErrorPanel error={error} title={words.notLoaded} onRetry={() => void refetch()} />}
      {!error && keys === undefined && <Skeleton rows={2} />}
      {keys?.length === 0 && isPrivate && (
        <EmptyState title={own.empty}>
          <p>{own.emptyText}</p>
        </EmptyState>
      )}
      {keys !== undefined && keys.length > 0 && <KeyTable keys={keys} onChange={setChange} />}
      {create.error && <ErrorPanel error={create.error} />}
      {mayWrite && (
        <Button loading={create.isPending} onClick={() => create.mutate()}>
          {own.create}
        </Button>
      )}
      {shown && <ShownKey created={shown} address={address} onClose={() => setShown(null)} />}
      {change && (
        <KeyDialog
          statusPageId={id}
          change={change}
          onShown={setShown}
          onClose={() => setChange(null)}
        />
      )}
    </Stack>
  );
}

function AccessScreen() {
  const { statusPageId } = useParams({ from });
  const { data: stored } = useLoaded(pageQuery(statusPageId));
  const { data: overviews } = useQuery(overviewsQuery);
  const address =
    overviews?.get(statusPageId)?.address ?? `${location.origin}/status/${stored.data.url}/`;
  return (
    <ScreenBody className={styles.body}>
      <Visibility stored={stored} address={address} />
      <Keys stored={stored} address={address} />
    </ScreenBody>
  );
}

export const route = createLazyRoute(from)({ component: AccessScreen });
