import tableStyles from "../parts/table.module.css";
import textStyles from "../parts/text.module.css";
import { words } from "./words.ts";

const own = words.audit;

function show(value: unknown): string {
  if (value === null || value === undefined) return "–";
  return typeof value === "string" ? value : JSON.stringify(value, null, 1);
}

function isFromTo(value: unknown): value is { from: unknown; to: unknown } {
  return typeof value === "object" && value !== null && "from" in value && "to" in value;
}

/** Shows the values before and after a change, if both were recorded. */
export function AuditChanges({ changes }: { readonly changes: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(changes);
  if (entries.length === 0) return <p className={textStyles.muted}>{own.noChanges}</p>;
  const hasBoth = entries.some(([, value]) => isFromTo(value));
  return (
    <table className={`${tableStyles.table} ${tableStyles.cards}`}>
      <thead>
        <tr>
          <th>{own.field}</th>
          {hasBoth && <th>{own.before}</th>}
          <th>{hasBoth ? own.after : own.value}</th>
        </tr>
      </thead>
      <tbody>
        {entries.map(([name, value]) => (
          <tr key={name}>
            <td>{name}</td>
            {hasBoth && <td data-label={own.before}>{isFromTo(value) ? show(value.from) : "–"}</td>}
            <td data-label={hasBoth ? own.after : own.value}>
              {show(isFromTo(value) ? value.to : value)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
