import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { createLazyRoute, useNavigate, useSearch } from "@tanstack/react-router";
import { downloadFile } from "../api/download.ts";
import { useMay } from "../api/session.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorPanel } from "../parts/error-panel.tsx";
import layoutStyles from "../parts/layout.module.css";
import { Row, ScreenBody } from "../parts/layout.tsx";
import { Skeleton } from "../parts/loading.tsx";
import { showNotice } from "../parts/notices.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { useTypedText } from "../parts/use-typed-text.ts";
import { AuditList } from "./audit-list.tsx";
import { toApiFilter } from "./audit-search.ts";
import { type AuditFilter, auditFacetsQuery, auditQuery } from "./queries.ts";
import styles from "./settings.module.css";
import { words } from "./words.ts";

const own = words.audit;
const typingMs = 300;

interface FiltersProps {
  readonly filter: AuditFilter;
  readonly onChange: (change: AuditFilter) => void;
}

/** Applies the search when the user pauses typing. */
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
