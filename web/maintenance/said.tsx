import { Button, Modal, NativeSelect, Switch, Textarea } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import textStyles from "../parts/text.module.css";
import { DateTime } from "../parts/time.tsx";
import styles from "./maintenance.module.css";
import type { Maintenance, MaintenanceWindow, Status } from "./queries.ts";
import { formatSpan } from "./sentences.ts";
import { words } from "./words.ts";

const updateWords = words.update;

interface UpdateDialogProps {
  readonly window: MaintenanceWindow;
  readonly maintenance: Maintenance;
  readonly status: Status;
  readonly onClose: () => void;
}

interface NewUpdate {
  readonly status: Status;
  readonly description: string;
  readonly notifySubscribers: boolean;
}

function usePost(window: MaintenanceWindow, { id }: Maintenance, onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewUpdate) =>
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

/**
 * Dialog that posts an update and sets the status of an occurrence to `status`. If the occurrence
 * has started and already has this status, the user can switch between "in progress" and
 * "verifying".
 */
export function UpdateDialog({ window, maintenance, status, onClose }: UpdateDialogProps) {
  const [wanted, setWanted] = useState(status);
  const [description, setDescription] = useState(updateWords.texts[status]);
  const [notifySubscribers, setNotify] = useState(false);
  const isOnlySaid = status === maintenance.status;
  const post = usePost(window, maintenance, onClose);
  const choose = (next: Status) => {
    if (description === updateWords.texts[wanted]) setDescription(updateWords.texts[next]);
    setWanted(next);
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={isOnlySaid ? words.occurrences.say : updateWords.title[status]}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Stack>
        <p>
          <bdi>{window.name}</bdi>,{" "}
          {formatSpan(maintenance.startsAt, maintenance.endsAt, window.timezone)} ({window.timezone}
          ). {updateWords.effect[wanted]}
        </p>
        {isOnlySaid && status !== "SCHEDULED" && (
          <NativeSelect
            label={updateWords.status}
            value={wanted}
            data={(["IN_PROGRESS", "VERIFYING"] as const).map((value) => ({
              value,
              label: words.statuses[value],
            }))}
            onChange={(event) => choose(event.currentTarget.value as Status)}
          />
        )}
        <Textarea
          label={updateWords.text}
          value={description}
          maxLength={2_000}
          rows={3}
          data-autofocus
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        {window.statusPageVisibility.enabled && (
          <Switch
            label={updateWords.notify}
            checked={notifySubscribers}
            onChange={(event) => setNotify(event.currentTarget.checked)}
          />
        )}
        {post.error && <ErrorPanel error={post.error} />}
        <Row>
          <Button variant="default" onClick={onClose}>
            {updateWords.cancel}
          </Button>
          <Button
            loading={post.isPending}
            disabled={description.trim() === ""}
            onClick={() => post.mutate({ status: wanted, description, notifySubscribers })}
          >
            {isOnlySaid ? words.occurrences.say : updateWords.title[wanted]}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}

type Update = Maintenance["updates"][number];

const placeOf = ({ maintenanceWindowId, maintenanceId, id }: Update) => ({
  params: { path: { id: maintenanceWindowId, maintenanceId, updateId: id } },
});

const path = "/v1/maintenance-windows/{id}/maintenances/{maintenanceId}/updates/{updateId}";

function EditDialog({
  update,
  onClose,
}: {
  readonly update: Update;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const [description, setDescription] = useState(update.description);
  const save = useMutation({
    mutationFn: () => send(api.PUT(path, { ...placeOf(update), body: { description } })),
    onSuccess: async () => {
      await renewQueries(client, ["maintenance"]);
      onClose();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.update.edit}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Stack>
        <Textarea
          label={words.update.text}
          value={description}
          maxLength={2_000}
          rows={4}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        {save.error && <ErrorPanel error={save.error} />}
        <Row>
          <Button
            loading={save.isPending}
            disabled={description.trim() === ""}
            onClick={() => save.mutate()}
          >
            {words.update.save}
          </Button>
        </Row>
      </Stack>
    </Modal>
  );
}

function SaidRow({ update }: { readonly update: Update }) {
  const mayWrite = useMay("write");
  const client = useQueryClient();
  const [isEdited, setEdited] = useState(false);
  const remove = useMutation({
    mutationFn: () => send(api.DELETE(path, placeOf(update))),
    onSuccess: () => renewQueries(client, ["maintenance"]),
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
  });
  const own = words.occurrences;
  return (
    <li>
      <span className={styles.faint}>
        <DateTime at={update.created_at} />: {words.statuses[update.status]}
        {update.notifySubscribers && `, ${own.told}`}
      </span>
      <span className={textStyles.lines}>{update.description}</span>
      {mayWrite && (
        <Row as="span">
          <Button variant="subtle" size="compact-xs" onClick={() => setEdited(true)}>
            {own.editText}
          </Button>
          <Button
            variant="subtle"
            size="compact-xs"
            loading={remove.isPending}
            onClick={() => remove.mutate()}
          >
            {own.removeText}
          </Button>
        </Row>
      )}
      {isEdited && <EditDialog update={update} onClose={() => setEdited(false)} />}
    </li>
  );
}

/** Lists the updates of an occurrence, newest first. */
export function Said({ maintenance }: { readonly maintenance: Maintenance }) {
  if (maintenance.updates.length === 0) return null;
  return (
    <Stack as="ul" gap={2} className={styles.said} aria-label={words.occurrences.said}>
      {maintenance.updates.map((update) => (
        <SaidRow key={update.id} update={update} />
      ))}
    </Stack>
  );
}
