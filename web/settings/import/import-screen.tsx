import { Button, FileButton, Input, NativeSelect, TextInput } from "@mantine/core";
import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { createLazyRoute, Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { api, send } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { useMay } from "../../api/session.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { FormLayout, Row, ScreenBody, Stack } from "../../parts/layout.tsx";
import { showNotice } from "../../parts/notices.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import tableStyles from "../../parts/table.module.css";
import textStyles from "../../parts/text.module.css";
import { Ago } from "../../parts/time.tsx";
import styles from "../settings.module.css";
import { ComparisonPart } from "./comparison-part.tsx";
import { PreviewPart } from "./preview-part.tsx";
import {
  addressesQuery,
  type Import,
  type ImportSource,
  importsQuery,
  nameSource,
  type PushAddress,
  uploadFiles,
} from "./queries.ts";
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

/**
 * Lists push addresses. A push address is a URL that a job has pinged at another monitoring tool.
 * This server accepts the same address, so that the job pings a heartbeat check here.
 */
function AddressesPart({ addresses }: { readonly addresses: readonly PushAddress[] }) {
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
              <td data-label={words.check} className={textStyles.wrap}>
                <Link to="/checks/$checkId" params={{ checkId: address.checkId }}>
                  {address.checkName}
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

const sourceOptions = Object.entries(words.sources).map(([value, label]) => ({ value, label }));

function UploadForm({ onRead }: { readonly onRead: (importId: string) => void }) {
  const client = useQueryClient();
  const [source, setSource] = useState<ImportSource>("uptime-kuma");
  const [name, setName] = useState("");
  const [files, setFiles] = useState<File[]>([]);
  const upload = useMutation({
    mutationFn: () => uploadFiles({ source, name, files }),
    onSuccess: async (preview) => {
      await renewQueries(client, ["imports"]);
      onRead(preview.id);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (files.length > 0) upload.mutate();
  };
  return (
    <FormLayout onSubmit={submit}>
      <NativeSelect
        label={words.source}
        data={sourceOptions}
        value={source}
        onChange={(event) => setSource(event.currentTarget.value as ImportSource)}
      />
      <Stack gap={2}>
        <Input.Wrapper label={words.file} labelElement="div" description={words.files[source]} />
        <Row>
          <FileButton multiple onChange={setFiles} inputProps={{ "aria-label": words.file }}>
            {(props) => (
              <Button variant="default" {...props}>
                {words.chooseFile}
              </Button>
            )}
          </FileButton>
          <span className={textStyles.wrap}>
            {files.length === 0 ? words.noneChosen : files.map(({ name }) => name).join(", ")}
          </span>
        </Row>
      </Stack>
      <TextInput
        label={words.installation}
        description={words.installationText}
        value={name}
        maxLength={100}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Row>
        <Button type="submit" loading={upload.isPending} disabled={files.length === 0}>
          {words.read}
        </Button>
      </Row>
      {upload.error && <ErrorPanel error={upload.error} />}
    </FormLayout>
  );
}

function describeOutcome({ outcome }: Import): string {
  if (outcome === null) return words.notRun;
  return words.done(outcome.created, outcome.updated, outcome.unchanged);
}

interface EarlierPartProps {
  readonly imports: readonly Import[];
  /** Opens the report of an import that was not run. */
  readonly onOpen: (id: string) => void;
}

function EarlierPart({ imports, onOpen }: EarlierPartProps) {
  const mayWrite = useMay("write");
  if (imports.length === 0) return null;
  return (
    <Stack as="section">
      <h2>{words.earlier}</h2>
      <table className={`${tableStyles.table} ${tableStyles.cards}`}>
        <thead>
          <tr>
            <th>{words.source}</th>
            <th>{words.file}</th>
            <th>{words.when}</th>
            <th>{words.outcome}</th>
          </tr>
        </thead>
        <tbody>
          {imports.map((one) => (
            <tr key={one.id}>
              <td>
                <strong>{nameSource(one)}</strong>
              </td>
              <td data-label={words.file} className={textStyles.wrap}>
                {one.fileName}
              </td>
              <td data-label={words.when}>
                <Ago at={one.finished_at ?? one.created_at} />
              </td>
              <td data-label={words.outcome}>
                <Row>
                  {describeOutcome(one)}
                  {mayWrite && one.outcome === null && (
                    <Button
                      variant="default"
                      size="compact-sm"
                      aria-label={words.openReportOf(one.fileName)}
                      onClick={() => onOpen(one.id)}
                    >
                      {words.openReport}
                    </Button>
                  )}
                </Row>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Stack>
  );
}

function ImportScreen() {
  const mayWrite = useMay("write");
  const { data: imports, error, refetch } = useSuspenseQuery(importsQuery);
  const { data: addresses } = useSuspenseQuery(addressesQuery);
  const [openId, setOpenId] = useState<string | null>(null);
  const open = imports.find(({ id }) => id === openId);
  return (
    <>
      <PageHeader title={words.title}>
        <p className={textStyles.muted}>{words.intro}</p>
      </PageHeader>
      <ScreenBody className={styles.body}>
        {error && <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />}
        {mayWrite ? <UploadForm onRead={setOpenId} /> : <p>{words.readOnly}</p>}
        {open && <PreviewPart key={open.id} preview={open} />}
        <ComparisonPart imports={imports} />
        <AddressesPart addresses={addresses} />
        <EarlierPart imports={imports} onOpen={setOpenId} />
      </ScreenBody>
    </>
  );
}

export const route = createLazyRoute("/signed-in/settings/import")({ component: ImportScreen });
