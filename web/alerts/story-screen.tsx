import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, Link, useParams } from "@tanstack/react-router";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { useLoaded } from "../api/use-loaded.ts";
import { explainRun, findKind } from "../kinds/index.ts";
import { PathComparison } from "../kinds/run-parts/path-comparison.tsx";
import { LocationName, useLocationName } from "../locations/index.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { formatMs } from "../parts/figures.ts";
import { BackIcon } from "../parts/icons.tsx";
import { Row, ScreenBody, Stack } from "../parts/layout.tsx";
import { AddressLink } from "../parts/links.tsx";
import listStyles from "../parts/list.module.css";
import { Skeleton } from "../parts/loading.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import textStyles from "../parts/text.module.css";
import { Ago, DateTime, formatDuration, Lasting } from "../parts/time.tsx";
import { AcknowledgeButton, AlertKind } from "./alert-parts.tsx";
import styles from "./alerts.module.css";
import { describeChannel } from "./describe-channel.ts";
import { channelsQuery, leadingRunsQuery, storyCheckQuery, storyQuery } from "./queries.ts";
import { RespondMenu } from "./respond-menu.tsx";
import { pickLeadingRuns, type Story } from "./story.ts";
import { Timeline } from "./story-timeline.tsx";
import { storyWords } from "./story-words.ts";
import { words } from "./words.ts";

function BackLink() {
  return (
    <Link to="/alerts" className={styles.back}>
      <BackIcon size={16} /> {own.all}
    </Link>
  );
}

interface StoryActionsProps {
  readonly checkId: string;
  readonly name: string;
}

/** Shows the actions on an alert, except the action to acknowledge it. */
function StoryActions({ checkId, name }: StoryActionsProps) {
  const mayWrite = useMay("write");
  const queryClient = useQueryClient();
  const { data: check } = useQuery({ ...storyCheckQuery(checkId), enabled: mayWrite });
  const mute = useMutation({
    mutationFn: (muted: boolean) =>
      send(api.PUT("/v1/checks/{id}", { params: { path: { id: checkId } }, body: { muted } })),
    onSuccess: (_check, muted) => showNotice({ text: (muted ? own.muted : own.unmuted)(name) }),
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
    onSettled: () => renewQueries(queryClient, ["checks"]),
  });
  if (!mayWrite) return null;
  return (
    <>
      {check !== undefined && (
        <Button
          variant="default"
          loading={mute.isPending}
          onClick={() => mute.mutate(!check.muted)}
        >
          {check.muted ? own.unmute : own.mute}
        </Button>
      )}
      <Button component={AddressLink} href={`/incidents/new?checkId=${checkId}`} variant="default">
        {own.createIncident}
      </Button>
    </>
  );
}

const own = storyWords;

/** Shows the check, start time and acknowledgement of an alert. */
function Summary({ story }: { readonly story: Story }) {
  const { status, startedAt, openedAt, recoveredAt, acknowledgement } = story;
  const newest = story.decisions.at(-1);
  const mayRun = useMay("run");
  return (
    <Row gap={4} tight className={styles.storySummary}>
      {newest && <AlertKind type={newest.heldAlertType ?? newest.alertType} />}
      <span>
        {own.statuses[status]}
        {status === "open" && startedAt !== null && (
          <>
            {" "}
            {own.lasts} <Lasting since={startedAt} />
          </>
        )}
      </span>
      {recoveredAt !== null && openedAt !== null && (
        <span>
          {own.lasted(formatDuration(Date.parse(recoveredAt) - Date.parse(startedAt ?? openedAt)))}
        </span>
      )}
      {acknowledgement !== null && (
        <span>
          {own.acknowledgedBy} <bdi>{acknowledgement.by}</bdi> <Ago at={acknowledgement.at} />
        </span>
      )}
      {status === "open" && acknowledgement === null && !mayRun && <span>{words.list.nobody}</span>}
    </Row>
  );
}

/** Returns the query of the runs that led to an alert. */
const runsQueryOf = ({ checkId, openedAt, decisions }: Story) =>
  leadingRunsQuery(checkId, openedAt ?? decisions[0]?.at ?? "");

/** Shows what the run that caused the alert has measured, which is the reason of the alert. */
function Reason({ story }: { readonly story: Story }) {
  const { data } = useQuery({ ...runsQueryOf(story), enabled: story.name !== null });
  const ids = new Set(story.decisions.map(({ checkResultId }) => checkResultId));
  const run = data?.entries.find(({ id }) => ids.has(id));
  if (run === undefined || run.verdict === "passing") return null;
  return <p className={`${styles.reason} ${textStyles.wrap}`}>{run.explanation}</p>;
}

/** Lists the runs that led to the alert, with their measurements and locations. */
function LeadingRuns({ story }: { readonly story: Story }) {
  const decidedAt = story.openedAt ?? story.decisions[0]?.at ?? "";
  const { data, error, refetch } = useQuery(runsQueryOf(story));
  const { data: check } = useQuery({
    ...storyCheckQuery(story.checkId),
    enabled: story.name !== null,
  });
  // False for checks whose results are reported by other systems, such as heartbeats. Their runs
  // have no location.
  const isSeenFromPlaces = findKind(check?.checkType)?.isOrdered ?? true;
  if (story.name === null) return <p className={textStyles.muted}>{own.checkGone}</p>;
  if (error) return <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />;
  if (data === undefined) return <Skeleton rows={3} />;
  const runs = pickLeadingRuns(data.entries, story.startedAt ?? decidedAt);
  if (runs.length === 0) return <p className={textStyles.muted}>{own.noRuns}</p>;
  return (
    <ol className={listStyles.list}>
      {runs.map((run) => (
        <li key={run.id}>
          <AddressLink
            href={`/checks/${story.checkId}?run=${run.id}`}
            className={`${listStyles.row} ${styles.run}`}
          >
            <StateMark state={run.verdict} />
            <DateTime at={run.startedAt} hasSeconds />
            {isSeenFromPlaces ? <LocationName region={run.runLocation} /> : <span />}
            <span className={`${styles.figure} ${textStyles.end}`}>
              {run.responseTime > 0 ? formatMs(run.responseTime) : ""}
            </span>
            <span className={`${styles.runWhy} ${textStyles.wrap}`}>{explainRun(run)}</span>
          </AddressLink>
        </li>
      ))}
    </ol>
  );
}

/** Lists upcoming reminders and escalation stages in chronological order. */
function ComingSteps({ next }: { readonly next: NonNullable<Story["next"]> }) {
  const { data: channels = [] } = useQuery(channelsQuery);
  const { reminderAt, escalation, heldReason } = next;
  const told = (escalation?.alertChannelIds ?? []).map((id) => {
    const channel = channels.find((one) => one.id === id);
    return channel === undefined ? own.policyRecipient : describeChannel(channel);
  });
  return (
    <Stack as="section">
      <h2>{own.coming}</h2>
      {heldReason !== null && <p>{own.held(heldReason)}</p>}
      <ul>
        {reminderAt !== null && (
          <li>
            <DateTime at={reminderAt} hasSeconds /> {own.reminderComes}
          </li>
        )}
        {escalation !== null && (
          <li>
            <DateTime at={escalation.at} hasSeconds /> {own.stageComes(escalation.stage)}{" "}
            <bdi>{told.length === 0 ? own.noChannel : [...new Set(told)].join(", ")}</bdi>
          </li>
        )}
      </ul>
      <p className={textStyles.muted}>{own.comingHint}</p>
    </Stack>
  );
}

function StoryBody({ story }: { readonly story: Story }) {
  const mayRun = useMay("run");
  const { checkId, name, status, acknowledgement } = story;
  const nameLocation = useLocationName();
  const isOpen = status === "open" && name !== null;
  const title =
    name === null ? (
      words.list.deleted
    ) : (
      <AddressLink href={`/checks/${checkId}`}>
        <bdi>{name}</bdi>
      </AddressLink>
    );
  return (
    <>
      <BackLink />
      <PageHeader title={title}>
        {status !== "recovered" && <Reason story={story} />}
        <Summary story={story} />
        {name !== null && (
          <Row>
            {mayRun && isOpen && acknowledgement === null && (
              <AcknowledgeButton checkId={checkId} name={name} isPrimary />
            )}
            <StoryActions checkId={checkId} name={name} />
            {mayRun && isOpen && <RespondMenu checkId={checkId} name={name} />}
          </Row>
        )}
      </PageHeader>
      <ScreenBody>
        {status !== "notice" && (
          <Stack as="section">
            <h2>{own.runs}</h2>
            <LeadingRuns story={story} />
          </Stack>
        )}
        {story.path && <PathComparison report={story.path} nameLocation={nameLocation} />}
        <Stack as="section">
          <h2>{own.happened}</h2>
          <Timeline story={story} />
        </Stack>
        {story.next !== null && <ComingSteps next={story.next} />}
      </ScreenBody>
    </>
  );
}

function StoryScreen() {
  const { alertId } = useParams({ from: "/signed-in/alerts/$alertId" });
  const { data } = useLoaded(storyQuery(alertId));
  return <StoryBody story={data} />;
}

export const route = createLazyRoute("/signed-in/alerts/$alertId")({ component: StoryScreen });
