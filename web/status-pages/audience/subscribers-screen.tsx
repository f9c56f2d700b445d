import { Button, Checkbox, Modal, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type FormEvent, useId, useState } from "react";
import { api, send } from "../../api/client.ts";
import { downloadFile } from "../../api/download.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { useMay } from "../../api/session.ts";
import { getFieldError, getFormError } from "../../editing/index.ts";
import buttonStyles from "../../parts/buttons.module.css";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import layoutStyles from "../../parts/layout.module.css";
import { Row, ScreenBody, Stack } from "../../parts/layout.tsx";
import { showNotice } from "../../parts/notices.tsx";
import textStyles from "../../parts/text.module.css";
import { useTypedText } from "../../parts/use-typed-text.ts";
import styles from "./audience.module.css";
import type { AudienceSearch } from "./audience-search.ts";
import { Choices, Messages } from "./messages.tsx";
import { People } from "./people.tsx";
import { countsQuery, type ImportReport } from "./queries.ts";
import { words } from "./words.ts";

/** Maximum length of an import that the API accepts, in characters. */
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
                {own.report.line(line)}:{" "}
                <bdi className={`${textStyles.mono} ${textStyles.wrap}`}>{text}</bdi>{" "}
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

/** Shows the import form, and after the import a report of its results. */
function ImportDialog({ statusPageId, onClose }: ImportDialogProps) {
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

const own = words.subscribers;
const from = "/signed-in/status-pages/$statusPageId/subscribers" as const;
const typingMs = 300;

interface SearchFieldProps {
  readonly value: string;
  readonly onSearch: (text: string) => void;
}

/** Edits the search text, and applies it when the user pauses typing. */
function SearchField({ value, onSearch }: SearchFieldProps) {
  const [text, setText] = useTypedText(value, typingMs, onSearch);
  return (
    <TextInput
      className={layoutStyles.grow}
      label={own.search}
      type="search"
      maxLength={254}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}

function Actions({ statusPageId }: { readonly statusPageId: string }) {
  const mayWrite = useMay("write");
  const [isImporting, setImporting] = useState(false);
  const download = useMutation({
    mutationFn: () =>
      downloadFile(`/v1/status-pages/${statusPageId}/subscriptions/export`, "subscribers.csv"),
    onSuccess: () => showNotice({ text: own.exported }),
    onError: (error) => showNotice({ text: error.message, tone: "bad" }),
  });
  return (
    <Row>
      {mayWrite && <Button onClick={() => setImporting(true)}>{own.add}</Button>}
      <Button variant="default" loading={download.isPending} onClick={() => download.mutate()}>
        {own.export}
      </Button>
      {isImporting && (
        <ImportDialog statusPageId={statusPageId} onClose={() => setImporting(false)} />
      )}
    </Row>
  );
}

function PeopleFilters({ statusPageId, search, onChange }: FiltersProps) {
  const { data: counts } = useQuery(countsQuery(statusPageId));
  return (
    <Row gap={4} align="end" className={styles.bar}>
      <SearchField
        value={search.search ?? ""}
        onSearch={(text) => {
          const { search: _before, ...rest } = search;
          onChange({ ...rest, ...(text !== "" && { search: text }) });
        }}
      />
      <Choices
        label={own.filter}
        all={own.all}
        options={own.states}
        chosen={search.status}
        counts={counts}
        onChoose={(next) => {
          const { status: _before, ...rest } = search;
          onChange({ ...rest, ...(next !== undefined && { status: next }) });
        }}
      />
      <Actions statusPageId={statusPageId} />
    </Row>
  );
}

interface FiltersProps {
  readonly statusPageId: string;
  readonly search: AudienceSearch;
  readonly onChange: (search: AudienceSearch) => void;
}

function SubscribersScreen() {
  const { statusPageId } = useParams({ from });
  const search = useSearch({ from });
  const navigate = useNavigate();
  const change = (next: AudienceSearch) =>
    void navigate({
      to: "/status-pages/$statusPageId/subscribers",
      params: { statusPageId },
      search: next,
      replace: true,
    });
  const isMessages = search.view === "messages";
  return (
    <ScreenBody className={styles.body}>
      <h2 className="unseen">{own.title}</h2>
      <Row as="fieldset" gap={1} aria-label={own.views}>
        {([false, true] as const).map((isOther) => (
          <button
            key={`${isOther}`}
            type="button"
            className={buttonStyles.chip}
            aria-pressed={isMessages === isOther}
            onClick={() => change(isOther ? { view: "messages" } : {})}
          >
            {isOther ? own.messages : own.people}
          </button>
        ))}
      </Row>
      {isMessages ? (
        <Messages statusPageId={statusPageId} search={search} onChange={change} />
      ) : (
        <>
          <PeopleFilters statusPageId={statusPageId} search={search} onChange={change} />
          <People statusPageId={statusPageId} search={search} />
        </>
      )}
    </ScreenBody>
  );
}

export const route = createLazyRoute(from)({ component: SubscribersScreen });
