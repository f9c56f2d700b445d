import { Button, Modal, TextInput } from "@mantine/core";
import { useMutation, useQueryClient, useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { api, type Schemas, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay, useSession } from "../api/session.ts";
import { getFieldError, getFormError } from "../editing/index.ts";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { FormLayout, Row, ScreenBody } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import tableStyles from "../parts/table.module.css";
import textStyles from "../parts/text.module.css";
import { Ago, DateTime, formatDateTime } from "../parts/time.tsx";
import { NewKeyDialog } from "./new-key-dialog.tsx";
import { apiKeysQuery } from "./queries.ts";
import styles from "./settings.module.css";
import { words } from "./words.ts";

const own = words.keys;
type ApiKey = Schemas["ApiKey"];

function LastUse({ apiKey }: { readonly apiKey: ApiKey }) {
  if (apiKey.lastUsedAt === null) return own.neverUsed;
  return (
    <span>
      <Ago at={apiKey.lastUsedAt} />
      {apiKey.lastUsedAddress !== null && (
        <span className={textStyles.muted}>
          {" "}
          {own.from} {apiKey.lastUsedAddress}
        </span>
      )}
    </span>
  );
}

function Expiry({ at }: { readonly at: string | null }) {
  if (at === null) return own.never;
  const isPast = new Date(at).getTime() <= Date.now();
  return isPast ? <span className={textStyles.bad}>{own.expired}</span> : <DateTime at={at} />;
}

interface KeyRowProps {
  readonly apiKey: ApiKey;
  readonly onRename: () => void;
  readonly onRevoke: () => void;
}

function KeyRow({ apiKey, onRename, onRevoke }: KeyRowProps) {
  const { user } = useSession();
  const isAdmin = useMay("admin");
  const isMine = apiKey.userId === user.id;
  return (
    <tr>
      <td>
        <strong>{apiKey.name}</strong> <code className={textStyles.muted}>{apiKey.maskedKey}</code>
      </td>
      <td data-label={own.role}>{words.roles[apiKey.role]}</td>
      {isAdmin && (
        <td data-label={own.owner}>
          {isMine ? words.members.you : apiKey.userId === null ? own.ofAccount : "a member"}
        </td>
      )}
      <td data-label={own.lastUsed}>
        <LastUse apiKey={apiKey} />
      </td>
      <td data-label={own.expires}>
        <Expiry at={apiKey.expiresAt} />
      </td>
      <td className={textStyles.end}>
        <Row as="span">
          <Button
            variant="default"
            size="xs"
            onClick={onRename}
            aria-label={`${own.rename} ${apiKey.name}`}
          >
            {own.rename}
          </Button>
          <Button
            variant="default"
            size="xs"
            onClick={onRevoke}
            aria-label={`${own.revoke} ${apiKey.name}`}
          >
            {own.revoke}
          </Button>
        </Row>
      </td>
    </tr>
  );
}

function RevokeDialog({ apiKey, onClose }: { apiKey: ApiKey | null; onClose: () => void }) {
  const queryClient = useQueryClient();
  const revoke = useMutation({
    mutationFn: (id: string) => send(api.DELETE("/v1/api-keys/{id}", { params: { path: { id } } })),
    onSuccess: async () => {
      onClose();
      showNotice({ text: own.revoked });
      await renewQueries(queryClient, ["api-keys"]);
    },
  });
  if (apiKey === null) return null;
  const { lastUsedAt } = apiKey;
  const used =
    lastUsedAt === null ? own.neverUsedText : own.lastUsedText(formatDateTime(lastUsedAt));
  return (
    <ConfirmDialog
      isOpen
      title={own.revokeTitle(apiKey.name)}
      action={own.revoke}
      isBusy={revoke.isPending}
      onConfirm={() => revoke.mutate(apiKey.id)}
      onCancel={onClose}
    >
      <p>{own.revokeText(apiKey.name, used)}</p>
      {revoke.error && <ErrorPanel error={revoke.error} />}
    </ConfirmDialog>
  );
}

function RenameDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState(apiKey.name);
  const rename = useMutation({
    mutationFn: () =>
      send(api.PATCH("/v1/api-keys/{id}", { params: { path: { id: apiKey.id } }, body: { name } })),
    onSuccess: async () => {
      onClose();
      await renewQueries(queryClient, ["api-keys"]);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rename.mutate();
  };
  const beside = getFormError(rename.error, ["name"]);
  return (
    <Modal opened onClose={onClose} title={own.rename} closeButtonProps={{ "aria-label": "Close" }}>
      <FormLayout onSubmit={submit}>
        <TextInput
          label={own.name}
          required
          maxLength={255}
          data-autofocus
          value={name}
          error={getFieldError(rename.error, "name")}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {beside && <ErrorPanel error={beside} />}
        <Row>
          <Button type="submit" loading={rename.isPending}>
            {words.save}
          </Button>
        </Row>
      </FormLayout>
    </Modal>
  );
}

function KeyTable({ keys }: { readonly keys: readonly ApiKey[] }) {
  const isAdmin = useMay("admin");
  const [revoked, setRevoked] = useState<ApiKey | null>(null);
  const [renamed, setRenamed] = useState<ApiKey | null>(null);
  return (
    <>
      <table className={`${tableStyles.table} ${styles.people} ${tableStyles.cards}`}>
        <thead>
          <tr>
            <th>{own.name}</th>
            <th>{own.role}</th>
            {isAdmin && <th>{own.owner}</th>}
            <th>{own.lastUsed}</th>
            <th>{own.expires}</th>
            <th>
              <span className="unseen">{own.revoke}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((apiKey) => (
            <KeyRow
              key={apiKey.id}
              apiKey={apiKey}
              onRename={() => setRenamed(apiKey)}
              onRevoke={() => setRevoked(apiKey)}
            />
          ))}
        </tbody>
      </table>
      <RevokeDialog apiKey={revoked} onClose={() => setRevoked(null)} />
      {renamed && <RenameDialog apiKey={renamed} onClose={() => setRenamed(null)} />}
    </>
  );
}

function ApiKeysScreen() {
  const { data, error, refetch, hasNextPage, fetchNextPage } =
    useSuspenseInfiniteQuery(apiKeysQuery);
  const [isCreating, setCreating] = useState(false);
  const keys = data.pages.flatMap(({ entries }) => entries);
  const create = <Button onClick={() => setCreating(true)}>{own.create}</Button>;
  return (
    <>
      <PageHeader title={own.title} actions={create}>
        <p className={textStyles.muted}>{own.intro}</p>
      </PageHeader>
      <ScreenBody className={styles.body}>
        {error && <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />}
        {keys.length === 0 && (
          <EmptyState title={own.empty}>
            <p>{own.emptyText}</p>
          </EmptyState>
        )}
        {keys.length > 0 && <KeyTable keys={keys} />}
        {hasNextPage && (
          <div>
            <Button variant="default" onClick={() => fetchNextPage()}>
              {words.more}
            </Button>
          </div>
        )}
      </ScreenBody>
      <NewKeyDialog isOpen={isCreating} onClose={() => setCreating(false)} />
    </>
  );
}

export const route = createLazyRoute("/signed-in/settings/api-keys")({ component: ApiKeysScreen });
