import { useQuery } from "@tanstack/react-query";
import { createLazyRoute } from "@tanstack/react-router";
import { type KeyboardEvent, lazy, Suspense, useCallback, useEffect } from "react";
import { ErrorPanel, GonePanel } from "../../parts/error-panel.tsx";
import { LoadingScreen, Skeleton } from "../../parts/loading.tsx";
import { useScreenTitle } from "../../parts/screen-title.ts";
import { CheckHeader } from "./check-header.tsx";
import styles from "./check-page.module.css";
import { OverviewTab } from "./overview-tab.tsx";
import { type AnyCheck, checkQuery } from "./queries.ts";
import { RunPanel } from "./run-panel.tsx";
import {
  type CheckSearch,
  changeSearch,
  chooseRange,
  isFixed,
  readBirth,
  type SearchChange,
  type Tab,
  tabs,
} from "./search.ts";
import { words } from "./words.ts";

const HistoryTab = lazy(async () => ({ default: (await import("./history-tab.tsx")).HistoryTab }));
const AlertsTab = lazy(async () => ({ default: (await import("./alerts-tab.tsx")).AlertsTab }));
const BackTestTab = lazy(async () => ({
  default: (await import("./back-test-tab.tsx")).BackTestTab,
}));
const CodeTab = lazy(async () => ({ default: (await import("./code-tab.tsx")).CodeTab }));

interface TabBarProps {
  readonly chosen: Tab;
  readonly onChoose: (tab: Tab) => void;
}

/** Arrow keys move between tabs, as screen readers expect. */
function TabBar({ chosen, onChoose }: TabBarProps) {
  useEffect(() => {
    document
      .getElementById(`tab-${chosen}`)
      ?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [chosen]);
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = tabs.at((tabs.indexOf(chosen) + step) % tabs.length);
    if (next === undefined) return;
    onChoose(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div className={styles.tabs} role="tablist" aria-label={words.tabList} onKeyDown={move}>
      {tabs.map((tab) => (
        <button
          type="button"
          role="tab"
          key={tab}
          id={`tab-${tab}`}
          className={styles.tab}
          aria-selected={tab === chosen}
          aria-controls="check-tab"
          tabIndex={tab === chosen ? 0 : -1}
          onClick={() => onChoose(tab)}
        >
          {words.tabs[tab]}
        </button>
      ))}
    </div>
  );
}

interface BodyProps {
  readonly check: AnyCheck;
  readonly search: CheckSearch;
  readonly onSearch: (change: SearchChange) => void;
}

function TabBody({ check, search, onSearch }: BodyProps) {
  const open = (run: string) => onSearch({ run });
  switch (search.tab ?? "overview") {
    case "overview":
      return <OverviewTab check={check} search={search} onSearch={onSearch} />;
    case "history":
      return <HistoryTab checkId={check.id} onOpenRun={open} />;
    case "alerts":
      return <AlertsTab checkId={check.id} onOpenRun={open} />;
    case "back-test":
      return <BackTestTab check={check} onOpenRun={open} />;
    case "code":
      return <CodeTab check={check} />;
  }
}

/** Adds a default range if the address has none. */
function withRange(search: CheckSearch, { id }: AnyCheck): CheckSearch {
  if (search.range !== undefined || isFixed(search)) return search;
  return { ...search, range: chooseRange(readBirth(id), Date.now()) };
}

function CheckScreen() {
  const { checkId } = route.useParams();
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const { data: check, error, refetch } = useQuery(checkQuery(checkId));
  const onSearch = useCallback(
    (change: SearchChange) =>
      void navigate({
        search: (before: CheckSearch) => changeSearch(before, change),
        resetScroll: false,
      }),
    [navigate],
  );
  const close = useCallback(() => onSearch({ run: undefined }), [onSearch]);
  useScreenTitle(check?.name);
  if (check === undefined) {
    if (error === null) return <LoadingScreen />;
    const retry = () => void refetch();
    return <ErrorPanel isScreen error={error} title={words.notLoaded} onRetry={retry} />;
  }
  const search = withRange(address, check);
  const chosen = search.tab ?? "overview";
  return (
    <div className={styles.page} data-open={search.run !== undefined}>
      <div className={styles.main}>
        <GonePanel error={error} />
        <CheckHeader check={check} />
        <TabBar chosen={chosen} onChoose={(tab) => onSearch({ tab })} />
        <div
          className={styles.body}
          role="tabpanel"
          id="check-tab"
          aria-labelledby={`tab-${chosen}`}
        >
          <Suspense fallback={<Skeleton rows={8} />}>
            <TabBody check={check} search={search} onSearch={onSearch} />
          </Suspense>
        </div>
      </div>
      {search.run !== undefined && (
        <RunPanel
          check={check}
          resultId={search.run}
          onOpen={(run) => onSearch({ run })}
          onClose={close}
        />
      )}
    </div>
  );
}

export const route = createLazyRoute("/signed-in/checks/$checkId")({ component: CheckScreen });
