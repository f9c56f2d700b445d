import { useLocation } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense } from "react";
import layoutStyles from "../../parts/layout.module.css";
import { useIsWide } from "../../parts/use-is-phone.ts";
import styles from "./beside-list.module.css";

const SideList = lazy(() =>
  import("./side-list.tsx").then((loaded) => ({ default: loaded.SideList })),
);

/**
 * On a wide screen, shows the list of checks beside the screen of an open check. While the screen
 * shows a run of the check, the list is hidden, because the run needs the space.
 */
export function BesideList({ children }: { readonly children: ReactNode }) {
  const { pathname, search } = useLocation();
  const isWide = useIsWide();
  const checkId = /^\/checks\/([0-9a-f-]{36})$/.exec(pathname)?.[1];
  const isSplit = isWide && checkId !== undefined && !("run" in search);
  return (
    <div className={isSplit ? styles.split : styles.plain}>
      {isSplit && (
        <Suspense fallback={<div className={styles.side} />}>
          <div className={styles.side}>
            <SideList openId={checkId} />
          </div>
        </Suspense>
      )}
      <div className={isSplit ? layoutStyles.fill : styles.plain}>{children}</div>
    </div>
  );
}
