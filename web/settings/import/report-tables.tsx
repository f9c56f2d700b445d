import { Checkbox } from "@mantine/core";
import { Stack } from "../../parts/layout.tsx";
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

export function ImportedTable({ items, excluded, onToggle }: ImportedTableProps) {
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

/** What becomes different and what is left out. */
export function ReportDetails({ report }: { readonly report: Report }) {
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
