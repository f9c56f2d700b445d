import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { api, send } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { useMay } from "../../api/session.ts";
import { getFieldError } from "../../editing/index.ts";
import { Callout } from "../../parts/blocks.tsx";
import { CopyButton } from "../../parts/buttons.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import listStyles from "../../parts/list.module.css";
import { Skeleton } from "../../parts/loading.tsx";
import { showNotice } from "../../parts/notices.tsx";
import { groupNamesQuery } from "../../parts/queries.ts";
import textStyles from "../../parts/text.module.css";
import { DateTime } from "../../parts/time.tsx";
import styles from "../alerts.module.css";
import { AlertsFrame } from "../alerts-frame.tsx";
import { words } from "../words.ts";
import { type AlertSource, sourcesQuery } from "./queries.ts";

/** UI text of this screen. It is not in `words.ts`, because every screen loads `words.ts`. */
const own = {
  hint: "Alerts of an Alertmanager reach the person on call like those of checks: each alert group becomes a check.",
  empty: "There are no alert sources.",
  emptyText: "Create one, and paste its receiver into alertmanager.yml.",
  create: "Create source",
  name: "Name",
  example: "Alertmanager of the shop",
  group: "Group",
  groupHint:
    "New checks join it, with its channels, settings and escalation policy. Without a group, they alert the channels that subscribe to new checks, and the policy of the account.",
  noGroup: "None",
  once: "Add this to alertmanager.yml. The address contains a secret and is shown only now.",
  receiver: "Receiver for alertmanager.yml",
  copy: "Copy the receiver",
  count: (groups: number, firing: number) =>
    `${groups} ${groups === 1 ? "alert group" : "alert groups"}, ${firing} firing.`,
  unused: "No notification yet.",
  used: "Last notification:",
  replace: "Replace token",
  replaceTitle: (name: string) => `Replace the token of ${name}?`,
  replaceText:
    "The old address stops working immediately. Update alertmanager.yml with the new one.",
  delete: "Delete",
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteText: (groups: number) =>
    groups === 0
      ? "Its address stops working."
      : `Its address stops working, and the ${groups === 1 ? "check of its alert group is" : `${groups} checks of its alert groups are`} deleted with the history.`,
  deleted: (name: string) => `The source “${name}” was deleted.`,
} as const;

/**
 * Returns the receiver for `alertmanager.yml`. `max_alerts` limits the number of alerts per
 * notification.
 */
const writeReceiver = (url: string) => `receivers:
  - name: vedette
    webhook_configs:
      - url: "${url}"
        send_resolved: true
        max_alerts: 100
route:
  receiver: vedette
  group_by: [alertname]`;

const showError = (error: Error) => showNotice({ text: error.message, tone: "bad" });

function Receiver({ url }: { readonly url: string }) {
  const text = writeReceiver(url);
  return (
    <Callout tone="accent">
      <p>{own.once}</p>
      <section aria-label={own.receiver}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it must scroll by keyboard */}
        <pre className={textStyles.code} tabIndex={0}>
          {text}
        </pre>
      </section>
      <Row>
        <CopyButton text={text} label={own.copy} />
      </Row>
    </Callout>
  );
}

interface ShowsUrl {
  readonly onUrl: (url: string | null) => void;
}

function NewSource({ onUrl }: ShowsUrl) {
  const client = useQueryClient();
  const { data: groups = [] } = useQuery(groupNamesQuery);
  const [name, setName] = useState("");
  const [groupId, setGroupId] = useState("");
  const create = useMutation({
    mutationFn: () =>
      send(
        api.POST("/v1/alert-sources", {
          body: { name, groupId: groupId === "" ? null : Number(groupId) },
        }),
      ),
    onSuccess: ({ url }) => {
      onUrl(url);
      setName("");
      void renewQueries(client, sourcesQuery.queryKey);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  const choices = groups.map((one) => ({ value: `${one.id}`, label: one.name }));
  return (
    <Stack as="form" gap={3} onSubmit={submit} aria-label={own.create}>
      <TextInput
        label={own.name}
        value={name}
        maxLength={100}
        required
        placeholder={own.example}
        error={getFieldError(create.error, "name") ?? create.error?.message}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <NativeSelect
        label={own.group}
        description={own.groupHint}
        value={groupId}
        data={[{ value: "", label: own.noGroup }, ...choices]}
        onChange={({ currentTarget }) => setGroupId(currentTarget.value)}
      />
      <Row>
        <Button type="submit" loading={create.isPending}>
          {own.create}
        </Button>
      </Row>
    </Stack>
  );
}

function SourceRow({ source, onUrl }: ShowsUrl & { readonly source: AlertSource }) {
  const client = useQueryClient();
  const mayWrite = useMay("write");
  const [asked, setAsked] = useState<"token" | "delete" | null>(null);
  const params = { path: { id: source.id } };
  const act = useMutation({
    mutationFn: async () => {
      if (asked === "delete") {
        await send(api.DELETE("/v1/alert-sources/{id}", { params }));
        return null;
      }
      return (await send(api.POST("/v1/alert-sources/{id}/token", { params }))).url;
    },
    onSuccess: (url) => {
      onUrl(url);
      setAsked(null);
      if (url === null) showNotice({ text: own.deleted(source.name) });
      void renewQueries(client, sourcesQuery.queryKey);
      void renewQueries(client, ["checks"]);
    },
    onError: (error) => {
      setAsked(null);
      showError(error);
    },
  });
  const { last_used_at: usedAt } = source;
  return (
    <Row as="li" gap={4} tight className={`${listStyles.item} ${styles.row}`}>
      <span className={styles.main}>
        <bdi>{source.name}</bdi>{" "}
        <span className={`${textStyles.muted} ${textStyles.wrap}`}>
          {own.count(source.groups, source.firingGroups)}{" "}
          {usedAt === null ? (
            own.unused
          ) : (
            <>
              {own.used} <DateTime at={usedAt} />
            </>
          )}
        </span>
      </span>
      {mayWrite && (
        <Row>
          <Button variant="default" size="xs" onClick={() => setAsked("token")}>
            {own.replace}
          </Button>
          <Button variant="default" size="xs" onClick={() => setAsked("delete")}>
            {own.delete}
          </Button>
        </Row>
      )}
      <ConfirmDialog
        isOpen={asked !== null}
        title={asked === "delete" ? own.deleteTitle(source.name) : own.replaceTitle(source.name)}
        action={asked === "delete" ? own.delete : own.replace}
        isBusy={act.isPending}
        onConfirm={() => act.mutate()}
        onCancel={() => setAsked(null)}
      >
        <p>{asked === "delete" ? own.deleteText(source.groups) : own.replaceText}</p>
      </ConfirmDialog>
    </Row>
  );
}

function SourcesScreen() {
  const mayWrite = useMay("write");
  const { data, error, refetch } = useQuery(sourcesQuery);
  const [url, setUrl] = useState<string | null>(null);
  return (
    <AlertsFrame tabTitle={words.sources}>
      <p className={textStyles.hint}>{own.hint}</p>
      {error && <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />}
      {!error && data === undefined && <Skeleton rows={3} />}
      {url !== null && <Receiver url={url} />}
      {data?.length === 0 && url === null && (
        <EmptyState title={own.empty}>
          <p>{own.emptyText}</p>
        </EmptyState>
      )}
      {data !== undefined && data.length > 0 && (
        <ul className={listStyles.list}>
          {data.map((source) => (
            <SourceRow key={source.id} source={source} onUrl={setUrl} />
          ))}
        </ul>
      )}
      {mayWrite && <NewSource onUrl={setUrl} />}
    </AlertsFrame>
  );
}

export const route = createLazyRoute("/signed-in/alerts/sources")({ component: SourcesScreen });
