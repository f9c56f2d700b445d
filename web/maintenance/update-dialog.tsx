import { Button, Modal, NativeSelect, Switch, Textarea } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import type { Maintenance, MaintenanceWindow, Status } from "./wire.ts";
import { words } from "./words.ts";
import { formatSpan } from "./zone.ts";

const own = words.update;

interface UpdateDialogProps {
  readonly window: MaintenanceWindow;
  readonly maintenance: Maintenance;
  readonly status: Status;
  readonly onClose: () => void;
}

interface Update {
  readonly status: Status;
  readonly description: string;
  readonly notifySubscribers: boolean;
}

function usePost(window: MaintenanceWindow, { id }: Maintenance, onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Update) =>
      send(
        api.POST("/v1/maintenance-windows/{id}/maintenances/{maintenanceId}/updates", {
          params: { path: { id: window.id, maintenanceId: id } },
          body,
        }),
      ),
    onSuccess: async () => {
      await renewQueries(client, ["maintenance"]);
      void renewQueries(client, ["now"]);
      onDone();
    },
  });
}

/** Sets the status of an occurrence. A plain update may also set it to verifying. */
export function UpdateDialog({ window, maintenance, status, onClose }: UpdateDialogProps) {
  const [wanted, setWanted] = useState(status);
  const [description, setDescription] = useState(own.texts[status]);
  const [notifySubscribers, setNotify] = useState(false);
  const isOnlySaid = status === maintenance.status;
  const post = usePost(window, maintenance, onClose);
  const choose = (next: Status) => {
    if (description === own.texts[wanted]) setDescription(own.texts[next]);
    setWanted(next);
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={isOnlySaid ? words.occurrences.say : own.title[status]}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Stack>
        <p>
          <bdi>{window.name}</bdi>,{" "}
          {formatSpan(maintenance.startsAt, maintenance.endsAt, window.timezone)} ({window.timezone}
          ). {own.effect[wanted]}
        </p>
        {isOnlySaid && status !== "SCHEDULED" && (
          <NativeSelect
            label={own.status}
            value={wanted}
            data={(["IN_PROGRESS", "VERIFYING"] as const).map((value) => ({
              value,
              label: words.statuses[value],
            }))}
            onChange={(event) => choose(event.currentTarget.value as Status)}
          />
        )}
        <Textarea
          label={own.text}
          value={description}
          maxLength={2_000}
          rows={3}
          data-autofocus
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        {window.statusPageVisibility.enabled && (
          <Switch
            label={own.notify}
            checked={notifySubscribers}
            onChange={(event) => setNotify(event.currentTarget.checked)}
          />
        )}
        {post.error && <ErrorPanel error={post.error} />}
        <Row>
          <Button variant="default" onClick={onClose}>
            {own.cancel}
          </Button>
          <Button
            loading={post.isPending}
            disabled={description.trim() === ""}
            onClick={() => post.mutate({ status: wanted, description, notifySubscribers })}
          >
            {isOnlySaid ? words.occurrences.say : own.title[wanted]}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}
