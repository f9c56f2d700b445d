import { Button, FileInput, NativeSelect } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay, useSession } from "../api/session.ts";
import { getFieldError } from "../editing/index.ts";
import { Callout } from "../parts/blocks.tsx";
import { CopyButton } from "../parts/buttons.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import listStyles from "../parts/list.module.css";
import { showNotice } from "../parts/notices.tsx";
import textStyles from "../parts/text.module.css";
import { feedsQuery, peopleQuery, type Schedule } from "./queries.ts";
import { formatShort } from "./times.ts";
import { words } from "./words.ts";

interface PanelProps {
  readonly schedule: Schedule;
}

const showError = (error: Error) => showNotice({ text: error.message, tone: "bad" });

function CreatedAddress({ url }: { readonly url: string }) {
  return (
    <Callout tone="accent">
      <p>{words.calendar.once}</p>
      <code className={textStyles.wrap}>{url}</code>
      <Row>
        <CopyButton text={url} label={words.calendar.copy} />
      </Row>
    </Callout>
  );
}

/** Shows the addresses of the schedule's calendar feeds, for calendar programs. */
function CalendarPanel({ schedule }: PanelProps) {
  const client = useQueryClient();
  const { data: feeds = [] } = useQuery(feedsQuery);
  const [url, setUrl] = useState<string | null>(null);
  const own = words.calendar;
  const create = useMutation({
    mutationFn: (scheduleId: string | null) =>
      send(api.POST("/v1/on-call/feeds", { body: { scheduleId } })),
    onSuccess: (created) => {
      setUrl(created.url);
      void renewQueries(client, feedsQuery.queryKey);
    },
    onError: showError,
  });
  const revoke = useMutation({
    mutationFn: (feedId: string) =>
      send(api.DELETE("/v1/on-call/feeds/{feedId}", { params: { path: { feedId } } })),
    onSuccess: () => {
      setUrl(null);
      showNotice({ text: own.revoked });
      void renewQueries(client, feedsQuery.queryKey);
    },
    onError: showError,
  });
  const shown = feeds.filter(({ scheduleId }) => scheduleId === null || scheduleId === schedule.id);
  return (
    <Stack as="section" gap={3} aria-label={own.title}>
      <h2>{own.title}</h2>
      <p className={textStyles.hint}>{own.hint}</p>
      <Row>
        <Button
          variant="default"
          loading={create.isPending}
          onClick={() => create.mutate(schedule.id)}
        >
          {own.createAll}
        </Button>
        <Button variant="default" loading={create.isPending} onClick={() => create.mutate(null)}>
          {own.createOwn}
        </Button>
      </Row>
      {url !== null && <CreatedAddress url={url} />}
      {shown.length > 0 && (
        <ul className={listStyles.list}>
          {shown.map(({ id, scheduleId, author, last_used_at: usedAt }) => (
            <li key={id}>
              <Row justify="between" className={listStyles.item}>
                <span>
                  {scheduleId === null ? own.own : own.all} {own.by(author)},{" "}
                  {usedAt === null ? own.unused : `${own.used} ${formatShort(usedAt)}`}
                </span>
                <Button
                  variant="default"
                  size="xs"
                  disabled={revoke.isPending}
                  onClick={() => revoke.mutate(id)}
                >
                  {own.revoke}
                </Button>
              </Row>
            </li>
          ))}
        </ul>
      )}
    </Stack>
  );
}

/** Imports the events of a calendar file as overrides. */
function AbsencePanel({ schedule }: PanelProps) {
  const client = useQueryClient();
  const { user } = useSession();
  const { data: members = [] } = useQuery(peopleQuery);
  const [userId, setUserId] = useState<string>(user.id);
  const [file, setFile] = useState<File | null>(null);
  const own = words.absences;
  const upload = useMutation({
    mutationFn: async () => {
      const calendar = (await file?.text()) ?? "";
      const params = { path: { scheduleId: schedule.id } };
      const body = { userId, calendar };
      return send(api.POST("/v1/on-call/schedules/{scheduleId}/absences", { params, body }));
    },
    onSuccess: ({ replaced, uncovered, skipped }) => {
      setFile(null);
      showNotice({ text: own.done(replaced.length, uncovered.length, skipped.length) });
      void renewQueries(client, ["on-call"]);
    },
    onError: showError,
  });
  return (
    <Stack as="section" gap={3} aria-label={own.title}>
      <h2>{own.title}</h2>
      <p className={textStyles.hint}>{own.hint}</p>
      <NativeSelect
        label={own.person}
        value={userId}
        data={members.map((one) => ({ value: one.userId, label: one.name }))}
        onChange={({ currentTarget }) => setUserId(currentTarget.value)}
      />
      <FileInput
        label={own.file}
        accept=".ics,text/calendar"
        value={file}
        error={getFieldError(upload.error, "calendar")}
        onChange={setFile}
      />
      <Row>
        <Button
          variant="default"
          loading={upload.isPending}
          disabled={file === null}
          onClick={() => upload.mutate()}
        >
          {own.import}
        </Button>
      </Row>
    </Stack>
  );
}

export function SharingPanels({ schedule }: PanelProps) {
  const mayWrite = useMay("write");
  return (
    <>
      <CalendarPanel schedule={schedule} />
      {mayWrite && <AbsencePanel schedule={schedule} />}
    </>
  );
}
