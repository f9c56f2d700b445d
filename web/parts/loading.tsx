import styles from "./loading.module.css";

/** Grey bars where text will be. Screen readers are told once. */
export function Skeleton({ rows = 6 }: { readonly rows?: number }) {
  return (
    <div className={styles.skeleton} role="status">
      <span className="unseen">Loading</span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <div className={styles.row} key={row} aria-hidden="true" />
      ))}
    </div>
  );
}

/** While a screen's code and first data are on their way. */
export function LoadingScreen() {
  return (
    <div className={styles.screen}>
      <Skeleton rows={8} />
    </div>
  );
}
