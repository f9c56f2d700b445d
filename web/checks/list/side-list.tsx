import { useState } from "react";
import { ErrorPanel } from "../../parts/error-panel.tsx";
import { Skeleton } from "../../parts/loading.tsx";
import styles from "./beside-list.module.css";
import { CheckTable } from "./check-table.tsx";
import type { ListSearch } from "./search.ts";
import { SearchField } from "./search-field.tsx";
import { readLastSearch, rememberSearch, useListRows, useSelection } from "./use-list.ts";
import { words } from "./words.ts";

/** Shows the list beside an open check: the same filters, but only names and state bars. */
export function SideList({ openId }: { readonly openId: string }) {
  const [search, setSearch] = useState<ListSearch>(readLastSearch);
  const rows = useListRows(search);
  const selection = useSelection();
  const onChange = (next: ListSearch) => {
    rememberSearch(next);
    setSearch(next);
  };
  return (
    <>
      <div className={styles.tools}>
        <SearchField search={search} onChange={onChange} />
      </div>
      {rows.error !== null && rows.error !== undefined && (
        <ErrorPanel error={rows.error} title={words.notLoaded} onRetry={rows.retry} />
      )}
      {rows.total === undefined ? (
        <Skeleton rows={8} />
      ) : (
        <CheckTable
          search={search}
          rows={rows}
          selection={selection}
          maySelect={false}
          isNarrow
          openId={openId}
          onSort={() => {}}
        />
      )}
    </>
  );
}
