import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, send } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import listStyles from "../../parts/list.module.css";
import { Skeleton } from "../../parts/loading.tsx";
import { showNotice } from "../../parts/notices.tsx";
import textStyles from "../../parts/text.module.css";
import { Ago } from "../../parts/time.tsx";
import { type OpenSession, sessionsQuery } from "./queries.ts";
import styles from "./security.module.css";
import { words } from "./words.ts";

const own = words.sessions;

interface EntryProps {
  readonly session: OpenSession;
  readonly isBusy: boolean;
  readonly onEnd: () => void;
}

function Entry({ session, isBusy, onEnd }: EntryProps) {
  const { device, address, way, secondFactor, lastUsedAt, isCurrent } = session;
  const how = [own.ways[way], ...(secondFactor === null ? [] : [own.factors[secondFactor]])];
  return (
    <Row as="li" gap={4} tight className={`${listStyles.item} ${styles.entry}`}>
      <div className={styles.facts}>
        <p>
          <span className={textStyles.strong}>{device}</span>
          {isCurrent && <span className={styles.here}>{own.current}</span>}
        </p>
        <p className={textStyles.muted}>
          {own.from} {address} · {[...new Set(how)].join(" + ")} ·{" "}
          {lastUsedAt === null ? (
            own.unused
          ) : (
            <>
              {own.used} <Ago at={lastUsedAt} />
            </>
          )}
        </p>
      </div>
      {!isCurrent && (
        <Button
          variant="default"
          size="xs"
          loading={isBusy}
          aria-label={`${own.end} ${device} ${own.from} ${address}`}
          onClick={onEnd}
        >
          {own.end}
        </Button>
      )}
    </Row>
  );
}

export function SessionsPart() {
  const queryClient = useQueryClient();
  const { data: sessions, error, refetch } = useQuery(sessionsQuery);
  const [isConfirming, setConfirming] = useState(false);
  const renew = () => renewQueries(queryClient, sessionsQuery.queryKey);
  const endOne = useMutation({
    mutationFn: (id: string) => send(api.DELETE("/v1/sessions/{id}", { params: { path: { id } } })),
    onSuccess: async () => {
      await renew();
      showNotice({ text: own.ended });
    },
  });
  const endOthers = useMutation({
    mutationFn: () => send(api.DELETE("/v1/sessions")),
    onSuccess: async () => {
      await renew();
      showNotice({ text: own.othersEnded });
    },
    onSettled: () => setConfirming(false),
  });
  const fault = endOne.error ?? endOthers.error;
  const otherCount = sessions?.filter(({ isCurrent }) => !isCurrent).length ?? 0;
  return (
    <Stack as="section" align="start" aria-labelledby="sessions-title">
      <Row gap={4} justify="between" className={styles.line}>
        <h2 id="sessions-title">{own.title}</h2>
        {otherCount > 0 && (
          <Button variant="default" onClick={() => setConfirming(true)}>
            {own.endOthers}
          </Button>
        )}
      </Row>
      {sessions === undefined &&
        (error ? <ErrorPanel error={error} onRetry={refetch} /> : <Skeleton rows={2} />)}
      {sessions !== undefined && (
        <ul className={listStyles.list}>
          {sessions.map((session) => (
            <Entry
              key={session.id}
              session={session}
              isBusy={endOne.isPending && endOne.variables === session.id}
              onEnd={() => endOne.mutate(session.id)}
            />
          ))}
        </ul>
      )}
      {fault && <ErrorPanel error={fault} />}
      <ConfirmDialog
        isOpen={isConfirming}
        title={own.endTitle}
        action={own.endOthers}
        isBusy={endOthers.isPending}
        onConfirm={() => endOthers.mutate()}
        onCancel={() => setConfirming(false)}
      >
        <p>{own.endWarning(otherCount)}</p>
      </ConfirmDialog>
    </Stack>
  );
}
