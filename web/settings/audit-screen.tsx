import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { createLazyRoute, useNavigate, useSearch } from "@tanstack/react-router";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import type { Schemas } from "../api/client.ts";
import { downloadFile } from "../api/download.ts";
import { useMay } from "../api/session.ts";
import { FactList } from "../parts/blocks.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import layoutStyles from "../parts/layout.module.css";
import { Row, ScreenBody, Stack } from "../parts/layout.tsx";
import listStyles from "../parts/list.module.css";
import { Skeleton } from "../parts/loading.tsx";
import { showNotice } from "../parts/notices.tsx";
import { formatObjectType } from "../parts/object-type.ts";
import { PageHeader } from "../parts/page-header.tsx";
import tableStyles from "../parts/table.module.css";
import textStyles from "../parts/text.module.css";
import { DateTime } from "../parts/time.tsx";
import { useTypedText } from "../parts/use-typed-text.ts";
import auditListStyles from "./audit-list.module.css";
import { toApiFilter } from "./audit-search.ts";
import { type AuditFilter, auditFacetsQuery, auditQuery } from "./queries.ts";
import styles from "./settings.module.css";
import { words } from "./words.ts";

function show(value: unknown): string {
  if (value === null || value === undefined) return "–";
  return typeof value === "string" ? value : JSON.stringify(value, null, 1);
}

function isFromTo(value: unknown): value is { from: unknown; to: unknown } {
  return typeof value === "object" && value !== null && "from" in value && "to" in value;
}

/** Shows the values before and after a change if the audit log recorded both. */
function AuditChanges({ changes }: { readonly changes: Readonly<Record<string, unknown>> }) {
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
type Entry = Schemas["AuditEntry"];

/** Formats an audit log action: "api-key.created" becomes "API key created". */
function formatAction(action: string): string {
  return formatObjectType(action.replace(".", " "));
}

const machineId = /^(?:\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/**
 * Returns the name of an audit entry's target. If the target has no name, its id is shown, but only
 * if a user chose the id.
 */
function nameTarget({ target }: Entry): string {
  if (target.name !== null) return target.name;
  return machineId.test(target.id) ? "" : target.id;
}

function Details({ entry }: { readonly entry: Entry }) {
  return (
    <Stack className={auditListStyles.details}>
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
        className={`${listStyles.row} ${auditListStyles.row}`}
        aria-expanded={isOpen}
        onClick={onToggle}
      >
        <span className={`${auditListStyles.when} ${textStyles.muted}`}>
          <DateTime at={entry.at} />
        </span>
        <span className={auditListStyles.action}>{formatAction(entry.action)}</span>
        <span className={textStyles.clip}>{nameTarget(entry)}</span>
        <span className={`${auditListStyles.who} ${textStyles.muted} ${textStyles.clip}`}>
          {entry.actor.name}
        </span>
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

/** Shows audit entries in a virtualised list: only the visible rows are in the DOM. */
function AuditList({ entries, hasMore, onMore }: AuditListProps) {
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
            className={auditListStyles.item}
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

const own = words.audit;
const typingMs = 300;

interface FiltersProps {
  readonly filter: AuditFilter;
  readonly onChange: (change: AuditFilter) => void;
}

/** Edits the search text, and applies it when the user pauses typing. */
function SearchField({ filter, onChange }: FiltersProps) {
  const [text, setText] = useTypedText(filter.search ?? "", typingMs, (search) =>
    onChange({ ...filter, search }),
  );
  return (
    <TextInput
      className={layoutStyles.grow}
      label={own.search}
      type="search"
      maxLength={200}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}

function listChoices(all: string, known: readonly string[] = [], chosen?: string) {
  const values = chosen === undefined || known.includes(chosen) ? known : [chosen, ...known];
  return [{ value: "", label: all }, ...values.map((value) => ({ value, label: value }))];
}

function Filters({ filter, onChange }: FiltersProps) {
  const { data } = useQuery(auditFacetsQuery);
  const set = (key: keyof AuditFilter) => (event: { currentTarget: { value: string } }) =>
    onChange({ ...filter, [key]: event.currentTarget.value });
  return (
    <Row gap={3} align="end">
      <SearchField filter={filter} onChange={onChange} />
      <NativeSelect
        label={own.action}
        value={filter.action ?? ""}
        onChange={set("action")}
        data={listChoices(own.any, data?.actions, filter.action)}
      />
      <NativeSelect
        label={own.actor}
        value={filter.actor ?? ""}
        onChange={set("actor")}
        data={listChoices(own.anybody, data?.actors, filter.actor)}
      />
      <TextInput label={own.from} type="date" value={filter.from ?? ""} onChange={set("from")} />
      <TextInput label={own.to} type="date" value={filter.to ?? ""} onChange={set("to")} />
      {Object.keys(filter).length > 0 && (
        <Button variant="default" onClick={() => onChange({})}>
          {own.clear}
        </Button>
      )}
    </Row>
  );
}

function Exports({ filter }: { readonly filter: AuditFilter }) {
  const download = useMutation({
    mutationFn: (format: "csv" | "ndjson") => {
      const query = new URLSearchParams({ ...toApiFilter(filter), format });
      return downloadFile(`/v1/audit-log/export?${query}`, `audit-log.${format}`);
    },
    onSuccess: () => showNotice({ text: own.exported }),
    onError: (error) => showNotice({ text: `${own.tooMany} ${error.message}`, tone: "bad" }),
  });
  return (["csv", "ndjson"] as const).map((format) => (
    <Button
      key={format}
      variant="default"
      loading={download.isPending && download.variables === format}
      onClick={() => download.mutate(format)}
    >
      {own[format]}
    </Button>
  ));
}

function AuditLog() {
  const filter = useSearch({ from: "/signed-in/settings/audit" });
  const navigate = useNavigate();
  const change = (search: AuditFilter) => {
    const chosen = Object.entries(search).filter(([, value]) => value !== "");
    void navigate({
      to: "/settings/audit",
      search: Object.fromEntries(chosen),
      replace: true,
    });
  };
  const query = useInfiniteQuery(auditQuery(toApiFilter(filter)));
  const { data, error, refetch } = query;
  const entries = data?.pages.flatMap((page) => page.entries);
  return (
    <>
      <PageHeader title={own.title} actions={<Exports filter={filter} />} />
      <ScreenBody className={styles.body}>
        <Filters filter={filter} onChange={change} />
        {error && <ErrorPanel error={error} title={words.loadFailed} onRetry={refetch} />}
        {!error && entries === undefined && <Skeleton rows={10} />}
        {entries?.length === 0 && (
          <EmptyState title={own.empty}>
            <p>{own.emptyText}</p>
          </EmptyState>
        )}
        {entries !== undefined && entries.length > 0 && (
          <AuditList
            entries={entries}
            hasMore={query.hasNextPage}
            onMore={() => !query.isFetchingNextPage && query.fetchNextPage()}
          />
        )}
      </ScreenBody>
    </>
  );
}

function AuditScreen() {
  if (useMay("admin")) return <AuditLog />;
  return (
    <>
      <PageHeader title={own.title} />
      <ScreenBody className={styles.body}>
        <p>{words.adminOnly}</p>
      </ScreenBody>
    </>
  );
}

export const route = createLazyRoute("/signed-in/settings/audit")({ component: AuditScreen });
