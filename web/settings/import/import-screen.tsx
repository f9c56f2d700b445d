import { Button, FileInput, NativeSelect } from "@mantine/core";
import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { renewQueries } from "../../api/renew-queries.ts";
import { useMay } from "../../api/session.ts";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { FormLayout, Row, ScreenBody, Stack } from "../../parts/layout.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import tableStyles from "../../parts/table.module.css";
import textStyles from "../../parts/text.module.css";
import { Ago } from "../../parts/time.tsx";
import styles from "../settings.module.css";
import { AddressesPart } from "./addresses-part.tsx";
import { PreviewPart } from "./preview-part.tsx";
import {
  addressesQuery,
  type Import,
  type ImportSource,
  importsQuery,
  uploadFiles,
} from "./queries.ts";
import { words } from "./words.ts";

const sourceOptions = Object.entries(words.sources).map(([value, label]) => ({ value, label }));

function UploadForm({ onRead }: { readonly onRead: (preview: Import) => void }) {
  const client = useQueryClient();
  const [source, setSource] = useState<ImportSource>("uptime-kuma");
  const [files, setFiles] = useState<File[]>([]);
  const upload = useMutation({
    mutationFn: () => uploadFiles(source, files),
    onSuccess: async (preview) => {
      onRead(preview);
      await renewQueries(client, ["imports"]);
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
      <FileInput
        label={words.file}
        description={words.files[source]}
        placeholder={words.chooseFile}
        multiple
        value={files}
        onChange={setFiles}
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

function EarlierPart({ imports }: { readonly imports: readonly Import[] }) {
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
                <strong>{words.sources[one.source]}</strong>
              </td>
              <td data-label={words.file} className={textStyles.wrap}>
                {one.fileName}
              </td>
              <td data-label={words.when}>
                <Ago at={one.finished_at ?? one.created_at} />
              </td>
              <td data-label={words.outcome}>{describeOutcome(one)}</td>
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
  const [preview, setPreview] = useState<Import | null>(null);
  return (
    <>
      <PageHeader title={words.title}>
        <p className={textStyles.muted}>{words.intro}</p>
      </PageHeader>
      <ScreenBody className={styles.body}>
        {error && <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />}
        {mayWrite ? <UploadForm onRead={setPreview} /> : <p>{words.readOnly}</p>}
        {preview && <PreviewPart key={preview.id} preview={preview} />}
        <AddressesPart addresses={addresses} />
        <EarlierPart imports={imports} />
      </ScreenBody>
    </>
  );
}

export const route = createLazyRoute("/signed-in/settings/import")({ component: ImportScreen });
