import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { createLazyRoute, Link, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { useMay } from "../../api/session.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { PlusIcon } from "../../parts/icons.tsx";
import { Row } from "../../parts/layout.tsx";
import { GoLink } from "../../parts/links.tsx";
import { Skeleton } from "../../parts/loading.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import textStyles from "../../parts/text.module.css";
import { useIsPhone } from "../../parts/use-is-phone.ts";
import { type BulkTarget, deleteLater, useBulk } from "./bulk.ts";
import bulkBarStyles from "./bulk-bar.module.css";
import type { BulkDialog, Change } from "./bulk-dialogs.tsx";
import { CheckTable } from "./check-table.tsx";
import { Facets } from "./facets.tsx";
import { ColumnsMenu, ViewsMenu } from "./list-menus.tsx";
import styles from "./list-screen.module.css";
import { isFiltered, type ListSearch, parseListSearch, toggleSort } from "./search.ts";
import { SearchField } from "./search-field.tsx";
import {
  type ListRows,
  rememberSearch,
  type Selection,
  useListRows,
  useSelection,
} from "./use-list.ts";
import { words } from "./words.ts";

interface BulkBarProps {
  readonly search: ListSearch;
  readonly selection: Selection;
  readonly total: number;
}

const dialogNames = ["tag", "move", "channels", "frequency", "locations"] as const;
const plain = ["mute", "unmute", "activate", "deactivate"] as const;

/** Loads dialogs on demand, because users view the list more often than they change it. */
const BulkDialogs = lazy(async () => ({
  default: (await import("./bulk-dialogs.tsx")).BulkDialogs,
}));
const FilterSheet = lazy(async () => ({
  default: (await import("./filter-sheet.tsx")).FilterSheet,
}));

/** Shows the bulk actions for the selected checks. */
function BulkBar({ search, selection, total }: BulkBarProps) {
  const [dialog, setDialog] = useState<BulkDialog | null>(null);
  const client = useQueryClient();
  const bulk = useBulk();
  const count = selection.isAll ? total : selection.ids.size;
  const target: BulkTarget = {
    ids: [...selection.ids],
    search: selection.isAll ? search : null,
    count,
  };
  const change = (one: Change) => bulk.mutate({ target, ...one });
  return (
    <Row as="section" className={bulkBarStyles.bar} aria-label={words.bulkBar}>
      <strong className={textStyles.nowrap} role="status">
        {words.selected(count)}
      </strong>
      {!selection.isAll && total > selection.ids.size && (
        <Button size="xs" variant="subtle" onClick={selection.chooseAll}>
          {words.selectFound(total)}
        </Button>
      )}
      <Button size="xs" variant="subtle" onClick={selection.clear}>
        {words.clearSelection}
      </Button>
      <Row gap={1} className={bulkBarStyles.buttons}>
        {plain.map((action) => (
          <Button
            key={action}
            size="xs"
            variant="default"
            disabled={bulk.isPending}
            onClick={() => change({ action })}
          >
            {words[action]}
          </Button>
        ))}
        {(["muteUntil", ...dialogNames] as const).map((one) => (
          <Button key={one} size="xs" variant="default" onClick={() => setDialog(one)}>
            {words[one]}
          </Button>
        ))}
        <Button
          size="xs"
          color="red"
          variant="outline"
          onClick={() => {
            deleteLater(target, client);
            selection.clear();
          }}
        >
          {words.delete}
        </Button>
      </Row>
      <Suspense fallback={null}>
        <BulkDialogs
          opened={dialog}
          target={target}
          onClose={() => setDialog(null)}
          onChange={change}
        />
      </Suspense>
    </Row>
  );
}

function NoChecks() {
  const mayWrite = useMay("write");
  if (!mayWrite) {
    return (
      <EmptyState title={words.empty}>
        <p>{words.emptyReadOnly}</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title={words.empty}>
      <p>{words.emptyHint}</p>
      <AddButtons isFirst />
    </EmptyState>
  );
}

function AddButtons({ isFirst = false }: { readonly isFirst?: boolean }) {
  const size = useIsPhone() && !isFirst ? "xs" : "sm";
  return (
    <Row>
      <Button component={Link} to="/checks/new" size={size} leftSection={<PlusIcon size={16} />}>
        {words.add}
      </Button>
      {isFirst && (
        <Button component={GoLink} href="/checks/new?tab=list" variant="default">
          {words.paste}
        </Button>
      )}
    </Row>
  );
}

const clearColumns = ({ hide: _hide, ...rest }: ListSearch) => rest;

interface FoundProps {
  readonly search: ListSearch;
  readonly rows: ListRows;
  readonly onChange: (search: ListSearch) => void;
}

function Found({ search, rows, onChange }: FoundProps) {
  const selection = useSelection();
  const mayWrite = useMay("write");
  const isSelecting = selection.isAll || selection.ids.size > 0;
  if (rows.error !== null && rows.error !== undefined) {
    return <ErrorPanel error={rows.error} title={words.notLoaded} onRetry={rows.retry} />;
  }
  if (rows.total === undefined) return <Skeleton rows={12} />;
  if (rows.total === 0) {
    return isFiltered(search) ? (
      <EmptyState title={words.nothingFound}>
        <p>{words.nothingFoundHint}</p>
      </EmptyState>
    ) : (
      <NoChecks />
    );
  }
  return (
    <>
      <CheckTable
        search={search}
        rows={rows}
        selection={selection}
        maySelect={mayWrite}
        isNarrow={false}
        openId={null}
        onSort={(sort) => onChange(toggleSort(search, sort))}
      />
      {isSelecting && <BulkBar search={search} selection={selection} total={rows.total} />}
    </>
  );
}

function ListScreen() {
  const search = parseListSearch(route.useSearch());
  const navigate = useNavigate();
  const isPhone = useIsPhone();
  const mayWrite = useMay("write");
  const rows = useListRows(search);
  useEffect(() => rememberSearch(search));
  const onChange = (next: ListSearch, isTyping = false) =>
    void navigate({ to: "/checks", search: next, replace: isTyping });
  const isEmpty = rows.total === 0 && !isFiltered(search);
  return (
    <div className={styles.screen}>
      <PageHeader title={words.title} actions={mayWrite && !isEmpty && <AddButtons />}>
        {!isEmpty && (
          <Row gap={3}>
            <SearchField search={search} onChange={onChange} />
            {rows.total !== undefined && (
              <span className={`${textStyles.muted} ${textStyles.nowrap}`} role="status">
                {words.showing(rows.total)}
              </span>
            )}
            <Row nowrap className={styles.menus}>
              {isPhone && (
                <Suspense fallback={null}>
                  <FilterSheet search={search} onChange={onChange} />
                </Suspense>
              )}
              <ViewsMenu search={search} />
              {!isPhone && <ColumnsMenu search={search} onChange={onChange} />}
            </Row>
          </Row>
        )}
      </PageHeader>
      <Row nowrap gap={0} align="stretch" className={styles.split}>
        {!isPhone && !isEmpty && (
          <aside className={styles.side} aria-label={words.filters}>
            <Facets search={search} onChange={onChange} />
          </aside>
        )}
        <div className={styles.found}>
          <Found
            // A new search remounts the list, so that it starts at the top without a selection.
            key={JSON.stringify(clearColumns(search))}
            search={search}
            rows={rows}
            onChange={onChange}
          />
        </div>
      </Row>
    </div>
  );
}

export const route = createLazyRoute("/signed-in/checks")({ component: ListScreen });
