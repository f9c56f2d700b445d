import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Schemas, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { Row, Stack } from "../parts/layout.tsx";
import listStyles from "../parts/list.module.css";
import { showNotice } from "../parts/notices.tsx";
import { Ago } from "../parts/time.tsx";
import styles from "./locations.module.css";
import type { PrivateLocation } from "./queries.ts";
import { words } from "./words.ts";

const own = words.keys;
type Key = Schemas["ProbeKey"];

interface RevokeProps {
  readonly location: PrivateLocation;
  readonly revoked: Key;
  readonly onClose: () => void;
}

function RevokeDialog({ location: { id, probes }, revoked, onClose }: RevokeProps) {
  const queryClient = useQueryClient();
  const revoking = useMutation({
    mutationFn: () =>
      send(
        api.DELETE("/v1/private-locations/{id}/keys/{keyId}", {
          params: { path: { id, keyId: revoked.id } },
        }),
      ),
    onSuccess: async () => {
      onClose();
      showNotice({ text: own.revoked });
      await renewQueries(queryClient, ["private-locations"]);
    },
  });
  const using = probes.filter(({ keyId, status }) => keyId === revoked.id && status === "alive");
  return (
    <ConfirmDialog
      isOpen
      title={own.revokeTitle(revoked.maskedKey)}
      action={own.revoke}
      isBusy={revoking.isPending}
      onConfirm={() => revoking.mutate()}
      onCancel={onClose}
    >
      <p>{own.revokeText(using.length)}</p>
      {revoking.error && <ErrorPanel error={revoking.error} />}
    </ConfirmDialog>
  );
}

export function LocationKeys({ location }: { readonly location: PrivateLocation }) {
  const mayWrite = useMay("write");
  const [revoked, setRevoked] = useState<Key | null>(null);
  return (
    <Stack as="section" className={styles.part} aria-labelledby="keys">
      <h2 id="keys">{own.title}</h2>
      {location.keys.length === 0 && <p className={styles.faint}>{own.none}</p>}
      <ul className={listStyles.list}>
        {location.keys.map((key) => (
          <Row as="li" gap={4} tight key={key.id} className={`${listStyles.item} ${styles.keyRow}`}>
            <code>{key.maskedKey}</code>
            <span className={styles.faint}>
              {own.created} <Ago at={key.created_at} />
            </span>
            <span className={styles.faint}>
              {own.used} {key.lastUsedAt === null ? own.never : <Ago at={key.lastUsedAt} />}
            </span>
            {mayWrite && (
              <Button
                variant="default"
                size="xs"
                aria-label={`${own.revoke} ${key.maskedKey}`}
                onClick={() => setRevoked(key)}
              >
                {own.revoke}
              </Button>
            )}
          </Row>
        ))}
      </ul>
      {revoked && (
        <RevokeDialog location={location} revoked={revoked} onClose={() => setRevoked(null)} />
      )}
    </Stack>
  );
}
