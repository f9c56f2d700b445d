import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { api, type Schemas, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { Callout, FactList } from "../parts/blocks.tsx";
import { CopyButton } from "../parts/buttons.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { formatBytes, formatCount } from "../parts/figures.ts";
import { Row, ScreenBody, Stack } from "../parts/layout.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import tableStyles from "../parts/table.module.css";
import textStyles from "../parts/text.module.css";
import { Ago, formatDuration } from "../parts/time.tsx";
import { backupWords as own } from "./installation-words.ts";
import { backupsQuery } from "./queries.ts";
import styles from "./settings.module.css";
import { words } from "./words.ts";

type Backup = Schemas["Backup"];
type BackupList = Schemas["BackupList"];

const marks = {
  RUNNING: "unknown",
  VERIFYING: "unknown",
  SUCCEEDED: "passing",
  FAILED: "failing",
} as const;

function Command({ text }: { readonly text: string }) {
  return (
    <Row as="span">
      <code className={textStyles.wrap}>{text}</code>
      <CopyButton text={text} />
    </Row>
  );
}

function formatTook({ startedAt, writtenAt }: Backup): string {
  if (writtenAt === null) return "–";
  return formatDuration(Math.max(1_000, Date.parse(writtenAt) - Date.parse(startedAt)));
}

function Verified({ backup }: { readonly backup: Backup }) {
  if (backup.verifiedAt !== null) return <Ago at={backup.verifiedAt} />;
  if (backup.verifyProblem !== null) return <span>{backup.verifyProblem}</span>;
  return "–";
}

function FileOf({ backup }: { readonly backup: Backup }) {
  const { problem, removedAt, hasKey } = backup;
  if (problem !== null) return <span className={textStyles.bad}>{problem}</span>;
  const note = removedAt !== null ? own.removed : hasKey === true ? own.hasKey : own.noKey;
  return (
    <span className={textStyles.wrap}>
      <code>{backup.file}</code> <span className={textStyles.muted}>{hasKey !== null && note}</span>
    </span>
  );
}

function BackupTable({ backups }: { readonly backups: readonly Backup[] }) {
  return (
    <table className={`${tableStyles.table} ${tableStyles.cards}`}>
      <thead>
        <tr>
          <th>{own.of}</th>
          <th>{own.state}</th>
          <th className={textStyles.end}>{own.size}</th>
          <th className={textStyles.end}>{own.rows}</th>
          <th className={textStyles.end}>{own.took}</th>
          <th>{own.verified}</th>
          <th>{own.file}</th>
        </tr>
      </thead>
      <tbody>
        {backups.map((backup) => (
          <tr key={backup.id}>
            <td className={textStyles.nowrap}>
              <span>
                <Ago at={backup.startedAt} />
                <span className={textStyles.muted}>
                  , {backup.reason === "REQUEST" ? own.asRequested : own.asScheduled}
                </span>
              </span>
            </td>
            <td className={textStyles.nowrap}>
              <StateMark state={marks[backup.status]} word={own.states[backup.status]} hasWord />
            </td>
            <td className={`${textStyles.end} ${textStyles.nowrap}`} data-label={own.size}>
              {backup.sizeBytes === null ? "–" : formatBytes(backup.sizeBytes)}
            </td>
            <td className={textStyles.end} data-label={own.rows}>
              {backup.rows === null ? "–" : formatCount(backup.rows)}
            </td>
            <td className={`${textStyles.end} ${textStyles.nowrap}`} data-label={own.took}>
              {formatTook(backup)}
            </td>
            <td data-label={own.verified}>
              <Verified backup={backup} />
            </td>
            <td data-label={own.file}>
              <FileOf backup={backup} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function describeSchedule({ isScheduled, canRequest, everyHours }: BackupList): string {
  if (isScheduled) return own.every(everyHours);
  return canRequest ? own.onRequest : own.none;
}

/** Returns the path of the newest complete backup, or an example if there is none. */
function findNewestFile({ folder, backups }: BackupList): string {
  const newest = backups.find(({ status, removedAt }) => status === "SUCCEEDED" && !removedAt);
  return newest === undefined ? "/backups/vedette.backup" : `${folder ?? ""}/${newest.file}`;
}

function Backups({ list }: { readonly list: BackupList }) {
  const { problem, backups, keep, verifyEveryHours } = list;
  const facts = [
    [own.schedule, describeSchedule(list)],
    [own.place, list.folder],
    [own.keep, own.kept(keep)],
    [own.verify, verifyEveryHours === 0 ? own.never : own.verifyEvery(verifyEveryHours)],
  ] as const;
  return (
    <>
      <p className={textStyles.muted}>{own.intro}</p>
      {problem !== null && (
        <Callout as="p" tone="fair" align="start" role="status">
          {problem}
        </Callout>
      )}
      {list.isBesideDatabase && <p className={textStyles.muted}>{own.besideDatabase}</p>}
      <FactList>
        {(list.canRequest ? facts : facts.slice(0, 1)).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </FactList>
      {backups.length === 0 ? (
        <EmptyState title={own.empty}>
          <p>{list.isScheduled ? own.emptyOn : own.emptyOff}</p>
          <Command text={own.command} />
        </EmptyState>
      ) : (
        <>
          <BackupTable backups={backups} />
          <Stack as="section">
            <p className={textStyles.muted}>{own.restore}</p>
            <Command text={own.restoreCommand(findNewestFile(list))} />
          </Stack>
        </>
      )}
    </>
  );
}

function NowButton({ isBusy }: { readonly isBusy: boolean }) {
  const queryClient = useQueryClient();
  const request = useMutation({
    mutationFn: () => send(api.POST("/v1/backups")),
    onSuccess: async () => {
      showNotice({ text: own.asked });
      await renewQueries(queryClient, ["backups"]);
    },
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
  });
  return (
    <Button onClick={() => request.mutate()} loading={request.isPending} disabled={isBusy}>
      {own.now}
    </Button>
  );
}

function BackupsScreen() {
  const isAdmin = useMay("admin");
  const { data, error, refetch } = useQuery({ ...backupsQuery, enabled: isAdmin });
  const isBusy = data?.backups.some(({ finishedAt }) => finishedAt === null) ?? false;
  return (
    <>
      <PageHeader
        title={own.title}
        actions={data?.canRequest === true && <NowButton isBusy={isBusy} />}
      />
      <ScreenBody className={styles.body}>
        {!isAdmin && <p>{words.adminOnly}</p>}
        {error && <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />}
        {isAdmin && !error && data === undefined && <Skeleton rows={8} />}
        {data && <Backups list={data} />}
      </ScreenBody>
    </>
  );
}

export const route = createLazyRoute("/signed-in/settings/backups")({ component: BackupsScreen });
