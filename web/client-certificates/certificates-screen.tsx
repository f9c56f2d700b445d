import { Button, Modal, PasswordInput, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { api, type Schemas, send } from "../api/client.ts";
import { renewQueries } from "../api/renew-queries.ts";
import { useMay } from "../api/session.ts";
import { getFieldError, getFormError } from "../editing/index.ts";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import { FormLayout, Row, ScreenBody } from "../parts/layout.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import tableStyles from "../parts/table.module.css";
import textStyles from "../parts/text.module.css";
import { Ago } from "../parts/time.tsx";
import styles from "../settings/settings.module.css";
import { certificatesQuery } from "./queries.ts";
import { words } from "./words.ts";

const empty = { host: "", cert: "", key: "", passphrase: "", ca: "" };
type Field = keyof typeof empty;
const fields = Object.keys(empty) as Field[];

function create({ host, cert, key, passphrase, ca }: typeof empty) {
  return send(
    api.POST("/v1/client-certificates", {
      body: {
        host,
        cert,
        ...(key !== "" && { key }),
        ...(passphrase !== "" && { passphrase }),
        ...(ca !== "" && { ca }),
      },
    }),
  );
}

function CertificateDialog({ onClose }: { readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  // No draft is stored, because the private key must not be in the tab's session storage.
  const [draft, setDraft] = useState(empty);
  const saving = useMutation({
    mutationFn: () => create(draft),
    onSuccess: async () => {
      onClose();
      showNotice({ text: words.created });
      await renewQueries(queryClient, ["client-certificates"]);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate();
  };
  const field = (name: Field) => ({
    label: words[name],
    description: words[`${name}Hint`],
    value: draft[name],
    error: getFieldError(saving.error, name),
    spellCheck: false,
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      setDraft({ ...draft, [name]: event.currentTarget.value }),
  });
  const beside = getFormError(saving.error, fields);
  return (
    <Modal
      opened
      size="lg"
      onClose={onClose}
      title={words.create}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <FormLayout onSubmit={submit}>
        <TextInput {...field("host")} required maxLength={300} data-autofocus />
        <Textarea {...field("cert")} required rows={5} />
        <Textarea {...field("key")} rows={5} />
        <PasswordInput
          {...field("passphrase")}
          aria-invalid={getFieldError(saving.error, "passphrase") !== undefined}
          maxLength={1_000}
          autoComplete="off"
        />
        <Textarea {...field("ca")} rows={3} />
        {beside && <ErrorPanel error={beside} />}
        <Row>
          <Button type="submit" loading={saving.isPending}>
            {words.save}
          </Button>
        </Row>
      </FormLayout>
    </Modal>
  );
}

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
