import { createLazyRoute } from "@tanstack/react-router";
import { type KeyboardEvent, lazy, Suspense, useCallback, useEffect } from "react";
import { useLoaded } from "../../api/use-loaded.ts";
import { TabBar } from "../../parts/blocks.tsx";
import { GonePanel } from "../../parts/error-panel.tsx";
import { Stack } from "../../parts/layout.tsx";
import { Skeleton } from "../../parts/loading.tsx";
import { useScreenTitle } from "../../parts/screen-title.ts";
import { CheckHeader } from "./check-header.tsx";
import styles from "./check-page.module.css";
import { OverviewTab } from "./overview-tab.tsx";
import { type AnyCheck, checkQuery } from "./queries.ts";
import { RunPanel } from "./run-panel.tsx";
import { type CheckSearch, changeSearch, type SearchChange, type Tab, tabs } from "./search.ts";
import { words } from "./words.ts";

const HistoryTab = lazy(async () => ({ default: (await import("./history-tab.tsx")).HistoryTab }));
const AlertsTab = lazy(async () => ({ default: (await import("./alerts-tab.tsx")).AlertsTab }));
const BackTestTab = lazy(async () => ({
  default: (await import("./back-test-tab.tsx")).BackTestTab,
}));
const CodeTab = lazy(async () => ({ default: (await import("./code-tab.tsx")).CodeTab }));

interface CheckTabsProps {
  readonly chosen: Tab;
  readonly onChoose: (tab: Tab) => void;
}

/**
 * Shows the tabs of a check. The left and right arrow keys switch between tabs, as screen reader
 * users expect.
 */
function CheckTabs({ chosen, onChoose }: CheckTabsProps) {
  useEffect(() => {
    document
      .getElementById(`tab-${chosen}`)
      ?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [chosen]);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = tabs.at((tabs.indexOf(chosen) + step) % tabs.length);
    if (next === undefined) return;
    onChoose(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <TabBar as="div" role="tablist" aria-label={words.tabList} onKeyDown={move}>
      {tabs.map((tab) => (
        <button
          type="button"
          role="tab"
          key={tab}
          id={`tab-${tab}`}
          aria-selected={tab === chosen}
          aria-controls="check-tab"
          tabIndex={tab === chosen ? 0 : -1}
          onClick={() => onChoose(tab)}
        >
          {words.tabs[tab]}
        </button>
      ))}
    </TabBar>
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

function CheckScreen() {
  const { checkId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data: check, error } = useLoaded(checkQuery(checkId));
  const onSearch = useCallback(
    (change: SearchChange) =>
      void navigate({
        search: (before: CheckSearch) => changeSearch(before, change),
        resetScroll: false,
      }),
    [navigate],
  );
  const close = useCallback(() => onSearch({ run: undefined }), [onSearch]);
  useScreenTitle(check.name);
  const chosen = search.tab ?? "overview";
  return (
    <Stack gap={0} className={styles.page} data-open={search.run !== undefined}>
      <Stack gap={4} className={styles.main}>
        <GonePanel error={error} />
        <CheckHeader check={check} />
        <CheckTabs chosen={chosen} onChoose={(tab) => onSearch({ tab })} />
        <Stack gap={4} role="tabpanel" id="check-tab" aria-labelledby={`tab-${chosen}`}>
          <Suspense fallback={<Skeleton rows={8} />}>
            <TabBody check={check} search={search} onSearch={onSearch} />
          </Suspense>
        </Stack>
      </Stack>
      {search.run !== undefined && (
        <RunPanel
          check={check}
          resultId={search.run}
          onOpen={(run) => onSearch({ run })}
          onClose={close}
        />
      )}
    </Stack>
  );
}

export const route = createLazyRoute("/signed-in/checks/$checkId")({ component: CheckScreen });
