import { Button, Modal, Textarea } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import { DateTime } from "../parts/time.tsx";
import styles from "./maintenance.module.css";
import type { Maintenance } from "./wire.ts";
import { words } from "./words.ts";

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
      <span className={styles.saidText}>{update.description}</span>
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

/** Updates of an occurrence, newest first. */
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
