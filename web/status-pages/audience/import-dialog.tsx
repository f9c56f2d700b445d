import { Button, Checkbox, Modal, Textarea } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { api, send } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { getFieldError, getFormError } from "../../editing/index.ts";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import textStyles from "../../parts/text.module.css";
import styles from "./audience.module.css";
import type { ImportReport } from "./queries.ts";
import { words } from "./words.ts";

const own = words.subscribers;
/** Maximum length that the API accepts. */
const maxLength = 500_000;

function FileField({ onText }: { readonly onText: (text: string) => void }) {
  const id = useId();
  return (
    <Row gap={3} className={styles.file}>
      <label htmlFor={id}>{own.file}</label>
      <input
        id={id}
        type="file"
        accept=".csv,.txt,text/csv,text/plain"
        onChange={async (event) => {
          const file = event.currentTarget.files?.[0];
          if (file) onText((await file.slice(0, 2 * maxLength).text()).slice(0, maxLength + 1));
        }}
      />
    </Row>
  );
}

interface ImportFormProps {
  readonly statusPageId: string;
  readonly onDone: (report: ImportReport) => void;
}

function ImportForm({ statusPageId, onDone }: ImportFormProps) {
  const client = useQueryClient();
  const [text, setText] = useState("");
  const [autoVerify, setAutoVerify] = useState(false);
  const add = useMutation({
    mutationFn: () =>
      send(
        api.POST("/v1/status-pages/{statusPageId}/subscriptions/import", {
          params: { path: { statusPageId } },
          body: { text, autoVerify },
        }),
      ),
    onSuccess: async (report) => {
      onDone(report);
      await renewQueries(client, ["subscriptions", "of-page", statusPageId]);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  const beside = getFormError(add.error, ["text"]);
  return (
    <Stack as="form" gap={4} className={`${styles.form} ${styles.import}`} onSubmit={submit}>
      <Textarea
        label={own.list}
        description={own.listHint}
        required
        rows={8}
        data-autofocus
        placeholder={"ada@example.com\ngrace@example.com"}
        value={text}
        error={getFieldError(add.error, "text")}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <FileField onText={setText} />
      <Checkbox
        label={own.agreed}
        description={own.agreedHint}
        checked={autoVerify}
        onChange={(event) => setAutoVerify(event.currentTarget.checked)}
      />
      {beside && <ErrorPanel error={beside} />}
      <Row>
        <Button type="submit" loading={add.isPending}>
          {own.import}
        </Button>
      </Row>
    </Stack>
  );
}

interface ReportProps {
  readonly report: ImportReport;
  readonly onAgain: () => void;
  readonly onClose: () => void;
}

function Report({ report, onAgain, onClose }: ReportProps) {
  const { created, skipped, faults, status } = report;
  return (
    <Stack align="start" className={styles.section}>
      <p role="status">
        {own.report.created(created, status === "PENDING")}{" "}
        {skipped > 0 && own.report.skipped(skipped)}
      </p>
      {faults.length > 0 && (
        <>
          <p>{own.report.faults(faults.length)}</p>
          <Stack as="ul" gap={1} className={`${styles.faults} ${styles.wide}`}>
            {faults.map(({ line, text, rule }) => (
              <li key={line}>
                {own.report.line(line)}: <bdi className={styles.mono}>{text}</bdi>{" "}
                <span className={textStyles.muted}>{rule}</span>
              </li>
            ))}
          </Stack>
        </>
      )}
      <Row>
        <Button onClick={onClose}>{words.done}</Button>
        <Button variant="default" onClick={onAgain}>
          {own.again}
        </Button>
      </Row>
    </Stack>
  );
}

interface ImportDialogProps {
  readonly statusPageId: string;
  readonly onClose: () => void;
}

/** Shows the form, then the import report. */
export function ImportDialog({ statusPageId, onClose }: ImportDialogProps) {
  const [report, setReport] = useState<ImportReport | null>(null);
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={own.importTitle}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {report === null ? (
        <ImportForm statusPageId={statusPageId} onDone={setReport} />
      ) : (
        <Report report={report} onAgain={() => setReport(null)} onClose={onClose} />
      )}
    </Modal>
  );
}
