import layoutStyles from "./layout.module.css";
import { Stack } from "./layout.tsx";
import styles from "./loading.module.css";

/** Placeholder bars, which screen readers announce as one loading state. */
export function Skeleton({ rows = 6 }: { readonly rows?: number }) {
  return (
    <Stack gap={2} role="status">
      <span className="unseen">Loading</span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: all rows are equal
        <div className={styles.row} key={row} aria-hidden="true" />
      ))}
    </Stack>
  );
}

/** Screen shown while the code and the first data of another screen are loading. */
export function LoadingScreen() {
  return (
    <div className={layoutStyles.padded}>
      <Skeleton rows={8} />
    </div>
  );
}
