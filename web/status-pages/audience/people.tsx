import { Button } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, send } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { useMay } from "../../api/session.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import { Skeleton } from "../../parts/loading.tsx";
import { showNotice } from "../../parts/notices.tsx";
import { type ShownState, StateMark } from "../../parts/state-mark.tsx";
import tableStyles from "../../parts/table.module.css";
import textStyles from "../../parts/text.module.css";
import styles from "./audience.module.css";
import type { AudienceSearch } from "./audience-search.ts";
import { type Subscription, subscribersQuery } from "./queries.ts";
import { words } from "./words.ts";

const own = words.subscribers;

const marks: Readonly<Record<Subscription["status"], ShownState>> = {
  PENDING: "unknown",
  VERIFIED: "passing",
  QUARANTINED: "failing",
};

interface PersonRowProps {
  readonly person: Subscription;
  readonly statusPageId: string;
  readonly onRemove: () => void;
}

function useAskAgain({ person, statusPageId }: Pick<PersonRowProps, "person" | "statusPageId">) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      send(
        api.POST("/v1/status-pages/{statusPageId}/subscriptions/{subscriptionId}/confirmation", {
          params: { path: { statusPageId, subscriptionId: person.id } },
        }),
      ),
    onSuccess: async () => {
      showNotice({ text: own.asked(person.address) });
      await renewQueries(client, ["subscriptions", "of-page", statusPageId]);
    },
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
  });
}

function PersonRow({ person, statusPageId, onRemove }: PersonRowProps) {
  const mayWrite = useMay("write");
  const ask = useAskAgain({ person, statusPageId });
  const { address, status } = person;
  return (
    <tr>
      <td>
        <Link
          to="/status-pages/$statusPageId/subscribers"
          params={{ statusPageId }}
          search={{ view: "messages", subscriber: person.id }}
        >
          <bdi>{address}</bdi>
        </Link>
      </td>
      <td data-label={own.type}>{own.types[person.type]}</td>
      <td data-label={own.state}>
        <StateMark state={marks[status]} word={own.states[status]} hasWord />
      </td>
      <td data-label={own.since} className={textStyles.nowrap}>
        {person.created_at}
      </td>
      <td>
        {mayWrite && (
          <Row as="span">
            {status !== "VERIFIED" && (
              <Button
                variant="default"
                size="xs"
                loading={ask.isPending}
                aria-label={`${own.askAgain} ${address}`}
                onClick={() => ask.mutate()}
              >
                {own.askAgain}
              </Button>
            )}
            <Button
              variant="default"
              size="xs"
              aria-label={`${own.remove} ${address}`}
              onClick={onRemove}
            >
              {own.remove}
            </Button>
          </Row>
        )}
      </td>
    </tr>
  );
}

interface RemoveDialogProps {
  readonly person: Subscription;
  readonly statusPageId: string;
  readonly onClose: () => void;
}

function RemoveDialog({ person, statusPageId, onClose }: RemoveDialogProps) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () =>
      send(
        api.DELETE("/v1/status-pages/{statusPageId}/subscriptions/{subscriptionId}", {
          params: { path: { statusPageId, subscriptionId: person.id } },
        }),
      ),
    onSuccess: async () => {
      onClose();
      showNotice({ text: own.removed(person.address) });
      await renewQueries(client, ["subscriptions", "of-page", statusPageId]);
    },
  });
  return (
    <ConfirmDialog
      isOpen
      title={own.removeTitle(person.address)}
      action={own.remove}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onCancel={onClose}
    >
      <p>{own.removeText}</p>
      {remove.error && <ErrorPanel error={remove.error} />}
    </ConfirmDialog>
  );
}

interface PeopleProps {
  readonly statusPageId: string;
  readonly search: AudienceSearch;
}

export function People({ statusPageId, search }: PeopleProps) {
  const filter = {
    ...(search.search && { search: search.search }),
    ...(search.status && { status: search.status }),
  };
  const [removed, setRemoved] = useState<Subscription | null>(null);
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery(
    subscribersQuery(statusPageId, filter),
  );
  const list = data?.pages.flatMap(({ entries }) => entries);
  const total = data?.pages[0]?.total ?? null;
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      {error && <ErrorPanel error={error} title={words.notLoaded} onRetry={() => void refetch()} />}
      {!error && list === undefined && <Skeleton rows={6} />}
      {list?.length === 0 && (
        <EmptyState title={isFiltered ? own.none : own.empty}>
          <p>{isFiltered ? own.noneText : own.emptyText}</p>
        </EmptyState>
      )}
      {list !== undefined && list.length > 0 && (
        <Stack align="start" className={styles.section}>
          {total !== null && <p className={textStyles.muted}>{own.total(total)}</p>}
          <table className={`${tableStyles.table} ${tableStyles.cards}`}>
            <thead>
              <tr>
                <th>{own.address}</th>
                <th>{own.type}</th>
                <th>{own.state}</th>
                <th>{own.since}</th>
                <th>
                  <span className="unseen">{words.actions}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {list.map((person) => (
                <PersonRow
                  key={person.id}
                  person={person}
                  statusPageId={statusPageId}
                  onRemove={() => setRemoved(person)}
                />
              ))}
            </tbody>
          </table>
        </Stack>
      )}
      {hasNextPage && (
        <div>
          <Button variant="default" onClick={() => void fetchNextPage()}>
            {words.more}
          </Button>
        </div>
      )}
      {removed && (
        <RemoveDialog
          person={removed}
          statusPageId={statusPageId}
          onClose={() => setRemoved(null)}
        />
      )}
    </>
  );
}
