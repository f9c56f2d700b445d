import { Button, Modal } from "@mantine/core";
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay, useSession } from "../api/session.ts";
import blockStyles from "../parts/blocks.module.css";
import { Callout } from "../parts/blocks.tsx";
import { LinkButton } from "../parts/buttons.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { PlusIcon } from "../parts/icons.tsx";
import { joinClasses, Row, Stack } from "../parts/layout.tsx";
import { GoLink } from "../parts/links.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { showNotice } from "../parts/notices.tsx";
import textStyles from "../parts/text.module.css";
import styles from "./on-call.module.css";
import { OnCallFrame } from "./on-call-frame.tsx";
import { Warnings } from "./on-duty.tsx";
import { findRange, type Now, nowQuery, shiftsQuery, usesQuery } from "./queries.ts";
import { Timeline } from "./timeline.tsx";
import { formatShort } from "./times.ts";
import { words } from "./words.ts";

/**
 * Maximum number of schedules for which all timelines are initially open. With more schedules, no
 * timeline is open.
 */
const maxOpenTimelines = 5;
const takeOverMinutes = 120;

function TakeOver({ now }: { readonly now: Now }) {
  const [isOpen, setOpen] = useState(false);
  const client = useQueryClient();
  const { user } = useSession();
  const { scheduleId, scheduleName } = now;
  const take = useMutation({
    mutationFn: () =>
      send(
        api.POST("/v1/on-call/schedules/{scheduleId}/overrides", {
          params: { path: { scheduleId } },
          body: { userId: user.id, minutes: takeOverMinutes },
        }),
      ),
    onSuccess: () => {
      setOpen(false);
      showNotice({ text: words.tookOver(scheduleName) });
      void renewQueries(client, ["on-call"]);
    },
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
  });
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {words.takeOver}
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={words.takeOverTitle(scheduleName)}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <Stack gap={4}>
          <p>{words.takeOverText}</p>
          <Row justify="end">
            <Button variant="default" onClick={() => setOpen(false)}>
              {words.cancel}
            </Button>
            <Button loading={take.isPending} onClick={() => take.mutate()} data-autofocus>
              {words.takeOverAction}
            </Button>
          </Row>
        </Stack>
      </Modal>
    </>
  );
}

function ScheduleTimeline({ now: { scheduleId, scheduleName } }: { readonly now: Now }) {
  const { data, error, refetch } = useQuery(shiftsQuery(scheduleId, findRange(Date.now())));
  if (error && data === undefined) {
    return <ErrorPanel error={error} title={words.timelineNotLoaded} onRetry={refetch} />;
  }
  if (data === undefined) return <Skeleton rows={2} />;
  return <Timeline shifts={data} label={words.timeline(scheduleName)} />;
}

/** Warns if no check pages the schedule: the person on call then receives no alert. */
function Unused({ scheduleId }: Pick<Now, "scheduleId">) {
  const { data: uses } = useQuery(usesQuery);
  if (uses === undefined || uses.schedules.some(({ id }) => id === scheduleId)) return null;
  return (
    <Callout as="p" tone="fair">
      <strong>{words.unused}</strong>
    </Callout>
  );
}

function ScheduleCard({ now, isOpen }: { readonly now: Now; readonly isOpen: boolean }) {
  const [isShown, setShown] = useState(isOpen);
  const mayWrite = useMay("write");
  const { scheduleId, scheduleName, name, until, next, overrideId, departed } = now;
  return (
    <Stack as="li" gap={3} className={joinClasses(blockStyles.card, textStyles.wrap)}>
      <Row justify="between" gap={4}>
        <h2>
          <Link to="/on-call/$scheduleId" params={{ scheduleId }}>
            <bdi>{scheduleName}</bdi>
          </Link>
        </h2>
        {mayWrite && <TakeOver now={now} />}
      </Row>
      <Row as="p" tight gap={2} align="baseline">
        <span className={styles.who}>
          <bdi>{name ?? words.nobody}</bdi>
        </span>
        <span className={textStyles.muted}>
          {until === null ? words.noHandoff : `${words.until} ${formatShort(until)}`}
          {overrideId !== null && `, ${words.byOverride}`}
          {next !== null && (
            <>
              {`; ${words.afterwards} `}
              <bdi>{next.name}</bdi>
              {next.from !== until && ` (${formatShort(next.from)})`}
            </>
          )}
        </span>
      </Row>
      <Unused scheduleId={scheduleId} />
      {departed.map((person) => (
        <p key={person.userId} className={textStyles.hint}>
          {words.left(person.name)}
        </p>
      ))}
      {isShown ? (
        <ScheduleTimeline now={now} />
      ) : (
        <p>
          <LinkButton onClick={() => setShown(true)}>{words.showTimeline}</LinkButton>
        </p>
      )}
    </Stack>
  );
}

function AddSchedule() {
  return (
    <Button component={GoLink} href="/on-call/new" leftSection={<PlusIcon size={16} />}>
      {words.add}
    </Button>
  );
}

function OnCallScreen() {
  const { data } = useSuspenseQuery(nowQuery);
  const mayWrite = useMay("write");
  const isEmpty = data.length === 0;
  return (
    <OnCallFrame actions={mayWrite && !isEmpty && <AddSchedule />}>
      {isEmpty && (
        <EmptyState title={words.empty}>
          <p>{words.emptyText}</p>
          {mayWrite && <AddSchedule />}
        </EmptyState>
      )}
      <Warnings />
      {!isEmpty && (
        <Stack as="ul" gap={4}>
          {data.map((now) => (
            <ScheduleCard key={now.scheduleId} now={now} isOpen={data.length <= maxOpenTimelines} />
          ))}
        </Stack>
      )}
    </OnCallFrame>
  );
}

export const route = createLazyRoute("/signed-in/on-call")({ component: OnCallScreen });
