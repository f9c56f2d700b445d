import layoutStyles from "./layout.module.css";
import { Stack } from "./layout.tsx";
import styles from "./loading.module.css";

/** Placeholder bars. Screen readers announce the loading state once. */
export function Skeleton({ rows = 6 }: { readonly rows?: number }) {
  return (
    <Stack gap={2} role="status">
      <span className="unseen">Loading</span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <div className={styles.row} key={row} aria-hidden="true" />
      ))}
    </Stack>
  );
}

/** Shown while a screen's code and first data load. */
export function LoadingScreen() {
  return (
    <div className={layoutStyles.padded}>
      <Skeleton rows={8} />
    </div>
  );
}
