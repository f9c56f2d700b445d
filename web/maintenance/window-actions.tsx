import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, send, sendFull } from "../api/client.ts";
import { useDeletion } from "../api/deletion.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { ifMatch } from "../editing/index.ts";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { TrashIcon } from "../parts/icons.tsx";
import { showNotice } from "../parts/notices.tsx";
import type { CalendarEntry, MaintenanceWindow } from "./queries.ts";
import { occurrencesQuery, windowQuery } from "./queries.ts";
import { formatCoverage, formatParts } from "./sentences.ts";
import { words } from "./words.ts";

interface ActionsProps {
  readonly window: MaintenanceWindow;
  readonly etag: string | null;
  readonly entry: CalendarEntry | undefined;
}

function DeleteWindow({ window, entry }: Omit<ActionsProps, "etag">) {
  const [isConfirming, setConfirming] = useState(false);
  const navigate = useNavigate();
  const { data } = useQuery(occurrencesQuery(window.id));
  const remove = useDeletion({
    of: [["maintenance", window.id]],
    send: () =>
      send(api.DELETE("/v1/maintenance-windows/{id}", { params: { path: { id: window.id } } })),
    leave: () => {
      showNotice({ text: words.deleted(window.name) });
      return navigate({ to: "/alerts/maintenance", ignoreBlocker: true });
    },
    renew: [["maintenance"]],
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
  });
  const what = entry === undefined ? null : formatCoverage(entry.silences);
  const parts = entry === undefined ? "" : formatParts(entry.silences);
  return (
    <>
      <Button
        variant="outline"
        color="red"
        leftSection={<TrashIcon size={16} />}
        onClick={() => setConfirming(true)}
      >
        {words.delete}
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        title={words.deleteTitle(window.name)}
        action={words.delete}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onCancel={() => setConfirming(false)}
      >
        <p>{words.deleteOccurrences(data?.total ?? 0)}</p>
        {what !== null && what !== "nothing" && (
          <p>{words.deleteText(parts === "" ? what : `${what}: ${parts}`)}</p>
        )}
        {window.statusPageVisibility.enabled && <p>{words.deletePages}</p>}
      </ConfirmDialog>
    </>
  );
}

/** Ends the series of a maintenance window now. Past occurrences stay in the calendar. */
function StopSeries({ window, etag }: Omit<ActionsProps, "entry">) {
  const [isConfirming, setConfirming] = useState(false);
  const client = useQueryClient();
  const { data } = useQuery(occurrencesQuery(window.id));
  const stop = useMutation({
    mutationFn: () => {
      const { id, created_at: _created, updated_at: _updated, ...body } = window;
      const nowMs = Math.max(Date.now(), Date.parse(window.startsAt));
      const repeatEndsAt = new Date(nowMs).toISOString();
      // The update replaces the whole window. The ETag prevents it from overwriting changes by
      // other users.
      const params = { path: { id }, header: ifMatch(etag) };
      return sendFull(
        api.PUT("/v1/maintenance-windows/{id}", { params, body: { ...body, repeatEndsAt } }),
      );
    },
    onSuccess: (saved) => {
      setConfirming(false);
      client.setQueryData(windowQuery(saved.data.id).queryKey, saved);
      showNotice({ text: words.stopped(saved.data.name) });
      void renewQueries(client, ["maintenance"]);
    },
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
  });
  return (
    <>
      <Button variant="default" onClick={() => setConfirming(true)}>
        {words.stop}
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        title={words.stopTitle(window.name)}
        action={words.stop}
        isBusy={stop.isPending}
        onConfirm={() => stop.mutate()}
        onCancel={() => setConfirming(false)}
      >
        <p>{words.stopText(data?.total ?? 0)}</p>
      </ConfirmDialog>
    </>
  );
}

export function WindowActions({ window, etag, entry }: ActionsProps) {
  const isEndless =
    window.repeatUnit !== null &&
    (window.repeatEndsAt === null || Date.parse(window.repeatEndsAt) > Date.now());
  return (
    <>
      {isEndless && <StopSeries window={window} etag={etag} />}
      <DeleteWindow window={window} entry={entry} />
    </>
  );
}
