import { Button, Modal, NumberInput, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { ownZone } from "../parts/time-zones.ts";
import styles from "./maintenance.module.css";
import {
  type Maintenance,
  type MaintenanceWindow,
  occurrencesQuery,
  type Status,
} from "./queries.ts";
import { Said, UpdateDialog } from "./said.tsx";
import { formatSpan, isSameClock, toLocalText, toTimestampMs } from "./sentences.ts";
import { StatusWord } from "./window-list.tsx";
import { words } from "./words.ts";

const moveWords = words.moving;
const minuteMs = 60_000;

interface MoveDialogProps {
  readonly window: MaintenanceWindow;
  readonly maintenance: Maintenance;
  readonly onClose: () => void;
}

function MoveDialog({ window, maintenance, onClose }: MoveDialogProps) {
  const client = useQueryClient();
  const zone = window.timezone;
  const { startsAt, endsAt } = maintenance;
  const stored = toLocalText(Date.parse(startsAt), zone);
  const [start, setStart] = useState(stored);
  const [minutes, setMinutes] = useState((Date.parse(endsAt) - Date.parse(startsAt)) / minuteMs);
  // An unchanged start keeps its timestamp, because the same local time may occur twice on that
  // day.
  const startMs = start === stored ? Date.parse(startsAt) : toTimestampMs(start, zone);
  const isWhole = !Number.isNaN(startMs) && minutes > 0;
  const move = useMutation({
    mutationFn: () =>
      send(
        api.PATCH("/v1/maintenance-windows/{id}/maintenances/{maintenanceId}", {
          params: { path: { id: window.id, maintenanceId: maintenance.id } },
          body: {
            startsAt: new Date(startMs).toISOString(),
            endsAt: new Date(startMs + Math.round(minutes * minuteMs)).toISOString(),
          },
        }),
      ),
    onSuccess: async () => {
      await renewQueries(client, ["maintenance"]);
      onClose();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={moveWords.title}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Stack>
        <p>
          {formatSpan(startsAt, endsAt, zone)} ({zone}). {moveWords.effect}
        </p>
        <TextInput
          type="datetime-local"
          label={moveWords.start(zone)}
          value={start}
          onChange={(event) => setStart(event.currentTarget.value)}
        />
        <NumberInput
          label={moveWords.minutes}
          value={minutes}
          min={1}
          max={1_000_000}
          onChange={(value) => setMinutes(Number(value))}
        />
        {move.error && <ErrorPanel error={move.error} />}
        <Row>
          <Button variant="default" onClick={onClose}>
            {words.update.cancel}
          </Button>
          <Button loading={move.isPending} disabled={!isWhole} onClick={() => move.mutate()}>
            {moveWords.move}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}

const own = words.occurrences;

interface Wanted {
  readonly maintenance: Maintenance;
  readonly status: Status;
}

/** Actions that are available in each status, most common action first. */
const offered: Readonly<Record<Status, readonly (readonly [Status, string])[]>> = {
  SCHEDULED: [
    ["CANCELLED", own.skip],
    ["IN_PROGRESS", own.begin],
    ["SCHEDULED", own.say],
  ],
  IN_PROGRESS: [
    ["COMPLETED", own.end],
    ["IN_PROGRESS", own.say],
  ],
  VERIFYING: [
    ["COMPLETED", own.end],
    ["VERIFYING", own.say],
  ],
  CANCELLED: [["SCHEDULED", own.again]],
  COMPLETED: [],
};

interface OccurrenceRowProps {
  readonly maintenance: Maintenance;
  readonly window: MaintenanceWindow;
  readonly isFirst: boolean;
  readonly onUpdate: (wanted: Wanted) => void;
  readonly onMove: (maintenance: Maintenance) => void;
}

function OccurrenceRow({ maintenance, window, isFirst, onUpdate, onMove }: OccurrenceRowProps) {
  const mayWrite = useMay("write");
  const { startsAt, endsAt, status, isMoved } = maintenance;
  const zone = window.timezone;
  const span = formatSpan(startsAt, endsAt, zone);
  const isOpen = status !== "COMPLETED" && status !== "CANCELLED";
  // Updates apply to the next occurrence, so later occurrences can only be skipped or moved.
  const actions = isFirst ? offered[status] : offered[status].slice(0, 1);
  return (
    <Stack as="li" gap={2} className={styles.occurrence}>
      <div>
        <span>{span}</span>{" "}
        <span className={styles.faint}>
          <StatusWord status={status} />
          {isMoved && ` · ${words.moved}`}
        </span>
        {!isSameClock(zone, startsAt) && (
          <div className={styles.faint}>
            {formatSpan(startsAt, endsAt)} ({ownZone})
          </div>
        )}
        <Said maintenance={maintenance} />
      </div>
      {mayWrite && (
        <Row>
          {actions.map(([wanted, label]) => (
            <Button
              key={label}
              variant="default"
              size="xs"
              aria-label={`${label}: ${span}`}
              onClick={() => onUpdate({ maintenance, status: wanted })}
            >
              {label}
            </Button>
          ))}
          {isOpen && (
            <Button
              variant="default"
              size="xs"
              aria-label={`${own.move}: ${span}`}
              onClick={() => onMove(maintenance)}
            >
              {own.move}
            </Button>
          )}
        </Row>
      )}
    </Stack>
  );
}

/** Lists current and upcoming occurrences with their actions. */
export function Occurrences({ window }: { readonly window: MaintenanceWindow }) {
  const { data, error, refetch } = useQuery(occurrencesQuery(window.id));
  const [wanted, setWanted] = useState<Wanted | null>(null);
  const [moved, setMoved] = useState<Maintenance | null>(null);
  const list = data?.data ?? [];
  const left = (data?.total ?? 0) - list.length;
  return (
    <Stack as="section" className={styles.preview} aria-labelledby="occurrences">
      <h2 id="occurrences">{own.title}</h2>
      {error && data === undefined && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Skeleton rows={4} />}
      {data !== undefined && list.length === 0 && <p>{own.none}</p>}
      <Stack as="ol" gap={2}>
        {list.map((maintenance, place) => (
          <OccurrenceRow
            key={maintenance.id}
            maintenance={maintenance}
            window={window}
            isFirst={place === 0}
            onUpdate={setWanted}
            onMove={setMoved}
          />
        ))}
      </Stack>
      {left > 0 && <p className={styles.faint}>{own.more(left)}</p>}
      {wanted !== null && (
        <UpdateDialog {...wanted} window={window} onClose={() => setWanted(null)} />
      )}
      {moved !== null && (
        <MoveDialog maintenance={moved} window={window} onClose={() => setMoved(null)} />
      )}
    </Stack>
  );
}
