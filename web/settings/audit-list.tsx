import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import type { Schemas } from "../api/client.ts";
import { FactList } from "../parts/blocks.tsx";
import { Stack } from "../parts/layout.tsx";
import listStyles from "../parts/list.module.css";
import { formatObjectType } from "../parts/object-type.ts";
import textStyles from "../parts/text.module.css";
import { DateTime } from "../parts/time.tsx";
import { AuditChanges } from "./audit-changes.tsx";
import styles from "./audit-list.module.css";
import { words } from "./words.ts";

const own = words.audit;
type Entry = Schemas["AuditEntry"];

/** Formats an action: "api-key.created" → "API key created". */
function formatAction(action: string): string {
  return formatObjectType(action.replace(".", " "));
}

const machineId = /^(?:\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Returns the name of the target. An id is shown only if it was chosen by a user. */
function nameTarget({ target }: Entry): string {
  if (target.name !== null) return target.name;
  return machineId.test(target.id) ? "" : target.id;
}

function Details({ entry }: { readonly entry: Entry }) {
  return (
    <Stack className={styles.details}>
      <AuditChanges changes={entry.changes} />
      <FactList>
        <dt>{own.id(formatObjectType(entry.target.type))}</dt>
        <dd>
          <code>{entry.target.id}</code>
        </dd>
        {entry.address !== null && (
          <>
            <dt>{own.address}</dt>
            <dd>{entry.address}</dd>
          </>
        )}
        {entry.requestId !== null && (
          <>
            <dt>{own.request}</dt>
            <dd>
              <code>{entry.requestId}</code>
            </dd>
          </>
        )}
      </FactList>
    </Stack>
  );
}

interface AuditRowProps {
  readonly entry: Entry;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function AuditRow({ entry, isOpen, onToggle }: AuditRowProps) {
  return (
    <>
      <button
        type="button"
        className={`${listStyles.row} ${styles.row}`}
        aria-expanded={isOpen}
        onClick={onToggle}
      >
        <span className={styles.when}>
          <DateTime at={entry.at} />
        </span>
        <span className={styles.action}>{formatAction(entry.action)}</span>
        <span className={textStyles.clip}>{nameTarget(entry)}</span>
        <span className={styles.who}>{entry.actor.name}</span>
      </button>
      {isOpen && <Details entry={entry} />}
    </>
  );
}

interface AuditListProps {
  readonly entries: readonly Entry[];
  readonly hasMore: boolean;
  readonly onMore: () => void;
}

/** Virtualised: only the visible rows are in the DOM. */
export function AuditList({ entries, hasMore, onMore }: AuditListProps) {
  const list = useRef<HTMLUListElement>(null);
  const [openIds, setOpenIds] = useState<ReadonlySet<string>>(new Set());
  const rows = useWindowVirtualizer({
    count: entries.length,
    estimateSize: () => 41,
    overscan: 12,
    scrollMargin: list.current?.offsetTop ?? 0,
    getItemKey: (index) => entries[index]?.id ?? index,
  });
  const items = rows.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last >= entries.length - 20) onMore();
  }, [hasMore, last, entries.length, onMore]);
  const toggle = (id: string) => {
    const next = new Set(openIds);
    if (!next.delete(id)) next.add(id);
    setOpenIds(next);
  };
  const first = items[0]?.start ?? 0;
  const { scrollMargin } = rows.options;
  return (
    <ul ref={list} style={{ height: rows.getTotalSize() }}>
      {items.map(({ index, key }) => {
        const entry = entries[index];
        if (entry === undefined) return null;
        return (
          <li
            key={key}
            data-index={index}
            ref={rows.measureElement}
            className={styles.item}
            style={{ transform: `translateY(${first - scrollMargin}px)` }}
          >
            <AuditRow
              entry={entry}
              isOpen={openIds.has(entry.id)}
              onToggle={() => toggle(entry.id)}
            />
          </li>
        );
      })}
    </ul>
  );
}
