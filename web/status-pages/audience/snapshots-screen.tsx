import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, useParams } from "@tanstack/react-router";
import { api, type Schemas, send } from "../../api/client.ts";
import { downloadFile } from "../../api/download.ts";
import { useMay } from "../../api/session.ts";
import { FactList } from "../../parts/blocks.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { formatBytes } from "../../parts/figures.ts";
import { Row, ScreenBody, Stack } from "../../parts/layout.tsx";
import { Skeleton } from "../../parts/loading.tsx";
import { showNotice } from "../../parts/notices.tsx";
import textStyles from "../../parts/text.module.css";
import { DateTime } from "../../parts/time.tsx";
import { pageQuery } from "../queries.ts";
import styles from "./audience.module.css";
import { snapshotQuery } from "./queries.ts";
import { words } from "./words.ts";

const own = words.snapshots;
const from = "/signed-in/status-pages/$statusPageId/snapshots" as const;

function Kept({ snapshot }: { readonly snapshot: Schemas["StatusPageSnapshot"] }) {
  if (snapshot.writtenAt === null) return <p>{own.none}</p>;
  return (
    <FactList>
      <dt>{own.written}</dt>
      <dd>
        <DateTime at={snapshot.writtenAt} />
      </dd>
      <dt>{own.size}</dt>
      <dd>
        {formatBytes(snapshot.bytes)} · {own.files(snapshot.fileCount)}
      </dd>
    </FactList>
  );
}

function Actions({ statusPageId, url, isKept }: ActionsProps) {
  const mayWrite = useMay("write");
  const client = useQueryClient();
  const write = useMutation({
    mutationFn: () =>
      send(
        api.POST("/v1/status-pages/{statusPageId}/snapshot", {
          params: { path: { statusPageId } },
        }),
      ),
    onSuccess: async (snapshot) => {
      const { queryKey } = snapshotQuery(statusPageId);
      // A pending request is cancelled, because its response would overwrite the newer `snapshot`.
      await client.cancelQueries({ queryKey });
      client.setQueryData(queryKey, snapshot);
      showNotice({ text: own.wrote });
    },
  });
  const download = useMutation({
    mutationFn: () =>
      downloadFile(`/v1/status-pages/${statusPageId}/snapshot/archive`, `${url}.tar.gz`),
    onSuccess: () => showNotice({ text: own.downloaded }),
  });
  const error = write.error ?? download.error;
  return (
    <>
      {error && <ErrorPanel error={error} />}
      <Row>
        {isKept && mayWrite && (
          <Button loading={write.isPending} onClick={() => write.mutate()}>
            {own.write}
          </Button>
        )}
        <Button variant="default" loading={download.isPending} onClick={() => download.mutate()}>
          {own.download}
        </Button>
      </Row>
    </>
  );
}

interface ActionsProps {
  readonly statusPageId: string;
  readonly url: string;
  readonly isKept: boolean;
}

function SnapshotsScreen() {
  const { statusPageId } = useParams({ from });
  const { data: stored } = useQuery(pageQuery(statusPageId));
  const { data: snapshot, error, refetch } = useQuery(snapshotQuery(statusPageId));
  return (
    <ScreenBody className={styles.body}>
      <Stack as="section" align="start" className={styles.section}>
        <h2>{own.title}</h2>
        <p>{own.intro}</p>
        {error && (
          <ErrorPanel error={error} title={words.notLoaded} onRetry={() => void refetch()} />
        )}
        {!error && snapshot === undefined && <Skeleton rows={3} />}
        {snapshot?.isPrivate && <p>{own.private}</p>}
        {snapshot && stored && !snapshot.isPrivate && (
          <>
            <p className={textStyles.muted}>{snapshot.isKept ? own.kept : own.notKept}</p>
            {snapshot.isKept && <Kept snapshot={snapshot} />}
            <Actions statusPageId={statusPageId} url={stored.data.url} isKept={snapshot.isKept} />
          </>
        )}
      </Stack>
    </ScreenBody>
  );
}

export const route = createLazyRoute(from)({ component: SnapshotsScreen });
