import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import styles from "./empty-state.module.css";
import { useScreenTitle } from "./screen-title.ts";

interface EmptyStateProps {
  readonly title: string;
  /** Text that explains the feature and the first step. */
  readonly children: ReactNode;
}

export function EmptyState({ title, children }: EmptyStateProps) {
  return (
    <div className={styles.empty}>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/**
 * Screen for an unknown URL. It contains no navigation, because the visitor may not be signed in.
 */
export function NotFoundScreen() {
  const title = "Page not found";
  useScreenTitle(title);
  return (
    <main className={styles.empty}>
      <h1>{title}</h1>
      <p>
        Check the address, or <Link to="/">go to the Now screen.</Link>
      </p>
    </main>
  );
}
