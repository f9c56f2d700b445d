import { Button, Checkbox } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { api, send } from "../../api/client.ts";
import { renewQueries } from "../../api/renew-queries.ts";
import { Callout } from "../../parts/blocks.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Row, Stack } from "../../parts/layout.tsx";
import tableStyles from "../../parts/table.module.css";
import textStyles from "../../parts/text.module.css";
import type { Import } from "./queries.ts";
import { words } from "./words.ts";

type Report = Import["report"];

const table = `${tableStyles.table} ${tableStyles.cards}`;

interface ImportedTableProps {
  readonly items: Report["imported"];
  readonly excluded: ReadonlySet<string>;
  readonly onToggle: (origins: readonly string[], isChosen: boolean) => void;
}

function ImportedTable({ items, excluded, onToggle }: ImportedTableProps) {
  const origins = items.map(({ origin }) => origin);
  const chosen = origins.filter((origin) => !excluded.has(origin)).length;
  return (
    <table className={table}>
      <thead>
        <tr>
          <th>
            <Checkbox
              aria-label={words.all}
              checked={chosen === items.length}
              indeterminate={chosen > 0 && chosen < items.length}
              onChange={(event) => onToggle(origins, event.currentTarget.checked)}
            />
          </th>
          <th>{words.name}</th>
          <th>{words.becomes}</th>
          <th>{words.origin}</th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ origin, name, as }) => (
          <tr key={origin}>
            <td>
              <Checkbox
                aria-label={words.choose(name)}
                checked={!excluded.has(origin)}
                onChange={(event) => onToggle([origin], event.currentTarget.checked)}
              />
            </td>
            <td className={textStyles.wrap}>
              <strong>{name}</strong>
            </td>
            <td data-label={words.becomes}>{as}</td>
            <td data-label={words.origin}>
              <code>{origin}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ChangedTable({ items }: { readonly items: Report["changed"] }) {
  return (
    <table className={table}>
      <thead>
        <tr>
          <th>{words.name}</th>
          <th>{words.setting}</th>
          <th>{words.from}</th>
          <th>{words.to}</th>
          <th>{words.why}</th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ origin, name, field, from, to, why }) => (
          <tr key={`${origin} ${field}`}>
            <td className={textStyles.wrap}>
              <strong>{name}</strong>
            </td>
            <td data-label={words.setting}>{field}</td>
            <td data-label={words.from} className={textStyles.wrap}>
              {from}
            </td>
            <td data-label={words.to} className={textStyles.wrap}>
              {to}
            </td>
            <td data-label={words.why} className={textStyles.wrap}>
              {why}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function LeftOutTable({ items }: { readonly items: Report["leftOut"] }) {
  return (
    <table className={table}>
      <thead>
        <tr>
          <th>{words.name}</th>
          <th>{words.why}</th>
          <th>{words.origin}</th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ origin, name, why }, index) => (
          // The same object may be left out for several reasons.
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes.
          <tr key={`${origin} ${index}`}>
            <td className={textStyles.wrap}>
              <strong>{name}</strong>
            </td>
            <td data-label={words.why} className={textStyles.wrap}>
              {why}
            </td>
            <td data-label={words.origin}>
              <code>{origin}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Lists what the import changes and what it leaves out. */
function ReportDetails({ report }: { readonly report: Report }) {
  const { changed, leftOut, notes } = report;
  return (
    <>
      {changed.length > 0 && (
        <Stack as="section">
          <h3>{words.changed}</h3>
          <ChangedTable items={changed} />
        </Stack>
      )}
      {leftOut.length > 0 && (
        <Stack as="section">
          <h3>{words.leftOut}</h3>
          <LeftOutTable items={leftOut} />
        </Stack>
      )}
      {notes.length > 0 && (
        <Stack as="section">
          <h3>{words.notes}</h3>
          <ul>
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </Stack>
      )}
    </>
  );
}

interface Options {
  readonly muted: boolean;
  readonly keepAddresses: boolean;
  readonly withHistory: boolean;
}

interface OptionsProps {
  readonly preview: Import;
  readonly options: Options;
  readonly onChange: (options: Options) => void;
}

function OptionFields({ preview, options, onChange }: OptionsProps) {
  const { addresses, historyChecks } = preview;
  return (
    <Stack gap={2}>
      <Checkbox
        label={words.muted}
        description={words.mutedText}
        checked={options.muted}
        onChange={(event) => onChange({ ...options, muted: event.currentTarget.checked })}
      />
      {addresses > 0 && (
        <Checkbox
          label={words.keepAddresses(addresses)}
          description={words.keepAddressesText}
          checked={options.keepAddresses}
          onChange={(event) => onChange({ ...options, keepAddresses: event.currentTarget.checked })}
        />
      )}
      {historyChecks > 0 && (
        <Checkbox
          label={words.withHistory(historyChecks)}
          description={words.withHistoryText}
          checked={options.withHistory}
          onChange={(event) => onChange({ ...options, withHistory: event.currentTarget.checked })}
        />
      )}
    </Stack>
  );
}

function Outcome({ outcome }: { readonly outcome: NonNullable<Import["outcome"]> }) {
  const { created, updated, unchanged, notes } = outcome;
  return (
    <Callout tone="good" role="status">
      <p>{words.done(created, updated, unchanged)}</p>
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
      <p>
        <Link to="/checks">{words.toChecks}</Link>
      </p>
    </Callout>
  );
}

const defaults: Options = { muted: true, keepAddresses: true, withHistory: true };

/** Shows the report of an uploaded file, lets the user select parts, and runs the import. */
export function PreviewPart({ preview }: { readonly preview: Import }) {
  const client = useQueryClient();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus();
  }, []);
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(new Set());
  const [options, setOptions] = useState(defaults);
  const { id, report } = preview;
  const run = useMutation({
    mutationFn: () =>
      send(
        api.POST("/v1/imports/{id}/run", {
          params: { path: { id } },
          body: { ...options, exclude: [...excluded] },
        }),
      ),
    onSuccess: async () => {
      for (const key of ["imports", "push-addresses", "checks"]) await renewQueries(client, [key]);
    },
  });
  const toggle = (origins: readonly string[], isChosen: boolean) => {
    const next = new Set(excluded);
    for (const origin of origins) isChosen ? next.delete(origin) : next.add(origin);
    setExcluded(next);
    // Another choice can be imported after the first one.
    run.reset();
  };
  const chosen = report.imported.length - excluded.size;
  return (
    <Stack as="section">
      <h2 ref={heading} tabIndex={-1}>
        {words.reportOf(preview.fileName)}
      </h2>
      <p className={textStyles.muted}>
        {words.counts(report.imported.length, report.changed.length, report.leftOut.length)}
      </p>
      {run.data?.outcome ? (
        <Outcome outcome={run.data.outcome} />
      ) : (
        <>
          <OptionFields preview={preview} options={options} onChange={setOptions} />
          <Row>
            <Button onClick={() => run.mutate()} loading={run.isPending} disabled={chosen === 0}>
              {words.run(chosen)}
            </Button>
          </Row>
        </>
      )}
      {run.error && <ErrorPanel error={run.error} />}
      <h3>{words.imported}</h3>
      <ImportedTable items={report.imported} excluded={excluded} onToggle={toggle} />
      <ReportDetails report={report} />
    </Stack>
  );
}
