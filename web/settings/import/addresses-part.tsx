import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, send } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { useMay } from "../../api/session.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Stack } from "../../parts/layout.tsx";
import { showNotice } from "../../parts/notices.tsx";
import tableStyles from "../../parts/table.module.css";
import textStyles from "../../parts/text.module.css";
import { Ago } from "../../parts/time.tsx";
import type { PushAddress } from "./queries.ts";
import { words } from "./words.ts";

interface RemoveDialogProps {
  readonly address: PushAddress;
  readonly onClose: () => void;
}

function RemoveDialog({ address: { id, address }, onClose }: RemoveDialogProps) {
  const client = useQueryClient();
  const removing = useMutation({
    mutationFn: () => send(api.DELETE("/v1/push-addresses/{id}", { params: { path: { id } } })),
    onSuccess: async () => {
      onClose();
      showNotice({ text: words.removed });
      await renewQueries(client, ["push-addresses"]);
    },
  });
  return (
    <ConfirmDialog
      isOpen
      title={words.removeTitle(address)}
      action={words.remove}
      isBusy={removing.isPending}
      onConfirm={() => removing.mutate()}
      onCancel={onClose}
    >
      <p>{words.removeText}</p>
      {removing.error && <ErrorPanel error={removing.error} />}
    </ConfirmDialog>
  );
}

/** Old push addresses that are valid here. */
export function AddressesPart({ addresses }: { readonly addresses: readonly PushAddress[] }) {
  const mayWrite = useMay("write");
  const [removed, setRemoved] = useState<PushAddress | null>(null);
  if (addresses.length === 0) return null;
  return (
    <Stack as="section">
      <h2>{words.addresses}</h2>
      <p className={textStyles.muted}>{words.addressesText}</p>
      <table className={`${tableStyles.table} ${tableStyles.cards}`}>
        <thead>
          <tr>
            <th>{words.address}</th>
            <th>{words.check}</th>
            <th>{words.used}</th>
            {mayWrite && (
              <th>
                <span className="unseen">{words.remove}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {addresses.map((address) => (
            <tr key={address.id}>
              <td className={textStyles.wrap}>
                <code>{address.address}</code>
              </td>
              <td data-label={words.check}>
                <Link to="/checks/$checkId" params={{ checkId: address.checkId }}>
                  {words.openCheck}
                </Link>
              </td>
              <td data-label={words.used}>
                {address.last_used_at === null ? words.never : <Ago at={address.last_used_at} />}
              </td>
              {mayWrite && (
                <td className={textStyles.end}>
                  <Button
                    variant="default"
                    size="xs"
                    onClick={() => setRemoved(address)}
                    aria-label={`${words.remove} ${address.address}`}
                  >
                    {words.remove}
                  </Button>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {removed && <RemoveDialog address={removed} onClose={() => setRemoved(null)} />}
    </Stack>
  );
}
