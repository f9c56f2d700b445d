import { useQuery } from "@tanstack/react-query";
import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, useEffect, useRef } from "react";
import { isMuteOf, mutesQuery } from "../../alerts/index.ts";
import { DownIcon } from "../../parts/icons.tsx";
import { useIsMedium, useIsPhone, useIsWide } from "../../parts/use-is-phone.ts";
import { usePendingDeletes } from "./bulk.ts";
import { CheckRow } from "./check-row.tsx";
import styles from "./check-table.module.css";
import { facetsQuery } from "./queries.ts";
import { type Column, columns, type ListSearch, type Sort } from "./search.ts";
import { findPlace, type ListRows, rememberPlace, type Selection } from "./use-list.ts";
import { columnWords, words } from "./words.ts";

interface KeyTargets {
  readonly rows: ListRows;
  readonly selection: Selection;
  readonly maySelect: boolean;
  readonly scrollTo: (index: number) => void;
}

/** Whether shortcuts are disabled, because the user is typing in a field or a dialog is open. */
function isTyping(event: KeyboardEvent): boolean {
  const { target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  if (document.querySelector("[role=dialog]") !== null) return true;
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      ["TEXTAREA", "SELECT"].includes(target.tagName) ||
      (target instanceof HTMLInputElement && target.type !== "checkbox"))
  );
}

const findLink = (checkId: string) =>
  document.querySelector<HTMLElement>(`[data-check="${CSS.escape(checkId)}"]`);

/** Returns the id of the check whose row has the focus. */
function findFocused(): string | null {
  const row = document.activeElement?.closest("tr");
  return row?.querySelector<HTMLElement>("[data-check]")?.dataset.check ?? null;
}

/** Focuses the row of a check. Retries a few times, because the row may not be rendered yet. */
function focusRow(checkId: string, triesLeft = 10): void {
  const link = findLink(checkId);
  if (link !== null) link.focus({ preventScroll: true });
  else if (triesLeft > 0) requestAnimationFrame(() => focusRow(checkId, triesLeft - 1));
}

/**
 * Handles the keyboard shortcuts j and k (next and previous row), x (select) and / (search). Enter
 * needs no handler, because it follows the focused link.
 */
function useListKeys(targets: KeyTargets): void {
  const newest = useRef(targets);
  newest.current = targets;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event)) return;
      const { rows, selection, maySelect, scrollTo } = newest.current;
      const focused = findFocused();
      const index = focused === null ? -1 : rows.indexOf(focused);
      if (event.key === "j" || event.key === "k") {
        const next = Math.max(0, index + (event.key === "j" ? 1 : -1));
        const check = rows.at(next);
        if (check === undefined) return;
        event.preventDefault();
        scrollTo(next);
        focusRow(check.checkId);
      } else if (event.key === "x" && maySelect && focused !== null) {
        event.preventDefault();
        selection.toggle(focused, index);
      } else if (event.key === "Escape" && selection.ids.size > 0) {
        selection.clear();
      } else if (event.key === "/") {
        event.preventDefault();
        document.querySelector<HTMLElement>("[data-list-search]")?.focus();
      }
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

interface TableProps {
  readonly search: ListSearch;
  readonly rows: ListRows;
  readonly selection: Selection;
  readonly maySelect: boolean;
  /** Whether the list is shown beside an open check, where there is only space for names. */
  readonly isNarrow: boolean;
  readonly openId: string | null;
  readonly onSort: (sort: Sort) => void;
}

const widths: Readonly<Record<Column, string>> = {
  kind: "5rem",
  group: "minmax(4rem, 0.6fr)",
  tags: "minmax(7rem, 0.8fr)",
  bar: "120px",
  availability: "5rem",
  p95: "4rem",
  lastRun: "5rem",
};
const sortable: Readonly<Partial<Record<Column, Sort>>> = {
  availability: "availability",
  p95: "p95",
  lastRun: "lastRun",
};

interface HeadProps {
  readonly label: string;
  readonly sort: Sort | undefined;
  readonly className: string | undefined;
}

function SortHead(props: HeadProps & Pick<TableProps, "search" | "onSort">) {
  const { label, sort, search, onSort, className } = props;
  const isSorted = sort !== undefined && (search.sort ?? "name") === sort;
  const direction = search.order === "desc" ? "descending" : "ascending";
  return (
    <th scope="col" className={className} aria-sort={isSorted ? direction : undefined}>
      {sort === undefined ? (
        label
      ) : (
        <button type="button" className={styles.sort} onClick={() => onSort(sort)}>
          {label}
          {isSorted && (
            <span className={styles.arrow} data-order={direction}>
              <DownIcon size={12} />
            </span>
          )}
        </button>
      )}
    </th>
  );
}

function Heads(props: TableProps & { readonly shown: readonly Column[] }) {
  const { rows, selection, maySelect, shown } = props;
  const areAll =
    rows.loaded.length > 0 && rows.loaded.every(({ checkId }) => selection.has(checkId));
  return (
    <tr className={styles.head} aria-rowindex={1}>
      {maySelect && (
        <th scope="col" className={styles.pick}>
          <input
            type="checkbox"
            aria-label={words.selectAll}
            checked={areAll}
            onChange={() =>
              areAll
                ? selection.clear()
                : selection.choose(rows.loaded.map(({ checkId }) => checkId))
            }
          />
        </th>
      )}
      <SortHead {...props} label={columnStates} sort="state" className={styles.state} />
      <SortHead {...props} label={columnName} sort="name" className={styles.name} />
      {shown.map((column) => (
        <SortHead
          {...props}
          key={column}
          label={columnWords[column]}
          sort={sortable[column]}
          className={styles[column]}
        />
      ))}
    </tr>
  );
}

/**
 * Value of `muted` for a check with a time-limited mute. The row of the check then looks the same
 * as with an unlimited mute.
 */
const muted = true;
const columnStates = "State";
const columnName = "Name";

function Body(
  props: TableProps & {
    readonly shown: readonly Column[];
    readonly virtualizer: Virtualizer<HTMLDivElement, Element>;
  },
) {
  const { search, rows, selection, virtualizer, openId } = props;
  const isBeingDeleted = usePendingDeletes(search);
  const { data: mutes = [] } = useQuery(mutesQuery());
  const idsBetween = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, n) => rows.at(from + n)?.checkId ?? "").filter(
      (id) => id !== "",
    );
  return (
    <tbody className={styles.body} style={{ height: virtualizer.getTotalSize() }}>
      {virtualizer.getVirtualItems().map(({ index, start }) => {
        const check = rows.at(index);
        const isSelected = check !== undefined && selection.has(check.checkId);
        return (
          <tr
            key={check?.checkId ?? `row ${index}`}
            className={styles.row}
            style={{ transform: `translateY(${start}px)` }}
            aria-rowindex={index + 2}
            data-selected={isSelected || undefined}
            data-open={check?.checkId === openId || undefined}
            data-going={(check !== undefined && isBeingDeleted(check.checkId)) || undefined}
          >
            {check === undefined ? (
              <td className={styles.waiting}>
                <span className="unseen">Loading</span>
              </td>
            ) : (
              <CheckRow
                {...props}
                check={mutes.some((mute) => isMuteOf(mute, check)) ? { ...check, muted } : check}
                barFrom={rows.barFrom}
                isSelected={isSelected}
                isOpen={check.checkId === openId}
                isBeingDeleted={isBeingDeleted(check.checkId)}
                onSelect={(isRange) =>
                  isRange
                    ? selection.extend(index, idsBetween)
                    : selection.toggle(check.checkId, index)
                }
              />
            )}
          </tr>
        );
      })}
    </tbody>
  );
}

/**
 * Returns the columns to show. Columns that do not fit or that are empty for every check are
 * omitted.
 */
function useShownColumns(search: ListSearch, isCompact: boolean): readonly Column[] {
  const { data } = useQuery(facetsQuery(search));
  const isMedium = useIsMedium();
  const isWide = useIsWide();
  if (isCompact) return ["bar"];
  const isEmpty: { readonly [One in Column]?: boolean | undefined } = {
    group: !isWide || data?.groupId.every(({ value }) => value === "0"),
    tags: isMedium || data?.tag.length === 0,
  };
  return columns.filter((column) => !search.hide?.includes(column) && !isEmpty[column]);
}

/** Scrolls the row of the open check into view. */
function useOpenRow({ rows, openId }: TableProps, scrollTo: (index: number) => void): void {
  const shownId = useRef<string>(null);
  useEffect(() => {
    if (openId === null || shownId.current === openId) return;
    const loaded = rows.indexOf(openId);
    const index = loaded >= 0 ? loaded : findPlace(openId);
    if (index < 0 || index >= (rows.total ?? 0)) return;
    shownId.current = openId;
    scrollTo(index);
  });
}

export function CheckTable(props: TableProps) {
  const { search, rows, selection, maySelect, isNarrow } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const isPhone = useIsPhone();
  const isCompact = isPhone || isNarrow;
  const shown = useShownColumns(search, isCompact);
  const rowHeight = isCompact ? 60 : 40;
  const virtualizer = useVirtualizer<HTMLDivElement, Element>({
    count: rows.total ?? 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  const items = virtualizer.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  // biome-ignore lint/correctness/useExhaustiveDependencies: `rows` changes at every render
  useEffect(() => rows.show(first, last), [first, last]);
  useEffect(() => {
    for (let index = first; index <= last; index += 1) {
      const check = rows.at(index);
      if (check !== undefined) rememberPlace(check.checkId, index);
    }
  });
  useOpenRow(props, (index) => virtualizer.scrollToIndex(index));
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new row height is measured
  useEffect(() => virtualizer.measure(), [rowHeight]);
  useListKeys({
    rows,
    selection,
    maySelect,
    scrollTo: (index) => virtualizer.scrollToIndex(index),
  });
  const template = ["2.25rem", "minmax(10.5rem, 4fr)", ...shown.map((column) => widths[column])];
  const style = {
    "--columns": [...(maySelect ? ["2.5rem"] : []), ...template].join(" "),
  } as CSSProperties;
  return (
    <div className={styles.scroller} ref={scroller} data-compact={isCompact || undefined}>
      <table
        className={styles.table}
        style={style}
        aria-label={words.table}
        aria-rowcount={(rows.total ?? 0) + 1}
        aria-busy={rows.isOld}
      >
        <thead className={isCompact ? "unseen" : styles.heads}>
          <Heads {...props} shown={shown} />
        </thead>
        <Body {...props} shown={shown} virtualizer={virtualizer} />
      </table>
    </div>
  );
}
