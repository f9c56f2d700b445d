import { Button, Modal, NumberInput, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import type { Maintenance, MaintenanceWindow } from "./wire.ts";
import { words } from "./words.ts";
import { formatSpan, toLocalText, toTimestampMs } from "./zone.ts";

const own = words.moving;
const minuteMs = 60_000;

interface MoveDialogProps {
  readonly window: MaintenanceWindow;
  readonly maintenance: Maintenance;
  readonly onClose: () => void;
}

export function MoveDialog({ window, maintenance, onClose }: MoveDialogProps) {
  const client = useQueryClient();
  const zone = window.timezone;
  const { startsAt, endsAt } = maintenance;
  const stored = toLocalText(Date.parse(startsAt), zone);
  const [start, setStart] = useState(stored);
  const [minutes, setMinutes] = useState((Date.parse(endsAt) - Date.parse(startsAt)) / minuteMs);
  // An unchanged start keeps its exact time, because its local time may occur twice that day.
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
    <Modal opened onClose={onClose} title={own.title} closeButtonProps={{ "aria-label": "Close" }}>
      <Stack>
        <p>
          {formatSpan(startsAt, endsAt, zone)} ({zone}). {own.effect}
        </p>
        <TextInput
          type="datetime-local"
          label={own.start(zone)}
          value={start}
          onChange={(event) => setStart(event.currentTarget.value)}
        />
        <NumberInput
          label={own.minutes}
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
            {own.move}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}
