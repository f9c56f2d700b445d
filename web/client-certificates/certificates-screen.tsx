import { Button } from "@mantine/core";
import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { useState } from "react";
import { api, type Schemas, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { ScreenBody } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import tableStyles from "../parts/table.module.css";
import textStyles from "../parts/text.module.css";
import { Ago } from "../parts/time.tsx";
import styles from "../settings/settings.module.css";
import { CertificateDialog } from "./certificate-dialog.tsx";
import { certificatesQuery } from "./queries.ts";
import { words } from "./words.ts";

type Certificate = Schemas["ClientCertificate"];

interface CertificateTableProps {
  readonly certificates: readonly Certificate[];
  readonly onRemove: (certificate: Certificate) => void;
}

function CertificateTable({ certificates, onRemove }: CertificateTableProps) {
  const mayWrite = useMay("write");
  return (
    <table className={`${tableStyles.table} ${tableStyles.cards}`}>
      <thead>
        <tr>
          <th>{words.host}</th>
          <th>{words.ca}</th>
          <th>{words.added}</th>
          {mayWrite && (
            <th>
              <span className="unseen">{words.remove}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {certificates.map((certificate) => (
          <tr key={certificate.id}>
            <td>
              <strong>{certificate.host}</strong>
            </td>
            <td data-label={words.ca}>{certificate.ca === null ? words.usual : words.own}</td>
            <td data-label={words.added}>
              <Ago at={certificate.created_at} />
            </td>
            {mayWrite && (
              <td className={textStyles.end}>
                <Button
                  variant="default"
                  size="xs"
                  onClick={() => onRemove(certificate)}
                  aria-label={`${words.remove} ${certificate.host}`}
                >
                  {words.remove}
                </Button>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface RemoveDialogProps {
  readonly certificate: Certificate;
  readonly onClose: () => void;
}

function RemoveDialog({ certificate: { id, host }, onClose }: RemoveDialogProps) {
  const queryClient = useQueryClient();
  const removing = useMutation({
    mutationFn: () =>
      send(api.DELETE("/v1/client-certificates/{id}", { params: { path: { id } } })),
    onSuccess: async () => {
      onClose();
      showNotice({ text: words.removed });
      await renewQueries(queryClient, ["client-certificates"]);
    },
  });
  return (
    <ConfirmDialog
      isOpen
      title={words.removeTitle(host)}
      action={words.remove}
      isBusy={removing.isPending}
      onConfirm={() => removing.mutate()}
      onCancel={onClose}
    >
      <p>{words.removeText(host)}</p>
      {removing.error && <ErrorPanel error={removing.error} />}
    </ConfirmDialog>
  );
}

function CertificatesScreen() {
  const mayWrite = useMay("write");
  const { data, error, refetch } = useSuspenseQuery(certificatesQuery);
  const [isCreating, setCreating] = useState(false);
  const [removed, setRemoved] = useState<Certificate | null>(null);
  const create = mayWrite && <Button onClick={() => setCreating(true)}>{words.create}</Button>;
  return (
    <>
      <PageHeader title={words.title} actions={create}>
        <p className={textStyles.muted}>{words.intro}</p>
      </PageHeader>
      <ScreenBody className={styles.body}>
        {error && <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />}
        {data.length === 0 && (
          <EmptyState title={words.empty}>
            <p>{words.emptyText}</p>
          </EmptyState>
        )}
        {data.length > 0 && <CertificateTable certificates={data} onRemove={setRemoved} />}
      </ScreenBody>
      {isCreating && <CertificateDialog onClose={() => setCreating(false)} />}
      {removed && <RemoveDialog certificate={removed} onClose={() => setRemoved(null)} />}
    </>
  );
}

export const route = createLazyRoute("/signed-in/settings/client-certificates")({
  component: CertificatesScreen,
});
